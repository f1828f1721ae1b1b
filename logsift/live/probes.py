"""What is asked of a node and of a process, each as text that a grammar or a reader knows."""

from __future__ import annotations

import json
import os
import platform
import re
import socket
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.live.processes import PROC, Process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from logsift.live.processes import Rank
    from logsift.live.tools import Tools

_RAS_PORT, _RAS_SECONDS = 28028, 5.0
_KERNEL_LOG_BYTES = 2 << 20
_DESCRIPTORS = 4096
_LIMITS = re.compile(r"Max (?:open files|processes|locked memory|core file size|address space|stack size|file size) ")
_SOCKET_STATES = {
    "01": "ESTAB", "02": "SYN-SENT", "03": "SYN-RECV", "04": "FIN-WAIT-1", "05": "FIN-WAIT-2", "06": "TIME-WAIT",
    "07": "CLOSED", "08": "CLOSE-WAIT", "09": "LAST-ACK", "0A": "LISTEN", "0B": "CLOSING",
}  # fmt: skip


def read(place: Path) -> str:
    """A small file of the kernel's, empty where it may not be read."""
    try:
        return place.read_text(errors="replace")
    except OSError:
        return ""


def process_list(processes: Iterable[Process]) -> str:
    """Processes as `ps -o pid,stat,wchan:32,args` lists them."""
    rows = ["    PID STAT WCHAN                            COMMAND"]
    for p in processes:
        if state := state_of(p.pid):
            waits = read(PROC / str(p.pid) / "wchan").strip()
            rows.append(f"{p.pid:>7} {state:<4} {waits if waits not in ('', '0') else '-':<32} {' '.join(p.command)}")
    return "\n".join(rows) + "\n"


def state_of(pid: int) -> str:
    """State letter of a process, empty where it is gone."""
    return read(PROC / str(pid) / "stat").rpartition(") ")[2][:1]


def threads_in_the_kernel(pid: int) -> list[int]:
    """The process, and those of its threads that wait in the kernel without an end to it."""
    with suppress(OSError):
        tasks = sorted(int(t.name) for t in (PROC / str(pid) / "task").iterdir())
        return [pid, *(t for t in tasks if t != pid and state_of(t) == "D")]
    return []


def kernel_stack(pid: int) -> str:
    """The kernel's own stacks of a process, as `head /proc/PID/stack` prints them; empty where only root may read them."""
    stacks = ((t, read(PROC / str(t) / "stack")) for t in threads_in_the_kernel(pid))
    return "".join(f"==> /proc/{t}/stack <==\n{text}\n" for t, text in stacks if text)


def facts(process: Process) -> str:
    """What /proc says of a process: its status, limits, work on disks, control group, and every thread's state."""
    place = PROC / str(process.pid)
    parts = [f"==> {place}/{name} <==\n{read(place / name)}" for name in ("status", "io", "cgroup", "syscall")]
    limits = [line for line in read(place / "limits").splitlines() if _LIMITS.match(line)]
    parts.append("\n".join([f"==> {place}/limits <==", *limits]))
    rows = []
    with suppress(OSError):
        for task in sorted((place / "task").iterdir(), key=lambda t: int(t.name)):
            waits = read(task / "wchan").strip()
            rows.append(f"{task.name:>8} {state_of(int(task.name)):<2} {waits:<32} {read(task / 'comm').strip()}")
    return "\n".join([*parts, f"==> {place}/task <==", *rows]) + "\n"


def descriptors(process: Process) -> str:
    """What a process has open, as `ls -l /proc/PID/fd` lists it."""
    folder = PROC / str(process.pid) / "fd"
    rows = [f"{folder}:"]
    with suppress(OSError):
        for entry in sorted(folder.iterdir(), key=lambda e: int(e.name))[:_DESCRIPTORS]:
            with suppress(OSError):
                status = entry.lstat()
                date = datetime.fromtimestamp(status.st_mtime, UTC).strftime("%b %e %H:%M")
                mode = stat.filemode(status.st_mode)
                rows.append(f"{mode} 1 {status.st_uid} {status.st_gid} 64 {date} {entry.name} -> {entry.readlink()}")
    return "\n".join(rows) + "\n"


