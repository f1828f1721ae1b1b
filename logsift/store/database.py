"""A connection to a store: rows in, rows out, sealed before anybody else asks."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Condition, Thread, current_thread, main_thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from logsift.errors import StorageError, UserError
from logsift.ingest import budget
from logsift.store.made import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from logsift.ingest.reading import Reading
    from logsift.store.made import Made

T = TypeVar("T")

_LOOK_SECONDS = 1.0
"""How often running queries are looked at."""
_STOP_SECONDS = 0.05
"""How often a query is told to end that a person stopped: one that has not begun yet does not hear it."""
_BLOCK_BYTES = 1 << 16
"""Each column of each table begins a block: DuckDB's own, four times as large, make 40 MB of a run of a hundred lines."""
MEMORY = "600MB"
"""What DuckDB may take while a store is made, before it keeps parts of tables in files: without a limit it takes most of a machine that others use too."""

_MEMORY_ASKED = "4GB"
"""What it may take while a store is asked: somebody else may have made what is in it."""

SMALL_ROWS = 5_000
"""With fewer rows than this in all tables together, planning costs more than a worse plan does."""
_FOR_MANY_ROWS = (
    "join_order", "statistics_propagation", "expression_rewriter", "top_n", "common_subexpressions",
    "compressed_materialization", "projection_pullup", "cte_filter_pusher", "common_subplan", "deliminator",
    "column_lifetime", "duplicate_groups", "join_filter_pushdown", "aggregate_function_rewriter", "aggregate_reuse",
    "window_self_join", "reorder_filter", "partial_aggregate_pushdown", "redundant_order_keys", "common_aggregate",
    "top_n_window_elimination",
)  # fmt: skip
"""What DuckDB's optimizer does that pays with many rows only, by the time it takes."""


