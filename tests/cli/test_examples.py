"""Every command shows examples in its help, and each of them is understood as it is written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from logsift.cli import main
from logsift.cli.examples import examples

GROUPS = {name: c for name, c in main.commands.items() if isinstance(c, click.Group)}
NAMES = ["logsift", *main.commands, *(f"{name} {sub}" for name, group in GROUPS.items() for sub in group.commands)]
LINES = [(name, line) for name, lines in examples().items() for line in lines]


def parsed(line: str) -> click.Context:
    """What the commands make of a line of shell, its `logsift` in whatever place of a pipe, without running it."""
    (call,) = (part for part in re.split(r" (?:\||&&) ", line) if part.startswith("logsift "))
    words = shlex.split(re.sub(r" [<>] \S+", "", call))
    ctx = main.make_context("logsift", words[1:], allow_interspersed_args=False)
    command: click.Command = main
    while isinstance(command, click.Group):
        name, command, args = command.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
        assert command is not None
        ctx = command.make_context(name, args, parent=ctx)
    return ctx


def test_every_command_has_two_examples_or_more_and_nothing_else_has() -> None:
    assert sorted(examples()) == sorted(NAMES)
    assert [name for name, lines in examples().items() if not 2 <= len(lines) <= 5] == []


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_is_understood(name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lift.log").touch()
    with parsed(line) as ctx:
        assert not isinstance(ctx.command, click.Group)


@pytest.mark.parametrize("name", NAMES)
def test_its_help_shows_them_and_its_short_help_is_no_torso(name: str) -> None:
    shown = CliRunner().invoke(main, [*name.split()[name.startswith("logsift") :], "--help"]).output
    assert all(line in shown for line in examples()[name])
    assert "..." not in shown.replace("[ARGS]...", "").replace("RUN...", "").replace("[QUERY]...", "").replace(
        "DIR...", ""
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("analyze x --format jsn", "Did you mean json?"),
        ("analyze x --fail-on crtical", "Did you mean critical?"),
        ("analyze x --fromat json", "'--format'"),
        ("new parsr", "Did you mean 'parser'?"),
        ("stack", "did you mean `logsift stacks`?"),
        ("rules crash.exceptoin", "did you mean crash.exception"),
        ("recipe slurm-prolog", "did you mean slurm-epilog"),
        ("guide hangs", "did you mean hang?"),
    ],
)
def test_what_is_nearly_right_gets_what_was_meant(args: str, said: str) -> None:
    told = CliRunner().invoke(main, args.split())
    assert told.exit_code == 2
    assert said in told.output
