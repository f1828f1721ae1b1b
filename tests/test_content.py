"""The content as a whole: sound, documented, free of code, and each rule proved by fixtures."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from logsift import Catalog, load_catalog
from logsift.authoring.lint import check
from logsift.authoring.reference import pages_of
from logsift.content.errors import ContentErrors

ROOT = Path(__file__).resolve().parents[1]
CASES = {p.parent.name: tomllib.loads(p.read_text()) for p in (ROOT / "fixtures").glob("*/case.toml")}


def test_the_content_is_sound(catalog: Catalog) -> None:
    assert [str(e) for e in check(catalog)] == []


def test_content_holds_no_python() -> None:
    assert [p for kind in ("parsers", "rules") for p in (ROOT / kind).rglob("*.py")] == []


def test_no_window_counts_with_a_filter(catalog: Catalog) -> None:
    """DuckDB takes the square of the rows for count(*) FILTER (...) OVER; count_if(...) OVER says the same in one pass."""
    queries = {s.origin.path: s.sql for s in catalog.scripts} | {r.origin.path: r.sql for r in catalog.rules}
    slow = re.compile(r"count\(\*\)\s+FILTER\s*(\((?:[^()]|\([^()]*\))*\))\s*OVER\b", re.IGNORECASE)
    assert not [path for path, sql in queries.items() if slow.search(sql)]


def test_every_rule_fires_in_a_fixture(catalog: Catalog) -> None:
    fired = {rule for case in CASES.values() for rule in case["expect"]}
    assert sorted({r.id for r in catalog.rules if r.status == "stable" and r.severity != "info"} - fired) == []


def test_every_case_says_where_it_comes_from_and_what_is_true() -> None:
    assert [n for n, c in CASES.items() if not c.get("source") or not c.get("note")] == []
    assert [n for n, c in CASES.items() if n.startswith("healthy--") != (not c["expect"] and not c.get("root"))] == []


def test_there_are_healthy_runs() -> None:
    assert sum(name.startswith("healthy--") for name in CASES) >= 10


def test_the_generated_pages_are_fresh(catalog: Catalog) -> None:
    stale = [
        name
        for name, text in pages_of(catalog).items()
        if not (ROOT / name).exists() or (ROOT / name).read_text() != text
    ]
    assert stale == [], "run `logsift docs`"


def test_the_engine_names_no_format_and_no_failure() -> None:
    words = re.compile(r"nccl|\bxid\b|\boom\b|traceback|watchdog|megatron|slurm|strace|py.?spy", re.IGNORECASE)
    named = [
        f"{p.relative_to(ROOT)}:{n}: {line.strip()}"
        for p in (ROOT / "logsift").rglob("*.py")
        if "readers" not in p.parts
        for n, line in enumerate(p.read_text().splitlines(), 1)
        if words.search(line) and "never ends in a traceback" not in line
    ]
    assert [n for n in named if "logsift lookup xid" not in n] == []


BAD = sorted(p for p in (ROOT / "tests" / "bad_content").iterdir() if p.is_dir())


@pytest.mark.parametrize("mistake", BAD, ids=lambda p: p.name)
def test_a_mistake_is_told_with_its_place_and_a_help(mistake: Path) -> None:
    try:
        told = "\n".join(str(e) for e in check(load_catalog(mistake)))
    except ContentErrors as e:
        told = str(e)
    assert told + "\n" == (mistake / "message.txt").read_text()


NEW_FORMAT = r"""
schema = 1
title = "Lift"
[tables.lift_stop]
about = "A lift that stopped."
[tables.lift_stop.columns]
floor = { type = "int", about = "floor it stopped at" }
[[pattern]]
id = "stop"
table = "lift_stop"
needle = "lift stopped at floor"
regex = '^lift stopped at floor (?P<floor>[0-9]+)$'
sample = [{ line = "lift stopped at floor 3", row = { floor = 3 } }]
"""
NEW_RULE = """/*
title = "The lift stopped"
severity = "warning"
confidence = "definite"
status = "stable"
about = "A lift stopped between floors."
remedy = "Take the stairs."
false_positives = "Never."
*/
SELECT format('the lift of {} stopped at floor {}', host, floor) AS summary, [line_at(file_id, line_no)] AS evidence,
       [host] AS hosts, floor
FROM lift_stop
"""


def test_a_new_format_is_one_file_and_a_new_rule_another(tmp_path: Path) -> None:
    content, run = tmp_path / "content", tmp_path / "run"
    for path, text in (("parsers/lift.toml", NEW_FORMAT), ("rules/lift/stopped.sql", NEW_RULE)):
        (content / path).parent.mkdir(parents=True)
        (content / path).write_text(text)
    run.mkdir()
    (run / "node-7.log").write_text("all is well\nlift stopped at floor 4\n")
    command = [sys.executable, "-m", "logsift", "analyze", str(run), "--content", str(content), "--format", "md"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "# the lift of node-7 stopped at floor 4" in said
    assert "node-7.log:2: lift stopped at floor 4" in said
