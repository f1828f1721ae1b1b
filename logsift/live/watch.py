"""A run that is still being written: its logs followed, incidents told as they come."""

from __future__ import annotations

import shutil
import statistics
from collections import deque
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic, process_time, sleep
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from logsift import pipeline
from logsift.analysis import Analysis
from logsift.errors import UserError
from logsift.inputs import given
from logsift.live.follow import Change, Follower, is_remote
from logsift.places import cache_folder, workplace
from logsift.report.fates import each
from logsift.store import Store
from logsift.store.create import create
from logsift.store.incremental import forget_from
from logsift.store.materialise import declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from logsift.content.incident import Incident
    from logsift.content.model import Catalog

_LEAST_PAUSE_SECONDS, _MOST_PAUSE_SECONDS = 0.1, 2.0
_LOOK_SHARE = 0.01
"""How much of a core looking may take, where nothing wakes the watch: many files, or a slow disk, are looked at less often."""
LEAST_SILENCE_SECONDS = 20.0
"""A shorter silence is none, whatever the rhythm."""
_GAPS = 8
"""A log has a rhythm once it has been written to so often."""
_LONGEST, _USUAL = 3.0, 10.0
"""A log is silent after three times its longest pause, and ten times its usual one."""
_READS, _USUAL_READS = 8, 4
"""Lines of a kind that came in four of the last eight reads are usual: steps are, trouble is not, and is concluded from at once."""
_SHARE = 0.1
"""How much of the time may go into conclusions, where only usual lines came."""
_TAIL_BYTES = 4096

