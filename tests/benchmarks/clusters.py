"""How the time to a verdict grows with the ranks of a job: `python tests/benchmarks/clusters.py [--ranks 64 512 4096]`.

Jobs are generated (a GPU that falls off the bus), without Flight Recorder dumps where `--no-dumps` says so: each of them
lists all ranks, so that they grow with the square. Prints CPU seconds of reading and of everything after it, and the
exponent of growth between neighbouring sizes: n log n is about 1.1.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from builders.clusters import make  # noqa: E402

from logsift import Catalog, load_catalog, pipeline  # noqa: E402
from logsift.ingest.discover import discover  # noqa: E402
from logsift.store.create import create  # noqa: E402


def measured(run: Path, catalog: Catalog) -> tuple[int, int, float, float]:
    """(files, bytes, CPU seconds of reading, of the rest) for a run directory."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        files = discover(run, catalog)
        store = create(Path(folder) / "run.duckdb", catalog)
        pipeline.read(store, catalog, files)
        read = time.process_time()
        pipeline.explain(store, catalog, files)
        ended = time.process_time()
        store.close()
    return len(files), sum(f.size for f in files), read - began, ended - read


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--ranks", type=int, nargs="+", default=[64, 512, 4096])
    asked.add_argument("--no-dumps", action="store_true")
    given = asked.parse_args()
    catalog = load_catalog()
    before: tuple[int, float, float] | None = None
    print("ranks   files       MB   read s  verdict s  growth of read, verdict")
    for ranks in given.ranks:
        cluster = make("gpu fell off the bus", ranks, 11)
        with tempfile.TemporaryDirectory() as folder:
            run = cluster.write(Path(folder) / "run", {"flight"} if given.no_dumps else ())
            files, size, read, verdict = measured(run, catalog)
        grown = ""
        if before:
            times = math.log(ranks / before[0])
            grown = f"{math.log(read / before[1]) / times:.2f}, {math.log(verdict / before[2]) / times:.2f}"
        before = ranks, read, verdict
        print(f"{ranks:<7} {files:<6} {size / 1e6:>7.1f}  {read:>7.2f}  {verdict:>9.2f}  {grown}")


if __name__ == "__main__":
    main()
