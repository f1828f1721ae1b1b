"""Source files -> Parquet parts, one folder per table. Files and the windows of one file are worked on in parallel."""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import polars as pl

from logsift.content.columns import TYPES
from logsift.content.model import COMMON, LOOPBACK, NO_HOST
from logsift.errors import StorageError
from logsift.ingest.clock import utc
from logsift.ingest.envelope import FACTS, Envelopes
from logsift.ingest.gate import Gate, Lines, Passed
from logsift.ingest.match import PROBLEM, Matched, finish, match, reach
from logsift.ingest.readers import lines as text
from logsift.ingest.readers import mend, numbered, reader
from logsift.ingest.readers.opening import CutShort, is_plain
from logsift.ingest.spelling import Spelling
from logsift.remote import upcoming
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from logsift.content.model import Catalog, Grammar, Table
    from logsift.ingest.discover import SourceFile

Given = pl.DataFrame | Sequence[Mapping[str, Any]]
_COMMENT = r"^\s*#+(?:\s|$)"
"""What is commented out in scripts and settings; a scheduler's own lines have no blank behind the #."""
_SETS = r"^\s*#(?:SBATCH|PBS|BSUB|FLUX|PJM|\$)|(?:^|\s)(?:setenv\s+)?[A-Za-z_][A-Za-z0-9_]*="
"""What of a script is a setting. The rest is what its author thought might happen."""
_AT_ONCE = 256
"""At most as many files or windows are one piece of work."""
_STRUCTURED_BYTES, _STRUCTURED_ROWS = 4 << 20, 50_000
"""Bytes of files of one structured format that are read as one piece of work, and rows cast at once."""
_SMALL = 128
"""A file of at most this part of a window is read together with others: to look at it alone takes as long as to look through it."""
_PART_ROWS = 100_000
_LEFTOVERS, _LEFTOVERS_OF_A_FILE, _LEFTOVERS_OF_A_WINDOW = 100_000, 2_000, 8
"""How many lines grammars of leftovers look at from either end: of all files, of one, and of each of its windows."""
_GROUP_ROWS = 122_880
"""Rows of a row group, those of DuckDB's own: groups of another size are cut and glued again when they are loaded."""


_GARBAGE = 1_000_000
"""Objects that hold others, made before garbage is looked for: those of some large dumps."""


@dataclass
class Parsed:
    """What parsing left behind: Parquet files under `parts/<table>/`, and counts per file id."""

    parts: Path
    lines: dict[int, int] = field(default_factory=dict)
    not_understood: dict[int, int] = field(default_factory=dict)
    windows: list[tuple[int, int, int]] = field(default_factory=list)
    """(file_id, first line, byte offset in the unpacked file): where to start looking for a line."""
    settled: dict[int, tuple[int, int]] = field(default_factory=dict)
    """File id -> (byte offset, line number): whatever is added to a large file, the rows of what is before stay as they are."""
    unfinished: set[int] = field(default_factory=set)
    """Files that can be read at another time: the connection was lost."""
    unended: dict[int, bool] = field(default_factory=dict)
    """Whether the last line of a file has no line end, of those where it was seen."""

    def why(self, file: SourceFile, error: Exception) -> str:
        """Note that a file could not be read (further); gives the reason for people."""
        if isinstance(error, ConnectionError):
            self.unfinished.add(file.file_id)
        return str(error) if isinstance(error, (CutShort, ConnectionError)) else f"{type(error).__name__}: {error}"


def _everywhere(catalog: Catalog) -> list[Grammar]:
    """The grammars that look into every text file."""
    return [g for g in catalog.grammars if g.reader == "lines" and not g.owns]


@lru_cache(maxsize=2)
def _gate(catalog: Catalog) -> Gate:
    """The gate of a catalog: the same for all runs that a process analyses."""
    return Gate(_everywhere(catalog), Spelling(catalog.envelopes))


