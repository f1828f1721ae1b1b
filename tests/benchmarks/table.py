"""All figures in one table: `python tests/benchmarks/table.py [--megabytes 512] [--ranks 64 512 4096] [--json FILE]`.

Every log of `ingest.py` beside grep (and ripgrep and lnav, where they are installed, with the same captures); a log that grows by a megabyte; 4,096 files of
20 kB beside one file of the same bytes; jobs of more and more ranks; and what 16,384 ranks of 1 GB cost by these figures.
Prints Markdown, for `README.md` beside this file. Machines drift, ratios less.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[1])]

from benchmarks import clusters, ingest  # noqa: E402
from builders.clusters import make  # noqa: E402

from logsift import load_catalog  # noqa: E402

COLL = (
    r"(?P<host>[^: ]+):(?P<pid>[0-9]+):[0-9]+ \[(?P<device>-?[0-9]+)\] NCCL INFO (?P<op>[A-Za-z]+): opCount (?P<op_count>[0-9a-f]+)"
    r" sendbuff \S+ recvbuff \S+ count (?P<elements>[0-9]+) datatype (?P<datatype>[0-9]+) op (?P<redop>[0-9]+) root (?P<root>[0-9]+)"
    r" comm (?P<comm>\S+) \[nranks=(?P<nranks>[0-9]+)\]"
)
"""What the grammar of COLL lines captures, for ripgrep and lnav."""
CAPTURED = " ".join(f"${name}" for name in re.findall(r"\?P<(\w+)>", COLL))
"""The same as `rg -o -r` wants it."""
LNAV_FORMAT = {
    "$schema": "https://lnav.org/schemas/format-v1.schema.json",
    "nccl_calls": {
        "title": "NCCL calls",
        "regex": {"call": {"pattern": rf"^(?P<timestamp>[0-9T:.-]+) {COLL}(?P<body>.*)$"}},
        "value": {
            name: {"kind": "string" if name in ("host", "op", "op_count", "comm") else "integer"}
            for name in re.findall(r"\?P<(\w+)>", COLL)
        },
        "sample": [
            {
                "line": "2026-03-01T10:00:00.000 n0:40:50 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f1 recvbuff 0x7f2 count 8 datatype 9 op 0 root 0 comm 0x55d [nranks=8] stream 0x55"
            }
        ],
    },
}
LNAV_ASKED = (
    ";SELECT count(*), max(elements), max(comm), max(op), max(root), max(pid), max(host), max(op_count) FROM nccl_calls"
)
"""What lnav is asked: it captures what a query wants."""
RANKS, RANK_BYTES = 16_384, 1_000_000_000
CORE_HOUR_DOLLARS = 0.05
"""About what a virtual core of a compute instance costs by list at the large clouds."""

AGAIN = """
import json, sys, time
from pathlib import Path
from logsift import analyze
from logsift.content.load import load_catalog
from logsift.ingest.readers import lines
read, windows = [0], lines.windows
def noted(*given, **named):
    for window in windows(*given, **named):
        read[0] += window.core_stop - window.core_start
        yield window
lines.windows = noted
catalog = load_catalog()
began, cpu = time.perf_counter(), time.process_time()
analysis = analyze(Path(sys.argv[1]), catalog=catalog, db=Path(sys.argv[2]))
print(json.dumps([time.perf_counter() - began, time.process_time() - cpu, read[0], analysis.store.path.stat().st_size]))
"""


def by_lnav(path: Path) -> float:
    """Seconds that lnav takes to make a table of NCCL's calls and to look at each of its columns once."""
    with tempfile.TemporaryDirectory() as own:
        formats = Path(own) / "formats" / "installed"
        formats.mkdir(parents=True)
        (formats / "calls.json").write_text(json.dumps(LNAV_FORMAT))
        return ingest.taken(["lnav", "-n", "-I", own, "-c", LNAV_ASKED, "-c", ":write-csv-to -", str(path)])


