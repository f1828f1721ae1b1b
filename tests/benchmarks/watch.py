"""A watched run as its owner sees it: `python tests/benchmarks/watch.py [--logs 512] [--seconds 30]`.

`logsift watch --json` follows so many logs in which nothing happens; then lines that name failures are written, each in
another log, and the time is taken until the command tells of it. Printed: the share of a core that quiet
logs cost, and the seconds from a line to its incident. With the extra `watch` (watchfiles) and without, as installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

STEPS = 200
FAILURES = (
    'Traceback (most recent call last):\n  File "train.py", line 3, in step\n    x()\nValueError: odd\n',
    "2026-03-01T10:00:02+00:00 node-7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=77, name=python3, GPU has fallen off the bus.\n",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which"
    " 1.06 GiB is free. Process 77 has 78.08 GiB memory in use. Of the allocated memory 76.00 GiB is allocated by PyTorch, and"
    " 1.00 GiB is reserved by PyTorch but unallocated.\n",
    "RuntimeError: DataLoader worker (pid 812) is killed by signal: Segmentation fault. \n",
)
"""Each is an incident of its own: one that is told already is not told again."""


def cpu_seconds(pid: int) -> float:
    """What a process and the children that it waited for took."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=30, help="how long the quiet logs are watched")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir()
        logs = [run / f"rank{n}.log" for n in range(given.logs)]
        for log in logs:
            log.write_text("".join(f"step {n}/9000 | loss: {3 - n / 100:.2f}\n" for n in range(STEPS)))
        command = [sys.executable, "-m", "logsift", "watch", str(run), "--json"]
        watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert watch.stdout
        began = time.monotonic()
        wrote(logs[0], FAILURES[0], watch.stdout)
        print(f"{given.logs} logs, first incident after {time.monotonic() - began:.1f} s")
        time.sleep(10)
        before = cpu_seconds(watch.pid)
        time.sleep(given.seconds)
        share = (cpu_seconds(watch.pid) - before) / given.seconds
        before = cpu_seconds(watch.pid)
        took = [wrote(log, failure, watch.stdout) for log, failure in zip(logs[1:], FAILURES[1:], strict=False)]
        cpu = (cpu_seconds(watch.pid) - before) / len(took)
        watch.terminate()
        watch.wait()
    how = "watchfiles" if importlib.util.find_spec("watchfiles") else "polling"
    print(
        f"{how}: quiet {share:.1%} of a core; line to incident {statistics.median(took):.2f} s, at most {max(took):.2f} s,"
        f" {cpu:.2f} CPU s"
    )


def wrote(log: Path, failure: str, told: Iterable[str]) -> float:
    """Seconds from writing a line until an incident is told."""
    time.sleep(3)
    with log.open("a") as f:
        f.write(failure)
    written = time.monotonic()
    if not any(json.loads(line)["event"] == "incident" for line in told):
        raise SystemExit("the watch ended")
    return time.monotonic() - written


if __name__ == "__main__":
    main()
