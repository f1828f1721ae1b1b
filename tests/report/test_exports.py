"""What other programs open: a trace, a flame graph, a format, each in the shape that its program asks for."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from builders.flight_recorder import Job
from click.testing import CliRunner

from logsift import Analysis, Catalog, analyze
from logsift.cli import main
from logsift.errors import UserError
from logsift.report.exports import lnav, perfetto, speedscope

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": TEXT,
        "exporter": TEXT,
        "activeProfileIndex": NUMBER,
        "shared": {
            "required": ["frames"],
            "properties": {"frames": {"type": "array", "items": {"required": ["name"], "properties": {"name": TEXT}}}},
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "properties": {
                    "type": {"const": "sampled"},
                    "unit": {"enum": ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"]},
                    "startValue": NUMBER,
                    "endValue": NUMBER,
                    "samples": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    },
                    "weights": {"type": "array", "items": NUMBER},
                },
                "additionalProperties": False,
                "patternProperties": {"^name$": TEXT},
            },
        },
    },
    "additionalProperties": False,
}
"""What speedscope's file-format-spec.ts asks of a file with sampled profiles."""


@pytest.fixture(scope="module")
def hung(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """Two ranks of which one does not enter the third all-reduce."""
    job = Job({"0": ("default_pg", [0, 1])})
    job.collective("0")
    job.collective("0")
    job.collective("0", ranks=[1], done=False)
    run = tmp_path_factory.mktemp("hung") / "run"
    run.mkdir()
    for rank in (0, 1):
        dump = job.dump(rank)
        for entry in dump["entries"]:
            if entry["state"] == "completed":
                entry["time_discovered_started_ns"] = entry["time_created_ns"] + 1_000_000
                entry["time_discovered_completed_ns"] = entry["time_created_ns"] + 4_000_000
        (run / f"fr_rank_{rank}.json").write_text(json.dumps(dump))
    return analyze(run, catalog=catalog)


def drawn(document: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    return [e for e in document["traceEvents"] if e["ph"] == kind]


def test_a_trace_has_operations_incidents_and_ends_on_one_clock(hung: Analysis) -> None:
    trace = perfetto(hung)
    spans = [e for e in drawn(trace, "X") if e["cat"].startswith("operation")]
    assert [(e["tid"], e["name"], e["args"]["state"]) for e in spans] == [
        (0, "all_reduce 1", "completed"), (1, "all_reduce 1", "completed"), (0, "all_reduce 2", "completed"),
        (1, "all_reduce 2", "completed"), (1, "all_reduce 3", "pending"),
    ]  # fmt: skip
    assert (spans[0]["ts"], spans[0]["dur"], spans[2]["ts"]) == (0, 3000, 1000)
    assert spans[-1]["args"]["line"].startswith("fr_rank_1.json:")
    assert trace["otherData"]["begins"].startswith("2025-10-09T08:53:20")
    # What did not end is drawn beyond the last moment that is known.
    assert spans[-1]["ts"] + spans[-1]["dur"] > max(e["ts"] + e["dur"] for e in spans[:-1])
    found = [e for e in drawn(trace, "X") if e["cat"] == "incident"]
    assert [e["name"] for e in found if e["args"]["root"]] == ["hang.missing_rank"]


def test_a_trace_is_in_the_shape_that_its_viewers_read(hung: Analysis) -> None:
    trace = perfetto(hung)
    json.loads(json.dumps(trace))
    assert {e["ph"] for e in trace["traceEvents"]} <= {"M", "X", "i"}
    for e in trace["traceEvents"]:
        assert isinstance(e["pid"], int)
        assert isinstance(e["name"], str)
        if e["ph"] != "M":
            assert isinstance(e["tid"], int)
            assert e["ts"] >= 0
        assert e["ph"] != "X" or e["dur"] >= 0
        assert e["ph"] != "i" or e["s"] in "gpt"
    threads = {(e["pid"], e["tid"]) for e in drawn(trace, "M") if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["ph"] != "M" and e["pid"]} == threads
    times = [e["ts"] for e in trace["traceEvents"] if e["ph"] != "M"]
    assert times == sorted(times)


def test_stacks_are_a_flame_graph_of_all_processes_and_of_each_place(tmp_path: Path, catalog: Catalog) -> None:
    run = shutil.copytree(FIXTURES / "hang.missing_rank--left-the-loop" / "run", tmp_path / "run")
    analysis = analyze(run, catalog=catalog)
    graph = speedscope(analysis.store, "run")
    jsonschema.validate(graph, SPEEDSCOPE)
    frames = [f["name"] for f in graph["shared"]["frames"]]
    whole, alone, others = graph["profiles"]
    assert (whole["name"], whole["weights"], whole["endValue"]) == ("all processes", [1, 7], 8)
    assert (alone["name"], others["name"]) == ("3", "0-2,4-7")
    assert [frames[n] for n in alone["samples"][0]][-1].startswith("barrier ")
    assert frames[others["samples"][0][0]] == "<module> (run_pretrain.py:70)"


def test_a_run_without_stacks_or_times_says_so(hung: Analysis, tmp_path: Path, catalog: Catalog) -> None:
    with pytest.raises(UserError, match="no stacks in this run"):
        speedscope(hung.store, "run")
    (tmp_path / "a.log").write_text("nothing\n")
    with pytest.raises(UserError, match="nothing in this run has a time"):
        perfetto(analyze(tmp_path, catalog=catalog, db=None))


def test_the_format_for_lnav_reads_its_samples_and_its_tables_clash_with_no_column(catalog: Catalog) -> None:
    """`lnav -C` judged it, 0.11: these are the conditions that it names."""
    made = lnav(catalog)["logsift_log"]
    patterns = [re.compile(p["pattern"]) for p in made["regex"].values()]
    assert all({made["timestamp-field"], made["body-field"]} <= set(p.groupindex) for p in patterns)
    assert [s["line"] for s in made["sample"] if not any(p.search(s["line"]) for p in patterns)] == []
    assert {k for p in patterns for k in p.groupindex} - {"time", "body"} == set(made["value"])
    taken = {*made["value"], "time", "body"}
    tables = {name: re.compile(t["pattern"]).groupindex for name, t in made["search-table"].items()}
    assert {name: clash for name, groups in tables.items() if (clash := taken & set(groups))} == {}
    assert len(tables) > 800
    assert all(re.compile(h["pattern"]) for h in made["highlights"].values())


def test_exports_are_files_or_the_standard_output(hung: Analysis, tmp_path: Path) -> None:
    run = lambda *args: CliRunner().invoke(main, ["export", *map(str, args)])  # noqa: E731
    where = hung.store.path
    assert run(where, "--format", "perfetto", "-o", tmp_path / "t.json").exit_code == 0
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert list(json.loads(run("--format", "lnav", "-o", "-").stdout)) == ["$schema", "logsift_log"]
    assert "give no RUN" in run(where, "--format", "lnav", "-o", "-").output
    assert "say which RUN" in run("--format", "perfetto", "-o", "-").output
