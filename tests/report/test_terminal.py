"""The report on the screen: one screen for any job, commands whole, links where the terminal can, plain elsewhere."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from builders.clusters import make
from rich.console import Console

from logsift import Analysis, Catalog, analyze
from logsift.report.terminal import show, show_one


def shown(analysis: Analysis, width: int = 100, *, terminal: bool = False, facts: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        height=40,
        highlight=False,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
    )
    show(analysis, console, facts=facts)
    return out.getvalue()


@pytest.fixture(scope="module")
def two_faults(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """64 ranks, two independent faults: what the screen has least room for."""
    run = make("two independent faults", 64).write(tmp_path_factory.mktemp("screen") / "run")
    return analyze(run, catalog=catalog)


def height(text: str, width: int) -> int:
    return sum(max(1, -(-len(line) // width)) for line in text.splitlines())


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_report_is_one_screen(two_faults: Analysis, width: int) -> None:
    text = shown(two_faults, width)
    assert height(text, width) < 40
    assert two_faults.root
    assert two_faults.root.rule in text
    assert "next   restart the job without" in text


def test_commands_are_on_lines_of_their_own_and_whole(two_faults: Analysis) -> None:
    assert two_faults.root
    lines = [line.strip() for line in shown(two_faults, 60).splitlines()]
    commands = [c for step in two_faults.root.steps for c in step.commands]
    assert [line[2:] for line in lines if line.startswith("$ ")] == commands[
        : sum(line.startswith("$ ") for line in lines)
    ]


def test_advice_that_is_a_command_alone_takes_no_line_for_words(catalog: Catalog) -> None:
    run = Path(__file__).parents[2] / "fixtures/hang.missing_rank--barrier-without-rank-0/run"
    lines = shown(analyze(run, catalog=catalog, db=None), facts=True).splitlines()
    assert any(line.strip().startswith("$ ssh") for line in lines)
    assert all(line.strip() for line in lines)


def test_between_three_and_five_lines_prove_it(two_faults: Analysis) -> None:
    assert two_faults.root
    places = [f"{e.path}:{e.line_no}" for e in two_faults.root.evidence]
    text = shown(two_faults).split("which explains")[0]
    assert 3 <= sum(p in text for p in places) <= 5


def test_a_place_is_a_link_on_a_terminal_and_plain_text_in_a_pipe(two_faults: Analysis) -> None:
    assert "\x1b]8;" in shown(two_faults, terminal=True)
    assert "\x1b" not in shown(two_faults)


def test_no_color_leaves_no_colour(two_faults: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31" not in shown(two_faults, terminal=True).replace("\x1b[1;31", "\x1b[31")


def test_facts_are_shown_where_asked_for_only(two_faults: Analysis) -> None:
    assert "facts  " not in shown(two_faults)
    assert "facts  " in shown(two_faults, facts=True)


def test_one_incident_is_told_whole(two_faults: Analysis) -> None:
    out = io.StringIO()
    assert show_one(two_faults, 1, Console(file=out, width=100, highlight=False))
    assert two_faults.root
    text = " ".join(out.getvalue().split())
    assert all(" ".join(step.text.split()) in text for step in two_faults.root.steps)
    assert all(f"{e.path}:{e.line_no}" in text for e in two_faults.root.evidence)
    assert not show_one(two_faults, 999)


def test_what_a_log_holds_does_not_act_upon_the_terminal(tmp_path: Path, catalog: Catalog) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "a\x1b]0;b.log").write_text(
        'Traceback (most recent call last):\n  File "/t.py", line 1, in <module>\nValueError: \x1b]8;;http://evil\x07[red]x\x1b[2J\u202e\n'
    )
    text = shown(analyze(run, catalog=catalog))
    assert not {c for c in text if ord(c) < 32} - {"\n"}
    assert "\u202e" not in text
    assert "[red]x" in text
