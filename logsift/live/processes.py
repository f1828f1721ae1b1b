"""Which processes of this machine train, which rank each is, and what belongs to it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PROC = Path("/proc")
_RANKS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"),
    ("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_RANK"),
    ("PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK"),
    ("PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
)
"""Variables with rank, world size and local rank, the nearest to the program first: a launcher has those of its own launcher."""
_SHELLS = re.compile(
    r"(?:ba|da|z|k|fi)?sh|slurmstepd|srun|mpirun|mpiexec.*|prte.*|orted|hydra_.*|tini|dumb-init|timeout|numactl"
)
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_LIBRARIES = re.compile(r"/lib(?:torch|nccl|rccl|jax|cudart|amdhip64)[^/]*\.so")
MOST = 1024
"""At most so many ranks are captured."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process as /proc shows it. `environment` is that of its start, empty where it may not be read."""

    pid: int
    parent: int
    user: int
    command: tuple[str, ...]
    environment: Mapping[str, str]

    @property
    def program(self) -> str:
        """Name of the program that it runs."""
        return Path(self.command[0]).name.lstrip("-") if self.command else ""

    @property
    def is_python(self) -> bool:
        """True where it runs Python."""
        return bool(_PYTHON.fullmatch(self.program)) or _maps(self.pid, re.compile(r"/libpython[^/]*\.so"))


@dataclass(frozen=True, slots=True)
class Rank:
    """A training process and the processes that it started. Numbers are None where nothing tells them."""

    process: Process
    number: int | None = None
    world_size: int | None = None
    local: int | None = None
    children: tuple[Process, ...] = field(default=())

    @property
    def pid(self) -> int:
        """Number of the training process."""
        return self.process.pid

    @property
    def name(self) -> str:
        """Rank and pid as a folder is named."""
        return (f"rank={self.number}." if self.number is not None else "") + f"pid={self.pid}"


def everything() -> dict[int, Process]:
    """Every process of this machine that can be seen, by pid; kernel threads are left out."""
    found = (_process(int(entry)) for entry in os.listdir(PROC) if entry.isdigit())  # noqa: PTH208 - names only
    return {p.pid: p for p in found if p and p.command}


def training(
    *, pids: Iterable[int] = (), torchrun: bool = False, job: str | None = None, pod: str | None = None
) -> list[Rank]:
    """The training processes of this machine, by rank.

    Args:
        pids: these processes, whatever they are.
        torchrun: only those that an elastic agent started.
        job: only those of this job of a scheduler.
        pod: only those of a pod, by its name or uid.

    Raises:
        UserError: there are none, or a pid is none.
    """
    seen = everything()
    children: dict[int, list[Process]] = {}
    for p in seen.values():
        children.setdefault(p.parent, []).append(p)
    named = list(pids)
    if gone := [pid for pid in named if pid not in seen]:
        raise UserError(f"no such process here: {', '.join(map(str, gone))}; ps -e lists those that there are")
    own = {os.getpid(), os.getppid()}
    heads = [_rank(seen[pid]) for pid in named] or _heads([p for p in seen.values() if p.pid not in own], seen)
    heads = [r for r in heads if _asked(r.process, torchrun, job, pod)]
    if not heads:
        raise UserError(_nothing(seen, torchrun=torchrun, job=job, pod=pod))
    found = [replace(r, children=tuple(_below(r.pid, children, {h.pid for h in heads}))) for r in heads]
    return sorted(found, key=lambda r: (r.number is None, r.number or 0, r.pid))[:MOST]


def _process(pid: int) -> Process | None:
    place = PROC / str(pid)
    try:
        told = (place / "status").read_text(errors="replace")
        command = (place / "cmdline").read_bytes()
    except OSError:
        return None
    try:
        environment = (place / "environ").read_bytes()
    except OSError:
        environment = b""
    values = dict(re.findall(r"^(PPid|Uid):\s*([0-9]+)", told, re.MULTILINE))
    entries = (e.partition("=") for e in environment.decode(errors="replace").split("\0"))
    return Process(
        pid,
        int(values.get("PPid", 0)),
        int(values.get("Uid", 0)),
        tuple(command.decode(errors="replace").rstrip("\0").split("\0")) if command else (),
        {name: value for name, is_one, value in entries if is_one},
    )


