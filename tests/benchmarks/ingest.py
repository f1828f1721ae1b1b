"""How fast logs are read: a sparse one, a troubled one, a dense one.

Sparse is ordinary training output; troubled the same with a failure that was survived every 100,000 lines (what opens a
block lets 2,000 lines pass); dense has a line of interest on every line.

    python tests/benchmarks/ingest.py [--megabytes 512] [--keep DIR]

Prints for each: MB/s of parsing, the peak memory of the process in MiB, and the ratio to `grep -cE` with 16
alternatives over the same file in the same run. Machines drift; the ratio is the figure to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = (
    "NCCL WARN|Traceback|out of memory|Xid|oom-kill|segfault|Watchdog caught|Connection refused|No space left|"
    "CANCELLED|Stale file handle|soft lockup|exitcode|Signal 9|blocked for more|link down"
)


def troubled(path: Path, size: int) -> None:
    """Ordinary output with a survived failure every 100,000 lines."""
    sparse(path, size, survived_every=100_000)


def sparse(path: Path, size: int, seed: int = 0, survived_every: int = 0) -> None:
    """Ordinary output of a training job; 1 line in 400 is one that logsift knows."""
    rng = random.Random(seed)
    known = [
        "[rank{r}]:[W709 17:05:38.123456789 ProcessGroupNCCL.cpp:1895] Warning: WARNING: destroy_process_group() was not called before program exit",
        "node{r}:1234:5678 [{r}] NCCL INFO Bootstrap: Using eth0:10.0.0.{r}<0>",
        "node{r}:1234:5678 [{r}] NCCL INFO Channel 00/0 : {r}[{r}] -> 0[0] [send] via NET/IB/0/GDRDMA",
        " saving checkpoint at iteration {step} to /ckpt",
    ]
    survived = 'Traceback (most recent call last):\n  File "/work/data.py", line 81, in fetch\n    return self.read(path)\nTimeoutError: shard {step} took too long'
    with path.open("w") as f:
        written = step = 0
        while written < size:
            block = []
            for _ in range(4000):
                step += 1
                r = rng.randrange(8)
                if survived_every and step % survived_every == 0:
                    block.append(survived.format(step=step))
                elif rng.random() < 0.0025:
                    block.append(rng.choice(known).format(r=r, step=step))
                elif rng.random() < 0.5:
                    block.append(
                        f"[2026-03-04 09:12:{step % 60:02d},{rng.randrange(1000):03d}] [INFO] [data.py:{rng.randrange(900)}:fetch] worker {r} read shard {rng.randrange(99999):05d}.bin in {rng.random():.4f} s, {rng.randrange(10**6)} samples"
                    )
                else:
                    block.append(
                        f"node{r:02d} | tokens {rng.randrange(10**9):,} | lr {rng.random():.3e} | mem {rng.random() * 80:.1f} | queue {rng.random() * 9:.2f} | elapsed {step}s | eta {rng.randrange(99)}h"
                    )
            text = "\n".join(block) + "\n"
            f.write(text)
            written += len(text)


def dense(path: Path, size: int, seed: int = 0) -> None:
    """NCCL_DEBUG_SUBSYS=COLL: every line is one of interest (NCCL 2.27, src/enqueue.cc)."""
    rng = random.Random(seed)
    with path.open("w") as f:
        written = count = 0
        while written < size:
            block = []
            for _ in range(4000):
                count += 1
                r = rng.randrange(8)
                block.append(
                    f"node{r:02d}:{4000 + r}:{5000 + r} [{r}] NCCL INFO AllReduce: opCount {count // 8:x} sendbuff 0x7f{rng.randrange(16**10):010x} recvbuff 0x7f{rng.randrange(16**10):010x} count {rng.randrange(1 << 24)} datatype 9 op 0 root 0 comm 0x55d0{r:08x} [nranks=8] stream 0x55{r:010x}"
                )
            text = "\n".join(block) + "\n"
            f.write(text)
            written += len(text)


CHILD = """
import json, resource, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from logsift.content.catalog import load_catalog
from logsift.ingest.discover import discover
from logsift.ingest.parse import Parser
catalog = load_catalog()
files = discover(Path(sys.argv[1]), catalog)
parser = Parser(catalog)
began = time.perf_counter()
with TemporaryDirectory() as parts:
    parsed = parser.parse(files, Path(parts))
seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, sum(parsed.lines.values())]))
"""


def measure(path: Path) -> str:
    size = path.stat().st_size / 1e6
    root = str(Path(__file__).resolve().parents[2])
    best, memory = float("inf"), 0.0
    grep = float("inf")
    for _ in range(3):
        out = subprocess.run(
            [sys.executable, "-c", CHILD, str(path)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": root},
        )
        seconds, mib, _ = json.loads(out.stdout)
        best, memory = min(best, seconds), max(memory, mib)
        began = time.perf_counter()
        subprocess.run(
            ["grep", "-cE", WORDS, str(path)], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
        grep = min(grep, time.perf_counter() - began)
    return f"{size / best:8.0f} MB/s   peak {memory:6.0f} MiB   {grep / best:5.2f} x grep ({size / grep:.0f} MB/s)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--keep", type=Path, help="folder to make the logs in and leave them there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        for name, make in (("sparse", sparse), ("troubled", troubled), ("dense", dense)):
            path = folder / f"{name}-{given.megabytes}.log"
            if not path.exists():
                make(path, given.megabytes * 1_000_000)
            print(f"{name:8} {given.megabytes} MB {measure(path)}", flush=True)


if __name__ == "__main__":
    main()
