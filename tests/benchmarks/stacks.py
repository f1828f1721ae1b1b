"""How fast the stacks of a large hung job become a verdict: 1,024 ranks of 12 threads of 30 frames.

All ranks but one wait in an all-reduce, that one in its data loader. Twice: a `py-spy dump` file per rank, eight ranks to
a host, and one log in which `faulthandler` wrote the stacks of all.

    python tests/benchmarks/stacks.py [--ranks 1024] [--threads 12] [--frames 30]

Prints for each: seconds, CPU seconds and peak MiB of the process to the verdict, and the verdict.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GUILTY = 613
TOP = {
    False: [("all_reduce", "torch/distributed/distributed_c10d.py", 2810), ("wrapper", "torch/distributed/c10d_logger.py", 81)],
    True: [("read_shard", "job/data.py", 114), ("next_batch", "job/data.py", 131)],
}  # fmt: skip


def stack(rank: int, thread: int, frames: int) -> list[tuple[str, str, int]]:
    """(function, source, line), innermost first; thread 0 is the main thread."""
    if thread:
        top = [("wait", "threading.py", 324), ("get", "queue.py", 180), ("run", f"job/worker_{thread}.py", 60)]
        base = [("_bootstrap_inner", "threading.py", 1045), ("_bootstrap", "threading.py", 1002)]
    else:
        top, base = TOP[rank == GUILTY], [("main", "job/train.py", 212), ("<module>", "job/train.py", 230)]
    between = [(f"call_{n}", f"job/part_{n}.py", 100 + n) for n in range(frames - len(top) - len(base))]
    return top + between + base


def py_spy(run: Path, ranks: int, threads: int, frames: int) -> None:
    """A dump per rank, in a folder per host."""
    for rank in range(ranks):
        pid, host = 4000 + rank, run / f"node-{rank // 8:03}"
        host.mkdir(exist_ok=True)
        text = [f"Process {pid}: python -m job.train --rank {rank}", "Python v3.11.9 (/usr/bin/python3.11)", ""]
        for thread in range(threads):
            name = f"Thread-{thread} (run)" if thread else "MainThread"
            text.append(f'Thread {pid + thread} (idle): "{name}"')
            text += [f"    {function} ({source}:{line})" for function, source, line in stack(rank, thread, frames)]
        (host / f"py-spy-rank{rank}.txt").write_text("\n".join(text) + "\n")


def faulthandler(run: Path, ranks: int, threads: int, frames: int) -> None:
    """One log under torchrun, the main thread last."""
    with (run / "job.log").open("w") as f:
        for rank in range(ranks):
            text = ["Timeout (0:10:00)!"]
            for thread in reversed(range(threads)):
                text.append(f"Thread 0x00007f{rank:06x}{thread:04x} (most recent call first):")
                text += [
                    f'  File "/opt/{source}", line {line} in {function}' for function, source, line in stack(rank, thread, frames)
                ] + [""]  # fmt: skip
            f.write("".join(f"[rank{rank}]: {line}\n" for line in text))


CHILD = """
import resource, sys, time
from pathlib import Path
from logsift import analyze
from logsift.content.load import load_catalog
catalog = load_catalog()
began = time.perf_counter()
root = analyze(Path(sys.argv[1]), catalog=catalog).root
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"{time.perf_counter() - began:6.1f} s   {used.ru_utime + used.ru_stime:6.1f} CPU s   peak {used.ru_maxrss / 1024:6.0f} MiB   {root.rule if root else None}: {root.summary if root else ''}")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--frames", type=int, default=30)
    given = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    for make in (py_spy, faulthandler):
        with tempfile.TemporaryDirectory() as scratch:
            make(Path(scratch), given.ranks, given.threads, given.frames)
            command = [sys.executable, "-c", CHILD, scratch]
            out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            print(f"{make.__name__:12} {out.stdout.rstrip()}", flush=True)


if __name__ == "__main__":
    main()
