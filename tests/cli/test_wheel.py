"""The package as people get it: built, installed elsewhere, run from another directory."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def needed(package: Distribution) -> dict[str, Distribution]:
    """What a package names as needed, and what that needs, by its name."""
    found: dict[str, Distribution] = {}
    waiting = [package]
    while waiting:
        for line in waiting.pop().requires or ():
            wanted = Requirement(line)
            name = canonicalize_name(wanted.name)
            if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                found[name] = distribution(name)
                waiting.append(found[name])
    return found


def lend(package: Distribution, site: Path) -> None:
    """Make an installed package importable from another environment too."""
    for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(str(package.locate_file(top)))


@pytest.mark.slow
def test_the_wheel_carries_its_content_and_runs_from_anywhere(tmp_path: Path) -> None:
    def call(*args: object, cwd: Path = tmp_path) -> str:
        return subprocess.run([str(a) for a in args], capture_output=True, text=True, check=True, cwd=cwd).stdout

    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    # Nothing but what it names as needed gets there, from the environment of the tests: not even pip.
    venv.create(tmp_path / "venv", with_pip=False, system_site_packages=False)
    python = tmp_path / "venv" / "bin" / "python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", "--no-deps", wheel)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (installed,) = distributions(path=[str(site)])
    for package in needed(installed).values():
        lend(package, site)
    logsift = tmp_path / "venv" / "bin" / "logsift"
    assert "gpu.hardware" in call(logsift, "rules", cwd=Path("/"))
    assert call(logsift, "recipe", "torchrun").startswith("#!/bin/bash")
    run = tmp_path / "run"
    run.mkdir()
    (run / "rank0.log").write_text(
        "Traceback (most recent call last):\n  File \"/a.py\", line 1, in f\n    f()\nKeyError: 'x'\n"
    )
    assert json.loads(call(logsift, "analyze", run, "--format", "json", cwd=Path("/")))["root"] == "crash.exception"
