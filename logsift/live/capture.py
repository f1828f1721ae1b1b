"""What the training processes of this node are doing, written down so that `logsift RUN` understands it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from logsift.errors import StorageError
from logsift.live import probes
from logsift.live.processes import PROC, Process, Rank
from logsift.live.tools import Refused, Tools, no_right
from logsift.report.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

KERNEL_MINUTES = 20
"""What made a collective time out lies before its timeout, which is 10 minutes by default."""
BETWEEN_SECONDS = 4.5
"""Time between the two looks; system calls are traced in it, for longer than a call takes that is called blocked."""
OWN = "<!-- logsift report -->"
"""How a text begins that discover takes for one of logsift's own."""
_STACK_SECONDS = 15.0
_RECORD_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A rank as it was captured: where its main thread was, and whether it was elsewhere at the second look (None: unknown)."""

    rank: Rank
    frames: tuple[str, ...]
    moved: bool | None
    state: str


@dataclass(frozen=True, slots=True)
class Captured:
    """What was captured into `folder`, and what could not be had."""

    folder: Path
    host: str
    seen: tuple[Seen, ...]
    refused: tuple[Refused, ...]


@dataclass
class _Node:
    """One capture of one node."""

    folder: Path
    tools: Tools
    native: bool
    trace: bool
    began: float = field(default_factory=time.time)
    refused: list[Refused] = field(default_factory=list)
    redactor: Redactor = field(default_factory=lambda: Redactor(names=False))

    def write(self, name: str, text: str, rank: Rank | None = None) -> None:
        """Put a text into a file of the node's folder, or of a rank's in it; nothing where there is none."""
        if text:
            folder = self.folder / rank.name if rank else self.folder
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(self.redactor.text(text), encoding="utf-8")


def capture(
    out: Path,
    ranks: Sequence[Rank],
    *,
    seconds: float = 60.0,
    native: bool = False,
    trace: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Captured:
    """Capture ranks into a folder of its own below `out`, in parallel.

    Args:
        out: the run directory; several nodes may share it.
        ranks: see `processes.training`.
        seconds: what has not answered by then is left out, and named.
        native: native frames too; a process stands still for longer.
        trace: trace system calls for a few seconds.
        progress: called with a word for what is being done.

    Raises:
        StorageError: nothing can be written there.
    """
    host = socket.gethostname().partition(".")[0] or "localhost"
    stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H-%M-%SZ")
    folder = out / f"capture-{stamp}" / f"host={host}"
    try:
        # Others must not read what is in the memory of a process.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        raise StorageError(f"cannot write into {out}: {e.strerror}; -o DIR names another place") from None
    node = _Node(folder, Tools(seconds), native, trace)
    processes = [p for r in ranks for p in (r.process, *r.children)]
    say = progress or (lambda _: None)
    try:
        with ThreadPoolExecutor(min(64, len(ranks) + 4)) as pool:
            say(f"{len(ranks)} ranks and {len(processes) - len(ranks)} of their processes, on {host}")
            of_node = pool.submit(_node, node, ranks, host)
            before = {p.pid: probes.state_of(p.pid) for p in processes}
            seen = list(pool.map(lambda r: _rank(node, r), ranks))
            of_node.result()
        _let_go(before)
    except OSError as e:
        raise StorageError(f"cannot write into {folder}: {e.strerror}") from None
    captured = Captured(folder, host, tuple(seen), tuple(dict.fromkeys(node.refused)))
    (folder / "README.md").write_text(f"{OWN}\n{told(captured)}", encoding="utf-8")
    return captured


def _node(node: _Node, ranks: Sequence[Rank], host: str) -> None:
    node.write("ranks.txt", probes.rank_list(ranks, host))
    log, why = probes.kernel_log(node.tools, KERNEL_MINUTES)
    node.write("dmesg.txt", log)
    if why:
        node.refused.append(Refused("the kernel log", why, f"sudo dmesg -T > {node.folder}/dmesg.txt"))
    frozen, collected = probes.packages(ranks)
    node.write("pip-freeze.txt", frozen)
    node.write("collect_env.txt", collected)
    for name, text, why in probes.gpus(node.tools):
        node.write(name, text)
        if why:
            node.refused.append(Refused(name.removesuffix(".txt"), why))
    if any("libnccl" in m or "libtorch_cuda" in m for m in (probes.read(PROC / str(r.pid) / "maps") for r in ranks)):
        state, why = probes.ras(ranks)
        node.write("nccl-ras.txt", state)
        if why:
            node.refused.append(Refused("NCCL RAS", why, "export NCCL_RAS_ENABLE=1   # NCCL 2.24 and later, before the start"))  # fmt: skip


def _rank(node: _Node, rank: Rank) -> Seen:
    """Two looks at a rank and its processes, and what is asked once in between."""
    processes = (rank.process, *rank.children)
    record, why = probes.ask_for_flight_record(rank)
    first = _look(node, rank)
    node.write("env.txt", probes.environment(node.redactor.environment(rank.process.environment)), rank)
    node.write("proc.txt", "".join(probes.facts(p) for p in processes), rank)
    node.write("fd.txt", "".join(probes.descriptors(p) for p in processes), rank)
    node.write("sockets.txt", "".join(probes.sockets(p) for p in processes), rank)
    if not rank.process.environment and probes.state_of(rank.pid):
        node.refused.append(no_right("environment and rank", rank.process.user))
    until = time.monotonic() + min(BETWEEN_SECONDS, node.tools.left)
    if node.trace:
        _trace(node, rank)
    time.sleep(max(0.0, until - time.monotonic()))
    state = probes.state_of(rank.pid)
    second = _look(node, rank)
    if record:
        why = _copy(record, node.folder / rank.name / f"nccl_trace_rank_{rank.number}", node.began)
    if why and "libtorch_cuda" in probes.read(PROC / str(rank.pid) / "maps"):
        node.refused.append(Refused(
            "Flight Recorder dumps", why,
            "export TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/tmp/flight_   # before the start",
        ))  # fmt: skip
    own = first.get(rank.pid, ())
    moved = None if not own or rank.pid not in second else own != second[rank.pid]
    return Seen(rank, own, moved, state)


def _look(node: _Node, rank: Rank) -> dict[int, tuple[str, ...]]:
    """One look: stacks as text and as JSON, what ps lists, the kernel's stacks. Gives the main threads' frames by pid."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    processes = (rank.process, *rank.children)
    node.write(f"ps.{stamp}.txt", probes.process_list(processes), rank)
    stacks = "".join(probes.kernel_stack(p.pid) for p in processes)
    node.write(f"kernel-stack.{stamp}.txt", stacks, rank)
    if not stacks and os.geteuid():
        node.refused.append(
            Refused("kernel stacks", "only root may read them", "sudo -E env PATH=$PATH logsift capture")
        )
    extra = ["--native"] if node.native else []
    texts, documents = [], []
    for process in processes:
        if process is not rank.process and not process.is_python:
            continue
        text, document = _stack(node, process, extra)
        texts.append(text)
        documents.append(document)
    node.write(f"py-spy.{stamp}.txt", f"\n{'-' * 80}\n".join(texts), rank)
    node.write(f"py-spy.{stamp}.json", "".join(documents), rank)
    return dict(probes.own_frames("\n".join(texts)))


