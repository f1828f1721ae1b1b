"""What a job left behind -> its analysis: made where something changed, only opened where nothing did."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import duckdb

from logsift.analysis import Analysis
from logsift.content.load import load_catalog
from logsift.errors import StorageError, UserError
from logsift.ingest.discover import discover
from logsift.inputs import given
from logsift.places import cache_folder, publish, remember, tidy, workplace
from logsift.remote import RemotePath, place
from logsift.store import Store
from logsift.store.incremental import Seen, forget_changed, known, numbered
from logsift.store.materialise import declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from logsift.content.model import Catalog
    from logsift.ingest.discover import SourceFile

DATABASE = "logsift.duckdb"
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


class Beside(Enum):
    """Where a database goes by default."""

    RUN = "beside the run, or into the user's cache"


def analyze(
    run: Path | str | Sequence[Path | str],
    *,
    catalog: Catalog | None = None,
    db: Path | str | Literal[Beside.RUN] | None = Beside.RUN,
    progress: Callable[[str, int, int], None] | None = None,
    follow: bool = False,
) -> Analysis:
    """What `logsift.analyze` does, without its `Run`: the same arguments and errors.

    `progress` is also called for "storing" and the "verdict", before and behind the tables and rules; these two do not say
    how much is left (0 in all).
    """
    source = given([place(run)] if isinstance(run, str | Path) else [place(r) for r in run])
    catalog = catalog or load_catalog()
    shown = place(source.shown)
    if source.is_database:
        return _opened(shown, Store.open(source.run), catalog)
    run = source.run
    wanted = None if db is Beside.RUN or db is None else place(db)
    given_path = cached_database(run) if isinstance(wanted, RemotePath) else wanted
    path = given_path or (cached_database(run) if source.is_private else default_database(run))
    aside = cached_database(run)
    kept = path if given_path or path.exists() else aside  # what nothing was found in was kept aside
    held = None if db is None else known(kept, catalog)
    files = discover(
        run,
        catalog,
        follow=follow,
        roots=source.roots,
        refused=source.refused,
        seen=(held.files, held.readers) if held else None,
    )
    if not any(f.reader for f in files):
        told = "".join(f"\n  {f.name}: {f.why}" for f in files[:5])
        raise UserError(f"nothing readable in {shown}{told}")
    if db is None:
        return Analysis.of(shown, _unnamed(catalog, files, progress), catalog, len(files), run)
    now = {f.name: (f.size, f.mtime_ns) for f in files}
    if held:
        with suppress(duckdb.Error, UserError):  # a damaged one is made anew
            if held.files == now:
                if wanted and wanted != path:
                    publish(kept, wanted)
                return _opened(shown, held.store, catalog, run)
        held.store.close()
    # Imported here: a run that did not change since is only opened.
    with _one_thread_of_blas():
        from logsift import pipeline
        from logsift.store.create import create

    # Written in a folder of its own and renamed over the old one once it is whole: nobody ever opens half a database.
    with ExitStack() as held_open:
        try:
            work = held_open.enter_context(workplace(path))
        except StorageError:
            if given_path:
                raise
            path = aside
            work = held_open.enter_context(workplace(path))
        built = _built_upon(kept, work / "known", catalog, files, held.files) if held else None
        store, files, todo = built or (create(work / "new", catalog), files, files)
        with ExitStack() as until_kept:
            until_kept.callback(store.close)
            pipeline.read(store, catalog, todo, progress)
            pipeline.explain(store, catalog, files, progress)
            found = not given_path and (len(declared(store)) > 0 or bool(store.rows("SELECT 1 FROM incident LIMIT 1")))
            made = work / "whole"
            if store.is_small:
                store.write_to(made)
                until_kept.pop_all()  # to open it again takes longer than to copy it
                store.seal()
            else:
                store.finish()
                made = store.path or made
        path = path if given_path or found else aside
        publish(made, path)
        if wanted and wanted != path:
            publish(path, wanted)
    remember(path)
    if path == aside:
        tidy()
    if store.is_small:
        store.path = path
    else:
        store = Store.open(path)
    return Analysis.of(shown, store, catalog, len(todo), run)


def _built_upon(
    kept: Path, copy: Path, catalog: Catalog, files: Sequence[SourceFile], held: Seen
) -> tuple[Store, list[SourceFile], list[SourceFile]] | None:
    """A copy of a store without what changed, all files by its numbers, and those to read; None where it is damaged."""
    shutil.copyfile(kept, copy)
    try:
        store = Store.open(copy, read_only=False)
    except UserError:
        return None
    try:
        files = numbered(store, files)
        return store, files, forget_changed(store, catalog, files, held)
    except duckdb.Error:
        store.close()
        return None


def _unnamed(catalog: Catalog, files: Sequence[SourceFile], progress: Callable[[str, int, int], None] | None) -> Store:
    """A store whose file has no name any more: it is gone with the last who has it open."""
    with _one_thread_of_blas():
        from logsift import pipeline
        from logsift.store.create import create

    with tempfile.TemporaryDirectory(prefix="logsift-") as folder, ExitStack() as held_open:
        store = create(Path(folder) / DATABASE, catalog)
        held_open.callback(store.close)
        pipeline.read(store, catalog, files, progress)
        pipeline.explain(store, catalog, files, progress)
        if store.is_small:
            held_open.pop_all()  # to write it and open it again takes longer than to ask it
            store.seal()
        else:
            store.finish()
            store = Store.open(Path(folder) / DATABASE)
    store.path = None
    return store


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Import numpy within: its BLAS starts a thread for every core, and nothing here multiplies matrices."""
    before = os.environ.get(_BLAS_THREADS)
    os.environ[_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[_BLAS_THREADS]
        if before is not None:
            os.environ[_BLAS_THREADS] = before


def _opened(shown: Path, store: Store, catalog: Catalog, place: Path | None = None) -> Analysis:
    """The analysis that a database holds.

    Raises:
        UserError: it holds none that this version can read.
    """
    try:
        if place is None:
            store.hold_to_schema()
        return Analysis.of(shown, store, catalog, place=place)
    except (duckdb.Error, LookupError, TypeError, ValueError) as e:
        told = (str(e) or repr(e)).splitlines()[0]
        raise UserError(
            f"{store.path} was written by another version of logsift, or is damaged: analyse the run anew ({told})"
        ) from None


def default_database(run: Path) -> Path:
    """`RUN/logsift.duckdb`, beside a single file, or in the user's cache where that place can't be written."""
    folder = run if run.is_dir() else run.parent
    name = DATABASE if run.is_dir() else f"{run.name}.{DATABASE}"
    if os.access(folder, os.W_OK):
        return folder / name
    return cached_database(run)


def cached_database(run: Path) -> Path:
    """The place in the user's cache for what is not written beside the run."""
    return cache_folder() / f"run-{hashlib.sha256(os.fsencode(run.resolve())).hexdigest()[:16]}.duckdb"