def _claim(process: Process) -> tuple[int, str] | None:
    """Place of the variable in the list, and its value."""
    for place, (variable, _, _) in enumerate(_RANKS):
        value = process.environment.get(variable, "")
        if value.isdecimal() and value.isascii():
            return place, value
    return None


def _rank(process: Process) -> Rank:
    claim = _claim(process)
    if claim is None:
        return Rank(process)
    world, local = (_number(process.environment.get(variable, "")) for variable in _RANKS[claim[0]][1:])
    return Rank(process, int(claim[1]), world, local)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() else None


def _heads(some: list[Process], seen: Mapping[int, Process]) -> list[Rank]:
    """The first process of every rank: shells before it and launchers are none, nor is what it started itself."""
    claims = {p.pid: c for p in some if (c := _claim(p)) and not _SHELLS.fullmatch(p.program)}
    python = {pid for pid in claims if seen[pid].is_python}
    if python:
        claims = {pid: c for pid, c in claims.items() if pid in python}
    nearer = set[int]()
    for pid, (place, _) in claims.items():
        nearer |= {a for a in _above(pid, seen) if a in claims and claims[a][0] > place}
    claims = {pid: c for pid, c in claims.items() if pid not in nearer}
    heads = [pid for pid, c in claims.items() if not any(claims.get(a) == c for a in _above(pid, seen))]
    if not heads:  # nobody says which rank it is: what has the libraries of the trade loaded
        loaded = {p.pid for p in some if _maps(p.pid, _LIBRARIES)}
        heads = [pid for pid in loaded if not loaded & set(_above(pid, seen))]
    return [_rank(seen[pid]) for pid in heads]


def _above(pid: int, seen: Mapping[int, Process]) -> Iterable[int]:
    passed = {pid}
    while (p := seen.get(pid)) and p.parent not in passed:
        pid = p.parent
        passed.add(pid)
        yield pid


def _below(pid: int, children: Mapping[int, list[Process]], heads: set[int]) -> Iterable[Process]:
    for child in sorted(children.get(pid, ()), key=lambda p: p.pid):
        if child.pid not in heads:
            yield child
            yield from _below(child.pid, children, heads)


def _maps(pid: int, pattern: re.Pattern[str]) -> bool:
    try:
        return bool(pattern.search((PROC / str(pid) / "maps").read_text(errors="replace")))
    except OSError:
        return False


def _asked(process: Process, torchrun: bool, job: str | None, pod: str | None) -> bool:
    env = process.environment
    if torchrun and "TORCHELASTIC_RUN_ID" not in env:
        return False
    if job and job not in (env.get("SLURM_JOB_ID"), env.get("SLURM_JOBID"), env.get("PBS_JOBID"), env.get("LSB_JOBID")):
        return False
    return not pod or pod == env.get("HOSTNAME") or pod.replace("-", "_") in _group(process.pid).replace("-", "_")


def _group(pid: int) -> str:
    try:
        return (PROC / str(pid) / "cgroup").read_text(errors="replace")
    except OSError:
        return ""


def _nothing(seen: Mapping[int, Process], *, torchrun: bool, job: str | None, pod: str | None) -> str:
    asked = " of torchrun" * torchrun + (f" of job {job}" if job else "") + (f" in pod {pod}" if pod else "")
    closed = sum(not p.environment and p.user != os.geteuid() for p in seen.values())
    told = f"no training process{asked} on this node: nothing runs with a rank in its environment"
    if pod:
        return f"{told}; from outside of the node: kubectl exec {pod} -- logsift capture"
    if closed and os.geteuid():
        return f"{told}, and {closed} processes of other users cannot be looked at; as root: sudo -E logsift capture"
    return f"{told}; --pid PID names one, --how prints the command for all nodes of a job"
