"""Fills the tables that the content makes of others, and says which queries can find anything at all.

Planning a query costs a small run more than its rows do, so only those are asked whose tables have rows: a branch of a
union by itself, a table that only reads empty ones not at all.
"""

from __future__ import annotations

from collections.abc import Container
from concurrent.futures import FIRST_COMPLETED, wait
from functools import partial
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from logsift.store.dependencies import may_find, with_value
from logsift.store.made import made
from logsift.store.schema import READ, SEARCHED, timeline
from logsift.store.side_by_side import SideBySide
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future

    from logsift.store.database import Store
    from logsift.store.made import Branch
    from logsift.store.schema import Stage


def declared(store: Store, column: str = "file_id") -> frozenset[str]:
    """The tables of formats that have rows, of those that store this common column."""
    return filled(store) & {name for name, omits in made(store).declared.items() if column not in omits}


def filled(store: Store) -> frozenset[str]:
    """The tables of formats, and those made of others in an earlier call, that have rows."""
    if store.filled is None:
        there = store.sizes().keys() & {*made(store).declared, *(b.table for b in made(store).branches)}
        store.filled = frozenset(there) if store.sizes_are_exact else _with_rows(store, there)
    return store.filled


def unite(store: Store) -> None:
    """Make the view `timeline` of those tables that have rows or will get some."""
    store.con.execute(timeline(declared(store) | (SEARCHED & made(store).declared.keys())))


class _Filled(Container[str]):
    """The tables that have rows, and what they hold of what queries need (see `dependencies.Needs`), looked up when it is asked."""

    def __init__(self, store: Store) -> None:
        self._con, self._asked, self._is_small = store.con, made(store).values, store.is_small
        self.tables: set[str] = set()
        self._held: dict[str, set[str]] = {}

    def __contains__(self, need: object) -> bool:
        table, of_column, _ = str(need).partition(".")
        if table not in self.tables or not of_column:
            return table in self.tables
        if table not in self._held:
            self._held[table] = self._look(table)
        return need in self._held[table]

    def _look(self, table: str) -> set[str]:
        columns, given = self._asked[table]
        if self._is_small:  # to plan an aggregate takes longer than to look at a few rows
            listed = ", ".join(f'"{c}"' for c in (*columns, *given))
            found: list[Any] = list(zip(*self._con.execute(f"SELECT {listed} FROM {table}").fetchall(), strict=True))
        else:
            listed = ", ".join([*(f'list(DISTINCT "{c}")' for c in columns), *(f'[any_value("{c}")]' for c in given)])
            found = [*self._con.execute(f"SELECT {listed} FROM {table}").fetchall()[0]]
        held = {c: [v for v in of if v is not None] for c, of in zip((*columns, *given), found, strict=False)}
        values = {with_value(table, c, str(v)) for c in columns for v in held.get(c, ())}
        return values | {with_value(table, c) for c in given if held.get(c)}

    def add(self, table: str) -> None:
        """A table has rows, or other ones."""
        self.tables.add(table)
        self._held.pop(table, None)

    def forget(self, tables: Collection[str]) -> None:
        """Tables have no rows any more."""
        self.tables.difference_update(tables)


class Tables:
    """The tables of a store that have rows; knows what to fill next and what to ask."""

    def __init__(self, store: Store, progress: Callable[[str, int, int], None] | None = None) -> None:
        self._store, self._progress = store, progress
        self._content = made(store)
        self._all = sum(b.stage != "behind the verdict" for b in self._content.branches)
        self._made = 0
        self._filled = _Filled(store)
        known = declared(store)
        self._old = set(filled(store) - known)
        """Tables made of others that hold rows of an earlier call."""
        for name in known | READ:
            self._filled.add(name)

    def noted(self, names: Collection[str]) -> None:
        """Some tables may have been filled by others."""
        for name in _with_rows(self._store, names):
            self._filled.add(name)

    @timed("stage", "tables")
    def fill(self, *stages: Stage) -> None:
        """Fill the tables of some stages in their order.

        A statement that fails on odd data leaves its table empty and a row in `problem`; the others go on.
        """
        store = self._store
        branches = [b for b in self._content.branches if b.stage in stages]
        names = {b.table for b in branches}
        if again := names & (self._old | self._filled.tables):
            store.con.execute(";".join(f"DELETE FROM {name}" for name in sorted(again)))
        self._old -= names
        self._filled.forget(names)
        by_table: dict[str, list[Branch]] = {}
        for branch in branches:
            by_table.setdefault(branch.table, []).append(branch)
        order = TopologicalSorter(
            {name: (frozenset().union(*(b.reads for b in of)) & names) - {name} for name, of in by_table.items()}
        )
        order.prepare()
        with SideBySide(store) as side:
            filling: dict[Future[_Outcome], str] = {}
            while order.is_active():
                for name in order.get_ready():
                    if inserts := [b.insert for b in by_table[name] if may_find(b.needs, self._filled)]:
                        filling[side.submit(partial(_fill, name, inserts))] = name
                    else:
                        order.done(name)
                        self._tell(stages, len(by_table[name]))
                for future in wait(filling, return_when=FIRST_COMPLETED).done:
                    name, outcome = filling.pop(future), future.result()
                    for failed in outcome.failed:
                        store.problem(f"table {name} could not be made", failed)
                    if outcome.rows:
                        self._filled.add(name)
                    order.done(name)
                    self._tell(stages, len(by_table[name]))

    def _tell(self, stages: Sequence[Stage], branches: int) -> None:
        self._made += branches
        if self._progress and "behind the verdict" not in stages:
            self._progress("tables", min(self._made, self._all), self._all)

    def rules(self) -> dict[str, list[str]]:
        """Rule -> those of its queries that may find something."""
        out: dict[str, list[str]] = {}
        for rule, query, needs in self._content.rules:
            if may_find(needs, self._filled):
                out.setdefault(rule, []).append(query)
        return out

    def missing(self) -> frozenset[str]:
        """The missing sources whose query may find something."""
        return frozenset(name for name, needs in self._content.missing.items() if may_find(needs, self._filled))


class _Outcome(NamedTuple):
    """How many rows went into a table, and what statements failed with."""

    rows: int
    failed: Sequence[str]


def _fill(name: str, inserts: Sequence[str], store: Store) -> _Outcome:
    rows, failed = 0, []
    for insert in inserts:
        try:
            with timed("table", name):
                rows += store.fill(insert)
        except duckdb.Error as e:
            failed.append(str(e))
    return _Outcome(rows, failed)


def _with_rows(store: Store, names: Collection[str]) -> frozenset[str]:
    each = (f"SELECT '{name}' AS name WHERE EXISTS (FROM {name})" for name in names)
    return frozenset(r["name"] for r in store.rows(" UNION ALL ".join(each))) if names else frozenset()
