"""The tests with every Python, the oldest and newest dependencies, and without hyperscan. Needs uv: pip install -e '.[supply]'.

    python tests/matrix.py [-k 3.12] [tests/ingest …]

Each combination has an environment of its own in a temporary folder. uv fetches Pythons that are not here; one that cannot
be had is told and left out, and so is one for which the oldest dependencies were never built.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
WAYS = ("newest", "oldest", "without hyperscan")
TESTS = ("tests/ingest", "tests/store", "tests/cli", "tests/cases")


def ran(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True, check=False)


def tried(version: str, way: str, tests: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        env, pins = Path(folder) / "env", Path(folder) / "pins.txt"
        uv = (sys.executable, "-m", "uv")
        if (made := ran(*uv, "venv", "--quiet", "--python", version, env)).returncode:
            return f"not here: {(made.stderr.strip().splitlines() or ['no uv'])[-1].strip()}"
        pip = (*uv, "pip", "install", "--quiet", "--python", env)
        steps: list[tuple[object, ...]] = []
        if way == "oldest":
            resolved = (
                "--no-deps",
                "--resolution",
                "lowest-direct",
                "--python-version",
                version,
                "--only-binary",
                ":all:",
            )
            oldest = ran(*uv, "pip", "compile", "--quiet", *resolved, "pyproject.toml", "-o", pins)
            if oldest.returncode:
                return "no such packages: the oldest of some were never built for it"
            steps.append((*pip, "-e", ".[dev]", "--constraint", pins))
        else:
            steps.append((*pip, "-e", ".[dev]", "--upgrade"))
        if way == "without hyperscan":
            steps.append((*uv, "pip", "uninstall", "--quiet", "--python", env, "hyperscan"))
        steps.append((env / "bin/python", "-m", "pytest", "-q", "-m", "not slow", *tests))
        for step in steps:
            done = ran(*step)
            if done.returncode:
                print(done.stdout[-3000:], done.stderr[-1500:], sep="\n")
                return f"failed: {' '.join(str(s) for s in step[1:6])}"
        return done.stdout.strip().splitlines()[-1].strip("= ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", default="", help="only combinations whose name holds this, for example 3.12 or oldest")
    parser.add_argument("tests", nargs="*", default=TESTS, help=f"default: {' '.join(TESTS)}")
    given = parser.parse_args()
    failed = False
    for version in PYTHONS:
        for way in WAYS:
            name = f"Python {version}, {way}"
            if given.k in name:
                told = tried(version, way, given.tests)
                failed |= told.startswith("failed")
                print(f"{name:32} {told}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
