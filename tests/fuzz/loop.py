"""Damaged files for every reader, for as long as it is given.

    PYTHONPATH=. python tests/fuzz/loop.py --seconds 600 [--seed 1] [--keep DIR]

Seeds are the files of the fixtures; each is cut, flipped, doubled, spliced with others, or filled with numbers that are at
the end of what they can be. Whatever comes out, a reader gives rows or a problem: an exception that ends an analysis, a run
of more than SECONDS or more than MEBIBYTES is a defect, and the input is kept. Definitions are made once, so that a try costs
milliseconds. Lines are tried in bulk, each of them counts as one.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from logsift import Catalog, load_catalog
from logsift.ingest.discover import discover
from logsift.ingest.parse import Parser
from logsift.ingest.readers.lines import frame, line_ends
from logsift.ingest.unpickle import odd_in, plain_values_of_torn

ROOT = Path(__file__).resolve().parents[2]
SECONDS, MEBIBYTES = 10.0, 2048
LARGEST = 40_000
BULK = 5_000
ODD = [
    b"9" * 400, b"-1", b"1e308", b"-1e309", b"NaN", b"18446744073709551616", b"\0" * 64, b"\xff" * 16, b"\xff\xfe", b"\x80\x05", b"\x1b[31m",
    b"9999-12-31 23:59:59", b"0000-00-00 00:00:00", b"1e300", b"[" * 2000, b"{" * 50, b'"', b",", b"\t" * 500, b"\r", b"\n\n", b"\xe2\x80\xae",
    b"r\xff\xff\xff\x7f", b"\x96\xff\xff\xff\xff\xff\xff\xff\x7f",
]  # fmt: skip


@dataclass
class Fuzz:
    """A loop over damaged inputs; counts tries by reader, and keeps what fails."""

    catalog: Catalog
    rng: random.Random
    tries: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parser = Parser(self.catalog)
        patterns = [p for g in self.catalog.grammars for p in (*g.patterns, *([g.envelope] if g.envelope else []))]
        self.samples = [s.line.encode() for p in (*patterns, *self.catalog.envelopes) for s in p.samples]
        self.seeds: dict[str, list[tuple[str, bytes]]] = {}
        for run in sorted((ROOT / "fixtures").glob("*/run")):
            for file in discover(run, self.catalog):
                if file.reader and file.size < 4 * LARGEST:
                    data = file.path.read_bytes()[:LARGEST]
                    self.seeds.setdefault(f"{file.reader} {file.grammar or ''}".strip(), []).append(
                        (file.path.name, data)
                    )

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

    def once(self, folder: Path) -> None:
        """One damaged file of each kind of reader, read as a run."""
        for kind, seeds in self.seeds.items():
            name, data = self.rng.choice(seeds)
            self.tried(kind, self.damaged(data), lambda bad, name=name: self.read(folder, name, bad))

    def bulk(self, folder: Path) -> None:
        """Many damaged lines at once, made of the samples of all patterns and envelopes: one try for each."""
        lines = [b"what is text is no other reader's"]
        for _ in range(BULK):
            line = bytearray(self.rng.choice(self.samples))
            for _ in range(self.rng.choice((1, 1, 2, 4))):
                at = self.rng.randrange(len(line) + 1)
                match self.rng.randrange(5):
                    case 0:
                        del line[:at]
                    case 1:
                        del line[at:]
                    case 2:
                        line[at : at + self.rng.randrange(9)] = self.rng.choice(ODD)
                    case 3:
                        line[at:at] = self.rng.choice(self.samples)
                    case _:
                        line[at : at + 1] = bytes((self.rng.randrange(256),))
            lines.append(bytes(line[:4000]))
        self.tried("lines in bulk", b"\n".join(lines), lambda data: self.read(folder, "bulk.log", data))
        self.tries["lines in bulk"] += BULK - 1

    def parts(self) -> None:
        """The pieces that need no file, many times: the unpickler, the lines."""
        for kind, reads in (("unpickler", self.unpickled), ("lines alone", self.lined)):
            seeds = self.seeds.get(
                "flight_recorder flight_recorder" if kind == "unpickler" else "lines", [("", b"x\n")]
            )
            for _ in range(50):
                self.tried(kind, self.damaged(self.rng.choice(seeds)[1]), reads)

    @staticmethod
    def unpickled(data: bytes) -> None:
        odd_in(data)
        plain_values_of_torn(data)

    @staticmethod
    def lined(data: bytes) -> None:
        frame([(1, pl.int_range(len(line_ends(data)), eager=True).to_numpy() + 1, data)] if data else [])

    def read(self, folder: Path, name: str, data: bytes) -> None:
        path = folder / name
        path.write_bytes(data)
        try:
            with tempfile.TemporaryDirectory() as parts:
                self.parser.parse(discover(folder, self.catalog), Path(parts))
        finally:
            path.unlink()

    def tried(self, kind: str, data: bytes, read: Callable[[bytes], None]) -> None:
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        self.tries[kind] += 1
        try:
            read(data)
        except Exception as e:  # that is what is looked for
            self.found.append((kind, f"{type(e).__name__}: {e}".splitlines()[0], data))
        took = time.process_time() - began
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        if took > SECONDS or grown > MEBIBYTES:
            self.found.append((kind, f"{took:.1f} s, {grown:.0f} MiB", data))

    def go(self, seconds: float) -> None:
        """Until the time is over."""
        until = time.monotonic() + seconds
        with tempfile.TemporaryDirectory() as folder:
            while time.monotonic() < until:
                self.parts()
                self.bulk(Path(folder))
                self.once(Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=Path, help="folder for inputs that fail")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else time.time_ns()
    fuzz = Fuzz(load_catalog(), random.Random(seed))
    fuzz.go(given.seconds)
    for kind, count in fuzz.tries.most_common():
        print(f"{count:9,}  {kind}")
    print(f"{fuzz.tries.total():9,}  tries, seed {seed}, {len(fuzz.found)} found")
    for n, (kind, why, data) in enumerate(fuzz.found):
        print(f"{kind}: {why}")
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / f"{n}-{kind.replace(' ', '-')}").write_bytes(data)
    sys.exit(bool(fuzz.found))


if __name__ == "__main__":
    main()
