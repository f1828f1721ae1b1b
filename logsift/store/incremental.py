"""What a store knows of the files it was made of, and what must be forgotten when they change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

from logsift.errors import UserError
from logsift.places import written_here
from logsift.store.database import Store
from logsift.store.materialise import declared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from logsift.content.model import Catalog
    from logsift.ingest.discover import SourceFile

_WINDOW_BYTES = 4 << 20
Seen = dict[str, tuple[int, int]]
"""Name of a file -> (size in bytes, time of its last change in nanoseconds)."""


@dataclass(frozen=True, slots=True)
class Known:
    """An existing store that can be built upon, open to be asked, the files it was made of, and who read them."""

    store: Store
    files: Seen
    readers: Mapping[str, tuple[str, str | None, str]]
    """Name of a file -> (reader, owning grammar, why nobody reads it)."""


def known(path: Path, catalog: Catalog) -> Known | None:
    """An existing store, None where it can't be built upon: what somebody sent or changed is not."""
    if not written_here(path):
        return None
    try:
        store = Store.open(path)
    except UserError:
        return None
    try:
        if store.rows("SELECT catalog FROM run_info") == [{"catalog": catalog.digest}]:
            rows = store.rows("SELECT path, bytes, mtime_ns, reader, grammar, why FROM file")
            held = {r["path"]: (r["bytes"], r["mtime_ns"]) for r in rows}
            return Known(store, held, {r["path"]: (r["reader"], r["grammar"], r["why"]) for r in rows})
    except duckdb.Error:
        pass  # a damaged one is made anew
    store.close()
    return None


def tells_another_clock(store: Store) -> bool:
    """True where files that changed must not be read alone.

    The store's times were moved onto one clock, and the other files may tell another one: then all are read anew.
    """
    return bool(store.rows("SELECT 1 FROM clock WHERE shift_seconds <> 0 LIMIT 1"))


def numbered(store: Store, files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files with the numbers the store already knows them by, new ones numbered on."""
    numbers = {r["path"]: int(r["file_id"]) for r in store.rows("SELECT path, file_id FROM file")}
    following = max(numbers.values(), default=0)
    out = []
    for f in files:
        if f.name not in numbers:
            following += 1
            numbers[f.name] = following
        out.append(replace(f, file_id=numbers[f.name]))
    return out


def forget_changed(
    store: Store, catalog: Catalog, files: Sequence[SourceFile], held: Mapping[str, tuple[int, int]]
) -> set[int]:
    """Delete the rows of files that changed or are gone, and all conclusions; gives the numbers to read anew."""
    now = {f.name: f for f in files}
    stale = {f.file_id for f in files if held.get(f.name) != (f.size, f.mtime_ns)}
    gone = {int(r["file_id"]) for r in store.rows("SELECT path, file_id FROM file") if r["path"] not in now}
    listed = ", ".join(str(n) for n in stale | gone) or "NULL"
    for table in (*catalog.tables, "file", "file_window", "problem"):
        store.con.execute(f"DELETE FROM {table} WHERE file_id IN ({listed})")
    store.con.execute("DELETE FROM problem WHERE file_id IS NULL")  # what rules and tables of the last call ran into
    for table in ("incident", "evidence", "cause", "missing", "clock", "decision"):
        store.con.execute(f"DELETE FROM {table}")
    return stale


def forget_from(store: Store, files: Sequence[SourceFile]) -> None:
    """Delete the rows of files from their `start` on: those lines are read again."""
    again = [[f.file_id for f in files], [f.start[1] for f in files]]
    for table in declared(store) | {"problem"}:
        store.con.execute(
            f"DELETE FROM {table} USING (SELECT unnest(?) AS file_id, unnest(?) AS line_no) AS again"
            f" WHERE {table}.file_id = again.file_id AND {table}.line_no >= again.line_no", again,
        )  # fmt: skip
    store.con.execute("DELETE FROM file WHERE list_contains(?, file_id)", again[:1])
    store.con.execute(
        "DELETE FROM file_window USING (SELECT unnest(?) AS file_id, unnest(?) AS line_no) AS again"
        " WHERE file_window.file_id = again.file_id AND first_line >= line_no", again,
    )  # fmt: skip
    # Each piece that was added began a window: one every few megabytes is enough to find a line by.
    store.con.execute(
        "DELETE FROM file_window USING file_window AS before WHERE list_contains(?, file_window.file_id)"
        " AND before.file_id = file_window.file_id AND before.byte_offset < file_window.byte_offset"
        f" AND before.byte_offset > file_window.byte_offset - {_WINDOW_BYTES}", again[:1],
    )  # fmt: skip
