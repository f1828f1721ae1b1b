"""The tables of a store: those that formats declare, and those that the engine writes by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from logsift.content.incident import COLUMNS
from logsift.content.interface import INTERFACE, MEANING
from logsift.content.model import COMMON
from logsift.store.database import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from logsift.content.model import Catalog, Table

# A host goes by its name without the domain; addresses stay as they are.
SHORT_HOST = """CREATE MACRO short_host(name) AS
CASE WHEN regexp_matches(name, '^[0-9.]+$|:') THEN name ELSE split_part(name, '.', 1) END"""

ENGINE: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "run_info": ("digest of the content and version of logsift that made this file", {"catalog": "VARCHAR", "version": "VARCHAR"}),
    "file": (
        "one file of the run directory; `grammar` where one owns it, `why` where nobody can read it; `unended`: its last line has no line end",
        {
            "file_id": "BIGINT", "path": "VARCHAR", "bytes": "BIGINT", "lines": "BIGINT", "host": "VARCHAR", "rank": "BIGINT",
            "grammar": "VARCHAR", "reader": "VARCHAR", "not_understood": "BIGINT", "why": "VARCHAR", "mtime_ns": "BIGINT",
            "unended": "BOOLEAN",
        },
    ),
    "file_window": (
        "where in the unpacked file a line begins, every few megabytes",
        {"file_id": "BIGINT", "first_line": "BIGINT", "byte_offset": "BIGINT"},
    ),
    "file_settled": (
        "a large file that may grow: the line from which it is read again then, and a hash of samples of what is before",
        {"file_id": "BIGINT", "first_line": "BIGINT", "byte_offset": "BIGINT", "proof": "VARCHAR"},
    ),
    "problem": (
        "what could not be read or understood, by line",
        {"file_id": "BIGINT", "line_no": "BIGINT", "what": "VARCHAR", "text": "VARCHAR"},
    ),
    "incident": (
        "what was found; `root` marks the root cause, `explained_by` the incident that explains this one",
        {name: sql for name, (sql, _) in COLUMNS.items()},
    ),
    "evidence": (
        "the lines that prove an incident",
        {"incident_id": "BIGINT", "file_id": "BIGINT", "line_no": "BIGINT", "path": "VARCHAR", "text": "VARCHAR"},
    ),
    "cause": ("edges between incidents: cause_id explains effect_id", {"cause_id": "BIGINT", "effect_id": "BIGINT"}),
    "decision": (
        "what to do next: restart | restart_without (hosts) | stop | unknown, and why",
        {"next": "VARCHAR", "hosts": "VARCHAR[]", "reason": "VARCHAR", "confidence": "VARCHAR", "incidents": "BIGINT[]"},
    ),
    "clock": (
        "what one host prints in one file in one form: what was added to its times, in which zone that makes them (UTC, or an unknown one they share), how surely",
        {
            "file_id": "BIGINT", "host": "VARCHAR", "time_quality": "VARCHAR", "first_line": "BIGINT", "last_line": "BIGINT",
            "times": "BIGINT", "by_rank": "BOOLEAN", "first": "TIMESTAMP", "last": "TIMESTAMP", "zone": "VARCHAR",
            "shift_seconds": "DOUBLE", "uncertainty_seconds": "DOUBLE", "source": "VARCHAR",
        },
    ),
    "missing": (
        "what would settle open questions, and how to get it",
        {"what": "VARCHAR", "why": "VARCHAR", "how": "VARCHAR", "commands": "VARCHAR[]"},
    ),
    "content_part": (
        "what the content defines: relations, rules (`rule …`) and missing sources (`missing …`), by the digest of their text, with the relations that they read",
        {"name": "VARCHAR", "kind": "VARCHAR", "digest": "VARCHAR", "reads": "VARCHAR[]"},
    ),
    "content_table": (
        "tables that the content makes from others, in their order, branch by branch of a union; what `needs` says must be so for a branch to find anything, those it `reads` are filled before",
        {
            "name": "VARCHAR", "ordinal": "BIGINT", "query": "VARCHAR", "by_name": "BOOLEAN", "needs": "JSON",
            "stage": "VARCHAR", "reads": "VARCHAR[]",
        },
    ),
    "content_rule": (
        "the queries of rules, branch by branch of a union; what `needs` says must be so for a branch to find anything",
        {"rule": "VARCHAR", "ordinal": "BIGINT", "query": "VARCHAR", "needs": "JSON"},
    ),
    "content_missing": (
        "the sources that may be missing, and what they need like the queries of rules",
        {"name": "VARCHAR", "needs": "JSON"},
    ),
    "content_value": (
        "the columns by whose values queries are left out: a query for a value that no row has finds nothing; `given`: those that need but have any",
        {"name": "VARCHAR", "columns": "VARCHAR[]", "given": "VARCHAR[]"},
    ),
    "content_declared": (
        "the tables that formats write, and the common columns they do without",
        {"name": "VARCHAR", "omits": "VARCHAR[]"},
    ),
}  # fmt: skip
"""The engine's own tables: what a row is, and the columns with their SQL types."""
READ = frozenset({"file"})
"""Tables of which the engine has every row before it fills the first of the content's."""
SEARCHED = frozenset(name for name, asked in INTERFACE.items() if asked.filled)
"""Tables that the engine fills once the others are made."""
CONCLUDED = frozenset({"incident", "evidence", "cause"})
"""Tables that the engine fills once the rules have been asked."""
Stage = Literal["for clocks", "the rest", "behind the search", "behind the verdict"]
"""When a table that the content makes is filled: its clocks first, for times move with them."""
ABOUT: Mapping[str, str] = {
    **{name: about for name, (about, _) in ENGINE.items()},
    "timeline": "every row that carries a time, from all tables",
}
"""Table or view of the engine -> what a row is."""


