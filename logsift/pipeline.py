"""The whole way: content, files, rows, tables, incidents, causes, words."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.analysis import Analysis
from logsift.content.load import load_catalog
from logsift.derive import series
from logsift.derive.clocks import Clocks, settle
from logsift.derive.hosts import name_hosts
from logsift.errors import UserError
from logsift.ingest.discover import SourceFile, discover
from logsift.ingest.parse import Parser
from logsift.ingest.readers.lines import unended
from logsift.ingest.spelling import Spelling
from logsift.judge.causes import trace
from logsift.judge.conclusions import conclude
from logsift.judge.grades import combined
from logsift.judge.identity import identify, pids_of_ranks
from logsift.judge.missing import ask_for_more
from logsift.judge.progress import Progress
from logsift.judge.rules import judge
from logsift.judge.words import worded
from logsift.store import Store
from logsift.store.create import create
from logsift.store.incremental import forget_changed, known, numbered
from logsift.store.materialise import Tables
from logsift.store.places import beside_of, cache_folder, copy_of, spilled_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsift.content.model import Catalog

DATABASE = "logsift.duckdb"


def analyze(
    run: Path | str,
    *,
    catalog: Catalog | None = None,
    db: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Analysis:
    """Read a run directory (or one file) and name the root cause.

    Args:
        run: what the job left behind.
        catalog: the content to use, by default the built-in one and the user's own.
        db: where the database goes, by default `RUN/logsift.duckdb`, or a cache folder where RUN can't be written.
        progress: called with (bytes done, bytes in all) while files are read.

    Raises:
        FileNotFoundError: no such run directory.
        UserError: nothing in it can be read.
        ContentErrors: the content is wrong.
    """
    run = Path(run)
    catalog = catalog or load_catalog()
    files = discover(run, catalog)
    if not any(f.reader for f in files):
        raise UserError(f"nothing readable in {run}")
    path = db or default_database(run)
    now = {f.name: (f.size, f.mtime_ns) for f in files}
    held = known(path, catalog, now)
    if held == now:
        return Analysis.of(run, Store.open(path), catalog)
    # Written beside the old one and renamed over it once it is whole: nobody ever opens half a database.
    beside = copy_of(path) if held is not None else beside_of(path)
    try:
        if held is None:
            beside.unlink(missing_ok=True)
            store, todo = create(beside, catalog), files
        else:
            store = Store.open(beside, read_only=False)
            files = numbered(store, files)
            stale = forget_changed(store, catalog, files, held)
            todo = [f for f in files if f.file_id in stale]
        read(store, catalog, todo, path.parent, progress)
        explain(store, catalog, files)
        store.close()
        beside.replace(path)
    finally:
        for left in (beside, beside.with_name(beside.name + ".wal")):
            left.unlink(missing_ok=True)
        shutil.rmtree(spilled_of(beside), ignore_errors=True)
    return Analysis.of(run, Store.open(path), catalog, len(todo))


def read(
    store: Store,
    catalog: Catalog,
    files: Sequence[SourceFile],
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Files -> rows of the declared tables. Parts lie in `folder` until they are loaded."""
    total, done = sum(f.size for f in files), 0

    def note(size: int) -> None:
        nonlocal done
        done += size
        if progress:
            progress(done, total)

    with tempfile.TemporaryDirectory(prefix="logsift-", dir=folder) as parts:
        parsed = Parser(catalog).parse(files, Path(parts), note)
        store.con.execute("BEGIN")
        store.append_parts(Path(parts))
        store.con.execute("COMMIT; BEGIN")
    store.insert("file_window", parsed.windows)
    store.insert("file", [
        (f.file_id, f.name, f.size, parsed.lines.get(f.file_id, 0), f.host, f.rank, f.grammar, f.reader,
         parsed.not_understood.get(f.file_id, 0), f.why, f.mtime_ns, f.reader == "lines" and unended(f.path))
        for f in files
    ])  # fmt: skip
    store.con.execute("COMMIT")


def explain(store: Store, catalog: Catalog, files: Sequence[SourceFile]) -> None:
    """Rows -> tables -> incidents -> causes -> words, all written into the store."""
    by_id, rules = {f.file_id: f for f in files}, {r.id: r for r in catalog.rules}
    store.plan_by_size()
    name_hosts(store)
    tables = Tables(store)
    tables.fill("for clocks")
    # What the logs' clocks have in common is told by tables made of their times; once these are moved, those tables are stale.
    tables.fill("all" if settle(store) else "the rest")
    series.run(store)
    tables.noted(series.FOUND)
    tables.fill("behind the search")
    incidents = combined(identify(judge(store, rules, tables.queries()), store))
    clocks = Clocks.of(store)
    paths = {f.file_id: f.name for f in files}
    incidents = worded(clocks.aside(clocks.dated(incidents)), rules, pids_of_ranks(store), paths)
    causes = trace(incidents, catalog.rules, clocks, Progress.of(store, incidents, clocks))
    conclude(store, incidents, causes, by_id, Spelling(catalog.envelopes))
    ask_for_more(store, catalog)


def default_database(run: Path) -> Path:
    """`RUN/logsift.duckdb`, beside a single file, or in the user's cache where that place can't be written."""
    import hashlib
    import os

    folder = run if run.is_dir() else run.parent
    name = DATABASE if run.is_dir() else f"{run.name}.{DATABASE}"
    if os.access(folder, os.W_OK):
        return folder / name
    return cache_folder() / f"{hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:16]}.duckdb"
