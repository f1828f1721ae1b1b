"""The package as people get it: built, installed elsewhere, run from another directory."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_wheel_carries_its_content_and_runs_from_anywhere(tmp_path: Path) -> None:
    def call(*args: object, cwd: Path = tmp_path) -> str:
        return subprocess.run([str(a) for a in args], capture_output=True, text=True, check=True, cwd=cwd).stdout

    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    # Nothing but what it names as needed gets there: not even pip, and of that only what is run is compiled.
    venv.create(tmp_path / "venv", with_pip=False, system_site_packages=False)
    python = tmp_path / "venv" / "bin" / "python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", wheel)
    logsift = tmp_path / "venv" / "bin" / "logsift"
    assert "gpu.hardware" in call(logsift, "rules", cwd=Path("/"))
    assert call(logsift, "recipe", "torchrun").startswith("#!/bin/bash")
    run = tmp_path / "run"
    run.mkdir()
    (run / "rank0.log").write_text(
        "Traceback (most recent call last):\n  File \"/a.py\", line 1, in f\n    f()\nKeyError: 'x'\n"
    )
    assert json.loads(call(logsift, "analyze", run, "--format", "json", cwd=Path("/")))["root"] == "crash.exception"