def sockets(process: Process) -> str:
    """The TCP connections of a process: descriptor, state, both ends, bytes that wait to be sent and to be read."""
    held = {}
    with suppress(OSError):
        for entry in (PROC / str(process.pid) / "fd").iterdir():
            with suppress(OSError):
                if inode := re.fullmatch(r"socket:\[([0-9]+)\]", str(entry.readlink())):
                    held[inode[1]] = entry.name
    rows = []
    for name in ("tcp", "tcp6"):
        for line in read(PROC / str(process.pid) / "net" / name).splitlines()[1:]:
            cells = line.split()
            if len(cells) > 9 and cells[9] in held:
                unsent, _, unread = cells[4].partition(":")
                state = _SOCKET_STATES.get(cells[3], cells[3])
                rows.append(
                    f"{held[cells[9]]:>5} {name:<5} {state:<11} {_end(cells[1])} -> {_end(cells[2])}"
                    f" unsent {int(unsent, 16)} unread {int(unread, 16)}"
                )
    return "   fd kind  state       ends\n" + "\n".join(sorted(rows)) + "\n"


def _end(text: str) -> str:
    """Address and port as the kernel writes them: 32-bit words in the order of its bytes."""
    address, _, port = text.partition(":")
    packed = b"".join(bytes.fromhex(address[i : i + 8])[::-1] for i in range(0, len(address), 8))
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return f"{socket.inet_ntop(family, packed)}:{int(port, 16)}"


def environment(variables: Mapping[str, str]) -> str:
    """Variables that a process was started with, one a line."""
    flat = ((name, value.replace("\n", "\\n")) for name, value in sorted(variables.items()))
    return "".join(f"{name}={value}\n" for name, value in flat)


def rank_list(ranks: Iterable[Rank], host: str) -> str:
    """Which process is which rank, a line each."""
    rows = []
    for r in ranks:
        of = f"/{r.world_size}" if r.world_size is not None else ""
        local = f" local rank {r.local}," if r.local is not None else ""
        if r.number is not None:
            rows.append(f"rank {r.number}{of},{local} pid {r.pid}, host {host}")
    return "\n".join(rows) + "\n" if rows else ""


def kernel_log(tools: Tools, minutes: int) -> tuple[str, str]:
    """The kernel's log of the last minutes, and why it could not be read."""
    told = tools.run(["dmesg", "--time-format", "iso", "--since", f"{minutes} minutes ago"], 10)
    if not told.is_whole and "--since" in told.error:  # util-linux before 2.37
        told = tools.run(["dmesg", "-T"], 10)
    if not told.is_whole:
        log = tools.run(["journalctl", "-k", "-o", "short-iso-precise", "--since", f"-{minutes}min", "--no-pager"], 10)
        if log.is_whole and log.out.strip() and not log.out.startswith("-- No entries"):
            told = log
    why = "" if told.is_whole else told.why or (told.error.strip().splitlines() or ["it cannot be read"])[-1]
    return told.out[-_KERNEL_LOG_BYTES:], why


def packages(ranks: Iterable[Rank]) -> tuple[str, str]:
    """Packages and versions as `pip freeze` prints them, and facts as torch's collect_env prints them.

    Read from the folders that the processes have loaded libraries of: nothing is run, and containers are seen through.
    """
    folders = set[Path]()
    for r in ranks:
        loaded = re.findall(r" (/.*?/(?:site|dist)-packages)/", read(PROC / str(r.pid) / "maps"))
        started = [p for p in r.process.environment.get("PYTHONPATH", "").split(":") if p.endswith("-packages")]
        folders |= {Path(f"{PROC}/{r.pid}/root{folder}") for folder in (*loaded, *started)}
    versions, built = dict[str, str](), ""
    for folder in sorted(folders):
        for info in folder.glob("*.dist-info"):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            if name:
                versions.setdefault(name, version)
        built = built or next(
            iter(re.findall(r"^cuda\b[^=]*= '([0-9.]+)'", read(folder / "torch" / "version.py"), re.MULTILINE)), ""
        )
    frozen = "".join(f"{name}=={version}\n" for name, version in sorted(versions.items(), key=lambda v: v[0].lower()))
    system = dict(re.findall(r'^(PRETTY_NAME)="?([^"\n]*)', read(Path("/etc/os-release")), re.MULTILINE))
    driver = re.search(r"Kernel Module[^\n]*?  ([0-9.]+)  ", read(Path("/proc/driver/nvidia/version")))
    lines = {
        "PyTorch version": versions.get("torch", ""),
        "CUDA used to build PyTorch": built,
        "OS": f"{system.get('PRETTY_NAME', platform.system())} ({platform.machine()}), kernel {platform.release()}",
        "Nvidia driver version": driver[1] if driver else "",
    }
    return frozen, "".join(f"{name}: {value}\n" for name, value in lines.items() if value)


