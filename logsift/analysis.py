"""The whole way: content, files, rows, incidents, causes."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logsift.content.load import load_catalog
from logsift.content.model import Catalog, Rule
from logsift.errors import UserError
from logsift.ingest.discover import SourceFile, discover
from logsift.ingest.evidence import fetch
from logsift.ingest.parse import Parser
from logsift.ingest.readers.lines import unended
from logsift.ingest.spelling import Spelling
from logsift.judge import series
from logsift.judge.causes import Causes, trace
from logsift.judge.clocks import Clocks, settle
from logsift.judge.coverage import Coverage, coverage
from logsift.judge.grades import combined
from logsift.judge.identity import identify, pids_of_ranks
from logsift.judge.incident import COLUMNS, Evidence, Incident
from logsift.judge.progress import Progress
from logsift.judge.rules import judge
from logsift.judge.words import worded
from logsift.store import Store, beside_of, cache_folder, copy_of, spilled_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DATABASE = "logsift.duckdb"


@dataclass(frozen=True, slots=True)
class Analysis:
    """What came out. `parsed` counts the files that were read in this call: 0 where nothing had changed."""

    run: Path
    store: Store
    incidents: tuple[Incident, ...]
    causes: Causes
    coverage: Coverage
    clocks: Clocks
    rules: Mapping[str, Rule]
    spelling: Spelling
    parsed: int

    @property
    def root(self) -> Incident | None:
        """The root cause, None where nothing was found or nothing can be said."""
        return self.causes.root

    def sql(self, query: str) -> list[dict[str, Any]]:
        """Rows of a query over the tables (see `logsift tables`)."""
        return self.store.rows(query)


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
    known = _known(path, catalog, now)
    if known == now:
        return _reopened(run, Store.open(path), catalog)
    beside = copy_of(path) if known is not None else beside_of(path)
    try:
        parsed = _build(beside, path, catalog, files, known or {}, progress)
        beside.replace(path)
    finally:
        for left in (beside, beside.with_name(beside.name + ".wal")):
            left.unlink(missing_ok=True)
        shutil.rmtree(spilled_of(beside), ignore_errors=True)
    return replace(_reopened(run, Store.open(path), catalog), parsed=parsed)


def default_database(run: Path) -> Path:
    """`RUN/logsift.duckdb`, beside a single file, or in the user's cache where that place can't be written."""
    import hashlib
    import os

    folder = run if run.is_dir() else run.parent
    name = DATABASE if run.is_dir() else f"{run.name}.{DATABASE}"
    if os.access(folder, os.W_OK):
        return folder / name
    return cache_folder() / f"{hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:16]}.duckdb"


def _known(path: Path, catalog: Catalog, now: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]] | None:
    """Name -> (size, mtime) of the files an existing store holds; None where it can't be built upon.

    Where files changed since (`now`) and the store's times were moved onto one clock, the other files may tell another
    clock: then all are read anew.
    """
    if not path.exists():
        return None
    try:
        store = Store.open(path)
    except UserError:
        return None
    try:
        if store.rows("SELECT catalog FROM run_info") != [{"catalog": catalog.digest}]:
            return None
        known = {r["path"]: (r["bytes"], r["mtime_ns"]) for r in store.rows("SELECT path, bytes, mtime_ns FROM file")}
        moved = known != now and store.rows("SELECT 1 FROM clock WHERE shift_seconds <> 0 LIMIT 1")
        return None if moved else known
    finally:
        store.close()


def _build(
    beside: Path, path: Path, catalog: Catalog, files: Sequence[SourceFile], known: Mapping[str, tuple[int, int]],
    progress: Callable[[int, int], None] | None,
) -> int:  # fmt: skip
    """Write a store at `beside`, reusing the rows of unchanged files if it is a copy of the last one."""
    if known:
        store = Store.open(beside, read_only=False)
        files = _numbered(store, files)
        stale = _forget_changed(store, catalog, files, known)
        todo = [f for f in files if f.file_id in stale]
    else:
        beside.unlink(missing_ok=True)
        store, todo = Store.create(beside, catalog), list(files)
    total, done = sum(f.size for f in todo), 0

    def note(size: int) -> None:
        nonlocal done
        done += size
        if progress:
            progress(done, total)

    with tempfile.TemporaryDirectory(prefix="logsift-", dir=path.parent) as parts:
        parsed = Parser(catalog).parse(todo, Path(parts), note)
        store.con.execute("BEGIN")
        store.append_parts(Path(parts))
        store.con.execute("COMMIT; BEGIN")
    store.insert("file_window", parsed.windows)
    store.insert("file", [
        (f.file_id, f.name, f.size, parsed.lines.get(f.file_id, 0), f.host, f.rank, f.grammar, f.reader,
         parsed.not_understood.get(f.file_id, 0), f.why, f.mtime_ns, f.reader == "lines" and unended(f.path))
        for f in todo
    ])  # fmt: skip
    store.name_hosts()
    store.con.execute("COMMIT")
    store.refresh(series.FOUND)
    if settle(store):
        store.refresh(series.FOUND)
    series.run(store)
    store.refresh(series.FOUND, behind=True)
    asked = store.rules_to_ask()
    incidents = combined(identify(judge(store, [r for r in catalog.rules if r.id in asked]), store))
    clocks = Clocks.of(store)
    rules = {r.id: r for r in catalog.rules}
    incidents = worded(clocks.aside(incidents), rules, pids_of_ranks(store), {f.file_id: f.name for f in files})
    causes = trace(incidents, catalog.rules, clocks, Progress.of(store, incidents, clocks))
    _conclude(store, incidents, causes, {f.file_id: f for f in files}, Spelling(catalog.envelopes))
    store.close()
    return len(todo)


def _numbered(store: Store, files: Sequence[SourceFile]) -> list[SourceFile]:
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


def _forget_changed(
    store: Store, catalog: Catalog, files: Sequence[SourceFile], known: Mapping[str, tuple[int, int]]
) -> set[int]:
    """Delete the rows of files that changed or are gone, and all conclusions; gives the numbers to read anew."""
    now = {f.name: f for f in files}
    stale = {f.file_id for f in files if known.get(f.name) != (f.size, f.mtime_ns)}
    gone = {int(r["file_id"]) for r in store.rows("SELECT path, file_id FROM file") if r["path"] not in now}
    listed = ", ".join(str(n) for n in stale | gone) or "NULL"
    for table in (*catalog.tables, "file", "file_window", "problem"):
        store.con.execute(f"DELETE FROM {table} WHERE file_id IN ({listed})")
    store.con.execute("DELETE FROM problem WHERE file_id IS NULL")  # what rules and tables of the last call ran into
    for table in ("incident", "evidence", "cause", "missing", "clock"):
        store.con.execute(f"DELETE FROM {table}")
    return stale


def _conclude(
    store: Store, incidents: Sequence[Incident], causes: Causes, files: Mapping[int, SourceFile], spelling: Spelling
) -> None:
    """Write incidents, their evidence with its text, and the edges."""
    first = list(causes.roots)
    rest = [i for i in incidents if not any(i is r for r in first)]
    ordered = first + sorted(rest, key=lambda i: (i.severity == "info", i.at is None, str(i.at), i.rule))
    number = {id(i): n for n, i in enumerate(ordered, 1)}
    cause = {id(i): causes.cause_of(i) for i in ordered}
    store.insert_named("incident", [
        {
            **{k: json.dumps(v, default=str) if COLUMNS[k][0] == "JSON" else v for k, v in i.values.items()},
            "id": number[id(i)], "action": i.action, "root": i is causes.root,
            "explained_by": number[id(c)] if (c := cause[id(i)]) else None,
        }
        for i in ordered
    ])  # fmt: skip
    wanted = {(e.file_id, e.line_no) for i in ordered for e in i.evidence}
    starts = store.con.execute("SELECT file_id, first_line, byte_offset FROM file_window ORDER BY ALL").fetchall()
    texts = fetch(wanted, files, starts, spelling)
    store.insert("evidence", [
        (number[id(i)], e.file_id, e.line_no, files[e.file_id].name, e.text or texts.get((e.file_id, e.line_no), ""))
        for i in ordered for e in i.evidence
    ])  # fmt: skip
    store.insert("cause", [(number[id(a)], number[id(b)]) for a, b in causes.edges])
    if store.defines("missing_source"):
        store.con.execute("INSERT INTO missing SELECT what, why, how FROM missing_source")


def _reopened(run: Path, store: Store, catalog: Catalog) -> Analysis:
    """An analysis from what a store holds."""
    evidence: dict[int, list[Evidence]] = {}
    for e in store.rows("SELECT * FROM evidence ORDER BY incident_id, rowid"):
        evidence.setdefault(e["incident_id"], []).append(Evidence(e["file_id"], e["line_no"], e["path"], e["text"]))
    rows = store.rows("SELECT * FROM incident ORDER BY id")
    incidents = [Incident.of_row(r, evidence.get(r["id"], ())) for r in rows]
    edges = store.rows("SELECT cause_id, effect_id FROM cause ORDER BY rowid")
    explained = {e["effect_id"] for e in edges}
    roots = [i for i, r in zip(incidents, rows, strict=True) if r["severity"] != "info" and r["id"] not in explained]
    causes = Causes(tuple(roots), tuple((incidents[e["cause_id"] - 1], incidents[e["effect_id"] - 1]) for e in edges))
    return Analysis(
        run, store, tuple(incidents), causes, coverage(store), Clocks.of(store), {r.id: r for r in catalog.rules},
        Spelling(catalog.envelopes), 0,
    )  # fmt: skip