def again(run: Path, db: Path) -> dict[str, float]:
    """Analyse a run into a database: seconds, CPU seconds, bytes of its logs that were read, bytes of the database."""
    out = subprocess.run(
        [sys.executable, "-c", AGAIN, str(run), str(db)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
    )  # fmt: skip
    return dict(zip(("seconds", "cpu_seconds", "read_bytes", "database_bytes"), json.loads(out.stdout), strict=True))


def logs(folder: Path, megabytes: int) -> list[dict[str, Any]]:
    """One row per log and how far it was followed."""
    print(
        "| log | until | MB/s | CPU s / 100 MB | peak MiB | x grep | x rg -o -r | x lnav |\n|---|---|---|---|---|---|---|---|"
    )
    rows = []
    for name, fill, until in ingest.LOGS:
        path = folder / f"{name}-{megabytes}.log"
        if not path.exists():
            fill(path, megabytes * 1_000_000)
        f = ingest.measure(name, path, until)
        row = {**asdict(f), "rg_seconds": None, "lnav_seconds": None}
        if name == "dense" and shutil.which("rg"):
            row["rg_seconds"] = ingest.taken(["rg", "-o", "-r", CAPTURED, f"^{COLL}", str(path)])
        if name == "stamped" and shutil.which("lnav"):
            row["lnav_seconds"] = by_lnav(path)
        beside = " | ".join(f"{row[p] / f.seconds:.2f}" if row[p] else "" for p in ("rg_seconds", "lnav_seconds"))
        print(
            f"| {name} | {until} | {f.speed:.0f} | {100 * f.cpu_seconds / f.megabytes:.2f} | {f.peak_mib:.0f}"
            f" | {f.grep_seconds / f.seconds:.2f} | {beside} |",
            flush=True,
        )
        rows.append(row)
    return rows


def grown(folder: Path, megabytes: int) -> dict[str, Any]:
    """A log, the same with a megabyte more, and once more without a change."""
    run = folder / "grown"
    run.mkdir()
    shutil.copyfile(folder / f"sparse-{megabytes}.log", run / "a.log")
    out = {"whole": again(run, folder / "grown.duckdb")}
    ingest.sparse(folder / "more", 1_000_000, seed=1)
    with (run / "a.log").open("ab") as f:
        f.write((folder / "more").read_bytes())
    out |= {"grown": again(run, folder / "grown.duckdb"), "unchanged": again(run, folder / "grown.duckdb")}
    print("\n| a log | s | CPU s | MB of it read | MB of tables |\n|---|---|---|---|---|")
    for name, row in out.items():
        print(
            f"| {name} | {row['seconds']:.2f} | {row['cpu_seconds']:.2f} | {row['read_bytes'] / 1e6:.1f}"
            f" | {row['database_bytes'] / 1e6:.1f} |"
        )
    return out


def many(folder: Path, count: int = 4096, size: int = 20_000) -> dict[str, Any]:
    """Many small files beside the same bytes in one."""
    print(f"\n| {count:,} files of {size:,} bytes | s | CPU s | x one file (CPU) |\n|---|---|---|---|")
    out: dict[str, Any] = {}
    for name, fill in (("sparse", ingest.sparse), ("frequent", ingest.frequent)):
        one, apart = folder / f"one-{name}", folder / f"many-{name}"
        one.mkdir()
        apart.mkdir()
        fill(one / "all.log", count * size)
        lines = (one / "all.log").read_bytes().splitlines(keepends=True)
        each = -(-len(lines) // count)
        for n in range(count):
            (apart / f"part-{n:05d}.log").write_bytes(b"".join(lines[n * each : (n + 1) * each]))
        together, alone = again(one, folder / f"{one.name}.duckdb"), again(apart, folder / f"{apart.name}.duckdb")
        out[name] = {"one": together, "many": alone}
        times = alone["cpu_seconds"] / together["cpu_seconds"]
        print(f"| {name} | {alone['seconds']:.2f} | {alone['cpu_seconds']:.2f} | {times:.2f} |", flush=True)
    return out


def jobs(sizes: list[int]) -> list[dict[str, float]]:
    """Jobs of more and more ranks, without the dumps that grow with their square."""
    print("\n| ranks | files | MB | reading CPU s | verdict CPU s |\n|---|---|---|---|---|")
    catalog, out = load_catalog(), []
    for ranks in sizes:
        with tempfile.TemporaryDirectory() as work:
            run = make("gpu fell off the bus", ranks, 11).write(Path(work) / "run", {"flight"})
            files, size, read, verdict = clusters.measured(run, catalog)
        print(f"| {ranks} | {files} | {size / 1e6:.1f} | {read:.2f} | {verdict:.2f} |", flush=True)
        out.append({"ranks": ranks, "files": files, "bytes": size, "read_cpu": read, "verdict_cpu": verdict})
    return out


def projected(rows: list[dict[str, Any]]) -> None:
    """What the largest job costs to read, by the cores' measured speed."""
    print(f"\n| {RANKS:,} ranks x 1 GB of | core hours | hours on 2 / 64 / 1,024 cores | dollars |\n|---|---|---|---|")
    for name in ("sparse", "ordinary", "frequent", "dense"):
        (row,) = (r for r in rows if r["name"] == name and r["until"] == "parsed")
        hours = row["cpu_seconds"] / row["megabytes"] * RANKS * RANK_BYTES / 1e6 / 3600
        print(
            f"| {name} | {hours:.0f} | {hours / 2:.1f} / {hours / 64:.2f} / {hours / 1024:.3f}"
            f" | {hours * CORE_HOUR_DOLLARS:.2f} |"
        )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--megabytes", type=int, default=512)
    asked.add_argument("--ranks", type=int, nargs="+", default=[64, 512, 4096])
    asked.add_argument("--json", type=Path, help="write the figures there as well")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = logs(folder, given.megabytes)
        figures = {
            "cores": os.cpu_count(), "logs": rows, "grown": grown(folder, given.megabytes), "many": many(folder),
            "jobs": jobs(given.ranks),
        }  # fmt: skip
    projected(rows)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
