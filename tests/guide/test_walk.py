"""A walk through the README: what it says to type, and what that prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders.guide_pages import ROOT, WALK, fresh
from guide.test_skill import calls

README = (ROOT / "README.md").read_text()
ELSEWHERE = {
    "watch": "tests/live",
    "mcp": "tests/agents",
    "check": "tests/authoring",
    "docs": "tests/authoring",
    "map": "tests/engines",
    "reduce": "tests/engines",
}
"""Commands that are walked by tests of their own: they wait for somebody, take long, or belong together."""


def test_every_command_of_the_readme_is_walked() -> None:
    of_readme = {call.split()[1] for call in calls(README) if len(call.split()) > 1}
    commands = {word for word in of_readme if re.fullmatch("[a-z]+", word)} - ELSEWHERE.keys()
    walked = {line.split()[2] for line in WALK.read_text().splitlines() if line.startswith("$ logsift ")}
    assert commands - walked - {"analyze"} == set()
    assert all((ROOT / place).is_dir() for place in ELSEWHERE.values())


@pytest.mark.slow
def test_it_shows_what_its_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it does not: python tests/builders/guide_pages.py walk."""
    monkeypatch.chdir(tmp_path)
    assert fresh(WALK.read_text()) == WALK.read_text()
