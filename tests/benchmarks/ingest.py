"""How fast logs are read: a sparse one, a troubled one, a dense one, a storm of errors, ordinary ones with metrics, a trace of system calls.

Sparse is ordinary training output; troubled the same with a failure that was survived every 100,000 lines (what opens a
block lets 2,000 lines pass); dense has a line of interest on every line; storm has an error on every line, as many
bytes long; stamped is dense with times; ordinary has an iteration's metrics on one line in 400, as many as sparse has lines that are known, frequent on
one in 20, metrics on every line; strace has a row for every line. All but strace are measured as parsing, those from the
second dense on also or only to the verdict, database and rules included.

    python tests/benchmarks/ingest.py [--megabytes 512] [--times 3] [--keep DIR]

Prints for each: MB/s, the peak memory of the process in MiB, CPU seconds per 100 MB, and the ratio to `grep -cE` with 16
alternatives over the same file in the same run. Machines drift; the ratio is the figure to compare.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

WORDS = (
    "NCCL WARN|Traceback|out of memory|Xid|oom-kill|segfault|Watchdog caught|Connection refused|No space left|"
    "CANCELLED|Stale file handle|soft lockup|exitcode|Signal 9|blocked for more|link down"
)


def fill(path: Path, size: int, line: Callable[[int], str], head: str = "") -> None:
    """Write lines, numbered from 1, until there are `size` bytes: 4,000 at a time, behind a head."""
    with path.open("w") as f:
        f.write(head)
        numbers, written = itertools.count(1), 0
        while written < size:
            text = "".join(f"{line(n)}\n" for n in itertools.islice(numbers, 4000))
            f.write(text)
            written += len(text)


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

    def line(step: int) -> str:
        r = rng.randrange(8)
        if survived_every and step % survived_every == 0:
            return survived.format(step=step)
        if rng.random() < 0.0025:
            return rng.choice(known).format(r=r, step=step)
        if rng.random() < 0.5:
            return f"[2026-03-04 09:12:{step % 60:02d},{rng.randrange(1000):03d}] [INFO] [data.py:{rng.randrange(900)}:fetch] worker {r} read shard {rng.randrange(99999):05d}.bin in {rng.random():.4f} s, {rng.randrange(10**6)} samples"
        return f"node{r:02d} | tokens {rng.randrange(10**9):,} | lr {rng.random():.3e} | mem {rng.random() * 80:.1f} | queue {rng.random() * 9:.2f} | elapsed {step}s | eta {rng.randrange(99)}h"

    fill(path, size, line)


def ordinary(path: Path, size: int) -> None:
    """Megatron-LM: one line in 400 has an iteration's metrics."""
    metrics(path, size, every=400)


def frequent(path: Path, size: int) -> None:
    """Megatron-LM: one line in 20 has an iteration's metrics."""
    metrics(path, size, every=20)


def metrics(path: Path, size: int, seed: int = 0, every: int = 1) -> None:
    """Megatron-LM at log interval 1; with `every` above 1, other output between the iterations."""
    rng = random.Random(seed)

    def other() -> str:
        r, kind = rng.randrange(8), rng.random()
        if kind < 0.6:
            return f"[2026-03-04 09:12:{rng.randrange(60):02d},{rng.randrange(1000):03d}] [INFO] [data.py:{rng.randrange(900)}:fetch] worker {r} read shard {rng.randrange(99999):05d}.bin in {rng.random():.4f} s, {rng.randrange(10**6)} samples"
        if kind < 0.9:
            return f"(min, max) time across ranks (ms): forward-backward ....: ({rng.random() * 900:.2f}, {rng.random() * 999:.2f})"
        if kind < 0.95:
            return "/opt/venv/lib/python3.11/site-packages/torch/utils/checkpoint.py:86: UserWarning: None of the inputs have requires_grad=True"
        return f"[Rank {r}] (after {rng.randrange(9999)} iterations) memory (MB) | allocated: {rng.random() * 4e4:.2f} | max allocated: {rng.random() * 6e4:.2f} | reserved: {rng.random() * 7e4:.1f}"

    def line(n: int) -> str:
        if (n - 1) % every:
            return other()
        step = (n - 1) // every + 1
        loss = 2 + 3 / (1 + step / 50_000) + rng.gauss(0, 0.03)
        return f" [2026-03-04 09:{step // 60 % 60:02d}:{step % 60:02d}] iteration {step:8}/ 5000000 | consumed samples: {step * 256:12} | elapsed time per iteration (ms): {800 + rng.random() * 20:.1f} | throughput per GPU (TFLOP/s/GPU): {400 + rng.random():.1f} | learning rate: {1.5e-4 * (1 - step / 1e7):.6E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {0.3 + rng.random() / 10:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"

    fill(path, size, line)