def definitions(catalog: Catalog) -> dict[str, list[str]]:
    """The statements that create every declared table, the engine's, and what the content lacks of its interface, by name."""
    defined = {*catalog.tables, *(r.name for r in catalog.relations), *(s.name for s in catalog.seeds)}
    return {
        "short_host": [SHORT_HOST],
        **{name: _own(name) for name in ENGINE},
        **{t.name: [_declared(t), *_comments(t)] for t in catalog.tables.values()},
        **{name: [_create(name, asked.columns)] for name, asked in INTERFACE.items() if name not in defined},
    }


def _own(name: str) -> list[str]:
    """The statements that create a table of the engine's."""
    about, columns = ENGINE[name]
    told = {c.name: c.about for c in COMMON} | {n: about for n, (_, about) in COLUMNS.items()} | MEANING
    return [
        _create(name, columns),
        f"COMMENT ON TABLE {name} IS {quoted(about)}",
        *(
            f"COMMENT ON COLUMN {name}.{_name(c)} IS {quoted(COLUMNS[c][1] if name == 'incident' else told[c])}"
            for c in (columns if not name.startswith("content_") else ())
        ),
    ]


def _create(name: str, columns: Mapping[str, str]) -> str:
    return f"CREATE TABLE {name} ({', '.join(f'{_name(c)} {sql}' for c, sql in columns.items())})"


def _name(column: str) -> str:
    return '"' + column + '"'


def _declared(table: Table) -> str:
    # Imported here: the casts bring polars, which a store that is only opened does without.
    from logsift.content.columns import TYPES

    def column(name: str, sql: str) -> str:
        return f"{_name(name)} {sql}" + (f" GENERATED ALWAYS AS (NULL::{sql}) VIRTUAL" if name in table.omits else "")

    return (
        f"CREATE TABLE {table.name} ({', '.join(column(c.name, TYPES[c.type].sql) for c in (*COMMON, *table.columns))})"
    )


def timeline(tables: Iterable[str]) -> str:
    """The statement that makes the view over every row of these tables that carries a time.

    A store's unites those that have rows: to plan a union of all costs more than everything else that is asked of it.
    """
    columns = "time, time_quality, host, rank, file_id, line_no"
    each = (f"SELECT {columns}, '{t}' AS said_in FROM {t} WHERE time IS NOT NULL" for t in sorted(tables))
    nothing = "SELECT NULL::TIMESTAMP AS time, '' AS time_quality, '' AS host, 0 AS rank, 0 AS file_id, 0 AS line_no, '' AS said_in WHERE false"
    # A table that omits host and rank leaves them to its file.
    of_file = "SELECT t.* REPLACE (coalesce(t.host, f.host) AS host, coalesce(t.rank, f.rank) AS rank)"
    union = " UNION ALL ".join((nothing, *each))
    about = f"COMMENT ON VIEW timeline IS {quoted(ABOUT['timeline'])}"
    return f"CREATE OR REPLACE VIEW timeline AS {of_file} FROM ({union}) t LEFT JOIN file f USING (file_id); {about}"


def _comments(table: Table) -> Iterable[str]:
    yield f"COMMENT ON TABLE {table.name} IS {quoted(table.about)}"
    for column in table.columns:  # not the common ones: a comment costs 0.2 ms at every start
        unit = f" [{column.unit}]" if column.unit else ""
        yield f"COMMENT ON COLUMN {table.name}.{_name(column.name)} IS {quoted(column.about + unit)}"
