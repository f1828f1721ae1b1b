"""Damaged files for every reader, or damaged runs for whole analyses, for as long as it is given.

    PYTHONPATH=. python tests/fuzz/loop.py --seconds 600 [--whole] [--seed 1] [--keep DIR]

Seeds are the files of the fixtures; each is cut, flipped, doubled, spliced with others, or filled with numbers that are at
the end of what they can be. Whatever comes out, a reader gives rows or a problem: an exception that ends an analysis, a run
of more than SECONDS or more than MEBIBYTES is a defect, and the least input that shows it is kept. Definitions are made once,
and many inputs are read at once, so that a try costs less than a millisecond: each line, each file counts as one.

With `--whole` every try is an analysis of a damaged fixture from its files to its reports, in this process: no exception but
one that is told to the user, no control character in what is said. SIGINT and SIGTERM end it with its totals.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import polars as pl
from rich.console import Console

sys.path.append(str(Path(__file__).resolve().parents[1]))

from fuzz.attacks import CONTROL
from fuzz.damage import WAYS, damaged

from logsift import Catalog, UserError, analyze, load_catalog
from logsift.ingest.discover import discover
from logsift.ingest.parse import Parser
from logsift.ingest.readers.lines import frame, line_ends
from logsift.ingest.unpickle import odd_in, plain_values_of_torn
from logsift.report import html, json, markdown, terminal

ROOT = Path(__file__).resolve().parents[2]
SECONDS, MEBIBYTES = 10.0, 2048
STUCK = 180
"""Seconds of the processor after which a try is ended from outside: a machine that does other things is no defect."""
LARGEST = 40_000
LINES, FILES, PIECES = 40_000, 100, 1_500
"""So many lines, files of each kind of reader, and pieces are tried in one round."""
ODD = [
    b"9" * 400, b"-1", b"1e308", b"-1e309", b"NaN", b"18446744073709551616", b"\0" * 64, b"\xff" * 16, b"\xff\xfe", b"\x80\x05", b"\x1b[31m",
    b"9999-12-31 23:59:59", b"0000-00-00 00:00:00", b"1e300", b"[" * 2000, b"{" * 50, b'"', b",", b"\t" * 500, b"\r", b"\n\n", b"\xe2\x80\xae",
    b"r\xff\xff\xff\x7f", b"\x96\xff\xff\xff\xff\xff\xff\xff\x7f",
]  # fmt: skip


T = TypeVar("T")


@dataclass
class Fuzz:
    """A loop over damaged inputs; counts tries by reader, and keeps what fails."""

    catalog: Catalog
    rng: random.Random
    keep: Path | None = None
    tries: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str, Sequence[object]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parser = Parser(self.catalog)
        patterns = [p for g in self.catalog.grammars for p in (*g.patterns, *([g.envelope] if g.envelope else []))]
        self.samples = [s.line.encode() for p in (*patterns, *self.catalog.envelopes) for s in p.samples]
        self.runs = sorted((ROOT / "fixtures").glob("*/run"))

    @cached_property
    def seeds(self) -> dict[str, list[tuple[str, bytes]]]:
        """Reader -> names and beginnings of the files of fixtures that it reads; to find them takes seconds."""
        seeds: dict[str, list[tuple[str, bytes]]] = {}
        for run in self.runs:
            for file in discover(run, self.catalog):
                if file.reader and file.size < 4 * LARGEST:
                    data = file.path.read_bytes()[:LARGEST]
                    seeds.setdefault(f"{file.reader} {file.grammar or ''}".strip(), []).append((file.path.name, data))
        return seeds

    def damaged(self, data: bytes) -> bytes:
        out, rng = bytearray(data), self.rng
        for _ in range(rng.choice((1, 1, 2, 5, 20))):
            at = rng.randrange(len(out) + 1)
            match rng.randrange(7):
                case 0:
                    del out[at:]
                case 1:
                    del out[: at // 4]
                case 2 if out:
                    out[min(at, len(out) - 1)] ^= 1 << rng.randrange(8)
                case 3:
                    out[at:at] = rng.choice(ODD)
                case 4:
                    end = min(len(out), at + rng.randrange(200))
                    out[at:at] = bytes(out[at:end]) * rng.choice((1, 2, 30))
                case 5:
                    _, other = rng.choice(rng.choice(list(self.seeds.values())))
                    start = rng.randrange(len(other) + 1)
                    out[at:at] = other[start : start + rng.randrange(2000)]
                case _:
                    end = min(len(out), at + rng.randrange(12))
                    out[at:end] = rng.choice(ODD)
        return bytes(out[: 4 * LARGEST])

    def once(self, folder: Path, copies: int = FILES) -> None:
        """Damaged files of each kind of reader, read as a run."""
        for kind, seeds in self.seeds.items():
            files = [(name, self.damaged(data)) for name, data in self.rng.choices(seeds, k=copies)]
            self.tried(kind, files, lambda some: self.read(folder, some))

    def bulk(self, folder: Path, count: int = LINES) -> None:
        """Many damaged lines at once, made of the samples of all patterns and envelopes: one try for each."""
        lines = [self.line() for _ in range(count)]
        first = b"what is text is no other reader's"
        self.tried("lines in bulk", lines, lambda some: self.read(folder, [("bulk.log", b"\n".join([first, *some]))]))

    def line(self) -> bytes:
        """A sample, damaged."""
        line, rng = bytearray(self.rng.choice(self.samples)), self.rng
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(line) + 1)
            match rng.randrange(5):
                case 0:
                    del line[:at]
                case 1:
                    del line[at:]
                case 2:
                    line[at : at + rng.randrange(9)] = rng.choice(ODD)
                case 3:
                    line[at:at] = rng.choice(self.samples)
                case _:
                    line[at : at + 1] = bytes((rng.randrange(256),))
        return bytes(line[:4000])

    def parts(self, _: Path | None = None, count: int = PIECES) -> None:
        """The pieces that need no file, many times: the unpickler, the lines."""
        for kind, reads in (("unpickler", self.unpickled), ("lines alone", self.lined)):
            seeds = self.seeds.get(
                "flight_recorder flight_recorder" if kind == "unpickler" else "lines", [("", b"x\n")]
            )
            for _ in range(count):
                self.tried(kind, [self.damaged(self.rng.choice(seeds)[1])], reads)

    @staticmethod
    def unpickled(data: Sequence[bytes]) -> None:
        odd_in(data[0])
        plain_values_of_torn(data[0])

    @staticmethod
    def lined(data: Sequence[bytes]) -> None:
        if data[0]:
            numbers = pl.int_range(len(line_ends(data[0])), eager=True).to_numpy() + 1
            frame([(1, numbers, data[0])])

    def read(self, folder: Path, files: Sequence[tuple[str, bytes]]) -> None:
        """Read files as one run, each in a folder of its own."""
        with tempfile.TemporaryDirectory(dir=folder) as run, tempfile.TemporaryDirectory(dir=folder) as parts:
            for n, (name, data) in enumerate(files):
                (Path(run) / f"{n}").mkdir()
                (Path(run) / f"{n}" / name).write_bytes(data)
            self.parser.parse(discover(Path(run), self.catalog), Path(parts))

    def whole(self, folder: Path) -> None:
        """A fixture, damaged in some ways, from its files to its reports."""
        fixture, rng, done = self.rng.choice(self.runs), self.rng, list[str]()
        run = folder / "run"
        shutil.copytree(fixture, run)
        for _ in range(rng.choice((1, 1, 2, 3))):
            if rng.random() < 0.5:
                damage = damaged(run, rng.choice([*WAYS]), rng)
                done.append(damage.what if damage else "nothing")
            elif files := sorted(p for p in run.rglob("*") if p.is_file() and p.stat().st_size < 4 * LARGEST):
                file = rng.choice(files)
                file.write_bytes(self.damaged(file.read_bytes()))
                done.append(f"{file.relative_to(run).as_posix()} damaged")
        reads_page = rng.random() < 1 / 8
        try:
            self.tried(
                "whole analyses", [f"{fixture.parent.name}: {', '.join(done)}"], lambda _: self.told(run, reads_page)
            )
            if self.found and self.keep and not (kept := self.keep / f"run-{len(self.found)}").exists():
                shutil.copytree(run, kept)
        finally:
            shutil.rmtree(run)

    def told(self, run: Path, reads_page: bool) -> None:
        """Analyse a run and write its reports."""
        with suppress(UserError), analyze(run, catalog=self.catalog, db=None) as analysis:
            json.render(analysis)
            screen = io.StringIO()
            terminal.show(analysis, Console(file=screen))
            page = html.render(analysis) if reads_page else ""
            for text in (screen.getvalue(), markdown.render(analysis), page):
                if control := CONTROL.search(text):
                    raise AssertionError(f"{control[0]!r} is said")

    def tried(self, kind: str, inputs: list[T], read: Callable[[list[T]], None], *, again: bool = False) -> bool:
        """Read inputs together, and those that fail with less and less beside them; says whether they fail."""
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        self.tries[kind] += 0 if again else len(inputs)
        why = ""
        try:
            read(inputs)
        except KeyboardInterrupt:
            raise
        except BaseException as e:  # that is what is looked for; a panic of Rust is no Exception
            why = f"{type(e).__name__}: {e}".splitlines()[0]
        took = time.process_time() - began
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        # Many inputs may take longer than one may, but not for as long as if each were at the limit.
        if not why and (took > SECONDS * (1 if len(inputs) < FILES else 10) or grown > MEBIBYTES):
            why = f"{took:.1f} s, {grown:.0f} MiB"
        if why:
            half = len(inputs) // 2
            parts = (inputs[:half], inputs[half:]) if half else ()
            if sum(self.tried(kind, part, read, again=True) for part in parts) == 0:
                self.found.append((kind, why, inputs))
        return bool(why)

    def go(self, seconds: float, whole: bool = False) -> None:
        """Until the time is over."""
        until = time.monotonic() + seconds
        signal.signal(signal.SIGPROF, stuck)
        with tempfile.TemporaryDirectory() as folder:
            steps = [self.whole] if whole else [self.parts, self.bulk, self.once]
            while time.monotonic() < until:
                for step in steps:
                    signal.setitimer(signal.ITIMER_PROF, STUCK)
                    step(Path(folder))
        signal.setitimer(signal.ITIMER_PROF, 0)


def stuck(*_: object) -> None:
    raise TimeoutError(f"more than {STUCK} s of the processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=Path, help="folder for inputs that fail")
    parser.add_argument("--whole", action="store_true", help="whole analyses in place of readers")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else time.time_ns()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    os.fsync = lambda _: None  # type: ignore[assignment]  # power is not lost meanwhile
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    fuzz = Fuzz(load_catalog(), random.Random(seed), given.keep)
    with suppress(KeyboardInterrupt):
        fuzz.go(given.seconds, given.whole)
    for kind, count in fuzz.tries.most_common():
        print(f"{count:9,}  {kind}")
    print(f"{fuzz.tries.total():9,}  tries, seed {seed}, {len(fuzz.found)} found")
    for n, (kind, why, inputs) in enumerate(fuzz.found):
        print(f"{kind}: {why}" + (f": {inputs[0]}" if given.whole else ""))
        if given.keep:
            for k, one in enumerate(inputs[:100]):
                name, data = one if isinstance(one, tuple) else ("", one)
                path = given.keep / f"{n}-{kind.replace(' ', '-')}-{k}{name and '-'}{name}"
                path.write_bytes(data if isinstance(data, bytes) else str(data).encode())
    sys.exit(bool(fuzz.found))


if __name__ == "__main__":
    main()