class Parser:
    """A catalog prepared for reading files."""

    def __init__(self, catalog: Catalog, window_bytes: int = text.WINDOW_BYTES) -> None:
        self.catalog, self.window_bytes = catalog, window_bytes
        self.everywhere = _everywhere(catalog)
        self.owners = {g.name: g for g in catalog.grammars if g.owns}
        self.envelopes = Envelopes.of(catalog.envelopes, [g.envelope for g in self.everywhere if g.envelope])
        self.spelling = Spelling(catalog.envelopes)
        self.gate = _gate(catalog)
        self.margin = reach(self.everywhere)
        self.wrapped = dict.fromkeys(self.owners, Envelopes.of(catalog.envelopes, []))

    @timed("stage", "parsing")
    def parse(
        self, files: Sequence[SourceFile], parts: Path, progress: Callable[[int], None] | None = None, found: int = 0
    ) -> Parsed:
        """Read files into Parquet parts below `parts`.

        Args:
            files: what to read; those without a reader are left out.
            parts: an existing folder of its own.
            progress: called with the bytes of each unit of work that is done.
            found: how many files the run has, where these are not all.
        """
        parsed, sink = Parsed(parts), _Sink(parts)
        with _garbage_seldom_looked_for(), ThreadPoolExecutor(pl.thread_pool_size()) as pool:
            _Work(self, files, found, parsed, sink, pool, progress).do()
        sink.flush()
        return parsed

    def match(self, grammar: str | None, lines: pl.DataFrame, needles: frozenset[str]) -> Matched:
        """What lines of a file become: rows of the grammar that owns it and, of what it leaves in a shared one, of the others.

        Args:
            grammar: the owner, None where every ordinary grammar looks into the file.
            lines: file_id, line_no, raw, core (rows count only where true) and written (file time).
            needles: the needles that are somewhere in these lines.
        """
        tables = self.catalog.tables
        if grammar is None:
            return match(self.everywhere, tables, self.envelopes.strip(lines), needles)
        owner, envelopes = self.owners[grammar], self.wrapped[grammar]
        if not owner.shares:
            return match([owner], tables, envelopes.strip(lines), needles)
        core = lines.filter("core")
        matched = match([owner], tables, envelopes.strip(core), needles)
        if matched.left:
            around = match([owner], tables, envelopes.strip(lines.filter(~pl.col("core"))), needles).left
            left = pl.concat([*matched.left, *around]).sort("file_id", "line_no", maintain_order=True)
            core_of = lines.select("file_id", "line_no", "written", "core", "marked").unique(["file_id", "line_no"])
            left = left.join(core_of, on=["file_id", "line_no"], how="left", maintain_order="left")
            standing = self.gate.standing("\n".join(left["raw"].to_list()).encode())
            others = match(self.everywhere, tables, self.envelopes.strip(left), standing)
            for table, frames in others.tables.items():
                for frame in frames:
                    matched.add(table, frame)
            matched.problems += others.problems
            matched.not_understood |= others.not_understood
        return matched

    def reach(self, grammar: str | None) -> int:
        """How many lines before one may belong to the same block, in a file of that owner."""
        owner = self.owners[grammar] if grammar else None
        return self.margin if owner is None or owner.shares else reach([owner])

    def passed(self, owner: str | None, window: text.Window, leftovers: int) -> Passed:
        """What of a window is matched, with about the first and the last so many lines that leftovers are read from."""
        if owner is None:
            return self.gate.pass_through(window, leftovers)
        grammar = self.owners[owner]
        needles = {n for p in grammar.patterns for n in p.needles}
        needles |= set(grammar.envelope.needles if grammar.envelope else ())
        return Passed.whole(window, frozenset(needles), self.gate.marked(window, leftovers * grammar.shares))


