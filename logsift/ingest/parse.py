"""Source files -> Parquet parts, one folder per table. Files and the windows of one file are worked on in parallel."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from logsift.content.catalog import BLOCK_LINES, Catalog, Grammar
from logsift.ingest.clock import utc
from logsift.ingest.envelope import FACTS, Envelopes
from logsift.ingest.gate import Gate, Passed
from logsift.ingest.match import PROBLEM, Matched, finish, match, nesting
from logsift.ingest.readers import lines as text
from logsift.ingest.readers import reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from logsift.ingest.discover import SourceFile

_PART_ROWS = 500_000


@dataclass
class Parsed:
    """What parsing left behind: Parquet files under `parts/<table>/`, and counts per file id."""

    parts: Path
    lines: dict[int, int] = field(default_factory=dict)
    not_understood: dict[int, int] = field(default_factory=dict)
    windows: list[tuple[int, int, int]] = field(default_factory=list)
    """(file_id, first line, byte offset in the unpacked file): where to start looking for a line."""


class Parser:
    """A catalog prepared for reading files."""

    def __init__(self, catalog: Catalog, window_bytes: int = text.WINDOW_BYTES) -> None:
        self.catalog, self.window_bytes = catalog, window_bytes
        self.everywhere = [g for g in catalog.grammars if g.reader == "lines" and not g.owns]
        self.owners = {g.name: g for g in catalog.grammars if g.owns}
        self.envelopes = Envelopes.of(catalog.envelopes, [g.envelope for g in self.everywhere if g.envelope])
        self.gate = Gate(self.everywhere)
        self.margin = BLOCK_LINES * nesting(self.everywhere)
        self.wrapped = {n: Envelopes.of(catalog.envelopes, []) for n in self.owners}

    def parse(self, files: Sequence[SourceFile], parts: Path, progress: Callable[[int], None] | None = None) -> Parsed:
        """Read files into Parquet parts below `parts`.

        Args:
            files: what to read; those without a reader are left out.
            parts: an existing folder of its own.
            progress: called with the bytes of each unit of work that is done.
        """
        parsed = Parsed(parts)
        sink = _Sink(parts)
        workers = max(1, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            pending: set[Future[tuple[Matched, int]]] = set()
            for job in self._jobs(files, parsed):
                pending.add(pool.submit(job))
                if len(pending) > workers:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    self._collect(done, sink, parsed, progress)
            self._collect(pending, sink, parsed, progress)
        sink.flush()
        return parsed

    def _collect(
        self,
        done: set[Future[tuple[Matched, int]]],
        sink: _Sink,
        parsed: Parsed,
        progress: Callable[[int], None] | None,
    ) -> None:
        for future in done:
            matched, size = future.result()
            for table, frames in matched.tables.items():
                for frame in frames:
                    sink.add(table, frame)
            for frame in matched.problems:
                sink.add("problem", frame.select(*PROBLEM))
            for file_id, count in matched.not_understood.items():
                parsed.not_understood[file_id] = parsed.not_understood.get(file_id, 0) + count
            if progress:
                progress(size)

    def _jobs(self, files: Sequence[SourceFile], parsed: Parsed) -> Iterator[Callable[[], tuple[Matched, int]]]:
        """Units of work: one window of a large file, or the windows of many small ones that are read alike."""
        by_id = {f.file_id: f for f in files}
        batches: dict[str | None, list[text.Window]] = {}
        for file in files:
            if not file.reader:
                continue
            if file.reader != "lines":
                yield _Structured(self, file, parsed)
                continue
            owner = file.grammar
            margin = self.margin if owner is None else BLOCK_LINES * nesting([self.owners[owner]])
            batch = batches.setdefault(owner, [])
            try:
                for window in text.windows(file.file_id, file.path, margin, self.window_bytes):
                    parsed.lines[file.file_id] = window.core_last
                    parsed.windows.append((file.file_id, window.first_line, window.offset))
                    if batch and (
                        batch[-1].file_id == file.file_id or sum(w.size for w in batch) > self.window_bytes // 2
                    ):
                        yield _Text(self, owner, tuple(batch), by_id)
                        batch.clear()
                    batch.append(window)
            except (OSError, EOFError, ValueError) as e:
                yield _Unreadable(file.file_id, parsed.lines.get(file.file_id, 0), f"{type(e).__name__}: {e}")
        for owner, batch in batches.items():
            if batch:
                yield _Text(self, owner, tuple(batch), by_id)


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
    parser: Parser
    owner: str | None
    windows: tuple[text.Window, ...]
    files: dict[int, SourceFile]

    def __call__(self) -> tuple[Matched, int]:
        pieces: list[tuple[int, int, bytes]] = []
        needles: set[str] = set()
        grammars: list[Grammar]
        if self.owner is None:
            grammars, envelopes = self.parser.everywhere, self.parser.envelopes
            for window in self.windows:
                passed: Passed = self.parser.gate.pass_through(window)
                needles |= passed.needles
                pieces += [(window.file_id, line, data) for line, data in passed.pieces]
        else:
            grammars, envelopes = [self.parser.owners[self.owner]], self.parser.wrapped[self.owner]
            pieces = [(w.file_id, w.first_line, bytes(w.view())) for w in self.windows]
            needles = {n for g in grammars for p in g.patterns for n in p.needles}
            needles |= {n for g in grammars if g.envelope for n in g.envelope.needles}
        lines = text.frame(pieces)
        written = [utc(self.files[w.file_id].mtime_ns) for w in self.windows]
        cores = pl.DataFrame(
            {"file_id": [w.file_id for w in self.windows], "first": [w.core_first for w in self.windows],
             "last": [w.core_last for w in self.windows], "written": written},
            {"file_id": pl.Int64, "first": pl.Int64, "last": pl.Int64, "written": pl.Datetime("us")},
        )  # fmt: skip
        lines = lines.join(cores, on="file_id", how="left", maintain_order="left")
        lines = lines.with_columns(pl.col("line_no").is_between("first", "last").alias("core")).drop("first", "last")
        matched = match(grammars, self.parser.catalog.tables, envelopes.strip(lines), frozenset(needles))
        _fill_from_paths(matched, self.files)
        return matched, sum(w.size for w in self.windows)


@dataclass(frozen=True)
class _Structured:
    """A file that a structured reader knows: its rows are cast to the declared types like captured text."""

    parser: Parser
    file: SourceFile
    parsed: Parsed

    def __call__(self) -> tuple[Matched, int]:
        file, matched = self.file, Matched()
        grammar = self.parser.owners[file.grammar or ""]
        try:
            for table, rows in reader(file.reader)(file, grammar):
                rows = rows.with_columns(pl.lit(file.file_id, pl.Int64).alias("file_id"))
                if table == "problem":
                    matched.problems.append(rows.select(pl.col(c).cast(t) for c, t in PROBLEM.items()))
                    continue
                given = set(rows.columns)
                rows = rows.with_columns(
                    *(pl.lit(None, t).alias(f) for f, t in FACTS.items() if f not in given),
                    pl.lit(utc(file.mtime_ns)).cast(pl.Datetime("us")).alias("written"),
                )
                finished, problems = finish(rows, self.parser.catalog.tables[table])
                matched.add(table, finished)
                matched.problems.append(problems)
                self.parsed.lines[file.file_id] = max(self.parsed.lines.get(file.file_id, 0), _last_line(finished))
        except (OSError, EOFError, ValueError, pl.exceptions.PolarsError) as e:
            why = f"{type(e).__name__}: {e}".splitlines()[0]
            matched.problems += _Unreadable(file.file_id, 0, why)()[0].problems
        _fill_from_paths(matched, {file.file_id: file})
        return matched, file.size


def _last_line(rows: pl.DataFrame) -> int:
    last = rows["line_no"].max()
    return last if isinstance(last, int) else 0


def _fill_from_paths(matched: Matched, files: dict[int, SourceFile]) -> None:
    """Where no line said it, host and rank come from the file's path."""
    hinted = [(f.file_id, f.host, f.rank) for f in files.values() if f.host is not None or f.rank is not None]
    if not hinted:
        return
    hints = pl.DataFrame(hinted, {"file_id": pl.Int64, "hinted_host": pl.String, "hinted_rank": pl.Int64}, orient="row")
    for table, frames in matched.tables.items():
        matched.tables[table] = [
            f.join(hints, on="file_id", how="left", maintain_order="left")
            .with_columns(host=pl.coalesce("host", "hinted_host"), rank=pl.coalesce("rank", "hinted_rank"))
            .drop("hinted_host", "hinted_rank")
            for f in frames
        ]


class _Sink:
    """Rows by table, written out when they are many."""

    def __init__(self, parts: Path) -> None:
        self.parts, self.number = parts, 0
        self.frames: dict[str, list[pl.DataFrame]] = {}
        self.rows: dict[str, int] = {}

    def add(self, table: str, frame: pl.DataFrame) -> None:
        if frame.height:
            self.frames.setdefault(table, []).append(frame)
            self.rows[table] = self.rows.get(table, 0) + frame.height
            if self.rows[table] > _PART_ROWS:
                self.write(table)

    def write(self, table: str) -> None:
        frames, self.rows[table] = self.frames.pop(table), 0
        folder = self.parts / table
        folder.mkdir(exist_ok=True)
        self.number += 1
        pl.concat(frames, how="diagonal").write_parquet(folder / f"{self.number}.parquet", compression="lz4")

    def flush(self) -> None:
        for table in list(self.frames):
            self.write(table)
