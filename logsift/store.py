"""The one place where state lives: a DuckDB file with every declared table, its views, and what was concluded."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from logsift import __version__
from logsift.content.columns import TYPES
from logsift.content.errors import ContentError, ContentErrors
from logsift.content.model import COMMON, Catalog, Column, Table
from logsift.errors import UserError
from logsift.judge.incident import COLUMNS
from logsift.queries import Inputs, may_find, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

T = TypeVar("T")

# A host goes by its name without the domain; addresses stay as they are.
_SYSTEM = """
CREATE MACRO short_host(name) AS CASE WHEN regexp_matches(name, '^[0-9.]+$|:') THEN name ELSE split_part(name, '.', 1) END;
CREATE TABLE run_info (catalog VARCHAR, version VARCHAR);
CREATE TABLE file (
  file_id BIGINT, path VARCHAR, bytes BIGINT, lines BIGINT, host VARCHAR, rank BIGINT, grammar VARCHAR, reader VARCHAR,
  not_understood BIGINT, why VARCHAR, mtime_ns BIGINT, unended BOOLEAN);
CREATE TABLE file_window (file_id BIGINT, first_line BIGINT, byte_offset BIGINT);
CREATE TABLE problem (file_id BIGINT, line_no BIGINT, what VARCHAR, text VARCHAR);
CREATE TABLE incident ({incident});
CREATE TABLE evidence (incident_id BIGINT, file_id BIGINT, line_no BIGINT, path VARCHAR, text VARCHAR);
CREATE TABLE cause (cause_id BIGINT, effect_id BIGINT);
CREATE TABLE clock (
  file_id BIGINT, host VARCHAR, time_quality VARCHAR, first_line BIGINT, last_line BIGINT, times BIGINT, by_rank BOOLEAN,
  first TIMESTAMP, last TIMESTAMP, zone VARCHAR, shift_seconds DOUBLE, uncertainty_seconds DOUBLE, source VARCHAR);