def _stack(node: _Node, process: Process, extra: list[str]) -> tuple[str, str]:
    """The stacks of a process as text, or why they could not be had, and as JSON."""
    command = ["py-spy", "dump", "--pid", str(process.pid), *extra]
    told = node.tools.run(command, _STACK_SECONDS)
    if told.code is None and node.tools.left:  # one that cannot be stopped can be looked at without
        told = node.tools.run(["py-spy", "dump", "--nonblocking", "--pid", str(process.pid)], _STACK_SECONDS)
    if not told.is_whole:
        why = told.why or told.error.strip().split("\n\n")[0]
        if re.search(r"[Pp]ermission [Dd]enied|EPERM", told.error):
            node.refused.append(no_right("stacks", process.user))
        elif told.why:
            command_line = (
                "pip install py-spy"
                if "not installed" in told.why
                else f"gdb -p {process.pid} -batch -ex 'thread apply all bt'"
            )
            node.refused.append(Refused(f"stacks of process {process.pid}", why, command_line))
        return f"Process {process.pid}: {' '.join(process.command)}\n{why}\n", ""
    document = node.tools.run([*command, "--json"], _STACK_SECONDS).out
    return told.out, document if probes.is_document(document) else ""


def _trace(node: _Node, rank: Rank) -> None:
    """A few seconds of the system calls of a rank and what it started."""
    path = node.folder / rank.name / "strace.txt"
    pids = [a for p in (rank.process, *rank.children) for a in ("-p", str(p.pid))]
    told = node.tools.run(
        ["strace", "-f", "-tt", "-T", "-y", "-s", "64", "-o", str(path), *pids],
        BETWEEN_SECONDS - 0.5, stop=signal.SIGINT, ends=False,
    )  # fmt: skip
    if "not installed" in told.why:
        node.refused.append(Refused("system calls", told.why, "sudo apt-get install strace   # or: dnf install strace"))
    elif re.search(r"Operation not permitted|Permission denied", told.error):
        node.refused.append(no_right("system calls", rank.process.user))
    with suppress(OSError):
        path.write_text(node.redactor.text(path.read_text(errors="replace")))


def _copy(record: Path, to: Path, since: float) -> str:
    """Copy a dump once it is written anew; says why not."""
    until = time.monotonic() + 5
    while True:
        with suppress(OSError):
            status = record.stat()
            if status.st_mtime >= since - 1 and status.st_size:
                if status.st_size > _RECORD_BYTES:
                    return "its dump is too large"
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(record, to)
                return ""
        if time.monotonic() > until:
            return "it wrote no file"
        time.sleep(0.2)


def _let_go(before: dict[int, str]) -> None:
    """Let processes go on that a tool stopped and did not get to release."""
    for pid, state in before.items():
        if state not in ("T", "t") and probes.state_of(pid) == "T":
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)


def told(captured: Captured) -> str:
    """What was captured and what was not, for people (plain text)."""
    redactor = Redactor(names=False)
    lines = [f"Captured on {captured.host}: {len(captured.seen)} training processes.", ""]
    for s in captured.seen:
        who = f"rank {s.rank.number}" if s.rank.number is not None else "rank unknown"
        moves = {True: "moved, was in", False: "twice in", None: "no stack"}[s.moved]
        where = next((f for f in s.frames if not f.startswith("<")), next(iter(s.frames), ""))
        also = f", {len(s.rank.children)} of its own" if s.rank.children else ""
        lines.append(redactor.text(f"{who:<9} pid {s.rank.pid:<8} {s.state or 'gone':<4} {moves} {where}{also}"))
    if captured.refused:
        lines += ["", "Not had:"]
        for r in captured.refused:
            lines.append(f"- {r.what}: {r.why}")
            if r.command:
                lines.append(f"    $ {r.command}")
    return "\n".join(lines) + "\n"
