"""What agents are told of logsift is true: every command and option in it exists."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from logsift.ask.named import queries
from logsift.cli import main

GUIDE = files("logsift") / "guide"
CALL = re.compile(r"^\s*(logsift [^\n]+)$|`(logsift [^`\n]+)`", re.MULTILINE)


def calls(name: str) -> list[str]:
    return [a or b for a, b in CALL.findall((GUIDE / name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", ["SKILL.md", "llms.txt"])
def test_every_command_and_option_exists(name: str) -> None:
    said = calls(name)
    assert len(said) >= 9
    for call in said:
        word = call.split()[1]
        command = main.commands["analyze" if word == "RUN" else word]
        options = {o for p in command.params for o in p.opts}
        assert set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", call)) <= options, call
        named = re.search(r"--named (\S+)", call)
        assert named is None or named[1] in queries()


def test_a_skill_is_short_and_says_when_it_is_for() -> None:
    text = (GUIDE / "SKILL.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert re.match(r"---\nname: logsift\ndescription: \S.{20,1000}\n---\n", text)
