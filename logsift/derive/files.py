"""What lines tell of the file they are in, once all of them are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logsift.store import Store

T = TypeVar("T", str, int)


def settle_files(store: Store, tables: Iterable[str], column: str, settled: Sequence[tuple[int, T | None, T]]) -> None:
    """Set the `host` or `rank` of files, and of those of their rows that were given the same when they were read.

    Args:
        store: where they are.
        tables: those of formats that have the column, and rows.
        column: which of the two.
        settled: file id, what was read from its path (None where that tells nothing), and what it is.
    """
    if not settled:
        return
    store.con.execute(f"CREATE TEMP TABLE settled_file AS SELECT file_id, {column} AS read, {column} FROM file LIMIT 0")
    store.insert("settled_file", settled)
    for table in ("file", *tables):
        store.con.execute(
            f"UPDATE {table} SET {column} = s.{column} FROM settled_file s"
            f" WHERE {table}.file_id = s.file_id AND {table}.{column} IS NOT DISTINCT FROM s.read"
        )
    store.con.execute("DROP TABLE settled_file")
