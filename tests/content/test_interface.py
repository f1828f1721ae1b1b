"""What the engine asks of content, and content that has nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders.grammar import LIFT_STOP, grammar

from logsift import Catalog, analyze
from logsift.content.expressions import plain
from logsift.content.interface import INTERFACE

GRAMMAR = grammar("Lift", LIFT_STOP, lift_stop="floor int")
RULE = """/*
title = "The lift stopped"
severity = "warning"
confidence = "definite"
status = "stable"
about = "A lift stopped between floors."
summary = "The lift stopped at floor {{ floor }}"
step = [{ say = "Take the stairs.", run = ["climb --to {{ floor }} --name {{ name }}"] }]
false_positives = "Never."
*/
select [{'file_id': file_id, 'line_no': line_no}] as evidence, floor, '; rm -rf ~' as name from lift_stop
"""


def test_one_grammar_and_one_rule_of_ones_own_are_enough(
    run_of: Callable[..., Path], content_of: Callable[..., Catalog]
) -> None:
    own = content_of({"parsers/lift.toml": GRAMMAR, "rules/lift/stopped.sql": RULE}, alone=True)
    analysis = analyze(run_of({"node.log": "all is well\nlift stopped at floor 4\n"}), catalog=own)
    assert analysis.root is not None
    assert analysis.root.summary == "The lift stopped at floor 4"
    assert [s.text for s in analysis.root.steps] == ["Take the stairs."]


def test_what_a_log_says_cannot_run_when_a_command_is_pasted(
    run_of: Callable[..., Path], content_of: Callable[..., Catalog]
) -> None:
    own = content_of({"parsers/lift.toml": GRAMMAR, "rules/lift/stopped.sql": RULE}, alone=True)
    analysis = analyze(run_of({"node.log": "lift stopped at floor 4\n"}), catalog=own)
    assert analysis.root is not None
    assert analysis.root.steps[0].commands == ("climb --to 4 --name '; rm -rf ~'",)


def test_what_content_lacks_is_there_and_empty(run_of: Callable[..., Path], content_of: Callable[..., Catalog]) -> None:
    own = content_of({"parsers/lift.toml": GRAMMAR}, alone=True)
    store = analyze(run_of({"node.log": "lift stopped at floor 4\n"}), catalog=own).store
    for name, asked in INTERFACE.items():
        columns = ", ".join('"' + c + '"' for c in asked.columns)
        assert store.rows(f"SELECT {columns} FROM {name}") == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("a b", "a b", id="plain ones stay"),
        pytest.param("(?x) a  # first\n  [ ] b", "a[ ]b", id="spaces and comments go, classes stay"),
        pytest.param(r"(?x) a\ b \# \[x # y", r"a b#\[x", id="escaped ones stay, without what the engine refuses"),
        pytest.param("at (?&place)!", "at (?:[a-z]+[0-9]+)!", id="a piece"),
        pytest.param("(?x) (?&twice)", "(?:(?:[a-z]+[0-9]+)x(?:[a-z]+[0-9]+))", id="a piece of pieces"),
    ],
)
def test_regexes_are_read_as_they_are_meant(written: str, read: str) -> None:
    pieces = {"place": "(?x) [a-z]+ [0-9]+", "twice": "(?&place)x(?&place)"}
    assert plain(written, pieces) == read
