"""PyTorch's out-of-memory messages of every wording, for every cause: the numbers are read and give the right class."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from logsift import analyze

GIB = 1 << 30
MIB = 1 << 20


@dataclass(frozen=True)
class Memory:
    """A card when an allocation failed, in bytes."""

    requested: int
    total: int
    free: int
    allocated: int
    unallocated: int
    pool: int = 0
    context: int = 700 * MIB
    others: tuple[tuple[int, int], ...] = ()
    limit: int = 0

    @property
    def this_process(self) -> int:
        return self.allocated + self.unallocated + self.context


CAUSES: dict[str, tuple[str, Memory]] = {
    "full": ("capacity", Memory(2 * GIB, 80 * GIB, GIB, 77 * GIB, 200 * MIB, context=1836 * MIB)),
    "larger than the card": ("capacity", Memory(96 * GIB, 80 * GIB, 60 * GIB, 19 * GIB, 100 * MIB)),
    "one large tensor": ("capacity", Memory(30 * GIB, 80 * GIB, 20 * GIB, 58 * GIB, GIB, context=GIB)),
    "20 MiB refused beside 25 MiB": (
        "capacity",
        Memory(20 * MIB, 24 * GIB, 25 * MIB, 23 * GIB, 100 * MIB, context=899 * MIB),
    ),
    "scattered": ("fragmentation", Memory(2 * GIB, 40 * GIB, 300 * MIB, 30 * GIB, 9 * GIB, context=724 * MIB)),
    "scattered a little": (
        "fragmentation",
        Memory(500 * MIB, 16 * GIB, 200 * MIB, 14 * GIB, 600 * MIB, context=1248 * MIB),
    ),
    "refused although free": (
        "fragmentation",
        Memory(256 * MIB, 24 * GIB, 4 * GIB, 18 * GIB, 300 * MIB, context=1748 * MIB),
    ),
    "another process": (
        "foreign_process",
        Memory(GIB, 80 * GIB, 100 * MIB, 30 * GIB, 300 * MIB, others=((4711, 49 * GIB - 76 * MIB),)),
    ),
    "two other processes": (
        "foreign_process",
        Memory(GIB, 80 * GIB, 100 * MIB, 30 * GIB, 300 * MIB, others=((4711, 24 * GIB), (4712, 25 * GIB - 76 * MIB))),
    ),
    "graph pools": (
        "graph_capture",
        Memory(512 * MIB, 48 * GIB, 100 * MIB, 46 * GIB, 100 * MIB, pool=20 * GIB, context=1848 * MIB),
    ),
    "limit of the process": ("capacity", Memory(2 * GIB, 80 * GIB, 60 * GIB, 19 * GIB, 100 * MIB, limit=20 * GIB)),
}


def size(n: int) -> str:
    """As c10::CachingAllocator's format_size prints it."""
    if n <= 1024:
        return f"{n} bytes"
    for unit, factor in (("KiB", 1 << 10), ("MiB", MIB)):
        if n <= factor * 1024:
            return f"{n / factor:.2f} {unit}"
    return f"{n / GIB:.2f} GiB"


HINT = " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"


def oldest(m: Memory) -> str:
    return f"RuntimeError: CUDA out of memory. Tried to allocate {size(m.requested)} (GPU 1; {size(m.total)} total capacity; {size(m.allocated)} already allocated; {size(m.free)} free; {size(m.unallocated)} cached)"


