"""Fills the tables that the content makes of others, and says which queries can find anything at all.

Planning a query costs a small run more than its rows do, so only those are asked whose tables have rows: a branch of a
union by itself, a table that only reads empty ones not at all.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import duckdb

from logsift.store.dependencies import may_find, with_value
from logsift.store.schema import SEARCHED, timeline
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from logsift.store.database import Store
    from logsift.store.schema import Stage


_needs = lru_cache(maxsize=None)(json.loads)  # hundreds of texts, the same for every store of a catalogue


def declared(store: Store, column: str = "file_id") -> frozenset[str]:
    """The tables of formats that have rows, of those that store this common column."""
    listed = store.rows("SELECT name, omits FROM content_declared")
    return filled(store) & {r["name"] for r in listed if column not in r["omits"]}


def filled(store: Store) -> frozenset[str]:
    """The tables of formats, and those made of others in an earlier call, that have rows."""
    if store.filled is None:
        named = store.con.execute("SELECT name FROM content_declared UNION SELECT name FROM content_table").fetchall()
        there = frozenset(name for (name,) in named if name in store.sizes())
        store.filled = there if store.sizes_are_exact else _with_rows(store, there)
    return store.filled


def unite(store: Store) -> None:
    """Make the view `timeline` of those tables that have rows or will get some."""
    searched = store.rows("SELECT name FROM content_declared WHERE list_contains(?, name)", [list(SEARCHED)])
    store.con.execute(timeline({*declared(store), *(r["name"] for r in searched)}))


class Tables:
    """The tables of a store that have rows; knows what to fill next and what to ask."""

    def __init__(self, store: Store, progress: Callable[[str, int, int], None] | None = None) -> None:
        self._store, self._progress = store, progress
        (self._all,) = store.con.execute(
            "SELECT count(*) FROM content_table WHERE stage <> 'behind the verdict'"
        ).fetchone() or (0,)
        self._made = 0
        self._asked = {r["name"]: r["columns"] for r in store.rows("SELECT * FROM content_value")}
        self._filled = set[str]()
        known = declared(store)
        self._old = set(filled(store) - known)
        """Tables made of others that hold rows of an earlier call."""
        for name in known:
            self._note(name)

    def noted(self, names: Collection[str]) -> None:
        """Some tables may have been filled by others."""
        for name in _with_rows(self._store, names):
            self._note(name)

    def _note(self, name: str) -> None:
        """A table has rows: these values are among them."""
        self._filled.add(name)
        if columns := self._asked.get(name):
            listed = ", ".join(f'list(DISTINCT "{c}")' for c in columns)
            (row,) = self._store.con.execute(f"SELECT {listed} FROM {name}").fetchall()
            self._filled |= {
                with_value(name, c, str(v)) for c, found in zip(columns, row, strict=True) for v in found or ()
            }

    @timed("stage", "tables")
    def fill(self, *stages: Stage) -> None:
        """Fill the tables of some stages in their order.

        A statement that fails on odd data leaves its table empty and a row in `problem`; the others go on.
        """
        store = self._store
        made = store.rows(
            "SELECT name, query, by_name, needs FROM content_table WHERE list_contains(?, stage) ORDER BY ordinal, rowid",
            [list(stages)],
        )
        names = {m["name"] for m in made}
        if again := names & (self._old | self._filled):
            store.con.execute(";".join(f"DELETE FROM {name}" for name in sorted(again)))
        self._old -= names
        self._filled = {f for f in self._filled if f.partition(".")[0] not in names}
        for m in made:
            self._made += 1
            if self._progress and "behind the verdict" not in stages:
                self._progress("tables", min(self._made, self._all), self._all)
            if not may_find(_needs(m["needs"]), self._filled):
                continue
            try:
                with timed("table", m["name"]):
                    rows = store.fill(f"INSERT INTO {m['name']} {'BY NAME ' * m['by_name']}{m['query']}")
            except duckdb.Error as e:
                store.problem(f"table {m['name']} could not be made", str(e))
            else:
                if rows:
                    self._note(m["name"])

    def rules(self) -> dict[str, list[str]]:
        """Rule -> those of its queries that may find something."""
        out: dict[str, list[str]] = {}
        for r in self._store.rows("SELECT rule, query, needs FROM content_rule ORDER BY rule, ordinal"):
            if may_find(_needs(r["needs"]), self._filled):
                out.setdefault(r["rule"], []).append(r["query"])
        return out

    def missing(self) -> frozenset[str]:
        """The missing sources whose query may find something."""
        listed = self._store.rows("SELECT name, needs FROM content_missing")
        return frozenset(r["name"] for r in listed if may_find(_needs(r["needs"]), self._filled))


def _with_rows(store: Store, names: Collection[str]) -> frozenset[str]:
    each = (f"SELECT '{name}' AS name WHERE EXISTS (FROM {name})" for name in names)
    return frozenset(r["name"] for r in store.rows(" UNION ALL ".join(each))) if names else frozenset()
