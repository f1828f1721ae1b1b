"""strace of live processes, made at test time: the grammar is held against the tool, not against memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from logsift import analyze
from logsift.report.json import document

pytestmark = pytest.mark.slow
STRACE = shutil.which("strace")


def trace(folder: Path, program: str, *options: str, until: str = "", seconds: float = 30) -> Path:
    """A run directory with the trace of a Python program, stopped two seconds after `until` is in it, or after so long."""
    assert STRACE
    out = folder / "strace.out"
    command = [STRACE, "-f", *(options or ("-ttt", "-T")), "-o", str(out), sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        deadline = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline:
            if until and out.exists() and until in out.read_text(errors="replace"):
                time.sleep(2)
                shutil.copy(out, folder / "copy")
                break
            time.sleep(0.1)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it traces would go on without it
    run = folder / "run"
    run.mkdir()
    copied = folder / "copy"
    shutil.move(copied if copied.exists() else out, run / "strace.out")
    if not (run / "strace.out").stat().st_size:
        pytest.skip("ptrace is not allowed here")
    return run


def attached(folder: Path, program: str, *options: str, seconds: float = 4, lines: int = 0) -> Path:
    """A run directory with what strace prints to the terminal about a Python program it attaches to and leaves again.

    It stays for so many seconds, and on a busy machine until it has seen so many lines.
    """
    assert STRACE
    (run := folder / "run").mkdir()
    with (
        subprocess.Popen([sys.executable, "-c", program], cwd=folder, stdout=subprocess.DEVNULL) as traced,
        (run / "strace.log").open("w") as log,
    ):
        time.sleep(1.5)
        with subprocess.Popen([STRACE, *options, "-p", str(traced.pid)], stderr=log) as strace:
            until = time.monotonic() + 60
            time.sleep(seconds)
            while len((run / "strace.log").read_bytes().splitlines()) < lines and time.monotonic() < until:
                if strace.poll() is not None:
                    break
                time.sleep(0.1)
            strace.send_signal(signal.SIGINT)
        traced.kill()
    if "attached" not in (run / "strace.log").read_text():
        pytest.skip("ptrace is not allowed here")
    return run


def incidents(run: Path) -> dict[str, dict[str, Any]]:
    return {i["rule"]: i for i in document(analyze(run, db=None))["incidents"] if i["severity"] != "info"}


@pytest.fixture(autouse=True)
def _strace_works(tmp_path: Path) -> None:
    if not STRACE:
        pytest.skip("strace is not installed")
    if subprocess.run([STRACE, "-o", str(tmp_path / "probe"), "true"], capture_output=True, check=False).returncode:
        pytest.skip("ptrace is not allowed here")


@pytest.mark.parametrize("options", [("-ttt", "-T", "-yy"), ("-tt", "-y"), ()], ids=["-yy", "-y", "plain"])
def test_a_pipe_without_a_writer_blocks_the_open(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = incidents(
        trace(tmp_path, "import os; os.mkfifo('in.fifo'); open('in.fifo').read()", *options, until='in.fifo", O_RDONLY')
    )
    assert found["hang.blocked_syscall"]["facts"]["syscall"] == "openat"
    assert found["hang.blocked_syscall"]["facts"]["path"].endswith("in.fifo")


def test_a_segmentation_fault_names_the_process(tmp_path: Path) -> None:
    found = incidents(trace(tmp_path, "import ctypes; ctypes.string_at(0)"))
    assert set(found) == {"crash.signal"}
    assert found["crash.signal"]["facts"]["signal_name"] == "SIGSEGV"


def test_a_closed_port_is_told_with_its_number(tmp_path: Path) -> None:
    program = "import socket, time\nfor i in range(4):\n  print(socket.socket().connect_ex(('127.0.0.1', 9))); time.sleep(0.1)"
    found = incidents(trace(tmp_path, program))
    assert found["network.connect_failure"]["facts"]["port"] == 9


def test_a_program_that_ends_well_says_nothing(tmp_path: Path) -> None:
    program = "import subprocess, threading; t = threading.Thread(target=print); t.start(); t.join(); subprocess.run(['true'])"
    assert not incidents(trace(tmp_path, program))


HELD_LOCK = """
import fcntl, os, time
if not os.fork():
    fcntl.flock(f := open("m.lock", "w"), fcntl.LOCK_EX)
    time.sleep(60)
time.sleep(0.5)
fcntl.flock(g := open("m.lock", "w"), fcntl.LOCK_EX)
"""


@pytest.mark.parametrize(
    "options",
    [
        ("-r",),
        ("-i", "-n", "-t"),
        ("-C", "-w", "-tt"),
        ("-Y", "-ttt", "-T"),
        ("-k", "-tt", "-e", "trace=openat,flock,clone,fork"),
    ],
    ids=" ".join,
)
def test_a_lock_is_told_with_its_holder_whatever_the_options(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = incidents(trace(tmp_path, HELD_LOCK, *options, seconds=4))
    facts = found["hang.blocked_syscall"]["facts"]
    assert (facts["syscall"], facts["path"], facts["waits_on"]) == ("flock", "m.lock", "lock")
    assert facts["holder_pid"] not in {None, facts["pid"]}


def test_a_writer_whose_reader_is_gone_is_blocked(tmp_path: Path) -> None:
    found = incidents(attached(tmp_path, "import os\nr, w = os.pipe()\nwhile True: os.write(w, b'x' * 65536)", "-f"))
    assert found["hang.blocked_syscall"]["facts"]["waits_on"] == "reader"


def test_a_busy_program_is_always_in_the_middle_of_something(tmp_path: Path) -> None:
    # On a disk a call may wait, and of one that strace saw alone nobody knows how long it took.
    program = "while True:\n  with open('/dev/null', 'w') as f: f.write('x')"
    assert not incidents(attached(tmp_path, program, "-f", "-tt", seconds=1, lines=200))


def test_a_spinning_main_thread_is_told_as_context(tmp_path: Path) -> None:
    run = attached(tmp_path, "import os\nwhile True: os.sched_yield()", "-f", "-tt", seconds=5)
    (told,) = document(analyze(run, db=None))["incidents"]
    assert (told["severity"], told["facts"]["syscall"]) == ("info", "sched_yield")


def test_what_the_job_prints_between_the_lines_of_strace_is_read(tmp_path: Path) -> None:
    program = "import sys, traceback\ntry: {}['rank']\nexcept KeyError: sys.stderr.write(traceback.format_exc())"
    (run := tmp_path / "run").mkdir()
    with (run / "job.log").open("w") as log:
        subprocess.run([STRACE or "", "-f", "-tt", sys.executable, "-c", program], stderr=log, check=False)
    rows = analyze(run, db=None).sql("SELECT class, message FROM exception")
    assert rows == [{"class": "KeyError", "message": "'rank'"}]