class _Watch:
    """Interrupts queries that take longer than their budget. One thread for all of a store, while any is running."""

    def __init__(self) -> None:
        self._change = Condition()
        self._running: dict[int, tuple[duckdb.DuckDBPyConnection, float]] = {}
        self._thread: Thread | None = None

    @contextmanager
    def over(self, con: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Watch over what a connection does in the block."""
        with self._change:
            self._running[id(con)] = con, monotonic()
            if self._thread is None:
                self._thread = Thread(target=self._look, name="logsift-watch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._change:
                del self._running[id(con)]

    def _look(self) -> None:
        while True:
            with self._change:
                self._change.wait(_LOOK_SECONDS)
                if not self._running:
                    self._thread = None
                    return
                self._interrupt_late()

    def _interrupt_late(self) -> None:
        # By itself: the thread may be there when the process ends, and must hold no connection then.
        for con, began in self._running.values():
            if monotonic() - began > budget.QUERY_SECONDS:
                con.interrupt()


def without_bar(con: duckdb.DuckDBPyConnection) -> None:
    """No progress bar of DuckDB's own."""
    # Asked for first: in a notebook without ipywidgets there is none, and DuckDB refuses also to switch it off.
    if con.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (True,):
        con.execute("SET enable_progress_bar = false")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows with the names and SQL types of their columns."""

    names: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]


class Store:
    """A DuckDB database: created with all tables, filled from Parquet parts, sealed, queried."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, path: Path | None, *, sealed: bool = False, watch: _Watch | None = None
    ) -> None:
        self.con, self.path, self._sealed, self._watch = con, path, sealed, watch or _Watch()
        self._is_read_only = False
        self.made: Made | None = None
        """What it is to be filled with, once somebody asked; see `made.made`."""
        self.filled: frozenset[str] | None = None
        """The tables of content that have rows, once somebody asked; see `materialise.filled`."""
        self.is_small = False
        """True where it was filled with few rows."""
        self.sizes_are_exact = False
        """True where every row was counted when it came, and none has gone."""
        self._sizes: dict[str, int] | None = None

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True, parts: Path | None = None) -> Store:
        """An existing store, or with `read_only` False one to be filled, in a folder of its own.

        A store to be filled reads and writes that folder, and the one of `parts` where they are elsewhere; any other
        reads itself: no SQL that is in it or asked of it reaches the rest of the machine.

        Raises:
            UserError: the file is no logsift database.
        """
        return cls._opened({"run": path}, read_only=read_only, parts=parts)

    @classmethod
    def attached(cls, paths: Mapping[str, Path]) -> Store:
        """Existing stores beside each other, by the names of their databases; names without one are of the first.

        Raises:
            UserError: a file is no logsift database.
        """
        return cls._opened(paths, read_only=True)

    @classmethod
    def _opened(cls, paths: Mapping[str, Path], *, read_only: bool, parts: Path | None = None) -> Store:
        con = duckdb.connect()
        first, path = next(iter(paths.items()))
        try:
            without_bar(con)
            con.execute("SET GLOBAL TimeZone = 'UTC'")
            con.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
            con.execute("SET python_enable_replacements = false")  # a name in a query is no variable of the program
            if read_only:
                con.execute("SET temp_directory = ''")
            else:
                folder = path.parent.absolute()
                con.execute(f"SET temp_directory = {quoted(str(folder / 'spilled'))}; SET memory_limit = '{MEMORY}'")
                listed = ", ".join(quoted(str(place)) for place in (folder, parts and parts.absolute()) if place)
                con.execute(f"SET allowed_directories = [{listed}]; SET enable_external_access = false")
            # Attached, not connected to: DuckDB would hand out an instance that is still open on the file this one replaced.
            blocks = "" if path.exists() else f", BLOCK_SIZE {_BLOCK_BYTES}"
            # What is filled has no name yet: nobody recovers it, and it is written whole by `finish`.
            mode = "READ_ONLY" if read_only else f"READ_WRITE, RECOVERY_MODE NO_WAL_WRITES{blocks}"
            # The type is said: to find out what a file is takes DuckDB a tenth of the time in which it opens it.
            for name, place in paths.items():
                con.execute(f"ATTACH {quoted(str(place))} AS {name} (TYPE duckdb, {mode})")
            store = cls(con, path)
            store._is_read_only = read_only
            if read_only:
                store.seal()
            con.execute(f"USE {first}")
        except duckdb.Error as e:
            con.close()
            raise UserError(f"{path} is not a logsift database ({str(e).splitlines()[0]})") from None
        return store

    def hold_to_schema(self) -> None:
        """That what logsift keeps in tables is in tables, for a view of that name could be anything, and in this version's columns.

        Of a database that this very logsift made both is sure.

        Raises:
            UserError: a view of that name is there.
            ValueError: a column is not.
        """
        from logsift.store.schema import ENGINE

        named = f"view_name IN ({', '.join(map(quoted, ENGINE))})"
        for (view,) in self.con.execute(f"SELECT view_name FROM duckdb_views() WHERE {named}").fetchall():
            raise UserError(f"{self.path} is not a logsift database ({view} is no table)")
        for name, (_, columns) in ENGINE.items():
            if not name.startswith("content_"):
                there = {r["column_name"]: r["column_type"] for r in self.rows(f"DESCRIBE {name}")}
                if lost := [c for c, sql in columns.items() if there.get(c) != sql]:
                    raise ValueError(f"{name} has no such column: {lost[0]} {columns[lost[0]]}")

    def beside(self) -> Store:
        """Another connection to the same database, for another thread."""
        (name,) = self.con.execute("SELECT current_database()").fetchone() or ("memory",)
        con = self.con.cursor()
        con.execute(f'USE "{name}"')
        store = Store(con, self.path, sealed=self._sealed, watch=self._watch)
        store._is_read_only = self._is_read_only
        return store

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for what is to be loaded: a store reads its own place and no other."""
        return tempfile.TemporaryDirectory(dir=self.path.parent if self.path else None)

    def append_parts(self, parts: Path) -> None:
        """Load the Parquet files of `parts/<table>/` into the tables."""
        for folder in sorted(parts.iterdir()):
            self.append(folder.name, sorted(folder.glob("*.parquet")))

    def append(self, table: str, files: Sequence[Path], moved: Mapping[str, str] | None = None) -> None:
        """Load Parquet files into a table; `moved` are columns and the SQL that they are replaced by."""
        source = "read_parquet(?, union_by_name=true, hive_partitioning=false)"
        listed, replaced = [str(f) for f in files], ""
        if moved:
            there = [r[0] for r in self.con.execute(f"DESCRIBE FROM {source}", [listed]).fetchall()]
            replaced = f" REPLACE ({', '.join(f'{moved[c]} AS {c}' for c in there if c in moved)})"
        insert = f"INSERT INTO {table} BY NAME SELECT *{replaced} FROM {source}"
        (rows,) = self.con.execute(insert, [listed]).fetchone() or (0,)
        self.filled = None
        if rows and self._sizes is not None:
            self._sizes[table] = self._sizes.get(table, 0) + rows

    def register(self, reading: Reading, more: Mapping[int, int] | None = None) -> None:
        """Note what files were read, and how; `more` lines by file_id were not understood before."""
        self.con.execute("BEGIN")
        self.insert("file_window", reading.windows)
        self.insert("file_settled", reading.settled)
        self.insert("file", [(*f[:8], f[8] + (more or {}).get(f[0], 0), *f[9:]) for f in reading.files])
        self.con.execute("COMMIT")

    def begin(self) -> None:
        """No table that is filled of a run has rows yet: they are counted as they come, DuckDB needs not be asked."""
        self._sizes, self.sizes_are_exact = {}, True

    def forgotten(self) -> None:
        """Rows went: which tables have any is to be asked again."""
        self.filled, self._sizes, self.sizes_are_exact = None, None, False

    def sizes(self) -> dict[str, int]:
        """The tables that may have rows, with DuckDB's estimate, which counts deleted rows too."""
        if self._sizes is None:  # asked once: DuckDB describes hundreds of tables for it
            self._sizes = dict(
                self.con.execute(
                    "SELECT table_name, estimated_size FROM duckdb_tables() WHERE database_name = current_database()"
                    " AND estimated_size > 0"
                ).fetchall()
            )
        return self._sizes

    def plan_by_size(self) -> None:
        """Spare the work on plans, and threads, where there are few rows."""
        self.is_small = sum(self.sizes().get(name, 0) for name in made(self).declared) < SMALL_ROWS
        if self.is_small:
            self.con.execute(f"SET disabled_optimizers = '{','.join(_FOR_MANY_ROWS)}'; SET threads = 1")

    def fill(self, statement: str) -> int:
        """Run an INSERT of the content's; gives the number of rows."""

        def work() -> int:
            with self._watch.over(self.con):
                (rows,) = self.con.execute(parsed(statement)).fetchone() or (0,)
                return int(rows)

        return self._with_what_it_needs(work)

    def _with_what_it_needs(self, work: Callable[[], T]) -> T:
        """Do it with little memory, and where that is not enough with all there is.

        Raises:
            StorageError: what it needs cannot be written or read: that is no fault of the statement.
        """
        try:
            try:
                return work()
            except duckdb.OutOfMemoryException:
                if self._sealed:
                    raise
                self.con.execute("RESET memory_limit")
                return work()
        except (duckdb.IOException, duckdb.FatalException) as e:
            raise StorageError(f"the database cannot be written or read: {str(e).splitlines()[0]}") from None

    def _stoppable(self, work: Callable[[], T]) -> T:
        """Do it so that Ctrl-C ends it: DuckDB does not look for signals while its own threads work."""
        if current_thread() is not main_thread():
            return work()
        with ThreadPoolExecutor(1) as pool:
            doing = pool.submit(work)
            try:
                return doing.result()
            except KeyboardInterrupt:
                while not wait([doing], _STOP_SECONDS).done:
                    self.con.interrupt()
                raise

    def problem(self, what: str, text: str) -> None:
        """Note what went wrong and belongs to no line."""
        self.insert("problem", [(None, None, what, text.splitlines()[0] if text else "")])

    def seal(self) -> None:
        """From here on queries can read the database and nothing else of the machine, also not its file by another name."""
        if not self._sealed:
            self.con.execute(f"SET memory_limit = '{_MEMORY_ASKED}'")
            self.con.execute("SET enable_external_access = false; SET disabled_filesystems = 'LocalFileSystem'")
            self.con.execute("SET lock_configuration = true")
            self._sealed = True

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        """The result of a query as dicts."""

        def read() -> list[dict[str, Any]]:
            with self._watch.over(self.con):
                cursor = self.con.execute(query, list(parameters))
                names = [d[0] for d in cursor.description or ()]
                rows = self._given([str(d[1]) for d in cursor.description or ()], cursor.fetchall())
                return [dict(zip(names, row, strict=True)) for row in rows]

        return self._with_what_it_needs(read)

    def _given(self, types: list[str], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """What a query gave, as it is handed on; `types` are those of its columns."""
        return rows

    def asked(self, query: str | duckdb.Statement) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Names and rows of a query that logsift did not write itself, within its budgets of time and rows.

        Raises:
            duckdb.Error: it is wrong, or took too long.
            UserError: it gives too much, or what cannot be shown.
        """

        def read() -> tuple[list[str], list[tuple[Any, ...]]]:
            with self._watch.over(self.con):
                cursor = self.con.execute(query)
                rows = cursor.fetchmany(budget.QUERY_ROWS + 1)
                return [d[0] for d in cursor.description or ()], self._given(
                    [str(d[1]) for d in cursor.description or ()], rows
                )

        try:
            names, rows = self._stoppable(lambda: self._with_what_it_needs(read))
        except duckdb.InvalidInputException as e:
            if "pytz" in str(e):
                raise UserError("a time with a zone cannot be shown: ask for (…)::TIMESTAMP, times are UTC") from None
            raise
        if len(rows) > budget.QUERY_ROWS:
            raise UserError(f"more than {budget.QUERY_ROWS:,} rows: ask for less, or LIMIT it")
        return names, rows

    def statements(self, script: str) -> list[str]:
        """The statements of a text that a person typed.

        Raises:
            duckdb.Error: it is no SQL.
        """
        return [s.query for s in self.con.extract_statements(script)]

    def typed(self, query: str) -> Answer:
        """What the one statement gives that a person typed.

        Raises:
            duckdb.Error: it is wrong, or took too long.
            UserError: it is no statement, or more than one, or gives too much.
        """
        with self._one_that_reads(query):
            names, rows = self.asked(query)
            types = [str(d[1]) for d in self.con.description or ()]
            return Answer(told_apart(names), types, rows)

    def columns(self, query: str) -> dict[str, str]:
        """The columns of what a person typed, with their SQL types; a query is not run for it.

        Raises:
            duckdb.Error: it is wrong.
            UserError: it is no statement, or more than one.
        """
        with self._one_that_reads(query):
            relation = self.con.sql(query)
            if relation is None:
                return {}
            return dict(zip(told_apart(relation.columns), map(str, relation.types), strict=True))

    def frame(self, query: str) -> pl.DataFrame:
        """What the one statement gives that a person typed, with its types also where there are no rows.

        Raises:
            duckdb.Error: it is wrong, or took too long.
            UserError: it is no statement, or more than one.
        """
        from logsift.store.frames import frame

        def read() -> pl.DataFrame:
            with self._watch.over(self.con):
                return frame(self.con.execute(query))

        with self._one_that_reads(query):
            return self._stoppable(read)

    @contextmanager
    def _one_that_reads(self, query: str) -> Iterator[None]:
        """Hold a person to one statement, which changes nothing: a store that was made here could be written."""
        if len(self.con.extract_statements(query)) != 1:
            raise UserError("say one statement of SQL, for example: SELECT rule, summary FROM incident")
        if self._is_read_only:
            yield
            return
        self.con.execute("BEGIN TRANSACTION READ ONLY")
        try:
            yield
        finally:
            with suppress(duckdb.Error):  # the statement itself may have ended it
                self.con.execute("ROLLBACK")

    def insert(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        """Insert tuples in the order of the table's columns."""
        columns = [list(c) for c in zip(*rows, strict=True)]
        if columns:
            # As lists, one a column: a mark for each value takes ten times as long to parse.
            self.con.execute(f"INSERT INTO {table} SELECT {', '.join('unnest(?)' for _ in columns)}", columns)

    def insert_named(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert rows given as column -> value, all with the same columns."""
        if rows:
            names = list(rows[0])
            listed = ", ".join(f'"{n}"' for n in names)
            self.insert(f"{table} ({listed})", [[row[n] for n in names] for row in rows])

    def finish(self) -> None:
        """Write everything into the file, and close it.

        Raises:
            StorageError: that is not possible. DuckDB itself says nothing where it closes a file and cannot write it.
        """
        try:
            self._write()
        finally:
            self.con.close()

    def write_to(self, copy: Path) -> None:
        """Write everything into the file, and that into a copy: this one stays open, and is locked as long.

        Raises:
            StorageError: that is not possible.
        """
        self._write()
        try:
            shutil.copyfile(self.path or copy, copy)
        except OSError as e:
            raise StorageError(f"the database cannot be written: {e.strerror}") from None

    def _write(self) -> None:
        try:
            self.con.execute("CHECKPOINT")
        except duckdb.Error as e:
            raise StorageError(f"the database cannot be written: {str(e).splitlines()[0]}") from None

    def close(self) -> None:
        """Close the connection."""
        self.con.close()


@lru_cache(maxsize=4096)
def parsed(sql: str) -> duckdb.Statement:
    """The one statement of a text of the content's: a process that analyses many runs parses it once.

    Raises:
        duckdb.Error: it is no SQL.
    """
    (statement,) = duckdb.extract_statements(sql)
    return statement


atexit.register(
    parsed.cache_clear
)  # what is held when the interpreter ends, DuckDB's module takes for leaked and says so


def told_apart(names: Sequence[str]) -> list[str]:
    """Names of columns, each once: those that come again with a number."""
    out: list[str] = []
    for name in names:
        n, told = 1, name
        while told in out:
            n, told = n + 1, f"{name}_{n}"
        out.append(told)
    return out


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