def ras(ranks: Iterable[Rank]) -> tuple[str, str]:
    """What the client port of NCCL's RAS subsystem says of the job (text), and why it does not.

    The protocol is that of `ncclras` (nccl src/ras/client.cc): a greeting, a timeout, the request.
    """
    address = next((a for r in ranks if (a := r.process.environment.get("NCCL_RAS_ADDR"))), "")
    host, _, port = address.rpartition(":")
    try:
        with (
            socket.create_connection(
                (host.strip("[]") or "localhost", int(port) if port.isdigit() else _RAS_PORT), timeout=1
            ) as link,
            link.makefile("rw", encoding="utf-8", errors="replace") as stream,
        ):
            link.settimeout(_RAS_SECONDS + 2)
            _say(stream, "CLIENT PROTOCOL 2")
            if not stream.readline().startswith("SERVER PROTOCOL"):
                return "", "something else answers on its port"
            _say(stream, f"TIMEOUT {int(_RAS_SECONDS)}")
            stream.readline()
            _say(stream, "VERBOSE STATUS")
            return stream.read(), ""
    except (OSError, ValueError) as e:
        return "", f"nothing answers on its port: {e}"


def _say(stream: object, line: str) -> None:
    stream.write(line + "\n")  # type: ignore[attr-defined]
    stream.flush()  # type: ignore[attr-defined]


def ask_for_flight_record(rank: Rank) -> tuple[Path | None, str]:
    """Ask a rank to dump its Flight Recorder through its pipe; gives the file it writes, and why not.

    After ProcessGroupNCCL's DumpPipe: any byte in STEM + RANK + ".pipe" is a request.
    """
    env = rank.process.environment
    root = PROC / str(rank.pid) / "root"
    stem = env.get("TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "")
    if not stem or rank.number is None:
        return None, "it has no pipe"
    if env.get("TORCH_FR_BUFFER_SIZE", env.get("TORCH_NCCL_TRACE_BUFFER_SIZE", "")) == "0":
        return None, "its buffer is set to 0"
    try:
        pipe = os.open(Path(f"{root}{stem}{rank.number}.pipe"), os.O_WRONLY | os.O_NONBLOCK)
    except OSError as e:
        return None, f"nobody reads its pipe: {e.strerror}"
    try:
        os.write(pipe, b"1\n")
    except OSError as e:
        return None, f"its pipe is full: {e.strerror}"
    finally:
        os.close(pipe)
    named = env.get("TORCH_FR_DUMP_TEMP_FILE") or env.get("TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
    if named:
        return Path(f"{root}{named}{rank.number}"), ""
    home = env.get("HOME", "/root")
    likely = [
        f"{home}/.cache/torch/comm_lib_trace_rank_",
        f"{home}/.cache/torch/nccl_trace_rank_",
        "/tmp/nccl_trace_rank_",
    ]
    since = time.time() - 1
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for name in likely:
            path = Path(f"{root}{name}{rank.number}")
            with suppress(OSError):
                if path.stat().st_mtime >= since:
                    return path, ""
        time.sleep(0.2)
    return None, "it wrote no file"


def gpus(tools: Tools) -> Iterator[tuple[str, str, str]]:
    """(file, text, why not) of what the GPUs' own tools say; nothing on a node without a GPU."""
    if not Path("/proc/driver/nvidia").exists() and not Path("/dev/nvidiactl").exists():
        return
    for name, command, seconds in (
        ("nvidia-smi-q.txt", ["nvidia-smi", "-q"], 30),
        ("nvidia-smi.txt", ["nvidia-smi"], 20),
        ("nvidia-smi-nvlink.txt", ["nvidia-smi", "nvlink", "-e"], 20),
        ("dcgm-health.txt", ["dcgmi", "health", "-c"], 20),
    ):
        told = tools.run(command, seconds)
        if "not installed" in told.why and command[0] != "nvidia-smi":
            continue
        yield name, told.out + told.error, "" if told.is_whole else told.why or f"{command[0]} ended with {told.code}"


def own_frames(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """(pid, the frames of its main thread, innermost first) of every process in a dump as text."""
    out, frames, pid, inside = list[tuple[int, tuple[str, ...]]](), list[str](), 0, False

    def end() -> None:
        if pid and frames:
            out.append((pid, tuple(frames)))

    for line in text.splitlines():
        if head := re.match(r"Process ([0-9]+): ", line):
            end()
            pid, frames, inside = int(head[1]), [], False
        elif line.startswith("Thread "):
            inside = '"MainThread"' in line
        elif inside and line.startswith("    "):
            frames.append(line.strip())
    end()
    return out


def is_document(text: str) -> bool:
    """True where a text is a whole JSON document."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
