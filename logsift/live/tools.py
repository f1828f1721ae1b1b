"""Programs that look at a process, run within a time limit, and what to do where one of them may not."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_GRACE_SECONDS = 2.0
"""What a program is given to let go of the process that it holds."""
_MOST_BYTES = 64 << 20
_PTRACE = 19
"""Number of CAP_SYS_PTRACE (capabilities(7))."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program printed; `code` is None where it was not there or did not end in time."""

    out: str
    error: str = ""
    code: int | None = 0
    why: str = ""

    @property
    def is_whole(self) -> bool:
        """True where it did what it was asked."""
        return self.code == 0


@dataclass(frozen=True, slots=True)
class Refused:
    """What could not be had, why, and the command that gets it."""

    what: str
    why: str
    command: str = ""


class Tools:
    """Runs programs until a common deadline."""

    def __init__(self, seconds: float) -> None:
        self._until = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._until - monotonic())

    def run(self, command: Sequence[str], seconds: float, *, stop: int = signal.SIGTERM, ends: bool = True) -> Answer:
        """Run a program to its end, or for some seconds.

        Args:
            command: the program and its arguments.
            seconds: it is stopped after so many, or at the deadline.
            stop: the signal that stops it.
            ends: False for one that is meant to be stopped: that is its success.
        """
        program = found(command[0])
        if program is None:
            return Answer("", code=None, why=f"{command[0]} is not installed")
        if self.left <= 0:
            return Answer("", code=None, why="the time was over")
        with subprocess.Popen(
            [program, *command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env={**os.environ, "LC_ALL": "C", "NO_COLOR": "1"},
        ) as process:  # fmt: skip
            try:
                out, error = process.communicate(timeout=min(seconds, self.left))
                late = False
            except subprocess.TimeoutExpired:
                out, error = _stopped(process, stop)
                late = ends
        text, told = (b[:_MOST_BYTES].decode(errors="replace") for b in (out, error))
        if late:
            return Answer(text, told, None, f"{command[0]} did not end within {seconds:.0f} s")
        return Answer(
            text, told, 0 if not ends and process.returncode in (0, -stop, 128 + stop) else process.returncode
        )


def found(program: str) -> str | None:
    """Where a program is: beside this Python, or on the path."""
    beside = Path(sys.executable).with_name(program)
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(program)


def _stopped(process: subprocess.Popen[bytes], how: int) -> tuple[bytes, bytes]:
    for number, seconds in ((how, _GRACE_SECONDS), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            return process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            continue
    return b"", b""


def no_right(what: str, user: int) -> Refused:
    """Why a process of this user may not be looked into, and the next command."""
    again = shlex.join(["logsift", *sys.argv[1:]]) if len(sys.argv) > 1 else "logsift capture"
    may = _effective() >> _PTRACE & 1
    if in_container() and not may:
        return Refused(
            what, "this container lacks CAP_SYS_PTRACE",
            "docker run --cap-add=SYS_PTRACE …   # kubernetes: kubectl debug POD -it --target=CONTAINER --profile=sysadmin --image=IMAGE; "
            f"or on the node itself: sudo -E {again}",
        )  # fmt: skip
    if user != os.geteuid() and not may:
        return Refused(what, "the process belongs to another user", f"sudo -E env PATH=$PATH {again}")
    scope = _text("/proc/sys/kernel/yama/ptrace_scope").strip()
    if scope == "3":
        return Refused(
            what, "kernel.yama.ptrace_scope is 3: nobody may, until a restart",
            "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and restart the node",
        )  # fmt: skip
    if scope in ("1", "2") and not may:
        ease = "sudo sysctl kernel.yama.ptrace_scope=0   # or: " if scope == "1" else ""
        return Refused(what, f"kernel.yama.ptrace_scope is {scope}", f"{ease}sudo -E env PATH=$PATH {again}")
    return Refused(what, "the kernel refused it", f"sudo -E env PATH=$PATH {again}")


def in_container() -> bool:
    """True where this process runs in a container."""
    signs = ("/.dockerenv", "/run/.containerenv", "/singularity")
    return "KUBERNETES_SERVICE_HOST" in os.environ or any(Path(s).exists() for s in signs)


def _effective() -> int:
    for line in _text("/proc/self/status").splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
