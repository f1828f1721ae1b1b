"""Which tables there are: those with rows first, on one screen, and what every column holds."""

from __future__ import annotations

import pytest

from logsift.analysis import Analysis
from logsift.ask.tables import columns_of, described, listed, tables
from logsift.content.interface import INTERFACE
from logsift.errors import UserError
from logsift.store.schema import ENGINE

OWN = [name for name in ENGINE if not name.startswith("content_")]


def test_tables_with_rows_come_first_and_fit_a_screen(asked: Analysis) -> None:
    shown = listed(asked.store, 120).splitlines()
    assert shown[0] == "Start here"
    assert shown[1].split()[:2] == ["incident", "1"]
    assert any(line.split()[:2] == ["training_line", "240"] for line in shown)
    assert not any(line.split()[:1] == ["xid_line"] for line in shown)
    assert len(shown) <= 50
    assert max(map(len, shown)) <= 120


def test_all_of_them_are_listed_whole_on_request(asked: Analysis) -> None:
    shown = listed(asked.store, 80, whole=True)
    assert "\n  xid_line " in shown
    assert max(map(len, shown.splitlines())) > 120
    assert "content_table" not in shown


def test_a_table_tells_its_columns_with_types_units_and_meaning(asked: Analysis) -> None:
    shown = [line.split(maxsplit=2) for line in described(asked.store, "file").splitlines()]
    assert ["bytes", "BIGINT", "size of the file as it lies there [bytes]"] in shown
    assert ["rank", "BIGINT", "global rank as named by the line, else by the file's name"] in shown
    assert "(240 rows)" in described(asked.store, "training_line")


@pytest.mark.parametrize("name", [*OWN, *INTERFACE])
def test_every_column_of_the_engine_and_of_what_it_asks_for_has_a_meaning(asked: Analysis, name: str) -> None:
    told = {c.name: c.about for c in columns_of(asked.store, [name])[name]}
    asked_for = INTERFACE[name].columns if name in INTERFACE else ENGINE[name][1]
    assert [c for c in asked_for if not told[c]] == []


def test_the_columns_of_the_engine_carry_their_meaning_into_a_database_that_is_sent(asked: Analysis) -> None:
    silent = asked.store.rows(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE comment IS NULL AND list_contains(?, table_name)",
        [OWN],
    )
    assert silent == []


def test_a_table_that_is_unknown_gets_the_nearest_one(asked: Analysis) -> None:
    with pytest.raises(UserError, match="did you mean incident"):
        described(asked.store, "incidnt")


def test_every_column_of_views_and_catalogues_has_a_meaning_and_every_meaning_a_column(asked: Analysis) -> None:
    """What a new column holds is a row of rules/views/text/column_meaning.csv."""
    every = columns_of(asked.store, [t.name for t in tables(asked.store) if t.kind != "own"])
    assert [(name, c.name) for name, columns in every.items() for c in columns if not c.about] == []
    there = {(name, c.name) for name, columns in every.items() for c in columns}
    given = asked.store.rows("SELECT relation, column_name FROM column_meaning")
    anywhere = {column for _, column in there}
    for row in given:
        assert row["column_name"] in anywhere
        assert row["relation"] is None or (row["relation"], row["column_name"]) in there
    keys = [(r["relation"], r["column_name"]) for r in given]
    assert len(keys) == len(set(keys))


def test_a_name_that_means_something_else_in_one_relation_says_so_there(asked: Analysis) -> None:
    def about(relation: str, column: str) -> str:
        return next(c.about for c in columns_of(asked.store, [relation])[relation] if c.name == column)

    assert about("loss_jump", "alone") == "only a part of the loss jumped"
    assert about("cuda_error_code", "alone") == "the bare name in a line tells of a failure already"
    assert about("missing_rank_account", "grade") == about("oom_verdict", "grade")
