"""Peak memory where a run is as large as runs get: `python tests/benchmarks/memory.py [--gigabytes 20] [--files 100000]`.

One log of that size, plain, in gz and in zst; one whose lines have a gigabyte each; and many small files. Each is analysed to
the verdict in a process of its own. The logs repeat 64 MB of ordinary output (`ingest.sparse`); what is packed is a chain
of members. Needs twice the size on the disk.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[1])]

import zstandard  # noqa: E402
from benchmarks import ingest  # noqa: E402

BLOCK_BYTES, FILE_BYTES = 64_000_000, 2_000
LINES, LINE_BYTES = 2, 1_000_000_000


def repeated(path: Path, block: bytes, times: int) -> None:
    """A file that holds a block several times. Little is held at once: what this process holds would count for its child."""
    with path.open("wb") as f:
        for _ in range(times):
            f.write(block)


def overlong(path: Path, block: bytes) -> None:
    """Lines of a gigabyte, with a megabyte of a block behind each."""
    with path.open("wb") as f:
        for _ in range(LINES):
            for _ in range(LINE_BYTES // 1_000_000):
                f.write(b"x" * 1_000_000)
            f.write(b"\n" + block[:1_000_000])


def small(folder: Path, block: bytes, count: int) -> None:
    """Files of whole lines, a thousand in a folder."""
    lines = block[: 100 * FILE_BYTES].splitlines(keepends=True)
    each = len(lines) // 100
    for n in range(count):
        place = folder / f"{n // 1000:04d}"
        place.mkdir(exist_ok=True)
        first = n % 100 * each
        (place / f"{n:06d}.log").write_bytes(b"".join(lines[first : first + each]))


def made(block: bytes, given: argparse.Namespace) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """What is tried: its name, and what fills a folder with it."""
    times = given.gigabytes * 1_000_000_000 // len(block)
    yield "plain", lambda run: repeated(run / "a.log", block, times)
    yield "gz", lambda run: repeated(run / "a.log.gz", gzip.compress(block, 1), times)
    yield "zst", lambda run: repeated(run / "a.log.zst", zstandard.compress(block, 1), times)
    yield "lines of 1 GB", lambda run: overlong(run / "a.log", block)
    yield f"{given.files:,} files", lambda run: small(run, block, given.files)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gigabytes", type=int, default=20)
    asked.add_argument("--files", type=int, default=100_000)
    asked.add_argument("--folder", type=Path, help="where there is room")
    asked.add_argument("--only", nargs="+", help="the beginnings of the names of what is tried")
    given = asked.parse_args()
    print("| run | MB on disk | s | CPU s | peak MiB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        ingest.sparse(Path(scratch) / "block", BLOCK_BYTES)
        block = (Path(scratch) / "block").read_bytes()
        for name, fill in made(block, given):
            if given.only and not name.startswith(tuple(given.only)):
                continue
            with tempfile.TemporaryDirectory(dir=scratch) as run:
                fill(Path(run))
                size = sum(p.stat().st_size for p in Path(run).rglob("*") if p.is_file())
                out = subprocess.run(
                    [sys.executable, "-c", ingest.CHILD, run, "verdict"], capture_output=True, text=True, check=True,
                    env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
                )  # fmt: skip
                seconds, cpu, mib, _ = json.loads(out.stdout)
                print(f"| {name} | {size / 1e6:.0f} | {seconds:.0f} | {cpu:.1f} | {mib:.0f} |", flush=True)


if __name__ == "__main__":
    main()
