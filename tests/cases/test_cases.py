"""Every directory under fixtures/ is a run with a known cause; the whole pipeline must agree with its case.toml."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from logsift import analyze
from logsift.report.json import document

ROOT = Path(__file__).resolve().parents[2]
ODD = re.compile(r"\{\{|\bNone\b(?! of)|  |(?<!\.)\.\.(?!\.)| [,;.](?: |$)|\bstands? in\b")
"""A hole, marks that are doubled or stand alone, words that nobody says."""
CASES = sorted(p.parent for p in (ROOT / "fixtures").glob("*/case.toml"))


def unreadable(incident: dict[str, Any]) -> list[str]:
    """What a person could not read or use of the words of an incident."""
    texts = [incident["summary"], *(s["text"] for s in incident["steps"])]
    commands = [c for s in incident["steps"] for c in s["commands"]]
    odd = [t for t in texts if not t or ODD.search(t)]
    odd += [s["text"] for s in incident["steps"] if not s["text"].endswith((".", ":", "?"))]
    odd += [c for c in commands if "{{" in c or re.search(r"\bNone\b", c)]
    return odd if incident["steps"] else [*odd, "nothing to do next"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Path, tmp_path: Path) -> None:
    want = tomllib.loads((case / "case.toml").read_text())
    run = shutil.copytree(case / "run", tmp_path / "run", ignore=shutil.ignore_patterns("logsift.duckdb"))
    report = document(analyze(run))
    loud: dict[str, dict[str, Any]] = {i["rule"]: i for i in reversed(report["incidents"]) if i["severity"] != "info"}
    assert set(want["expect"]) <= set(loud), "an incident was missed"
    assert not set(loud) & set(want.get("forbid", [])), "an incident is wrong"
    if not want["expect"]:
        assert not loud, "a healthy run must stay silent"
    assert report["root"] == (want.get("root") or None), "another root"
    for rule, facts in want.get("facts", {}).items():
        of_rule = [i | i["facts"] for i in report["incidents"] if i["rule"] == rule]
        assert any({k: i.get(k) for k in facts} == facts for i in of_rule), f"facts of {rule}: {of_rule}"
    assert all(i["evidence"] for i in loud.values()), "an incident without evidence"
    for i in loud.values():
        assert unreadable(i) == [], i["rule"]