class _Work:
    """The files of one call on their way: read, let through the gate, matched, collected.

    All that takes long is done by the pool; what it gives is taken in the order of the files, so that tables are in it and
    nobody has to sort them.
    """

    def __init__(
        self, parser: Parser, files: Sequence[SourceFile], found: int, parsed: Parsed, sink: _Sink,
        pool: ThreadPoolExecutor, progress: Callable[[int], None] | None,
    ) -> None:  # fmt: skip
        self.parser, self.parsed, self.sink, self.pool, self.progress = parser, parsed, sink, pool, progress
        self.files = {f.file_id: f for f in files}
        self.ahead = 2 * pl.thread_pool_size()  # the cores that the process may use, or POLARS_MAX_THREADS
        self.leftovers = min(_LEFTOVERS_OF_A_FILE, _LEFTOVERS // max(found, len(files), 1))
        self.batch_bytes = parser.window_bytes // 4
        self.small_bytes = parser.window_bytes // _SMALL
        self.passing: deque[tuple[str | None, Future[Passed | None]]] = deque()
        self.pending: deque[Future[tuple[Matched, int]]] = deque()
        self.passed = _Held[Passed](self.batch_bytes)
        self.small = _Held["SourceFile"](self.batch_bytes)
        self.structured = _Held["SourceFile"](_STRUCTURED_BYTES)
        self.alone: list[SourceFile] = []
        """Small files that cannot be read together: torn ones, and those that hold much."""
        self.spare: list[bytearray] = []
        """Buffers of windows that passed."""

    def do(self) -> None:
        """Read all files that have a reader."""
        for file in upcoming([f for f in self.files.values() if f.reader]):
            if file.reader != "lines":
                self.match_structured(file.grammar, self.structured.add(file.grammar, file, file.size))
            elif 0 < file.size <= self.small_bytes and file.start == (0, 1) and file.stop is None:
                self.read_together(file.grammar, self.small.add(file.grammar, file, file.size))
            else:
                self.read_together(file.grammar, self.small.take(file.grammar))
                self.read(file)
        for owner, files in self.small.rest():
            self.read_together(owner, files)
        self.take_passed(0)
        for file in sorted(self.alone, key=lambda f: f.file_id):
            self.read(file)
        for owner, files in self.structured.rest():
            self.match_structured(owner, files)
        self.take_passed(0)
        for owner, passed in self.passed.rest():
            self.match_text(owner, passed)
        while self.pending:
            self.collect()
        self.parsed.windows.sort()

    def read(self, file: SourceFile) -> None:
        """Send a file through the gate, window by window."""
        try:
            for window in self.windows(file):
                part = min(1.0, window.size / max(file.size, 1))
                leftovers = max(_LEFTOVERS_OF_A_WINDOW, int(part * self.leftovers))
                self.passing.append((file.grammar, self.pool.submit(self.pass_window, file.grammar, window, leftovers)))
                self.take_passed(self.ahead)
        except Exception as e:  # whatever a file raises is that file's problem
            self.parsed.settled.pop(file.file_id, None)
            why = self.parsed.why(file, e)
            self.submit(_Unreadable(file.file_id, self.parsed.lines.get(file.file_id, 0), why))

    def windows(self, file: SourceFile) -> Iterator[text.Window]:
        """The windows of a file; what is kept of where they are is noted."""
        parsed, margin = self.parsed, self.parser.reach(file.grammar)
        # A smaller one may be mended as a whole, which takes no longer than to find out that it is not.
        can_grow = file.size > mend.LARGEST_BYTES and is_plain(file.path)
        for window in text.windows(
            file.file_id, file.path, margin, self.parser.window_bytes, self.spare, file.start, file.stop
        ):
            if window.is_whole and (margin or window.core_stop == file.size):
                data = bytes(window.view())
                whole = _as_written(data, file.grammar)
                if whole is not data:
                    ends = text.line_ends(whole)
                    window = replace(window, buffer=whole, core_stop=len(whole), stop=len(whole), ends=ends)
            parsed.lines[file.file_id] = window.core_last
            parsed.windows.append((file.file_id, window.first_line, window.offset))
            if can_grow and (line := window.core_last - margin) > window.first_line:
                # Blocks that begin before this line end before the last one, which may not have ended itself.
                at = int(window.ends[line - window.first_line - 1]) - window.start
                parsed.settled[file.file_id] = window.offset + at, line
            yield window

    def pass_window(self, owner: str | None, window: text.Window, leftovers: int) -> Passed:
        """What of a window passes."""
        passed = self.parser.passed(owner, window, leftovers)
        if (buffer := window.spared()) is not None:
            self.spare.append(buffer)  # what passed was copied out of it
        return passed

    def read_together(self, owner: str | None, files: Sequence[SourceFile]) -> None:
        """Send small files through the gate as one window."""
        if files:
            self.passing.append((owner, self.pool.submit(self.pass_together, owner, files)))
            self.take_passed(self.ahead)

    def pass_together(self, owner: str | None, files: Sequence[SourceFile]) -> Passed | None:
        """What of small files passes; those that cannot be read together are put aside."""
        texts: dict[int, bytes] = {}
        for file in files:
            data = None
            with suppress(Exception):  # it is told of when the file is read by itself
                data = text.whole(file.path, self.small_bytes)
            if data is None:
                self.alone.append(file)
            elif data:
                texts[file.file_id] = data
        if not texts:
            return None
        self.parsed.unended |= {file_id: not data.endswith(b"\n") for file_id, data in texts.items()}
        window = text.together(texts)
        if changed := _mended(texts, window, owner):
            window = text.together(texts | changed)
        for file_id, first, last in window.cores:
            self.parsed.lines[file_id] = last
            self.parsed.windows.append((file_id, first, 0))
        return self.parser.passed(owner, window, max(_LEFTOVERS_OF_A_WINDOW, self.leftovers))

    def take_passed(self, until: int) -> None:
        """Match what passed of many windows together, where more than so many are on their way."""
        while len(self.passing) > until:
            owner, future = self.passing.popleft()
            if passed := future.result():
                self.match_text(owner, self.passed.add(owner, passed, passed.size))

    def match_text(self, owner: str | None, passed: Sequence[Passed]) -> None:
        """Match what passed of text."""
        if passed:
            self.submit(_Text(self.parser, owner, tuple(passed), self.files))

    def match_structured(self, owner: str | None, files: Sequence[SourceFile]) -> None:
        """Read files of one structured format."""
        if files:
            self.submit(_Structured(self.parser, owner or "", tuple(files), self.parsed, self.sink))

    def submit(self, job: Callable[[], tuple[Matched, int]]) -> None:
        """Let the pool do something whose rows are collected in this order."""
        self.pending.append(self.pool.submit(job))
        if len(self.pending) > self.ahead:
            self.collect()

    def collect(self) -> None:
        """Take the next rows that were made."""
        matched, size = self.pending.popleft().result()
        for table, frames in matched.tables.items():
            for frame in frames:
                self.sink.add(table, frame)
        for frame in matched.problems:
            self.sink.add("problem", frame.select(*PROBLEM))
        for file_id, count in matched.not_understood.items():
            self.parsed.not_understood[file_id] = self.parsed.not_understood.get(file_id, 0) + count
        if self.progress:
            self.progress(size)


T = TypeVar("T")


class _Held(Generic[T]):
    """What is to be worked on together, by the grammar that owns it, until it is many or has many bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.held: dict[str | None, list[T]] = {}
        self.bytes: Counter[str | None] = Counter()

    def add(self, owner: str | None, one: T, size: int) -> list[T]:
        """Put one to the others; gives all of them once they are enough, else nothing."""
        held = self.held.setdefault(owner, [])
        held.append(one)
        self.bytes[owner] += size
        return self.take(owner) if len(held) == _AT_ONCE or self.bytes[owner] > self.limit_bytes else []

    def take(self, owner: str | None) -> list[T]:
        """What is held of an owner."""
        self.bytes[owner] = 0
        return self.held.pop(owner, [])

    def rest(self) -> Iterator[tuple[str | None, list[T]]]:
        """What is left, of every owner."""
        for owner in list(self.held):
            yield owner, self.take(owner)


def _mended(texts: Mapping[int, bytes], window: text.Window, owner: str | None) -> dict[int, bytes]:
    """Of small texts, by number, and the window they are in: those to read without colours and line ends of a terminal, numbers of lines, and entities of a page."""
    if b"\r\n" in window.buffer:
        texts = {file_id: data.replace(b"\r\n", b"\n") for file_id, data in texts.items()}
        window = text.together(texts)
    found = set(numbered.may_be(window.buffer, window.ends, window.begins).tolist())
    if owner is None:
        found |= set(window.which(mend.broken(bytes(window.buffer), window.ends, window.begins)).tolist())
    odd = {file_id: texts[file_id] for file_id in window.file_ids[list(found)].tolist()}
    if text.is_dressed(window.buffer):
        odd |= {file_id: data for file_id, data in texts.items() if text.is_dressed(data)}
    return {file_id: new for file_id, data in odd.items() if (new := _as_written(data, owner)) is not data}


def _as_written(data: bytes, owner: str | None) -> bytes:
    """A text with as many lines and without what was done to it before it was pasted, or `data` itself; what one grammar reads has lines of its own length."""
    ended = data if data.endswith(b"\n") else data + b"\n"  # the last line stays one, whatever is taken off it
    written = numbered.unnumbered(text.undressed(ended))
    written = mend.mended(written) if owner is None else written
    return data if written is ended else written


@contextmanager
def _garbage_seldom_looked_for() -> Iterator[None]:
    """What is read makes objects by the million, none in circles; to look for those often takes longer than to read a dump."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_GARBAGE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@dataclass(frozen=True)
class _Unreadable:
    file_id: int
    line_no: int
    why: str

    def __call__(self) -> tuple[Matched, int]:
        what = "cannot be read further" if self.line_no else "cannot be read"
        return Matched(
            problems=[pl.DataFrame([(self.file_id, self.line_no, what, self.why)], PROBLEM, orient="row")]
        ), 0


@dataclass(frozen=True)
class _Text:
    """What passed of one or many windows, of files that the same grammars look into."""

    parser: Parser
    owner: str | None
    passed: tuple[Passed, ...]
    files: dict[int, SourceFile]

    def __call__(self) -> tuple[Matched, int]:
        pieces: list[Lines] = []
        cores: list[tuple[int, int, int, datetime]] = []
        # Windows of one file follow each other: what is around a core is needed at the two ends only.
        for _, group in groupby(self.passed, key=lambda p: p.window.file_id):
            run = list(group)
            pieces += [run[0].before, *(p.core for p in run), run[-1].after]
            for (file_id, first, _), (_, _, last) in zip(run[0].window.cores, run[-1].window.cores, strict=True):
                cores.append((file_id, first, last, utc(self.files[file_id].mtime_ns)))
        schema = {"file_id": pl.Int64(), "first": pl.Int64(), "last": pl.Int64(), "written": pl.Datetime("us")}
        lines = text.frame(pieces).join(
            pl.DataFrame(cores, schema, orient="row"), on="file_id", how="left", maintain_order="left"
        )
        lines = lines.with_columns(pl.col("line_no").is_between("first", "last").alias("core")).drop("first", "last")
        marked = [p.marked for p in self.passed if len(p.marked[0])]
        if marked:
            numbers = dict(zip(("file_id", "line_no"), map(np.concatenate, zip(*marked, strict=True)), strict=True))
            of_leftovers = pl.DataFrame(numbers, {"file_id": pl.Int64, "line_no": pl.Int64}).with_columns(marked=True)
            lines = lines.join(of_leftovers, on=["file_id", "line_no"], how="left", maintain_order="left")
            lines = lines.with_columns(pl.col("marked").fill_null(False))
        else:
            lines = lines.with_columns(marked=pl.lit(False))
        if settings := [file_id for file_id, *_ in cores if self.files[file_id].is_settings]:
            of_settings = pl.col("file_id").is_in(settings)
            lines = lines.filter(~(of_settings & pl.col("raw").str.contains(_COMMENT)))
            of_scripts = pl.col("file_id").is_in([i for i in settings if self.files[i].is_script])
            lines = lines.filter(~of_scripts | pl.col("raw").str.contains(_SETS))
            lines = lines.with_columns(pl.col("marked") & ~of_settings)
        needles = frozenset(n for p in self.passed for n in p.needles)
        try:
            matched = self.parser.match(self.owner, lines, needles)
        except pl.exceptions.PolarsError as e:  # one odd window is a problem of its files, not the end of the analysis
            why = f"{type(e).__name__}: {e}".splitlines()[0]
            places = [(file_id, first, "could not be matched", why) for file_id, first, _, _ in cores]
            matched = Matched(problems=[pl.DataFrame(places, PROBLEM, orient="row")])
        _drop_addresses_of_all(matched)
        _fill_from_paths(matched, {file_id: self.files[file_id] for file_id, *_ in cores})
        return matched, sum(p.window.core_stop - p.window.core_start for p in self.passed)


@dataclass(frozen=True)
class _Structured:
    """Files that one structured reader knows. Their rows are cast to the declared types like captured text, many files at once.

    To cast a frame costs about the same for one row and for thousands.
    """

    parser: Parser
    owner: str
    files: tuple[SourceFile, ...]
    parsed: Parsed
    sink: _Sink

    def __call__(self) -> tuple[Matched, int]:
        grammar, matched = self.parser.owners[self.owner], Matched()
        held: dict[tuple[str, object], list[tuple[SourceFile, Given]]] = {}
        for file in self.files:
            try:
                for table, rows in reader(grammar.reader)(file, grammar):
                    like = tuple(rows.schema.items()) if isinstance(rows, pl.DataFrame) else None
                    alike = held.setdefault((table, like), [])
                    alike.append((file, rows))
                    if sum(len(given) for _, given in alike) > _STRUCTURED_ROWS:  # a store may hold more than memory
                        self._keep(table, held.pop((table, like)), matched)
            except StorageError:
                raise
            except Exception as e:  # whatever a torn or foreign file makes a reader raise is that file's problem
                self._cannot_be_read(file, e, matched)
        for (table, _), alike in held.items():
            self._keep(table, alike, matched)
        return matched, sum(f.size for f in self.files)

    def _keep(self, table: str, alike: Sequence[tuple[SourceFile, Given]], matched: Matched) -> None:
        """Cast rows of the same shape and write them out; those of an odd file by themselves."""
        try:
            rows = self._frame(table, alike)
            if table == "problem":
                matched.problems.append(rows.select(pl.col(c).cast(t) for c, t in PROBLEM.items()))
                return
            finished, problems = finish(rows, self.parser.catalog.tables[table])
        except Exception as e:
            if len(alike) == 1:
                self._cannot_be_read(alike[0][0], e, matched)
                return
            for one in alike:
                self._keep(table, [one], matched)
            return
        part = Matched({table: [finished]}, problems=[problems])
        _drop_addresses_of_all(part)
        _fill_from_paths(part, {file.file_id: file for file, _ in alike})
        for frame in part.tables[table]:
            self.sink.add(table, frame)
        matched.problems += part.problems
        for file_id, last in finished.group_by("file_id").agg(pl.col("line_no").max()).iter_rows():
            self.parsed.lines[file_id] = max(self.parsed.lines.get(file_id, 0), last or 0)

    def _frame(self, table: str, alike: Sequence[tuple[SourceFile, Given]]) -> pl.DataFrame:
        """Rows of several files as one frame, with the file and when it was written."""
        frames = [rows for _, rows in alike if isinstance(rows, pl.DataFrame)]
        if frames:
            rows = pl.concat(frames)
        else:
            each = [row for _, given in alike for row in given]
            schema = PROBLEM if table == "problem" else _schema_of(self.parser.catalog.tables[table])
            there = {key for row in each for key in row} or {"line_no"}
            rows = pl.DataFrame(each, {name: kind for name, kind in schema.items() if name in there})
        counts = [len(given) for _, given in alike]
        rows = rows.with_columns(
            pl.Series("file_id", np.repeat([file.file_id for file, _ in alike], counts), pl.Int64),
            pl.Series("written", [utc(file.mtime_ns) for file, _ in alike], pl.Datetime("us")).gather(
                np.repeat(np.arange(len(alike)), counts)
            ),
        )
        return rows.with_columns(pl.lit(None, t).alias(f) for f, t in FACTS.items() if f not in rows.columns)

    def _cannot_be_read(self, file: SourceFile, error: Exception, matched: Matched) -> None:
        why = self.parsed.why(file, error).splitlines()[0]
        matched.problems += _Unreadable(file.file_id, self.parsed.lines.get(file.file_id, 0), why)()[0].problems


def _schema_of(table: Table) -> dict[str, pl.DataType]:
    """Columns as a reader gives them: in their type, but times as text."""
    text = pl.String()
    return {c.name: text if c.type == "time" else TYPES[c.type].dtype for c in (*COMMON, *table.columns)}


def _drop_addresses_of_all(matched: Matched) -> None:
    """An address that every host has is no host's name."""
    host = pl.col("host")
    nobody = host.is_in(list(NO_HOST)) | host.str.starts_with(LOOPBACK)
    for table, frames in matched.tables.items():
        if "host" in frames[0].columns and any(f["host"].null_count() < f.height for f in frames):
            matched.tables[table] = [f.with_columns(host=pl.when(~nobody).then(host)) for f in frames]


def _fill_from_paths(matched: Matched, files: dict[int, SourceFile]) -> None:
    """Where no line said it, host and rank come from the file's path."""
    hinted = [(f.file_id, f.host, f.rank) for f in files.values() if f.host is not None or f.rank is not None]
    if not hinted:
        return
    hints = pl.DataFrame(hinted, {"file_id": pl.Int64, "hinted_host": pl.String, "hinted_rank": pl.Int64}, orient="row")
    for table, frames in matched.tables.items():
        if not {"host", "rank"} <= set(frames[0].columns):
            continue
        matched.tables[table] = [
            f.join(hints, on="file_id", how="left", maintain_order="left")
            .with_columns(host=pl.coalesce("host", "hinted_host"), rank=pl.coalesce("rank", "hinted_rank"))
            .drop("hinted_host", "hinted_rank")
            for f in frames
        ]


class _Sink:
    """Rows by table, written out when they are many. Several threads may add."""

    def __init__(self, parts: Path) -> None:
        self.parts, self.number, self.lock = parts, 0, Lock()
        self.frames: dict[str, list[pl.DataFrame]] = {}
        self.rows: dict[str, int] = {}

    def add(self, table: str, frame: pl.DataFrame) -> None:
        if frame.height:
            with self.lock:
                self.frames.setdefault(table, []).append(frame)
                self.rows[table] = self.rows.get(table, 0) + frame.height
                if self.rows[table] > _PART_ROWS:
                    self.write(table)

    def write(self, table: str) -> None:
        frames, self.rows[table] = self.frames.pop(table), 0
        folder = self.parts / table
        self.number += 1
        rows = pl.concat(frames, how="diagonal")
        filled = [c for c in rows.columns if rows[c].null_count() < rows.height]
        part = folder / f"{self.number:08}.parquet"
        try:
            folder.mkdir(exist_ok=True)
            rows.select(filled).write_parquet(part, compression="lz4", statistics=False, row_group_size=_GROUP_ROWS)
        except (OSError, pl.exceptions.PolarsError) as e:
            raise StorageError(f"rows cannot be written into {self.parts}: {e}") from None

    def flush(self) -> None:
        for table in list(self.frames):
            self.write(table)
