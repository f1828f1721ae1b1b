"""A run directory -> its analysis: made where something changed, only opened where nothing did."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.analysis import Analysis
from logsift.content.load import load_catalog
from logsift.errors import UserError
from logsift.ingest.discover import discover
from logsift.places import beside_of, cache_folder, copy_of, spilled_of
from logsift.store import Store
from logsift.store.incremental import forget_changed, known, numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from logsift.content.model import Catalog

DATABASE = "logsift.duckdb"


def analyze(
    run: Path | str,
    *,
    catalog: Catalog | None = None,
    db: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Analysis:
    """Read a run directory (or one file) and name the root cause.

    Args:
        run: what the job left behind.
        catalog: the content to use, by default the built-in one and the user's own.
        db: where the database goes, by default `RUN/logsift.duckdb`, or a cache folder where RUN can't be written.
        progress: called with (stage, done, in all): bytes while "reading", then how many "tables" and "rules" are done.

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
    # Imported here: a run that did not change since is only opened.
    from logsift import pipeline
    from logsift.store.create import create

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
        pipeline.read(store, catalog, todo, path.parent, progress)
        pipeline.explain(store, catalog, files, progress)
        store.close()
        beside.replace(path)
    finally:
        for left in (beside, beside.with_name(beside.name + ".wal")):
            left.unlink(missing_ok=True)
        shutil.rmtree(spilled_of(beside), ignore_errors=True)
    return Analysis.of(run, Store.open(path), catalog, len(todo))


def default_database(run: Path) -> Path:
    """`RUN/logsift.duckdb`, beside a single file, or in the user's cache where that place can't be written."""
    import hashlib
    import os

    folder = run if run.is_dir() else run.parent
    name = DATABASE if run.is_dir() else f"{run.name}.{DATABASE}"
    if os.access(folder, os.W_OK):
        return folder / name
    return cache_folder() / f"{hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:16]}.duckdb"
