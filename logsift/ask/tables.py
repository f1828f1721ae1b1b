"""Which tables there are, which of them have rows, and what their columns hold: read from a store itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logsift.content.incident import RESULT
from logsift.content.interface import INTERFACE, MEANING
from logsift.content.model import COMMON
from logsift.errors import UserError, meant
from logsift.report.fold import shortened
from logsift.store.schema import ENGINE

if TYPE_CHECKING:
    from collections.abc import Collection

    from logsift.store import Store

_FIRST = ("incident", "evidence", "decision", "rank_fate", "timeline", "file", "problem", "unread", "missing", "clock")
"""What most questions begin with."""
_OWN = {*(name for name in ENGINE if name.startswith("content_")), "run_info", "file_window", "file_settled", "cause"}
"""What logsift keeps for itself."""
_TITLES = {
    "start": "Start here",
    "format": "What the logs say",
    "made": "What was made of it",
    "view": "Views, made when asked",
    "catalogue": "Catalogues",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view; `rows` is None where that would have to be counted by making it."""

    name: str
    kind: str
    """start | format | made | view | catalogue | own."""
    about: str
    rows: int | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its SQL type and its meaning, the unit in brackets behind it; "" where nobody says it."""

    name: str
    type: str
    about: str


def tables(store: Store) -> list[Table]:
    """All tables and views, in the order in which people want them."""
    declared = {r["name"] for r in store.rows("SELECT name FROM content_declared")}
    made = {r["name"] for r in store.rows("SELECT DISTINCT name FROM content_table")} | {*INTERFACE}
    found = store.rows(
        "SELECT table_name AS name, comment, estimated_size > 0 AS filled FROM duckdb_tables() WHERE database_name = current_database()"
        " UNION ALL SELECT view_name, comment, NULL FROM duckdb_views() WHERE database_name = current_database() AND NOT internal"
        " ORDER BY name"
    )
    filled = [r["name"] for r in found if r["filled"]]
    count = {
        r["name"]: r["n"]
        for r in store.rows(
            " UNION ALL ".join(f"SELECT '{n}' AS name, count(*) AS n FROM \"{n}\"" for n in filled)
            or "SELECT '' AS name, 0 AS n"
        )
    }
    out = []
    for r in found:
        name = r["name"]
        kind = (
            "start" if name in _FIRST else "own" if name in _OWN else "format" if name in declared
            else "view" if r["filled"] is None else "made" if name in made else "catalogue"
        )  # fmt: skip
        out.append(Table(name, kind, r["comment"] or "", None if r["filled"] is None else count.get(name, 0)))
    return sorted(out, key=lambda t: (_FIRST.index(t.name) if t.kind == "start" else len(_FIRST), t.name))


def names(store: Store) -> set[str]:
    """The names of all tables and views."""
    return {t.name for t in tables(store)}


def listed(store: Store, width: int, *, whole: bool = False) -> str:
    """The tables that have rows, on one screen of that many columns; `whole`: all, each with what a row is."""
    every = tables(store)
    if whole:
        parts = [(title, [t for t in every if t.kind == kind]) for kind, title in _TITLES.items()]
        return "\n\n".join(f"{title}\n{_lines(part, 1 << 20)}" for title, part in parts if part)
    has_rows = any(t.kind == "format" and t.rows for t in every)
    shown = [t for t in every if t.rows or t.kind == "start"] if has_rows else every
    out = [f"{_TITLES['start']}\n{_lines([t for t in shown if t.kind == 'start'], width)}"]
    if has_rows:
        out.append(f"{_TITLES['format']}\n{_lines([t for t in shown if t.kind == 'format'], width)}")
    kind = "made" if has_rows else "format"
    if named := [t.name for t in shown if t.kind == kind]:
        out.append(f"{_TITLES[kind]}{', with rows' * has_rows}\n{_wrapped(named, width)}")
    left = len([t for t in every if t.kind != "own"]) - sum(
        t.kind in ("start", "format", "made" if has_rows else "") for t in shown
    )
    out.append(
        f"{left} more are empty, views or catalogues: --all" if has_rows else f"{left} more are made from them: --all"
    )
    return "\n\n".join(out)


def described(store: Store, name: str) -> str:
    """One table: what a row is, how many there are, its columns with types, units and meaning.

    Raises:
        UserError: there is none of that name; near names are given.
    """
    by_name = {t.name: t for t in tables(store)}
    table = by_name.get(name)
    if table is None:
        raise UserError(f"no table {name!r}{meant(name, list(by_name))}")
    columns = columns_of(store, [name])[name]
    names, types = (max(len(getattr(c, part)) for c in columns) for part in ("name", "type"))
    rows = "" if table.rows is None else f" ({table.rows:,} row{'s' * (table.rows != 1)})"
    return "\n".join(
        [
            f"{name}: {table.about}{rows}",
            *(f"  {c.name:{names}}  {c.type:{min(types, 40)}}  {c.about}".rstrip() for c in columns),
        ]
    )


def columns_of(store: Store, names: Collection[str]) -> dict[str, list[Column]]:
    """The columns of tables and views, by name. What a column of a view is, the tables tell that have it too."""
    # Asked once for all: DuckDB looks at every column of every table for it.
    own = store.rows(
        "SELECT table_name AS name, column_name, data_type, comment FROM duckdb_columns()"
        " WHERE database_name = current_database() AND list_contains(?, table_name) ORDER BY table_name, column_index",
        [list(names)],
    )
    told = {c.name: c.about for c in COMMON} | {n: about for n, (_, about) in RESULT.items()}
    for r in store.rows(
        "SELECT column_name AS name, min(comment) AS about FROM duckdb_columns() WHERE database_name = current_database()"
        " AND comment IS NOT NULL GROUP BY column_name HAVING count(DISTINCT comment) = 1"
    ):
        told.setdefault(r["name"], r["about"])
    given = {(r["relation"], r["column_name"]): r["meaning"] for r in store.rows("FROM column_meaning")}
    told = {column: meaning for (relation, column), meaning in given.items() if relation is None} | MEANING | told
    out: dict[str, list[Column]] = {name: [] for name in names}
    for r in own:
        name, column = r["name"], r["column_name"]
        about = r["comment"] or given.get((name, column)) or told.get(column, "")
        out[name].append(Column(column, r["data_type"], about))
    return out


def _lines(part: list[Table], width: int) -> str:
    names = max((len(t.name) for t in part), default=0)
    counts = max((len(_count(t)) for t in part), default=0)
    return "\n".join(shortened(f"  {t.name:{names}}  {_count(t):>{counts}}  {t.about}".rstrip(), width) for t in part)


def _count(table: Table) -> str:
    return "" if table.rows is None else f"{table.rows:,}"


def _wrapped(names: list[str], width: int) -> str:
    import textwrap

    return textwrap.fill(", ".join(names), width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
