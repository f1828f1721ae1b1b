"""Many runs together: what recurs, and whether chance would do that."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from builders.lift import LIFT, lift_stopped
from click.testing import CliRunner

from logsift import Catalog, analyze
from logsift.cli import main
from logsift.errors import UserError
from logsift.report.history import Collector, History, page, runs_in, text

CONTENT = {
    "parsers/lift.toml": LIFT,
    "rules/lift/stopped.sql": lift_stopped("list(distinct host) as hosts", having="having count(*) > 0", summary="The lift of {{ hosts | names }} stopped", severity="critical"),
    "rules/views/job_size.sql": "-- view: the job\nselect count(*) as world_size, []::bigint[] as silent_ranks, list(distinct host) as hosts from file",
    "rules/views/blamed_part.sql": "-- view: parts\nselect 'host' as kind, unnest(hosts) as name, rule, first as time, len(hosts) as named, 8 as hosts from incident where root",
}  # fmt: skip


@contextmanager
def history(folder: Path, catalog: Catalog, runs: list[list[int]]) -> Iterator[tuple[Collector, History]]:
    """Runs on eight nodes, of which those listed stop."""
    collector = Collector(folder / "made")
    for n, stopped in enumerate(runs):
        for node in range(8):
            path = folder / f"run{n}" / f"node-{node}" / "a.log"
            path.parent.mkdir(parents=True)
            path.write_text("lift stopped at floor 3\n" if node in stopped else "up\n")
        analysis = analyze(folder / f"run{n}", catalog=catalog, db=folder / f"{n}.duckdb")
        collector.take(analysis)
        analysis.store.close()
    yield collector, collector.concluded()
    collector.close()


@pytest.mark.parametrize(
    ("runs", "parts", "systemic"),
    [
        pytest.param(
            [[3], [3], [3], [3], [5]], [("node-3", "lemon", 4)], False, id="one node again and again: a lemon"
        ),
        pytest.param([[3], [3], [5], []], [("node-3", "recurs", 2)], False, id="twice of three may be chance"),
        pytest.param([[1], [2], [3], [4]], [], True, id="each time another node: systemic"),
        pytest.param([[1, 2, 3, 4], [1, 2, 3, 5]], [], True, id="half of the nodes at once: systemic"),
    ],
)
def test_what_recurs_is_told_from_what_may_be_chance(
    runs: list[list[int]],
    parts: list[tuple[str, str, int]],
    systemic: bool,
    content_of: Callable[..., Catalog],
    tmp_path: Path,
) -> None:
    with history(tmp_path, content_of(CONTENT, alone=True), runs) as (_, told):
        assert [(p.name, p.verdict, p.episodes) for p in told.parts] == parts
        assert [c.systemic for c in told.causes] == [systemic]
        assert (told.runs, told.failed) == (len(runs), sum(map(bool, runs)))
        assert told.parts == () or all(p.runs == len(runs) for p in told.parts)


def test_a_page_of_many_runs_needs_nothing_else(content_of: Callable[..., Catalog], tmp_path: Path) -> None:
    with history(tmp_path, content_of(CONTENT, alone=True), [[3], [3]]) as (collector, told):
        shown = page(collector, told)
    assert "node-3" in shown
    assert "http" not in shown.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "2 runs, 2 with a root cause" in text(told)


def test_the_command_keeps_a_database_and_names_what_it_could_not_read(tmp_path: Path) -> None:
    for name, host in (("a", "node-1"), ("b", "node-1")):
        path = tmp_path / "runs" / name / host / "rank0.log"
        path.parent.mkdir(parents=True)
        error = (
            "Traceback (most recent call last):",
            '  File "t.py", line 3, in <module>',
            "    main()",
            "ValueError: odd",
        )
        path.write_text(
            "2026-03-01 10:00:00,000 INFO step 1/10 | loss: 2.0\n"
            + "".join(f"2026-03-01 10:00:01,000 ERROR {line}\n" for line in error)
            + "2026-03-01 10:30:01,000 INFO step 2/10 | loss: 2.0\n"
        )
    (tmp_path / "runs" / "c").mkdir()
    command = ["history", str(tmp_path / "runs"), "-o", str(tmp_path / "h.duckdb"), "--html", str(tmp_path / "h.html")]
    done = CliRunner().invoke(main, [*command, "--format", "json"], catch_exceptions=False)
    told = json.loads(done.stdout)
    assert [(c["rule"], c["runs"]) for c in told["causes"]] == [("crash.exception", 2)]
    assert told["causes"][0]["lost_seconds"] == pytest.approx(2 * 1800, abs=5)
    assert [p["name"] for p in told["parts"]] == ["node-1"]
    assert "nothing readable" in told["skipped"][0][1]
    with duckdb.connect(str(tmp_path / "h.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*), min(root) FROM run").fetchone() == (2, "crash.exception")
    assert (tmp_path / "h.html").read_text().startswith("<!doctype html>")


def test_a_folder_with_files_is_a_run_one_with_folders_holds_runs(tmp_path: Path) -> None:
    (tmp_path / "all" / "one").mkdir(parents=True)
    (tmp_path / "all" / "two").mkdir()
    (tmp_path / "all" / "README.md").touch()
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "a.log").touch()
    assert [p.name for p in runs_in([tmp_path / "all", tmp_path / "alone"])] == ["one", "two", "alone"]
    with pytest.raises(UserError, match="no such file"):
        runs_in([tmp_path / "nowhere"])
