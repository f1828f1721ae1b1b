"""Tables as files that can be sent, and a store made of files that came: plain tables in Parquet, no views, no code."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import duckdb

from logsift.errors import UserError
from logsift.ingest import budget
from logsift.ingest.archives import BUNDLE
from logsift.store.database import Store, quoted
from logsift.store.schema import ENGINE, SHORT_HOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "manifest.json"
TABLES = "tables"
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_FILE = re.compile(r"[a-z0-9_.-]+(?:/[a-z0-9_.-]+)?")
_TYPE = re.compile(r'[A-Za-z0-9_ ,()\[\]"]+')
_NESTED = re.compile(r"\b(?:MAP|TUPLE|UNION|ENUM)\(")


def relations(store: Store) -> dict[str, dict[str, str]]:
    """Every table and view of a store, with its columns and the types that they have in a file."""
    out: dict[str, dict[str, str]] = {}
    for r in store.rows(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        " AND database_name = current_database() ORDER BY table_name, column_index"
    ):
        out.setdefault(r["table_name"], {})[r["column_name"]] = _type_in_file(r["data_type"])
    return out


def _type_in_file(sql: str) -> str:
    """A type that Parquet keeps as it is: what has no word in it there is kept as JSON."""
    if _NESTED.search(sql):
        return "JSON"
    return sql.replace("UHUGEINT", "BIGINT").replace("HUGEINT", "BIGINT").replace('"NULL"', "INTEGER")


def write_table(store: Store, name: str, columns: Mapping[str, str], rows: list[dict[str, Any]], folder: Path) -> Path:
    """Write rows as a Parquet file; gives its path. `store` is one to be filled whose folder holds `folder`."""
    store.con.execute(f"CREATE OR REPLACE TEMP TABLE written ({_listed(columns)})")
    as_json = {c for c, sql in columns.items() if sql == "JSON"}
    store.insert("written", [[_in_file(row[c]) if c in as_json else row[c] for c in columns] for row in rows])
    path = folder / f"{name}.parquet"
    store.con.execute(f"COPY written TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)")
    return path


def _in_file(value: object) -> object:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def is_sent(folder: Path) -> bool:
    """True for what an archive of `logsift bundle` unpacks to."""
    return (folder / BUNDLE / MANIFEST).is_file()


def load(unpacked: Path, path: Path) -> None:
    """Make a store of the tables that lie below `unpacked`; both are in one private folder.

    Raises:
        UserError: something is missing, or is not what the manifest says.
    """
    folder = unpacked / BUNDLE
    try:
        told = json.loads((folder / MANIFEST).read_bytes())
        files, empty = _sound(told["files"], _FILE), _sound(told["empty"], _NAME)
        for name, about in files.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != about["sha256"]:
                raise UserError(f"the bundle is damaged: {name} is not what its manifest says")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise UserError(f"the bundle is damaged: its manifest or a file cannot be read ({e})") from None
    try:
        with closing(Store.open(path, read_only=False)) as store:
            store.con.execute(SHORT_HOST)
            for statement in _statements(store, folder, files, empty):
                store.fill(statement)
            there = relations(store)
            if lacking := sorted(set(ENGINE) - set(there)):
                raise UserError(f"the bundle is damaged: it lacks the table {lacking[0]}")
            store.finish()
    except duckdb.Error as e:
        raise UserError(f"the bundle is damaged: {str(e).splitlines()[0]}") from None


def _statements(store: Store, folder: Path, files: Mapping[str, Any], empty: Mapping[str, Any]) -> Iterator[str]:
    rows = 0
    for name in sorted(files):
        place, _, file = name.partition("/")
        table = file.removesuffix(".parquet")
        if place != TABLES or not _NAME.fullmatch(table):
            continue
        source = quoted(str(folder / name))
        (held,) = store.con.execute(f"SELECT num_rows FROM parquet_file_metadata({source})").fetchone() or (0,)
        rows += held
        if rows > budget.SENT_ROWS:
            raise UserError(f"the bundle holds more than {budget.SENT_ROWS:,} rows")
        yield f'CREATE TABLE "{table}" AS FROM read_parquet({source}, hive_partitioning=false)'
    for table, columns in sorted(empty.items()):
        if not all(isinstance(sql, str) and _TYPE.fullmatch(sql) and '"' not in c for c, sql in columns.items()):
            raise UserError(f"the bundle is damaged: the columns of {table}")
        yield f'CREATE TABLE "{table}" ({_listed(columns)})'


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f'"{name}" {sql}' for name, sql in columns.items())


def _sound(named: Mapping[str, Any], form: re.Pattern[str]) -> Mapping[str, Any]:
    """Names that lead nowhere else.

    Raises:
        ValueError: one does.
    """
    for name in named:
        if not form.fullmatch(name) or ".." in name:
            raise ValueError(name)
    return named
