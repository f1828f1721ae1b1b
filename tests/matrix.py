"""The tests with every Python that is here, the oldest and newest dependencies, and without hyperscan.

    python tests/matrix.py [-k 3.12] [tests/ingest …]

Each combination has an environment of its own in a temporary folder. Pythons that are not there are told and left out.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
WAYS = ("newest", "oldest", "without hyperscan")
TESTS = ("tests/ingest", "tests/store", "tests/cli", "tests/cases")


def oldest() -> list[str]:
    """The oldest version that pyproject.toml allows of each dependency."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return [re.sub(r">=\s*", "==", need, count=1) for need in needs]


def tried(python: str, way: str, tests: list[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        env = Path(folder) / "env"
        subprocess.run([python, "-m", "venv", env], check=True)
        pip = [env / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        steps: list[list[object]] = [[*pip, "-e", f"{ROOT}[dev]", *(oldest() if way == "oldest" else ())]]
        if way == "without hyperscan":
            steps.append([env / "bin/python", "-m", "pip", "uninstall", "-q", "-y", "hyperscan"])
        steps.append([env / "bin/python", "-m", "pytest", "-q", "-m", "not slow", *tests])
        for step in steps:
            done = subprocess.run([str(s) for s in step], cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                print(done.stdout[-3000:], done.stderr[-1500:], sep="\n")
                return f"failed: {' '.join(str(s) for s in step[1:5])}"
        return done.stdout.strip().splitlines()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", help="only combinations whose name holds this, for example 3.12 or oldest")
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    failed = False
    for version in PYTHONS:
        python = shutil.which(f"python{version}")
        there = python and not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
        for way in WAYS:
            name = f"Python {version}, {way}"
            if given.k in name:
                told = tried(python, way, list(given.tests)) if python and there else "not here"
                failed |= told.startswith("failed")
                print(f"{name:32} {told}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
