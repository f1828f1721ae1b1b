"""What agents are told of logsift is true: every command and option in it exists."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from click import Group

from logsift.ask.named import queries
from logsift.cli import main

GUIDE = files("logsift") / "guide"
CALL = re.compile(r"^\s*(?:\$ )?(logsift (?![0-9])[^\n]+?)(?: +#.*)?$|`(logsift [^`\n]+)`", re.MULTILINE)


def calls(text: str) -> list[str]:
    """The calls of logsift in Markdown: lines of blocks, and code within sentences."""
    return [a or b for a, b in CALL.findall(text)]


def is_known(call: str) -> bool:
    """True for a command that exists, with options that it has."""
    word = call.split()[1]
    command = main.commands.get("analyze" if word == "RUN" or "/" in word else word)
    if command is None:
        return False
    parts = [command, *(command.commands.values() if isinstance(command, Group) else ())]
    options = {o for part in parts for p in part.params for o in p.opts} | {"--help"}
    named = re.search(r"--named (\S+)", call)
    return set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", call.partition(" | ")[0])) <= options and (
        named is None or named[1] in queries()
    )


@pytest.mark.parametrize("name", ["SKILL.md", "llms.txt"])
def test_every_command_and_option_exists(name: str) -> None:
    said = calls((GUIDE / name).read_text(encoding="utf-8"))
    assert len(said) >= 9
    assert [call for call in said if not is_known(call)] == []


def test_a_skill_is_short_and_says_when_it_is_for() -> None:
    text = (GUIDE / "SKILL.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert re.match(r"---\nname: logsift\ndescription: \S.{20,1000}\n---\n", text)
