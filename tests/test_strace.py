"""strace of live processes, made at test time: the grammar is held against the tool, not against memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from logsift import analyze
from logsift.report.json import document

pytestmark = pytest.mark.slow
STRACE = shutil.which("strace")


def trace(folder: Path, program: str, *options: str, until: str = "") -> Path:
    """A run directory with the trace of a Python program, stopped two seconds after `until` stands in it."""
    assert STRACE
    out = folder / "strace.out"
    command = [STRACE, "-f", "-ttt", "-T", *options, "-o", str(out), sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            if until and out.exists() and until in out.read_text(errors="replace"):
                time.sleep(2)
                shutil.copy(out, folder / "copy")
                process.kill()
                break
            time.sleep(0.1)
        else:
            process.kill()
    run = folder / "run"
    run.mkdir()
    copied = folder / "copy"
    shutil.move(copied if copied.exists() else out, run / "strace.out")
    if not (run / "strace.out").stat().st_size:
        pytest.skip("ptrace is not allowed here")
    return run


def incidents(run: Path) -> dict[str, dict[str, Any]]:
    return {i["rule"]: i for i in document(analyze(run))["incidents"] if i["severity"] != "info"}


@pytest.fixture(autouse=True)
def _strace_works(tmp_path: Path) -> None:
    if not STRACE:
        pytest.skip("strace is not installed")
    if subprocess.run([STRACE, "-o", str(tmp_path / "probe"), "true"], capture_output=True, check=False).returncode:
        pytest.skip("ptrace is not allowed here")


@pytest.mark.parametrize("options", [("-yy",), ("-y",), ()], ids=["-yy", "-y", "plain"])
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
