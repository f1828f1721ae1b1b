"""What is said where a debugger was refused: the next command, and nothing where somebody got in."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsift import analyze

NOT_ROOT = "Permission Denied: Try running again with elevated permissions by going 'sudo env \"PATH=$PATH\" !!'\n"
ROOT_WITHOUT_CAPABILITY = (
    "Error: Failed to get process executable name. Check that the process is running.\n\nCaused by:\n"
    "    0: Permission denied (os error 13)\n    1: Permission denied (os error 13)\n"
)
TRACED = (
    "Process 4711: python train.py\nPython v3.11.9 (/usr/bin/python3.11)\n\nError: Failed to get stack traces\n\nCaused by:\n"
    "    0: Failed to suspend process\n    1: EPERM: Operation not permitted\n"
)
STRACE = "strace: attach: ptrace(PTRACE_SEIZE, 4711): Operation not permitted\n"
DUMP = 'Process 4711: python train.py\nPython v3.11.9 (/usr/bin/python3.11)\n\nThread 4711 (active): "MainThread"\n    step (train.py:3)\n'


def wanted(run: Path, **logs: str) -> list[str]:
    run.mkdir()
    for name, text in logs.items():
        (run / f"{name}_4711.txt").write_text(text)
    return [f"{m.what}: {m.how}" for m in analyze(run, db=None).coverage.missing]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (NOT_ROOT, 'sudo env "PATH=$PATH" py-spy dump --pid 4711'),
        (ROOT_WITHOUT_CAPABILITY, "--cap-add SYS_PTRACE"),
        (TRACED, "py-spy dump --nonblocking --pid 4711"),
        (STRACE, "sudo strace -f -ttt -T -yy -p 4711"),
    ],
    ids=["not root", "root without the capability", "traced by another", "strace"],
)
def test_a_refused_attach_tells_the_next_command(tmp_path: Path, text: str, command: str) -> None:
    (said,) = wanted(tmp_path / "run", pyspy=text)
    assert "4711" in said
    assert command in said


def test_where_a_later_dump_succeeded_nothing_is_missing(tmp_path: Path) -> None:
    assert wanted(tmp_path / "run", pyspy=NOT_ROOT, stack=DUMP) == []


def test_errors_of_other_programs_are_no_refusals(tmp_path: Path) -> None:
    assert (
        wanted(tmp_path / "run", build="error: Permission denied (os error 13)\n    Permission denied (os error 13)\n")
        == []
    )