CREATE TABLE missing (what VARCHAR, why VARCHAR, how VARCHAR);
CREATE TABLE content_table (ordinal BIGINT, name VARCHAR, query VARCHAR, reads VARCHAR[], needs VARCHAR[][]);
CREATE TABLE content_rule (rule VARCHAR, needs VARCHAR[][]);
CREATE TABLE content_declared (name VARCHAR, omits VARCHAR[]);
"""
SYSTEM_ABOUT = {
    "file": "one file of the run directory; `grammar` where one owns it, `why` where nobody can read it; `unended`: its last line has no line end",
    "file_window": "where in the unpacked file a line begins, every few megabytes",
    "problem": "what could not be read or understood, by line",
    "incident": "what was found; `root` marks the root cause, `explained_by` the incident that explains this one",
    "evidence": "the lines that prove an incident",
    "cause": "edges between incidents: cause_id explains effect_id",
    "clock": "what one host prints in one file in one form: what was added to its times, in which zone that makes them (UTC, or an unknown one they share), how surely",
    "missing": "what would settle open questions, and how to get it",
    "content_table": "tables that the content's SQL fills from others: what they read, and of each group of `needs` one table must have rows",
    "content_declared": "the tables that formats write, and the common columns they do without",
    "content_rule": "of each group of `needs` one table must have rows for the rule to find any",
    "timeline": "every row that carries a time, from all tables",
    "run_info": "digest of the content and version of logsift that made this file",
}
_INSERT_ROWS = 200
"""Rows of one INSERT: a statement costs more than a row."""
_MEMORY = "600MB"
"""What DuckDB may take while a store is made, before it keeps parts of tables in files: without a limit it takes most of a machine that others use too."""


class Store:
    """A DuckDB database: created with all tables, filled from Parquet parts, sealed, queried."""

    def __init__(self, con: duckdb.DuckDBPyConnection, path: Path | None) -> None:
        self.con, self.path = con, path

    @classmethod
    def create(cls, path: Path | None, catalog: Catalog) -> Store:
        """A new store with every declared table and view, without rows; in memory where `path` is None.

        Defining hundreds of views takes longer than reading a small run, so it is done once per content: an empty
        store is kept in the user's cache and copied.

        Raises:
            ContentErrors: a statement of the content's SQL is wrong.
        """
        if path is None:
            store = cls(duckdb.connect(), None)
            store._define(catalog)
            return store
        template = cache_folder() / f"empty-{catalog.digest[:24]}.duckdb"
        if not template.exists():
            beside = beside_of(template)
            store = cls(duckdb.connect(str(beside)), beside)
            try:
                store._define(catalog)
                store.close()
                beside.replace(template)
            finally:
                beside.unlink(missing_ok=True)
            _forget_old(template)
        shutil.copyfile(template, path)
        return cls.open(path, read_only=False)

    def _define(self, catalog: Catalog) -> None:
        self.con.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false; BEGIN")
        columns = ", ".join(f'"{name}" {sql}' for name, (sql, _) in COLUMNS.items())
        self.con.execute(_SYSTEM.replace("{incident}", columns))
        self.con.execute(";".join(_create_table(t) for t in catalog.tables.values()) or "SELECT 1")
        self.con.execute(_timeline(catalog))
        self.con.execute(";".join(_comments(catalog)))
        for seed in catalog.seeds:
            self.load_seed(seed.name, seed.csv)
        relations = ordered(catalog.relations)
        inputs = Inputs(catalog.tables, SYSTEM_ABOUT, relations)
        for relation in relations:
            if unknown := relation.needs - inputs.filled:
                raise ContentErrors([ContentError(relation.origin, f"no such table: {', '.join(sorted(unknown))}")])
        for n, relation in enumerate(relations):
            try:
                self.con.execute(relation.definition)
            except duckdb.Error as e:
                raise ContentErrors([ContentError(relation.origin, f"SQL fails: {e}")]) from None
            if relation.kind == "table":
                needs = [sorted(group) for group in inputs.of(relation.query, relation.needs)]
                reads = sorted(inputs.read_by(relation.query))
                self.insert("content_table", [(n, relation.name, relation.sql, reads, needs)])
        self.con.execute(
            ";".join(f"COMMENT ON {r.kind} {r.name} IS {_quoted(r.about)}" for r in relations if r.kind != "macro")
            or "SELECT 1"
        )
        self.insert(
            "content_rule", [(r.id, [sorted(group) for group in inputs.of(r.sql, r.needs)]) for r in catalog.rules]
        )
        self.insert("content_declared", [(t.name, sorted(t.omits)) for t in catalog.tables.values()])
        self.insert("run_info", [(catalog.digest, __version__)])
        self.con.execute("COMMIT")

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> Store:
        """An existing store.

        Raises:
            UserError: the file is no logsift database.
        """
        con = duckdb.connect()
        try:
            # Attached, not connected to: DuckDB would hand out an instance that is still open on the file this one replaced.
            con.execute(f"ATTACH {_quoted(str(path))} AS run ({'READ_ONLY' if read_only else 'READ_WRITE'})")
            con.execute("USE run; SET TimeZone = 'UTC'; SET enable_progress_bar = false")
            if not read_only:
                con.execute(f"SET temp_directory = {_quoted(str(spilled_of(path)))}; SET memory_limit = '{_MEMORY}'")
            con.execute("SELECT catalog FROM run_info")
        except duckdb.Error as e:
            con.close()
            raise UserError(f"{path} is not a logsift database ({str(e).splitlines()[0]})") from None
        return cls(con, path)

    def beside(self) -> Store:
        """Another connection to the same database, for another thread."""
        (name,) = self.con.execute("SELECT current_database()").fetchone() or ("memory",)
        con = self.con.cursor()
        con.execute(f"USE \"{name}\"; SET TimeZone = 'UTC'")
        return Store(con, self.path)

    def load_seed(self, name: str, csv: str) -> None:
        """A CSV of the content as a table of that name; comment lines (#) stay out. Types are DuckDB's guess."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as f:
            f.write("\n".join(line for line in csv.splitlines() if not line.startswith("#")) + "\n")
            f.flush()
            self.con.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_csv(?, header=true, all_varchar=false, sample_size=-1)",
                [f.name],
            )

    def append_parts(self, parts: Path) -> None:
        """Load the Parquet files of `parts/<table>/` into the tables."""
        for folder in sorted(parts.iterdir()):
            files = [str(p) for p in sorted(folder.glob("*.parquet"))]
            self.con.execute(
                f"INSERT INTO {folder.name} BY NAME SELECT * FROM read_parquet(?, union_by_name=true)", [files]
            )

    def name_hosts(self) -> None:
        """Files whose path holds the name of one host that lines know are that host's.

        A path was read as holding a host's name before the names were known: it may have been the end of a longer one.
        """
        files = self.rows("SELECT file_id, path, host FROM file WHERE host IS NULL OR contains(path, '-' || host)")
        tables = sorted(self.filled("host"))
        if not files or not tables:
            return
        said = " UNION ".join(
            f"SELECT t.host, t.host IS DISTINCT FROM f.host AS by_a_line FROM {t} t JOIN file f USING (file_id) WHERE t.host IS NOT NULL"
            for t in tables
        )
        names = self.rows(
            f"SELECT short_host(host) AS host, bool_or(by_a_line) AS by_a_line FROM ({said}) WHERE NOT host[1] BETWEEN '0' AND '9' GROUP BY 1"
        )
        known = {str(r["host"]): r["by_a_line"] for r in names}
        named: list[tuple[int, str | None, str]] = []
        for file in files:
            tokens = set(re.split(r"[^0-9A-Za-z-]+", file["path"])) | set(re.split(r"[^0-9A-Za-z]+", file["path"]))
            if file["host"] is None:
                hosts = tokens & known.keys()
            else:
                hosts = {h for h in tokens if known.get(h) and h.endswith(f"-{file['host']}")}
            if len(hosts) == 1:
                named.append((file["file_id"], file["host"], min(hosts)))
        if not named:
            return
        self.con.execute("CREATE TEMP TABLE named_file (file_id BIGINT, read VARCHAR, host VARCHAR)")
        self.insert("named_file", named)
        for table in ("file", *tables):
            self.con.execute(
                f"UPDATE {table} SET host = n.host FROM named_file n WHERE {table}.file_id = n.file_id AND {table}.host IS NOT DISTINCT FROM n.read"
            )
        self.con.execute("DROP TABLE named_file")

    def refresh(self, found: Collection[str], *, behind: bool = False) -> None:
        """Fill the tables that the content's SQL makes from others; those that only read empty ones stay empty.

        A statement that fails on odd data leaves its table empty and a row in `problem`; the others go on.

        Args:
            found: tables that the engine fills once the others are made.
            behind: fill the tables that read these, and only them; without it all the others.
        """
        made = self.rows(
            "SELECT name, query, needs FROM content_table WHERE list_has_any(reads, ?::VARCHAR[]) = ? ORDER BY ordinal",
            [list(found), behind],
        )
        self.con.execute(";".join(f"DELETE FROM {m['name']}" for m in made) or "SELECT 1")
        filled = self._any_filled()

        def fill(m: Mapping[str, Any]) -> None:
            if may_find(m["needs"], filled):
                (rows,) = self.con.execute(f"INSERT INTO {m['name']} {m['query']}").fetchone() or (0,)
                filled.update([m["name"]] if rows else [])

        try:
            self.con.execute("BEGIN")
            for m in made:
                fill(m)
            self.con.execute("COMMIT")
        except duckdb.Error:
            self.con.execute("ROLLBACK")
            for m in made:
                try:
                    self._with_what_it_needs(partial(fill, m))
                except duckdb.Error as e:
                    self.problem(f"table {m['name']} could not be made", str(e))

    def _with_what_it_needs(self, work: Callable[[], T]) -> T:
        """Do it with little memory, and where that is not enough with all there is."""
        try:
            return work()
        except duckdb.OutOfMemoryException:
            self.con.execute("RESET memory_limit")
            return work()

    def problem(self, what: str, text: str) -> None:
        """Note what went wrong and belongs to no line."""
        self.insert("problem", [(None, None, what, text.splitlines()[0] if text else "")])

    def filled(self, column: str = "file_id") -> frozenset[str]:
        """The declared tables that have committed rows, of those that store this common column."""
        return self._with_rows("SELECT name FROM content_declared WHERE NOT list_contains(omits, ?)", [column])

    def _with_rows(self, query: str, parameters: Sequence[object] = ()) -> frozenset[str]:
        # DuckDB's estimate counts deleted rows too, and none of an open transaction: it only tells where to look.
        names = [r["name"] for r in self.rows(
            f"SELECT name FROM ({query}) JOIN duckdb_tables() ON table_name = name WHERE database_name = current_database() AND estimated_size > 0", parameters,
        )]  # fmt: skip
        each = (f"SELECT '{name}' AS name WHERE EXISTS (FROM {name})" for name in names)
        return frozenset(r["name"] for r in self.rows(" UNION ALL ".join(each))) if names else frozenset()

    def defines(self, *names: str) -> bool:
        """True where the content has tables or views of all these names."""
        listed = self.rows(
            "SELECT name FROM (SELECT view_name AS name, database_name FROM duckdb_views() UNION SELECT table_name, database_name FROM duckdb_tables())"
            " WHERE database_name = current_database() AND list_contains(?::VARCHAR[], name)", [list(names)],
        )  # fmt: skip
        return len(listed) == len(set(names))

    def rules_to_ask(self) -> frozenset[str]:
        """The rules that may find something: a query over empty tables finds nothing."""
        filled, asked = self._any_filled(), self.rows("SELECT * FROM content_rule")
        return frozenset(r["rule"] for r in asked if may_find(r["needs"], filled))

    def _any_filled(self) -> set[str]:
        return set(self._with_rows("SELECT name FROM content_declared UNION ALL SELECT name FROM content_table"))

    def seal(self) -> None:
        """From here on queries can read the database and nothing else of the machine."""
        self.con.execute("SET enable_external_access = false; SET lock_configuration = true")

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        """The result of a query as dicts."""

        def read() -> list[dict[str, Any]]:
            cursor = self.con.execute(query, list(parameters))
            names = [d[0] for d in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

        return self._with_what_it_needs(read)

    def insert(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        """Insert tuples in the order of the table's columns."""
        values = [list(r) for r in rows]
        for start in range(0, len(values), _INSERT_ROWS):
            part = values[start : start + _INSERT_ROWS]
            marks = ", ".join(f"({', '.join('?' for _ in row)})" for row in part)
            self.con.execute(f"INSERT INTO {table} VALUES {marks}", [value for row in part for value in row])

    def insert_named(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert rows given as column -> value, all with the same columns."""
        if rows:
            names = list(rows[0])
            listed = ", ".join(f'"{n}"' for n in names)
            self.insert(f"{table} ({listed})", [[row[n] for n in names] for row in rows])

    def close(self) -> None:
        """Close the connection."""
        self.con.close()


def cache_folder() -> Path:
    """Where logsift keeps what can be made again: the user's cache (XDG), else a folder of their own in /tmp."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "logsift"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"logsift-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _forget_old(template: Path) -> None:
    """Delete the empty stores of other content that nobody copied for a week."""
    for old in template.parent.glob("empty-*.duckdb"):
        if old != template and time.time() - old.stat().st_atime > 7 * 86400:
            old.unlink(missing_ok=True)


def copy_of(path: Path) -> Path:
    """A copy beside a database, to be changed and then renamed over it."""
    beside = beside_of(path)
    shutil.copyfile(path, beside)
    return beside


def beside_of(path: Path) -> Path:
    """The name a database is written under until it is whole."""
    return path.with_name(f"{path.name}.logsift-{os.getpid():x}")


def spilled_of(path: Path) -> Path:
    """The folder where DuckDB keeps what does not fit in memory while it works on a database."""
    return path.with_name(f"{path.name}.tmp")


def _create_table(table: Table) -> str:
    def declared(c: Column) -> str:
        kind = TYPES[c.type].sql
        return f'"{c.name}" {kind}' + (f" GENERATED ALWAYS AS (NULL::{kind}) VIRTUAL" if c.name in table.omits else "")

    columns = ", ".join(declared(c) for c in (*COMMON, *table.columns))
    return f"CREATE TABLE {table.name} ({columns})"


def _timeline(catalog: Catalog) -> str:
    """A view over every row of every declared table that carries a time."""
    columns = "time, time_quality, host, rank, file_id, line_no"
    each = (f"SELECT {columns}, '{t}' AS said_in FROM {t} WHERE time IS NOT NULL" for t in sorted(catalog.tables))
    nothing = "SELECT NULL::TIMESTAMP AS time, '' AS time_quality, '' AS host, 0 AS rank, 0 AS file_id, 0 AS line_no, '' AS said_in WHERE false"
    # A table that leaves host and rank omits leaves them to its file.
    of_file = "CREATE VIEW timeline AS SELECT t.* REPLACE (coalesce(t.host, f.host) AS host, coalesce(t.rank, f.rank) AS rank)"
    return f"{of_file} FROM ({' UNION ALL '.join((nothing, *each))}) t LEFT JOIN file f USING (file_id)"


def _comments(catalog: Catalog) -> list[str]:
    out = [
        f"COMMENT ON {'VIEW' if name == 'timeline' else 'TABLE'} {name} IS {_quoted(about)}"
        for name, about in SYSTEM_ABOUT.items()
    ]
    for table in catalog.tables.values():
        out.append(f"COMMENT ON TABLE {table.name} IS {_quoted(table.about)}")
        for column in table.columns:  # not the common ones: a comment costs 0.2 ms at every start
            unit = f" [{column.unit}]" if column.unit else ""
            out.append(f'COMMENT ON COLUMN {table.name}."{column.name}" IS {_quoted(column.about + unit)}')
    return out


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
