"""CONTRIBUTING.md is followed as written: its files are made, checked, and run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from logsift.authoring.cases import failures
from logsift.content.load import default_roots, load_catalog

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


def test_its_grammar_and_rule_are_sound_and_its_fixtures_hold(made: Path) -> None:
    said = logsift("check", made)
    assert "content is sound" in said
    assert "fixtures hold: 2" in said


def test_a_fixture_that_does_not_hold_is_told_with_the_line_of_its_case(made: Path, tmp_path: Path) -> None:
    case = shutil.copytree(made / "fixtures/lift.stopped--blocked-door", tmp_path / "case")
    (case / "case.toml").write_text((case / "case.toml").read_text().replace("floor = 4", "floor = 5"))
    (said,) = map(str, failures(case, load_catalog(*default_roots(), made)))
    assert "facts of lift.stopped are not {'floor': 5}" in said
    assert "note: {'floor': 4}" in said


def test_what_its_rule_says_is_what_a_person_reads(made: Path) -> None:
    shown = logsift("analyze", made / "fixtures/lift.stopped--blocked-door/run", "--content", made, "--format", "md")
    assert "# The lift of node-7 stopped at floor 4: door blocked" in shown
    assert "   lift release --floor 4" in shown
    assert ">       2  lift stopped at floor 4" in shown


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
