"""What a store knows of the files it was made of, and what must be forgotten when they change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

from logsift.content.model import BOOT, DAYTIME, YEARLESS
from logsift.errors import UserError
from logsift.ingest.proof import proof
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
) -> list[SourceFile]:
    """Delete all conclusions and what is no longer so; gives the files to read, from where on.

    Times that were moved onto one clock are moved back. Of a file that only grew the rows stay.
    """
    store.con.execute("BEGIN")
    unclear = _move_back(store)
    readers = {r["path"]: r["reader"] for r in store.rows("SELECT path, reader FROM file")}
    changed = [
        f
        for f in files
        # a copy of another that did not change may be none any more
        if held.get(f.name) != (f.size, f.mtime_ns) or readers.get(f.name) != f.reader or f.file_id in unclear
    ]
    settled = {r["file_id"]: r for r in store.rows("FROM file_settled")}
    todo = [
        replace(f, start=(s["byte_offset"], s["first_line"]))
        if f.name in held
        and f.file_id not in unclear
        and (s := settled.get(f.file_id))
        and _begins(f, s["byte_offset"], s["proof"])
        and _redate(store, catalog, f, held[f.name][1])
        else f
        for f in changed
    ]
    now = {f.name for f in files}
    gone = [int(r["file_id"]) for r in store.rows("SELECT path, file_id FROM file") if r["path"] not in now]
    whole = [f.file_id for f in todo if f.start == (0, 1)]
    for table in (*declared(store), "file", "file_window", "file_settled", "problem"):
        store.con.execute(f"DELETE FROM {table} WHERE list_contains(?, file_id)", [whole + gone])
    store.con.execute("DELETE FROM problem WHERE file_id IS NULL")  # what rules and tables of the last call ran into
    for table in ("incident", "evidence", "cause", "missing", "clock", "decision"):
        store.con.execute(f"DELETE FROM {table}")
    store.con.execute("COMMIT")
    store.forgotten()
    return todo


def _begins(file: SourceFile, size: int, known: str) -> bool:
    """True where the first bytes of a file are those that were read."""
    try:
        return proof(file.path, size) == known
    except (OSError, EOFError):
        return False


def _move_back(store: Store) -> set[int]:
    """Give the rows the times that their lines print; gives the files of which the clocks do not tell which those are."""
    clocks = store.rows(
        "SELECT file_id, time_quality, first_line, last_line, round(shift_seconds * 1e6)::BIGINT AS moved_us FROM clock"
        " ORDER BY ALL"
    )
    unclear, last = set[int](), dict[tuple[int, str], tuple[int, int]]()
    for c in clocks:
        # Hosts that share a file share its lines: no line then says by which clock it was moved.
        until, by = last.get(form := (c["file_id"], c["time_quality"]), (-1, 0))
        if c["first_line"] <= until and c["moved_us"] != by and c["time_quality"] != BOOT:
            unclear.add(c["file_id"])
        last[form] = max(until, c["last_line"]), c["moved_us"]
    moved = [tuple(c.values()) for c in clocks if c["moved_us"] and c["time_quality"] != BOOT]
    if not any(c["moved_us"] for c in clocks):
        return set()
    store.con.execute(
        "CREATE TEMP TABLE clock_back (file_id BIGINT, quality VARCHAR, first_line BIGINT, last_line BIGINT, moved_us BIGINT)"
    )
    store.insert("clock_back", moved)
    for table in declared(store, "time"):
        store.con.execute(
            f"UPDATE {table} SET time = {table}.time - to_microseconds(c.moved_us) FROM clock_back c"
            f" WHERE c.file_id = {table}.file_id AND c.quality = time_quality AND line_no BETWEEN c.first_line AND c.last_line"
        )
        store.con.execute(f"UPDATE {table} SET time = NULL, time_quality = NULL WHERE time_quality = '{BOOT}'")
    store.con.execute("DROP TABLE clock_back")
    return unclear


def _redate(store: Store, catalog: Catalog, file: SourceFile, before_ns: int) -> bool:
    """Give times without a day that of the file's last writing, as if all were read now; False where that takes a reading."""
    from logsift.ingest.clock import utc  # brings polars, which a run that did not change does without

    before, now = utc(before_ns), utc(file.mtime_ns)
    days = (now.date() - before.date()).days
    for table in declared(store):
        others = [c.name for c in catalog.tables[table].columns if c.type == "time"]
        if others and days and store.rows(f"SELECT 1 FROM {table} WHERE file_id = ? LIMIT 1", [file.file_id]):
            return False
    for table in declared(store, "time"):
        # The year of a time without one is the latest that does not put it after the file's last writing.
        if store.rows(
            f"SELECT 1 FROM {table} WHERE file_id = ? AND time_quality = '{YEARLESS}'"
            " AND time + INTERVAL 1 YEAR <= ?::TIMESTAMP + INTERVAL 1 DAY LIMIT 1",
            [file.file_id, now],
        ):
            return False
        if days:
            store.con.execute(
                f"UPDATE {table} SET time = time + to_days(?::INTEGER) WHERE file_id = ? AND time_quality = '{DAYTIME}'",
                [days, file.file_id],
            )
    return True


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
    store.con.execute("DELETE FROM file_settled WHERE list_contains(?, file_id)", again[:1])
    # Each piece that was added began a window: one every few megabytes is enough to find a line by.
    store.con.execute(
        "DELETE FROM file_window USING file_window AS before WHERE list_contains(?, file_window.file_id)"
        " AND before.file_id = file_window.file_id AND before.byte_offset < file_window.byte_offset"
        f" AND before.byte_offset > file_window.byte_offset - {_WINDOW_BYTES}", again[:1],
    )  # fmt: skip


def left_over(store: Store, catalog: Catalog, files: Sequence[SourceFile]) -> Mapping[int, int]:
    """File id -> how many lines only grammars of leftovers made rows of, of those that are not read again."""
    tables = {p.table for g in catalog.grammars if g.leftovers for p in g.patterns if p.table} & declared(store)
    each = " UNION ".join(f"SELECT file_id, line_no FROM {t} WHERE list_contains($1, file_id)" for t in sorted(tables))
    if not each:
        return {}
    counts = store.rows(f"SELECT file_id, count(*) AS lines FROM ({each}) GROUP BY 1", [[f.file_id for f in files]])
    return {r["file_id"]: r["lines"] for r in counts}
