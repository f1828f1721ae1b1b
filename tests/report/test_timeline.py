"""The lines around an incident: whatever they and their files are called, a line is a line and acts upon nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Analysis, Catalog, analyze
from logsift.report.rows import written
from logsift.report.timeline import MARKS, around

ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
CRASH = """2026-01-01T00:00:21Z Traceback (most recent call last):
2026-01-01T00:00:21Z   File "a.py", line 1, in f\x1b]0;title\x07
2026-01-01T00:00:21Z     f()
9999-12-31T23:59:59Z KeyError: \x1b[31m \u202e \x9b31m
"""


@pytest.fixture
def hostile(run_of: Callable[..., Path], catalog: Catalog) -> Analysis:
    return analyze(run_of({"a\x1b[31m\u202e\n  +0.000 s  forged.log": CRASH}), catalog=catalog)


def test_no_line_and_no_name_of_a_file_acts_upon_the_terminal_or_begins_a_line(hostile: Analysis) -> None:
    title, *lines, marks = around(hostile, None, 60, 5).split("\n")
    assert (title.startswith("around crash.exception"), marks) == (True, MARKS)
    assert not ACTS.search("".join(lines))
    assert [re.match(r" +[+-][0-9.]+ s .*forged\.log:[0-9]+  ", line) is not None for line in lines] == [True] * len(
        lines
    )


@pytest.mark.parametrize("seconds", [1e300, float("nan"), float("inf"), -5.0])
def test_any_number_of_seconds_is_one(hostile: Analysis, seconds: float) -> None:
    assert around(hostile, None, seconds, seconds).endswith(MARKS)


@pytest.mark.parametrize("to", ["table", "csv", "json"])
@pytest.mark.parametrize("query", ["FROM exception", "SELECT * FROM file", 'SELECT 1 AS "\x1b[31m[/]\u202e"'])
def test_no_text_or_name_of_a_column_acts_upon_the_terminal(hostile: Analysis, query: str, to: str) -> None:
    answer = hostile.store.typed(query)
    assert not ACTS.search(written(answer.names, answer.rows, to))