Kind = Literal["incident", "silence", "resumed", "file", "verdict"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a watch tells: what, when (UTC), in words, and as fields of a JSON line."""

    kind: Kind
    said: str
    fields: dict[str, Any]
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def line(self) -> dict[str, Any]:
        """One line of JSON, as a dict."""
        at = self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"event": self.kind, "at": at, "said": self.said, **self.fields}


@dataclass(frozen=True, slots=True)
class Row:
    """A rank as it is now. Times in seconds, `lag` in steps behind the first; None where nothing tells."""

    rank: int | None
    host: str
    step: float | None
    lag: float | None
    step_seconds: float | None
    loss: float | None
    silent: float = 0.0
    word: str = ""


@dataclass
class _Rhythm:
    """The pauses of one log between writes, in seconds."""

    gaps: deque[float] = field(default_factory=lambda: deque(maxlen=64))
    told: bool = False

    def limit(self) -> float | None:
        """After so long it is silent; None as long as it has no rhythm."""
        if len(self.gaps) < _GAPS:
            return None
        return max(LEAST_SILENCE_SECONDS, _LONGEST * max(self.gaps), _USUAL * statistics.median(self.gaps))


class Watch:
    """Follows one run. `look` reads what was added and gives what there is to tell; `verdict` is what is known so far."""

    def __init__(self, run: Path, catalog: Catalog, work: Path) -> None:
        self._run, self._catalog, self._work = run, catalog, work
        self._follower = Follower(run, catalog)
        self._rows = create(work / "rows", catalog)
        self._verdict: Analysis | None = None
        self._rhythms: dict[str, _Rhythm] = {}
        self._known: list[tuple[str, set[tuple[str, int]], frozenset[int]]] = []
        self._counts: dict[str, int] = {}
        self._grown: deque[frozenset[str]] = deque(maxlen=_READS)
        self._urgent = True
        self._told: Analysis | None = None
        self._standing: list[tuple[Row, str]] = []
        self._words: dict[str, tuple[int, str]] = {}
        self.pause_seconds = _LEAST_PAUSE_SECONDS
        """Until files are to be looked at again, where nothing wakes the watch."""
        self._stale, self._cost, self._concluded, self._turn = False, 0.0, float("-inf"), 0

    def look(self) -> Iterator[Event]:
        """Read what was added since the last look, and tell what came of it.

        Raises:
            StorageError: the rows cannot be kept.
        """
        before = {name: f.grew for name, f in self._follower.files.items()}
        began = process_time()
        changes = list(self._follower.changes())
        pause = (process_time() - began) / _LOOK_SHARE
        self.pause_seconds = min(max(pause, _LEAST_PAUSE_SECONDS), _MOST_PAUSE_SECONDS)
        yield from self._of_files(changes)
        if changes:
            self._read(changes)
        yield from self._resumed(changes, before)
        if self._stale and (self._urgent or monotonic() - self._concluded > self._cost / _SHARE):
            yield from self._conclude()
        yield from self._silences()

    def verdict(self) -> Analysis | None:
        """All that is known so far; None where nothing was read."""
        with suppress(duckdb.Error):  # of a look that was broken off
            self._rows.con.execute("ROLLBACK")
        list(self.look())
        if self._stale:
            list(self._conclude())
        return self._verdict

    def ranks(self) -> list[Row]:
        """Every rank as it is now; where logs name none, every log that holds steps."""
        if self._verdict is None:
            return []
        if self._told is not self._verdict:
            self._told, self._standing = self._verdict, list(_standing(self._verdict.store))
        return [self._now(row, path) for row, path in self._standing]

    def _now(self, row: Row, path: str) -> Row:
        followed = self._follower.files.get(path)
        if followed is None:
            return row
        size, word = self._words.get(path, (-1, ""))
        if size != followed.size:
            word = _last_word(followed.file.path)
            self._words[path] = followed.size, word
        return replace(row, silent=monotonic() - followed.grew, word=word)

    def close(self) -> None:
        """Close what is open."""
        self._rows.close()
        if self._verdict:
            self._verdict.store.close()

    def _of_files(self, changes: list[Change]) -> Iterator[Event]:
        for c in changes:
            if c.how in ("rotated", "truncated"):
                yield Event(
                    "file", f"{c.file.name} was {c.how}: read from its beginning", {"path": c.file.name, "how": c.how}
                )
        for name in self._follower.vanished():
            yield Event("file", f"{name} is gone; what it said is kept", {"path": name, "how": "gone"})

    def _read(self, changes: list[Change]) -> None:
        forget_from(self._rows, [c.file for c in changes if c.how != "new" and c.file.start == (0, 1)])
        pipeline.read(self._rows, self._catalog, [c.file for c in changes])
        self._follower.read(changes)
        self._stale = True
        counts = self._rows.rows(
            " UNION ALL ".join(f"SELECT '{t}' AS name, count(*) AS rows FROM {t}" for t in sorted(declared(self._rows)))
            or "SELECT '' AS name, 0 AS rows"
        )
        grown = frozenset(r["name"] for r in counts if r["rows"] > self._counts.get(r["name"], 0))
        self._urgent |= any(sum(t in before for before in self._grown) < _USUAL_READS for t in grown)
        self._grown.append(grown)
        self._counts = {r["name"]: r["rows"] for r in counts}

    def _resumed(self, changes: list[Change], before: dict[str, float]) -> Iterator[Event]:
        logged = self._logged_gaps([c.file.file_id for c in changes if c.how == "new"])
        for c in changes:
            rhythm = self._rhythms.setdefault(c.file.name, _Rhythm())
            if c.how == "new":
                rhythm.gaps.extend(logged.get(c.file.file_id, ()))
                continue
            gap = monotonic() - before.get(c.file.name, monotonic())
            if rhythm.told:
                rhythm.told = False
                yield Event(
                    "resumed",
                    f"{c.file.name} goes on after {gap:.0f} s",
                    {"path": c.file.name, "seconds": round(gap, 1)},
                )
            rhythm.gaps.append(gap)

    def _logged_gaps(self, file_ids: list[int]) -> dict[int, list[float]]:
        """The pauses that the times in files tell, in seconds, the last ones of each."""
        if not file_ids:
            return {}
        rows = self._rows.rows(
            "WITH pause AS (SELECT file_id, line_no, epoch(time) - lag(epoch(time)) OVER (PARTITION BY file_id ORDER BY line_no)"
            " AS seconds FROM timeline WHERE time_quality = 'exact' AND list_contains(?, file_id))"
            " SELECT file_id, list(seconds ORDER BY line_no)[-64:] AS gaps FROM pause WHERE seconds > 0 GROUP BY file_id",
            [file_ids],
        )
        return {r["file_id"]: r["gaps"] for r in rows}

    def _conclude(self) -> Iterator[Event]:
        """Draw conclusions from all rows, on a copy: clocks and names are settled in it for good."""
        began = process_time()
        self._urgent, self._stale, self._turn = False, False, self._turn + 1
        files = [f.file for f in self._follower.files.values()]
        self._rows.con.execute("CHECKPOINT")
        path = self._work / f"told-{self._turn}"
        shutil.copyfile(self._work / "rows", path)
        with ExitStack() as until_kept:
            store = until_kept.enter_context(closing(Store.open(path, read_only=False)))
            pipeline.explain(store, self._catalog, files)
            store.seal()  # it stays open: nobody else reads the file, and to write it takes longer than what is new
            last, self._verdict = self._verdict, Analysis.of(self._run, store, self._catalog, place=self._run)
            until_kept.pop_all()
        if last:
            last.store.close()
            with suppress(OSError):
                (self._work / f"told-{self._turn - 1}").unlink()
        self._cost, self._concluded = process_time() - began, monotonic()
        for incident in self._verdict.incidents:
            if incident.severity != "info" and self._is_news(incident):
                yield Event("incident", incident.summary, _fields(incident, incident is self._verdict.root))

    def _is_news(self, incident: Incident) -> bool:
        """True once for each incident, though its ranks and lines become more."""
        lines = {(e.path, e.line_no) for e in incident.evidence}
        for rule, known, ranks in self._known:
            if rule == incident.rule and (known & lines or (ranks and ranks == incident.ranks)):
                known |= lines
                return False
        self._known.append((incident.rule, lines, incident.ranks))
        return True

    def _silences(self) -> Iterator[Event]:
        now, silent = monotonic(), []
        rhythmic = 0
        for name, rhythm in self._rhythms.items():
            followed, limit = self._follower.files[name], rhythm.limit()
            if limit is None or followed.gone:
                continue
            rhythmic += 1
            if not rhythm.told and now - followed.grew > limit:
                silent.append(
                    (name, followed.file.rank, now - followed.grew, statistics.median(rhythm.gaps), max(rhythm.gaps))
                )
        if not silent:
            return
        yield from self._conclude() if self._stale else ()
        ended = self._ended()
        for name, *_ in silent:
            self._rhythms[name].told = True
        silent = [s for s in silent if s[1] is None or s[1] not in ended]
        if not silent or (ended and all(s[1] is None for s in silent)):
            return
        all_of = "all" if sum(r.told for r in self._rhythms.values()) == rhythmic else "some"
        name, _, age, usual, longest = max(silent, key=lambda s: s[2])
        ranks = sorted(s[1] for s in silent if s[1] is not None)
        who = f"{len(silent)} logs are" if len(silent) > 1 else f"{name} is"
        yield Event(
            "silence",
            f"{who} silent, {all_of} of those with a rhythm: {name} for {age:.0f} s; it was written to every {usual:.1f} s, at the"
            f" longest after {longest:.1f} s. logsift capture shows where its processes are",
            {"paths": [s[0] for s in silent], "ranks": ranks, "scope": all_of, "seconds": round(age, 1),
             "usual_seconds": round(usual, 2), "longest_seconds": round(longest, 2)},
        )  # fmt: skip

    def _ended(self) -> set[int]:
        """Ranks whose end is told: their silence is none."""
        if self._verdict is None:
            return set()
        return {f.rank for f in each(self._verdict.store) if f.fate not in ("silent", "unknown", "waiting")}


def watch(
    run: Path,
    catalog: Catalog,
    tell: Callable[[Event], None],
    show: Callable[[Watch], None] | None = None,
    *,
    until: Callable[[], bool] = lambda: False,
    done: Callable[[Analysis | None], None] = lambda _: None,
) -> None:
    """Follow a run until `until` is true or Ctrl-C; `done` gets the verdict so far.

    Args:
        run: a directory or a file; it may be empty yet.
        catalog: the content to use.
        tell: called with every event.
        show: called after every look.
        until: asked after every look.
        done: called at the end, also after Ctrl-C, while the database of the verdict is open.

    Raises:
        FileNotFoundError: there is no such run.
        UserError: it is no directory or file that can grow.
    """
    if not run.is_dir():
        source = given([run])
        if source.is_database or source.is_private:
            raise UserError(f"{run} does not grow: logsift {run} reads it")
    # In the cache, not beside the run: what is written there would wake the watch.
    with workplace(cache_folder() / "watch") as work:
        one = Watch(run, catalog, work)
        wake = _waker(run)
        try:
            while True:
                for event in one.look():
                    tell(event)
                if show:
                    show(one)
                if until():
                    break
                wake(one.pause_seconds)
        except KeyboardInterrupt:
            pass
        finally:
            try:
                done(one.verdict())
            finally:
                one.close()


def _standing(store: Store) -> Iterator[tuple[Row, str]]:
    """Every rank as its rows tell, and the log it writes."""
    steps = store.rows("SELECT * FROM rank_now ORDER BY rank")
    names = {r["file_id"]: r["path"] for r in store.rows("SELECT file_id, path FROM file")}
    by_rank = {r["rank"]: r for r in steps if r["rank"] is not None}
    front = max((r["step"] for r in steps), default=None)

    def row(rank: int | None, host: str, of: dict[str, Any]) -> Row:
        step = of.get("step")
        lag = front - step if front is not None and step is not None else None
        return Row(rank, host, step, lag, of.get("step_seconds"), of.get("loss"))

    for fate in each(store):
        of = by_rank.pop(fate.rank, {})
        yield row(fate.rank, fate.host, of), fate.path or names.get(of.get("file_id"), "")
    for r in steps:
        if r["rank"] is None:
            yield row(None, r["host"] or "", r), names.get(r["file_id"], "")


def _waker(run: Path) -> Callable[[float], None]:
    """Waits for the next look: until something is written, where watchfiles is there and the disk is this machine's."""
    try:
        from watchfiles import watch as watched
    except ImportError:
        return sleep
    if is_remote(run):
        return sleep
    changes = watched(
        run, rust_timeout=1000, yield_on_timeout=True, debounce=200, step=50, raise_interrupt=True, watch_filter=None
    )

    def wait(seconds: float) -> None:
        next(changes, None)

    return wait


def _fields(incident: Incident, is_root: bool) -> dict[str, Any]:
    return {
        "rule": incident.rule, "severity": incident.severity, "confidence": incident.confidence, "root": is_root,
        "ranks": sorted(incident.ranks), "hosts": sorted(incident.hosts), "gpus": sorted(incident.gpus),
        "first": incident.at.isoformat(timespec="milliseconds") if incident.at else None,
        "steps": incident.values["steps"],
        "evidence": [{"path": e.path, "line": e.line_no, "text": e.text} for e in incident.evidence],
    }  # fmt: skip


def _last_word(path: Path) -> str:
    """The last line of a file that says anything."""
    try:
        with path.open("rb") as f:
            f.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            lines = f.read(_TAIL_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.rpartition("\r")[2].strip() for line in reversed(lines) if line.strip()), "")
