"""How fast Flight Recorder dumps become a verdict, beside torch's own analyser on the same dumps.

One rank has not joined the last collective. torch's analyser is `torch.distributed.flight_recorder.fr_trace`, of an
environment that has torch:

    python tests/benchmarks/flight_recorder.py [--ranks 1024] [--entries 2000] [--torch ENVIRONMENT/bin/python]

Prints seconds, CPU seconds and peak MiB of both processes, start included, and how many times longer torch's takes.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[1])]

from builders.flight_recorder import Job  # noqa: E402

VERDICT = "from logsift import analyze; import sys; print(analyze(sys.argv[1], db=None).root)"


def dumps(run: Path, ranks: int, entries: int) -> None:
    """A dump per rank, all of one group; the last rank but one lacks the last entry."""
    for rank in range(ranks):
        job = Job({"0": ("default_pg", range(ranks))})
        for n in range(1, entries + 1):
            if n < entries or rank != ranks - 2:
                job.collective("0", ranks=[rank], done=n < entries)
        (run / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(job.dump(rank), protocol=2))


def taken(command: Sequence[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak MiB of a process whose output nobody wants.

    Raises:
        RuntimeError: it fails.
    """
    began = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    pid = os.posix_spawnp(command[0], command, {**os.environ, "PYTHONPATH": str(HERE.parents[2])}, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--ranks", type=int, default=1024)
    asked.add_argument("--entries", type=int, default=2000)
    asked.add_argument("--torch", help="the interpreter of an environment that has torch")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as run:
        dumps(Path(run), given.ranks, given.entries)
        size = sum(p.stat().st_size for p in Path(run).iterdir()) / 1e6
        print(f"{given.ranks} dumps of {given.entries} entries, {size:.0f} MB\n")
        print("| analyser | s | CPU s | peak MiB |\n|---|---|---|---|")
        own = taken([sys.executable, "-c", VERDICT, run])
        print(f"| logsift | {own[0]:.1f} | {own[1]:.1f} | {own[2]:.0f} |", flush=True)
        if given.torch:
            trace = [given.torch, "-m", "torch.distributed.flight_recorder.fr_trace", run, "-p", "nccl_trace_rank_"]
            other = taken(trace)
            print(f"| torch's | {other[0]:.1f} | {other[1]:.1f} | {other[2]:.0f} |")
            print(f"\n{other[0] / own[0]:.1f} times as long, {other[1] / own[1]:.1f} times as much CPU")


if __name__ == "__main__":
    main()