def old(m: Memory, word: str = "CUDA") -> str:
    limit = f"{size(m.limit)} allowed; " if m.limit else ""
    return (
        f"RuntimeError: {word} out of memory. Tried to allocate {size(m.requested)} (GPU 1; {size(m.total)} total capacity; {size(m.allocated)} already allocated; "
        f"{size(m.free)} free; {limit}{size(m.allocated + m.unallocated)} reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    )


def sentence(
    m: Memory,
    *,
    capacity: str = "capacity",
    word: str = "CUDA",
    kind: str = "torch.OutOfMemoryError",
    processes: str = "own",
) -> str:
    others = "".join(f"Process {pid} has {size(n)} memory in use. " for pid, n in m.others)
    mine = {
        "own": f"Including non-PyTorch memory, this process has {size(m.this_process)} memory in use. ",
        "host pid": f"Process 991 has {size(m.this_process)} memory in use. ",
        "none": "",
    }[processes]
    if processes == "none":
        others = ""
    pool = f", with {size(m.pool)} allocated in private pools (e.g., CUDA Graphs)" if m.pool else ""
    limit = f"{size(m.limit)} allowed; " if m.limit else ""
    return (
        f"{kind}: {word} out of memory. Tried to allocate {size(m.requested)}. GPU 1 has a total {capacity} of {size(m.total)} of which {size(m.free)} is free. "
        f"{others}{mine}{limit}Of the allocated memory {size(m.allocated)} is allocated by PyTorch{pool}, and {size(m.unallocated)} is reserved by PyTorch but unallocated.{HINT}"
    )


def asynchronous(m: Memory) -> str:
    limit = size(m.limit) if m.limit else "17179869184.00 GiB"
    return (
        "torch.OutOfMemoryError: Allocation on device 1 would exceed allowed memory. (out of memory)\n"
        f"Currently allocated     : {size(m.allocated)}\nRequested               : {size(m.requested)}\nDevice limit            : {size(m.total)}\n"
        f"Free (according to CUDA): {size(m.free)}\nPyTorch limit (set by user-supplied memory fraction)\n                        : {limit}"
    )


WORDINGS: dict[str, Callable[[Memory], str]] = {
    "1.0": oldest,
    "1.13": old,
    "hip": lambda m: old(m, "HIP"),
    "2.1": lambda m: sentence(m, capacity="capacty", kind="torch.cuda.OutOfMemoryError"),
    "2.3": lambda m: sentence(m, kind="torch.cuda.OutOfMemoryError"),
    "2.5": sentence,
    "2.5 in a container": lambda m: sentence(m, processes="host pid"),
    "2.10": lambda m: sentence(m).replace("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
    "hip 2.5": lambda m: sentence(m, word="HIP", processes="none"),
    "xpu": lambda m: sentence(m, word="XPU", processes="none"),
    "notebook": lambda m: sentence(m, kind="OutOfMemoryError"),
    "C++": lambda m: (
        "terminate called after throwing an instance of 'c10::OutOfMemoryError'\n  what():  "
        + sentence(m, kind="x").removeprefix("x: ")
        + "\nException raised from malloc at c10/cuda/CUDACachingAllocator.cpp:1130 (most recent call first):"
    ),
    "repr": lambda m: f"error=OutOfMemoryError('{sentence(m, kind='x').removeprefix('x: ')}')",
    "wrapped at words": lambda m: textwrap.fill(sentence(m), 80) + "\n\nnext line 12.00 GiB free",
    "wrapped anywhere": lambda m: "\n".join(sentence(m)[n : n + 72] for n in range(0, len(sentence(m)), 72)),
    "wrapped by a terminal": lambda m: "\\\n".join(sentence(m)[n : n + 60] for n in range(0, len(sentence(m)), 60)),
    "wrapped by mail": lambda m: "=\n".join(sentence(m)[n : n + 132] for n in range(0, len(sentence(m)), 132)),
    "with ranks": lambda m: "\n".join(f"[rank3]: {line}" for line in sentence(m).splitlines()),
    "vLLM worker": lambda m: f"(VllmWorker rank=3 pid=1090) ERROR 06-10 12:00:00 [core.py:400] {sentence(m)}",
    "cudaMallocAsync": asynchronous,
}
TELLS_NO_POOLS = {"1.0", "1.13", "hip", "cudaMallocAsync"}
"""These wordings print no private pools: what graphs hold is hidden in other numbers."""
TELLS_NO_LIMIT = {"1.0"}
TELLS_NO_CACHE = {"cudaMallocAsync"}


def cases() -> list[tuple[str, str, str, Memory]]:
    out = []
    for cause, (kind, m) in CAUSES.items():
        for wording in WORDINGS:
            if (m.pool and wording in TELLS_NO_POOLS) or (m.limit and wording in TELLS_NO_LIMIT):
                continue
            if wording in TELLS_NO_CACHE and (kind == "fragmentation" or m.unallocated > GIB // 2):
                continue
            # HIP counts as free what a limit of the host keeps from it, Level Zero what one block may not hold
            refused = cause == "refused although free" and wording.startswith(("hip", "xpu"))
            out.append((cause, wording, "capacity" if refused else kind, m))
    return out


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """One run with a file for each case."""
    run = tmp_path_factory.mktemp("run")
    for n, (_, wording, _, m) in enumerate(cases()):
        Path(run / f"case{n}.log").write_text(f"step 1\n{WORDINGS[wording](m)}\n")
    rows = analyze(run, db=None).store.rows("SELECT path, v.* FROM oom_verdict v JOIN file USING (file_id)")
    assert len(rows) == len(cases()), "one row per message"
    return {str(r["path"]): r for r in rows}


@pytest.mark.parametrize("n", range(len(cases())), ids=[f"{c[0]}-{c[1]}" for c in cases()])
def test_message(n: int, verdicts: dict[str, dict[str, object]]) -> None:
    cause, wording, kind, m = cases()[n]
    got = verdicts[f"case{n}.log"]
    assert got["class"] == kind, f"{cause} in the wording of {wording}: {got['because']}"
    want = replace(m)

    def near(name: str, bytes_: int) -> None:
        value = got[name]
        assert isinstance(value, int), f"{name} was not read"
        assert abs(value - bytes_) <= max(6 * MIB, bytes_ // 100), name

    near("requested_bytes", want.requested)
    near("total_bytes", want.total)
    near("free_bytes", want.free)
    near("allocated_bytes", want.allocated)
    if wording not in TELLS_NO_CACHE:
        near("unallocated_bytes", want.unallocated)
    if want.pool:
        near("private_pool_bytes", want.pool)
    if want.limit:
        near("limit_bytes", want.limit)
    assert got["gpu_index"] == 1
    if wording in {"with ranks", "vLLM worker"}:
        assert got["rank"] == 3
    if wording == "2.5 in a container":
        assert got["self_pid"] == 991
    if want.others and wording.startswith("2."):
        pids = [p["pid"] for p in got["foreign_processes"]]  # type: ignore[attr-defined]
        assert sorted(pids) == [pid for pid, _ in want.others]
