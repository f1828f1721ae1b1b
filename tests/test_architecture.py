"""Which room may know which: the layers that pyproject.toml names, and what no room may name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

ROOT = Path(__file__).resolve().parents[1]


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
