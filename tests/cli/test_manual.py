"""The manual has every command with its options and examples, in the language of man."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest
from click.testing import CliRunner

from logsift.cli import main
from logsift.cli.examples import examples

GROFF = shutil.which("groff")


@pytest.fixture(scope="module")
def page() -> str:
    return CliRunner().invoke(main, ["guide", "--man"]).output


def test_every_command_is_in_it_with_its_options_and_examples(page: str) -> None:
    plain = page.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")
    assert [n for n in main.commands if f"\n.B logsift {n} " not in plain] == []
    assert "\n.B logsift new parser " in plain
    assert [line for lines in examples().values() for line in lines if f"\n{line}\n" not in plain] == []
    options = {o.opts[0] for c in main.commands.values() for o in c.params if isinstance(o, click.Option)}
    assert {o for o in options if not re.search(rf"^\.B .*{o}\b", plain, re.MULTILINE)} == set()
    sections = re.findall(r"^\.SH (.*)$", page, re.MULTILINE)
    assert sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXAMPLES", "EXIT STATUS", "FILES"]


def test_its_language_is_mans(page: str) -> None:
    """Groff, where it is installed, has nothing to warn of."""
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".IP", ".B", ".RS", ".RE", ".nf", ".fi", ".br"}
    assert page.count("\n.RS\n") == page.count("\n.RE\n")
    assert page.count("\n.nf\n") == page.count("\n.fi\n")
    if GROFF:
        command = [GROFF, "-man", "-Tutf8", "-ww", "-z"]
        told = subprocess.run(command, input=page, text=True, capture_output=True, check=True)
        assert told.stderr == ""
