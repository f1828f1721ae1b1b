"""The empty store of a content that changed: as if defined whole, and only what changed is defined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from builders.grammar import LIFT_STOP, grammar

from logsift import Catalog
from logsift.content.model import Relation
from logsift.store import Store, create

RULE = """/*
title = "The lift stopped"
severity = "warning"
confidence = "definite"
status = "stable"
about = "A lift stopped between floors."
summary = "The lift stopped at {{ name }}"
step = [{ say = "Take the stairs." }]
false_positives = "Never."
*/
select [{'file_id': file_id, 'line_no': line_no}] as evidence, name
from named_stop
where name = 'roof'
union all by name
select [{'file_id': file_id, 'line_no': line_no}] as evidence, name
from high_stop
"""
MACRO = "-- True above the second floor.\ncreate macro is_high(floor) as\n    floor > 2\n;\n"
CONTENT: Mapping[str, str] = {
    "parsers/lift.toml": grammar("Lift", LIFT_STOP, lift_stop="floor int"),
    "parsers/door.toml": grammar("Door", LIFT_STOP.replace("lift", "door"), door_stop="floor int"),
    "rules/seeds/floor_name.csv": "floor,name\n3,roof\n1,hall\n",
    "rules/views/lift/macros.sql": MACRO,
    "rules/views/lift/named_stop.sql": "-- table: one row per stop at a floor with a name\n"
    "select s.*, n.name from lift_stop s join floor_name n using (floor)\n",
    "rules/views/lift/high_stop.sql": "-- view: one row per stop high up\nfrom named_stop where is_high(floor)\n",
    "rules/views/lift/door_floor.sql": "-- table: one row per stop of a door\nselect file_id, line_no, floor from door_stop\n",
    "rules/lift/stopped.sql": RULE,
}
CHANGES: Mapping[str, tuple[str, str, set[str]]] = {
    "nothing": ("", "", set()),
    "a regex": ("parsers/lift.toml", CONTENT["parsers/lift.toml"].replace("[0-9]+)$", "[0-9]{1,3})$"), set()),
    "a seed": ("rules/seeds/floor_name.csv", "floor,name\n3,attic\n", {"named_stop", "high_stop"}),
    "a macro": ("rules/views/lift/macros.sql", MACRO.replace("2", "3"), {"is_high", "high_stop"}),
    "a column": ("parsers/lift.toml", grammar("Lift", LIFT_STOP, lift_stop="floor int, name text"), {"named_stop", "high_stop"}),
    "a relation more": ("rules/views/lift/low_stop.sql", "-- view: one row per stop low down\nfrom named_stop anti join high_stop using (line_no)\n", {"low_stop"}),
    "a relation less": ("rules/views/lift/door_floor.sql", "", set()),
    "the words of a rule": ("rules/lift/stopped.sql", RULE.replace("Take", "Use"), set()),
    "the query of a rule": ("rules/lift/stopped.sql", RULE.replace("'roof'", "'hall'"), set()),
    "a rule less": ("rules/lift/stopped.sql", "", set()),
}  # fmt: skip
"""What is changed -> the file, its new text (empty: it goes), and the relations that are defined anew."""


def described(store: Store) -> dict[str, list[str]]:
    """All that is in an empty store, in no order but that of the branches of a query."""
    asked = {
        "columns": "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal",
        "tables": "SELECT table_name, comment, sql FROM duckdb_tables()",
        "views": "SELECT view_name, comment, sql FROM duckdb_views() WHERE NOT internal",
        "macros": "SELECT function_name, parameters, macro_definition FROM duckdb_functions() WHERE NOT internal",
        "queries": "SELECT * EXCLUDE (ordinal), row_number() OVER (PARTITION BY name ORDER BY ordinal, rowid) FROM content_table",
        **{name: f"FROM {name}" for name in ("floor_name", "content_rule", "content_value", "content_declared", "content_part")},
    }  # fmt: skip
    return {name: sorted(map(str, store.rows(query))) for name, query in asked.items()}


@pytest.mark.parametrize("change", CHANGES)
def test_what_grew_is_as_if_defined_whole(
    change: str, content_of: Callable[..., Catalog], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text, anew = CHANGES[change]
    before = content_of(CONTENT, alone=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "grown"))
    create.empty(before).close()
    if path and not text:
        (tmp_path / "content" / path).unlink()
    after = content_of({path: text} if text else {}, alone=True)
    defined = set()
    make = create._make

    def noted(store: Store, relation: Relation) -> None:
        defined.add(relation.name)
        make(store, relation)

    monkeypatch.setattr(create, "_make", noted)
    with closing(create.empty(after)) as store:
        grown = described(store)
    assert defined == anew
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "whole"))
    with closing(create.empty(after)) as store:
        assert described(store) == grown


def test_content_that_has_little_in_common_is_defined_whole(
    content_of: Callable[..., Catalog], catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create.empty(catalog).close()
    with closing(create.empty(content_of(CONTENT, alone=True))) as store:
        grown = described(store)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "whole"))
    with closing(create.empty(content_of(CONTENT, alone=True))) as store:
        assert described(store) == grown
