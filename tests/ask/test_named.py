"""Queries with a name: each says what it answers, and answers it."""

from __future__ import annotations

import pytest

from logsift.analysis import Analysis
from logsift.ask.named import listed, named, queries
from logsift.errors import UserError


@pytest.mark.parametrize("name", queries())
def test_a_named_query_says_what_it_answers_and_answers_it(asked: Analysis, name: str) -> None:
    query = named(name)
    assert query.about.endswith(".")
    assert asked.store.typed(query.sql).rows != []


def test_the_slow_rank_is_on_top(asked: Analysis) -> None:
    answer = asked.store.typed(named("slowest-ranks").sql)
    ranks = [dict(zip(answer.names, row, strict=True)) for row in answer.rows]
    assert [(r["rank"], r["median_seconds"]) for r in ranks] == [(1, 3.0), (0, 2.0)]


def test_a_name_that_is_unknown_gets_the_nearest_one() -> None:
    with pytest.raises(UserError, match="did you mean slowest-ranks"):
        named("slow-ranks")
    with pytest.raises(UserError, match=f"there are: {', '.join(queries())}"):
        named("x")


def test_all_are_listed_with_what_they_answer() -> None:
    assert [line.split()[0] for line in listed().splitlines()] == list(queries())
