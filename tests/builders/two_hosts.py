"""The output of a job of four ranks on two hosts, whose rank 2 runs out of memory: what its ranks and their launchers print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

HOSTS = ("node7", "node8")
CULPRIT = 2
BEGAN = datetime(2026, 3, 1, 10, tzinfo=UTC)
_RULER = 60


@dataclass(frozen=True)
class Printed:
    """A line, and who printed it: a rank, or None for the launcher of the host."""

    text: str
    host: str
    rank: int | None
    time: datetime

    @property
    def node(self) -> int:
        """The number of the host."""
        return HOSTS.index(self.host)

    @property
    def local_rank(self) -> int:
        """The number of the process on its host, 0 for a launcher."""
        return (self.rank or 0) % 2

    @property
    def task(self) -> int:
        """The rank, or that of the first process that the launcher started."""
        return 2 * self.node if self.rank is None else self.rank

    @property
    def pid(self) -> int:
        """Of the process that printed it."""
        return 900 if self.rank is None else pid(self.rank)


def pid(rank: int) -> int:
    """The process of a rank."""
    return 41_000 + 7 * rank


def printed() -> Iterator[Printed]:
    """All lines in their order."""
    for step in range(5):
        for rank in range(4):
            yield _line(f"step {step + 1}/1000 | loss {3.2 - 0.03 * step:.4f}", rank, 2 * step)
    for text in _out_of_memory():
        yield _line(text, CULPRIT, 12)
    for rank in (0, 1, 3):
        for text in _peer_gone(rank):
            yield _line(text, rank, 13)
    for node, rank, code in ((1, CULPRIT, 1), (0, 0, -6)):
        for text in _launcher(HOSTS[node], rank, code):
            yield Printed(text, HOSTS[node], None, BEGAN + timedelta(seconds=15))


def _line(text: str, rank: int, seconds: int) -> Printed:
    return Printed(text, HOSTS[rank // 2], rank, BEGAN + timedelta(seconds=seconds))


def _out_of_memory() -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/job/train.py", line 187, in main',
        "    loss = model(batch)",
        '  File "/job/model.py", line 88, in forward',
        "    return self.proj(x)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB. GPU 0 has a total capacity of 79.15 GiB"
        " of which 1.10 GiB is free. Including non-PyTorch memory, this process has 78.04 GiB memory in use. Of the"
        " allocated memory 76.90 GiB is allocated by PyTorch, and 20.00 MiB is reserved by PyTorch but unallocated.",
    ]


def _peer_gone(rank: int) -> list[str]:
    return [
        f"[rank{rank}]:[E301 10:00:13.104881205 ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process"
        " group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error,"
        " NCCL version 2.21.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Last error:",
        f"socketProgress: Connection closed by remote peer 10.0.0.2<{40_000 + rank}>",
    ]


def _launcher(host: str, rank: int, code: int) -> list[str]:
    ended = f"Signal {-code} (SIGABRT) received by PID {pid(rank)}" if code < 0 else "<N/A>"
    return [
        f"E0301 10:00:15.612000 900 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code})"
        f" local_rank: {rank % 2} (pid: {pid(rank)}) of binary: /usr/bin/python3",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * _RULER,
        "train.py FAILED",
        "-" * _RULER,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * _RULER,
        "Root Cause (first observed failure):",
        "[0]:",
        "  time      : 2026-03-01_10:00:15",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {rank % 2})",
        f"  exitcode  : {code} (pid: {pid(rank)})",
        "  error_file: <N/A>",
        f"  traceback : {ended}",
        "=" * _RULER,
    ]
