"""CONTRIBUTING.md is followed as written: its files are made, checked, and run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("content")
    for path, text in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def logsift(*args: object) -> str:
    command = [sys.executable, "-m", "logsift", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_its_grammar_and_rule_are_sound(made: Path) -> None:
    assert "content is sound" in logsift("check", made)


@pytest.mark.parametrize("name", sorted({Path(path).parts[1] for path, _ in FILES if path.startswith("fixtures")}))
def test_its_fixtures_hold(made: Path, name: str) -> None:
    case = tomllib.loads((made / "fixtures" / name / "case.toml").read_text())
    said = json.loads(logsift("analyze", made / "fixtures" / name / "run", "--content", made, "--format", "json"))
    assert said["root"] == case.get("root")
    assert {i["rule"] for i in said["incidents"] if i["severity"] != "info"} == set(case["expect"])


def test_what_its_rule_says_is_what_a_person_reads(made: Path) -> None:
    shown = logsift("analyze", made / "fixtures/lift.stopped--blocked-door/run", "--content", made, "--format", "md")
    assert "# The lift of node-7 stopped at floor 4: door blocked" in shown
    assert "   lift release --floor 4" in shown
    assert "node-7.log:2: lift stopped at floor 4" in shown


def test_metrics_of_a_format_of_ones_own_are_curves(made: Path) -> None:
    run = made / "fixtures/healthy--lift-rides/run"
    rows = logsift(
        "sql", run, "SELECT name, step, value FROM metric ORDER BY ALL", "--content", made, "--format", "csv"
    )
    assert rows.splitlines()[1:] == ["grad norm,899.0,0.4", "grad norm,900.0,0.4", "loss,899.0,1.5", "loss,900.0,1.5"]


def test_its_table_of_places_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(r"`((?:logsift|parsers|rules|tests)/[\w/]+\.(?:py|toml|md|txt))`", text)
    assert [path for path in named if path != "parsers/lift.toml" and not (ROOT / path).exists()] == []
