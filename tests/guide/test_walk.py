"""A walk through the README: what it says to type, typed in a fresh clone with an environment of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.guide_pages import ROOT, WALK
from guide.test_skill import calls

README = (ROOT / "README.md").read_text()
ELSEWHERE = {"watch": "tests/live", "mcp": "tests/agents", "check": "tests/authoring", "docs": "tests/authoring"}
"""Commands that are walked by tests of their own, because they wait for somebody, or take long."""


def test_every_command_of_the_readme_is_walked() -> None:
    of_readme = {call.split()[1] for call in calls(README.partition("## Changes")[0]) if len(call.split()) > 1}
    commands = {word for word in of_readme if re.fullmatch("[a-z]+", word)} - ELSEWHERE.keys()
    walked = {line.split()[2] for line in WALK.read_text().splitlines() if line.startswith("$ logsift ")}
    assert commands - walked - {"analyze"} == set()
    assert all((ROOT / place).is_dir() for place in ELSEWHERE.values())


@pytest.mark.slow
def test_a_fresh_clone_prints_what_was_recorded(tmp_path: Path) -> None:
    """Where it does not: python tests/builders/guide_pages.py walk."""
    clone, here = tmp_path / "clone", tmp_path / "here"
    ignored = shutil.ignore_patterns(".git", ".venv", "*cache*", "shared")
    shutil.copytree(ROOT, clone, ignore=ignored)
    here.mkdir()
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{clone}/.venv/bin:{os.environ['PATH']}"}
    env.pop("PYTHONPATH", None)

    def typed(command: str, folder: Path) -> str:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode in (0, 120, 141), (command, done.stdout)
        return "\n".join(line.rstrip() for line in done.stdout.splitlines())

    install = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[0]
    verdict = typed(install, clone)
    page = WALK.read_text()
    for run, fixture in re.findall(r"^<!-- (\S+): (\S+) -->$", page, re.MULTILINE):
        shutil.copytree(ROOT / fixture / "run", here / run)
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", page, re.MULTILINE)
    assert len(steps) > 25
    for command, recorded in steps:
        assert typed(command, here).strip() == recorded.strip(), command
    assert verdict.splitlines()[:3] == steps[0][1].splitlines()[:3]
