"""The whole way, stage by stage: files, rows, tables, incidents, causes, words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from logsift.derive import series
from logsift.derive.clocks import Clocks, settle
from logsift.derive.hosts import name_hosts
from logsift.derive.ranks import name_ranks
from logsift.derive.tasks import name_tasks
from logsift.ingest.evidence import fetch
from logsift.ingest.reading import read as read_files
from logsift.ingest.spelling import Spelling
from logsift.judge.attempts import Attempts
from logsift.judge.causes import folded, trace
from logsift.judge.conclusions import conclude
from logsift.judge.decision import decide
from logsift.judge.fates import tell
from logsift.judge.grades import combined, doubted
from logsift.judge.identity import identify, pids_of_ranks, scheduler_of
from logsift.judge.jobs import Jobs
from logsift.judge.missing import ask_for_more
from logsift.judge.progress import Progress
from logsift.judge.rules import judge
from logsift.judge.words import worded
from logsift.store.incremental import forget_from, left_over
from logsift.store.materialise import Tables, unite
from logsift.store.schema import CONCLUDED
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from logsift.content.model import Catalog
    from logsift.ingest.discover import SourceFile
    from logsift.store import Store


@timed("stage", "reading")
def read(
    store: Store,
    catalog: Catalog,
    files: Sequence[SourceFile],
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Files -> rows of the declared tables; of a file with a `start`, the rows from there on are replaced."""
    before: Mapping[int, int] = {}
    if known := [f for f in files if f.start != (0, 1)]:
        forget_from(store, known)
        before = left_over(store, catalog, known)
    total, done = sum(f.size - f.start[0] for f in files), 0

    def note(size: int) -> None:
        nonlocal done
        done += size
        if progress:
            progress("reading", done, total)

    with store.scratch() as parts:
        reading = read_files(catalog, files, Path(parts), note)
        if progress:
            progress("storing", 0, 0)
        store.con.execute("BEGIN")
        store.append_parts(Path(parts))
        store.con.execute("COMMIT")
    store.register(reading, before)


@timed("stage", "explaining")
def explain(
    store: Store,
    catalog: Catalog,
    files: Sequence[SourceFile],
    progress: Callable[[str, int, int], None] | None = None,
    texts: Callable[[set[tuple[int, int]]], Mapping[tuple[int, int], str]] | None = None,
) -> None:
    """Rows -> tables -> incidents -> causes -> words, all written into the store.

    `texts` gives lines by (file_id, line_no) where they are not to be fetched from the files.
    """
    rules = {r.id: r for r in catalog.rules}
    store.plan_by_size()
    name_tasks(store)
    name_hosts(store)
    name_ranks(store)
    unite(store)
    tables = Tables(store, progress)
    tables.fill("for clocks")
    # What the logs' clocks have in common is told by tables made of their times; once these are moved, those tables are stale.
    tables.fill(*(("for clocks", "the rest") if settle(store) else ("the rest",)))
    series.run(store)
    tables.noted(series.FOUND)
    tables.fill("behind the search")
    tell(store)
    found = judge(store, rules, tables.rules(), progress)
    if progress:
        progress("verdict", 0, 0)
    attempts = Attempts.of(store)
    incidents = attempts.noted(doubted(combined(identify(found, store)), store), rules)
    clocks = Clocks.of(store)
    paths = {f.file_id: f.name for f in files}
    incidents = worded(
        clocks.aside(clocks.dated(incidents)), rules, pids_of_ranks(store), paths, scheduler_of(store), store.problem
    )
    causes = trace(incidents, catalog.rules, clocks, Progress.of(store, incidents, clocks), attempts, Jobs.of(store))
    incidents, causes = folded(incidents, causes, catalog.rules)
    conclude(store, incidents, causes, paths, texts or _fetched(store, catalog, files))
    tables.noted(CONCLUDED)
    tables.fill("behind the verdict")
    if incidents:
        decide(store)
    wanted = tables.missing()
    ask_for_more(store, [m for m in catalog.missing if m.id in wanted])


def _fetched(
    store: Store, catalog: Catalog, files: Sequence[SourceFile]
) -> Callable[[set[tuple[int, int]]], Mapping[tuple[int, int], str]]:
    """Gives lines out of the files."""
    by_id, spelling = {f.file_id: f for f in files}, Spelling(catalog.envelopes)

    def texts(wanted: set[tuple[int, int]]) -> Mapping[tuple[int, int], str]:
        starts = store.con.execute("SELECT file_id, first_line, byte_offset FROM file_window ORDER BY ALL").fetchall()
        return fetch(wanted, by_id, starts, spelling)

    return texts