def dense(path: Path, size: int, seed: int = 0) -> None:
    """NCCL_DEBUG_SUBSYS=COLL: every line is one of interest (NCCL 2.27, src/enqueue.cc)."""
    rng = random.Random(seed)

    def line(count: int) -> str:
        r = rng.randrange(8)
        return f"node{r:02d}:{4000 + r}:{5000 + r} [{r}] NCCL INFO AllReduce: opCount {count // 8:x} sendbuff 0x7f{rng.randrange(16**10):010x} recvbuff 0x7f{rng.randrange(16**10):010x} count {rng.randrange(1 << 24)} datatype 9 op 0 root 0 comm 0x55d0{r:08x} [nranks=8] stream 0x55{r:010x}"

    fill(path, size, line)


def stamped(path: Path, size: int, seed: int = 0) -> None:
    """The calls of `dense` with the time in front of each, as lnav wants a line of a log."""
    began = datetime(2026, 3, 1, 10, tzinfo=UTC)
    dense(path, size * 8 // 9, seed)
    calls = path.read_text().splitlines(keepends=True)
    path.write_text(
        "".join(
            f"{began + timedelta(seconds=n // 1000):%Y-%m-%dT%H:%M:%S}.{n % 1000:03d} {call}"
            for n, call in enumerate(calls)
        )
    )


def storm(path: Path, size: int, seed: int = 0) -> None:
    """A kernel log in which four GPUs report page faults, some 4,500 a megabyte (Xid 31, 13 and 43)."""
    rng = random.Random(seed)

    def line(count: int) -> str:
        gpu, code, r = rng.choice(("1b", "43", "52", "61")), rng.choice((31, 13, 43)), rng.randrange(8)
        return f"[{1000 + count / 500:12.6f}] NVRM: Xid (PCI:0000:{gpu}:00): {code}, pid={4000 + r}, name=python3, Ch {rng.randrange(64):08x}, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC{r} GPCCLIENT_T1_{rng.randrange(20)} faulted @ 0x7f21_{rng.getrandbits(32):08x}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"

    fill(path, size, line)


def strace(path: Path, size: int, seed: int = 0) -> None:
    """`strace -f -ttt -T -y -o` of a training process with loader threads; one call in five is interrupted."""
    rng = random.Random(seed)
    tids = [4711, *range(4720, 4743)]
    open_calls: dict[int, str] = {}
    peer = "<TCP:[10.0.0.1:4000->10.0.0.2:29500]>"

    def data() -> str:
        return (
            '"'
            + "".join(rng.choice(("\\0", "\\1", "\\377", "a", "Q", "@")) for _ in range(rng.choice((4, 16, 32))))
            + '"...'
        )

    def call() -> tuple[str, str, str]:
        fd, r = rng.randrange(3, 90), rng.random()
        shard = f"{fd}</data/shards/shard-{fd:05d}.tar>"
        if r < 0.25:
            until = f"{{tv_sec=1700000000, tv_nsec={rng.randrange(10**9)}}}"
            result = "-1 ETIMEDOUT (Connection timed out)" if rng.random() < 0.3 else "0"
            return (
                "futex",
                f"0x{rng.getrandbits(47):x}, FUTEX_WAIT_BITSET_PRIVATE, 0, {until}, FUTEX_BITSET_MATCH_ANY",
                result,
            )
        if r < 0.35:
            return "futex", f"0x{rng.getrandbits(47):x}, FUTEX_WAKE_PRIVATE, 1", "1"
        if r < 0.55:
            return "read", f"{shard}, {data()}, 65536", str(rng.randrange(65536))
        if r < 0.62:
            return "lseek", f"{shard}, {rng.getrandbits(30)}, SEEK_SET", str(rng.getrandbits(30))
        if r < 0.76:
            size = rng.getrandbits(24)
            return (
                "mmap",
                f"NULL, {size}, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0",
                f"0x{rng.getrandbits(47):x}",
            )
        if r < 0.85:
            name = f'AT_FDCWD</job>, "/usr/lib/python3/x{rng.randrange(10**6)}.py", O_RDONLY|O_CLOEXEC'
            return "openat", name, rng.choice(("-1 ENOENT (No such file or directory)", "7</usr/lib/python3/x.py>"))
        if r < 0.90:
            return "poll", f"[{{fd={fd}{peer}, events=POLLIN}}], 1, 1000", f"1 ([{{fd={fd}, revents=POLLIN}}])"
        if r < 0.95:
            return "sendto", f"{fd}{peer}, {data()}, 80, 0, NULL, 0", "80"
        return "close", shard, "0"

    at = 1700000000.0
    head = "".join(
        f"4711  {at:.6f} clone(child_stack=0x7f00, flags=CLONE_VM|CLONE_THREAD|CLONE_SIGHAND, parent_tid=[{tid}], tls=0x7f) = {tid} <0.000050>\n"
        for tid in tids[1:]
    )

    def line(_: int) -> str:
        nonlocal at
        at += rng.random() * 5e-5
        tid = rng.choice(tids)
        if tid in open_calls:
            return f"{tid}  {at:.6f} {open_calls.pop(tid)} <{rng.random() * 0.01:.6f}>"
        name, args, result = call()
        if rng.random() < 0.2:
            open_calls[tid] = f"<... {name} resumed>) = {result}"
            return f"{tid}  {at:.6f} {name}({args} <unfinished ...>"
        return f"{tid}  {at:.6f} {name}({args}) = {result} <{rng.random() * 0.001:.6f}>"

    fill(path, size, line, head)


CHILD = """
import json, re, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from logsift import analyze
from logsift.content.load import load_catalog
from logsift.ingest.discover import discover
from logsift.ingest.parse import Parser
catalog = load_catalog()
files = discover(Path(sys.argv[1]), catalog)
parser = Parser(catalog)
incidents = 0
began, cpu = time.perf_counter(), time.process_time()
with TemporaryDirectory() as parts:
    if sys.argv[2] == "verdict":
        incidents = len(analyze(Path(sys.argv[1]), catalog=catalog, db=Path(parts) / "x.duckdb").incidents)
    else:
        parser.parse(files, Path(parts))
seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
# What getrusage tells counts the process that started this one as well.
peak = int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([seconds, cpu, peak, incidents]))
"""


@dataclass(frozen=True)
class Figures:
    """What one log took: the best of some runs in seconds and CPU seconds, the peak of memory in MiB."""

    name: str
    until: str
    megabytes: float
    seconds: float
    cpu_seconds: float
    peak_mib: float
    grep_seconds: float
    incidents: int

    @property
    def speed(self) -> float:
        """MB/s."""
        return self.megabytes / self.seconds

    def __str__(self) -> str:
        found = f"   incidents {self.incidents}" if self.until == "verdict" else ""
        return (
            f"{self.speed:8.0f} MB/s   peak {self.peak_mib:6.0f} MiB   {100 * self.cpu_seconds / self.megabytes:5.2f} CPU s"
            f"   {self.grep_seconds / self.seconds:5.2f} x grep ({self.megabytes / self.grep_seconds:.0f} MB/s){found}"
        )


def measure(name: str, path: Path, until: str, times: int = 3) -> Figures:
    size = path.stat().st_size / 1e6
    root = str(Path(__file__).resolve().parents[2])
    best, used, grep = float("inf"), float("inf"), float("inf")
    memory, incidents = 0.0, 0
    for _ in range(times):
        out = subprocess.run(
            [sys.executable, "-c", CHILD, str(path), until],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": root},
        )
        seconds, cpu, mib, incidents = json.loads(out.stdout)
        best, used, memory = min(best, seconds), min(used, cpu), max(memory, mib)
        grep = min(grep, taken(["grep", "-cE", WORDS, str(path)]))
    return Figures(name, until, size, best, used, memory, grep, incidents)


def taken(command: Sequence[str]) -> float:
    """Seconds that a program takes whose output nobody wants."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env={**os.environ, "LC_ALL": "C"})
    return time.perf_counter() - began


LOGS: tuple[tuple[str, Callable[[Path, int], None], str], ...] = (
    ("sparse", sparse, "parsed"),
    ("troubled", troubled, "parsed"),
    ("dense", dense, "parsed"),
    ("stamped", stamped, "parsed"),
    ("storm", storm, "parsed"),
    ("ordinary", ordinary, "parsed"),
    ("frequent", frequent, "parsed"),
    ("metrics", metrics, "parsed"),
    ("sparse", sparse, "verdict"),
    ("dense", dense, "verdict"),
    ("storm", storm, "verdict"),
    ("ordinary", ordinary, "verdict"),
    ("frequent", frequent, "verdict"),
    ("metrics", metrics, "verdict"),
    ("strace", strace, "verdict"),
)
"""What is measured, and how far: until its rows are written, or the verdict is."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--times", type=int, default=3, help="so often is each measured; the best counts")
    parser.add_argument("--keep", type=Path, help="folder to make the logs in and leave them there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        for name, make, until in LOGS:
            path = folder / f"{name}-{given.megabytes}.log"
            if not path.exists():
                make(path, given.megabytes * 1_000_000)
            print(f"{name:8} {until:7} {given.megabytes} MB {measure(name, path, until, given.times)}", flush=True)


if __name__ == "__main__":
    main()
