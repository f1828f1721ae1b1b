"""What it takes to judge a run that was read in shares: `python tests/benchmarks/shares.py [--kind metrics] [--ranks 32] [--megabytes 64] [--of 8]`.

Each rank has a log of `ingest.py`'s kind. The run is mapped twice, with the rows that rules need and with every row, and each is
reduced in a process of its own. Prints the rows in parts, their size, and CPU seconds and peak memory of the judging.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[1])]

import polars as pl  # noqa: E402
from benchmarks import ingest  # noqa: E402

from logsift import load_catalog  # noqa: E402
from logsift.engines.mapping import LINE_TEXT, map_share  # noqa: E402

CHILD = """
import json, re, sys, time
from pathlib import Path
from logsift import load_catalog
from logsift.engines.reducing import reduce
catalog = load_catalog()
began = time.process_time()
analysis = reduce(Path(sys.argv[1]), catalog)
peak = int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([time.process_time() - began, peak, analysis.store.path.stat().st_size / 1e6]))
"""


def rows(parts: Path) -> int:
    """How many rows of tables parts hold."""
    each = [p for p in parts.rglob("*.parquet") if p.parent.name != LINE_TEXT and p.parent != parts]
    return int(
        pl.scan_parquet(each, missing_columns="insert", extra_columns="ignore").select(pl.len()).collect().item()
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kind", default="metrics", choices=sorted({name for name, _, _ in ingest.LOGS}))
    asked.add_argument("--ranks", type=int, default=32)
    asked.add_argument("--megabytes", type=int, default=64)
    asked.add_argument("--of", type=int, default=8)
    asked.add_argument("--folder", type=Path, help="where there is room")
    given = asked.parse_args()
    fill = next(fill for name, fill, _ in ingest.LOGS if name == given.kind)
    catalog = load_catalog()
    print(
        "| kept | mapping CPU s | rows | MB of parts | judging CPU s | peak MiB | MB of tables |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        run = Path(scratch) / "run"
        run.mkdir()
        fill(run / "rank_0.log", given.megabytes * 1_000_000)
        for rank in range(1, given.ranks):
            os.link(run / "rank_0.log", run / f"rank_{rank}.log")
        for kept in ("what rules need", "every row"):
            parts = Path(scratch) / kept.replace(" ", "-")
            began = time.process_time()
            for shard in range(1, given.of + 1):
                map_share([run], parts, catalog, shard, given.of, every_row=kept == "every row")
            mapping = time.process_time() - began
            size = sum(p.stat().st_size for p in parts.rglob("*") if p.is_file())
            told = f"| {kept} | {mapping:.0f} | {rows(parts):,} | {size / 1e6:.0f} |"
            out = subprocess.run(
                [sys.executable, "-c", CHILD, str(parts)], capture_output=True, text=True, check=True,
                env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
            )  # fmt: skip
            cpu, peak, tables = json.loads(out.stdout)
            print(f"{told} {cpu:.0f} | {peak:.0f} | {tables:.0f} |", flush=True)


if __name__ == "__main__":
    main()
