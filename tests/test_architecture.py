"""Which room may know which: the layers that pyproject.toml names, and what no room may name."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

ROOT = Path(__file__).resolve().parents[1]
TOP = {"pyproject.toml", "logsift", "parsers", "rules", "tests", "fixtures", "README.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"}  # fmt: skip
LARGE: dict[str, str] = {}
"""Tracked files of more than a megabyte -> why they are."""


def tracked() -> list[Path]:
    """What git would hold of a commit of everything: what is in the tree and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("no checkout of git")
    return [path for name in listed.stdout.split(b"\0") if name and (path := ROOT / name.decode()).is_file()]


def test_arrows_point_down_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    configure()
    assert lint_imports(config_filename="pyproject.toml", cache_dir=None)


def test_no_file_of_the_engine_outgrows_two_screens_of_a_room() -> None:
    long = {p.name: n for p in (ROOT / "logsift").rglob("*.py") if (n := len(p.read_text().splitlines())) > 600}
    assert long == {}


def test_the_engine_names_no_format_and_no_failure() -> None:
    words = re.compile(r"nccl|\bxid\b|\boom\b|traceback|watchdog|megatron|slurm|strace|py.?spy", re.IGNORECASE)
    named = [
        f"{p.relative_to(ROOT)}:{n}: {line.strip()}"
        for p in (ROOT / "logsift").rglob("*.py")
        if not {"readers", "live"} & {*p.parts, p.stem}  # these speak with formats, and with programs, by their names
        for n, line in enumerate(p.read_text().splitlines(), 1)
        if words.search(line) and "example" not in line.lower() and "logsift lookup xid" not in line
    ]
    assert named == []


def test_no_regex_of_the_content_meets_an_engine_that_goes_back() -> None:
    """`logsift check` proves that the other engine takes it, whose time is linear in the text; samples are no texts of others."""
    written = {"regex", "head", "unless", "envelope"}
    gone_back = [
        f"{p.relative_to(ROOT)}:{call.lineno}"
        for p in (ROOT / "logsift").rglob("*.py")
        if "authoring" not in p.parts and p.name != "load.py"
        for call in ast.walk(ast.parse(p.read_text()))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).startswith(("re.", "regex."))
        and not ast.unparse(call.func).endswith((".sub", ".escape"))
        and any(isinstance(a, ast.Attribute) and a.attr in written for arg in call.args for a in ast.walk(arg))
    ]
    assert gone_back == []


def test_nothing_slips_into_the_top_of_the_tree() -> None:
    """Folders and files of its top level are these, and dot files: what a command leaves there by mistake is none of them."""
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in top if not name.startswith(".")} == TOP


def test_no_file_of_the_tree_is_large() -> None:
    large = {path.relative_to(ROOT).as_posix() for path in tracked() if path.stat().st_size > 1_000_000}
    assert large == LARGE.keys()
