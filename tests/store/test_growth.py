"""Logs that grow at their end: only what was added is read, and the rows are those of the whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from builders.lift import LIFT, lift_stopped
from hypothesis import given, settings
from hypothesis import strategies as st

from logsift import Analysis, Catalog, analyze, load_catalog
from logsift.ingest import match, parse
from logsift.ingest.readers import mend

ENVELOPES = """
schema = 1
title = "Envelopes"
about = "When a lift said it."
[[envelopes]]
id = "dated"
needle = [":0"]
regex = '^(?P<time>(?:[0-9-]{10} |[A-Z][a-z]{2} [0-9]+ )?[0-9]{2}:[0-9]{2}:[0-9]{2}) (?:(?P<host>h[0-9]) )?(?P<body>.*)$'
sample = [{ line = "12:00:01 up", row = { body = "up" } }]
[[envelopes]]
id = "booted"
needle = ["["]
regex = '^\\[ *(?P<uptime_seconds>[0-9.]+)\\] (?P<body>.*)$'
sample = [{ line = "[ 3.5] up", row = { body = "up" } }]
"""
TROUBLE = """
schema = 1
title = "Trouble"
about = "What nobody read."
leftovers = true
[tables.trouble]
about = "A line that nobody read."
example = "SELECT text FROM trouble"
[tables.trouble.columns]
text = { type = "text", about = "the line" }
[[pattern]]
id = "said"
table = "trouble"
needle = "error"
regex = '^(?P<text>.*error.*)$'
sample = [{ line = "an error", row = { text = "an error" } }]
"""
ANCHORS = """-- view: one row is a stop, which every log of the lift tells
SELECT 'floor ' || floor AS event, NULL::TIMESTAMP AS utc, 2 AS within_seconds, file_id, line_no, host, rank, time, time_quality, uptime_seconds
FROM lift_stop WHERE floor > 3
"""
BLOCK = ("lift stopped at floor 3", "  part door", "  part rope", "  note it is late", "  end")
LINES = (
    *BLOCK, *BLOCK, "going up", "", "an error",
    "12:00:01 lift stopped at floor 4", "00:00:09 going up", "23:59:08 h1 an error", "12:00:02 lift stopped at floor 3",
    "2026-03-04 04:00:01 lift stopped at floor 4", "2026-03-04 04:00:02 h1 lift stopped at floor 5",
    "Dec 31 23:00:07 lift stopped at floor 5", "Feb 28 00:00:03 lift stopped at floor 3", "[ 41.07] lift stopped at floor 5",
)  # fmt: skip
COMPARED = {
    **{t: f"SELECT * EXCLUDE (file_id), path FROM {t} JOIN file USING (file_id)" for t in ("lift_stop", "lift_part", "trouble")},
    "file": "SELECT path, bytes, lines, not_understood, host, rank, reader, unended FROM file",
    "clock": "SELECT * EXCLUDE (file_id), path FROM clock JOIN file USING (file_id)",
    "incident": "SELECT * EXCLUDE (id, explained_by) FROM incident",
    "evidence": "SELECT path, line_no, text FROM evidence",
    "problem": "SELECT line_no, what, text FROM problem",
}  # fmt: skip


@pytest.fixture(scope="module")
def lift(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Content that knows one format and one failure."""
    root = tmp_path_factory.mktemp("content")
    texts = {
        "parsers/envelopes.toml": ENVELOPES, "parsers/lift.toml": LIFT, "parsers/trouble.toml": TROUBLE,
        "rules/lift/stopped.sql": lift_stopped("min(time) as at, floor"), "rules/views/clock_anchor.sql": ANCHORS.replace("view:", "view: clock_anchor\n-- "),
    }  # fmt: skip
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return load_catalog(root)


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    """Blocks of a few lines, windows of a few hundred bytes: a log of forty lines is a large one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mend, "LARGEST_BYTES", 100)
        patched.setattr(match, "BLOCK_LINES", 4)
        patched.setattr(match, "_REACH_LINES", 8)
        patched.setattr("logsift.ingest.gate.BLOCK_LINES", 4)
        patched.setattr(parse.Parser.__init__, "__defaults__", (300,))
        yield


def told(analysis: Analysis) -> dict[str, list[tuple[Any, ...]]]:
    """What is compared, without numbers that depend on the order of reading."""
    return {
        name: sorted((tuple(r[c] for c in sorted(r)) for r in analysis.sql(query)), key=repr)
        for name, query in COMPARED.items()
    }


def written(path: Path, data: bytes, at: datetime) -> None:
    """Make a file what it is at that time."""
    with path.open("ab" if path.exists() and data.startswith(path.read_bytes()) else "wb") as f:
        f.write(data[f.tell() :])
    os.utime(path, (at.timestamp(), at.timestamp()))


DAYS = (datetime(2026, 3, 4, 12, tzinfo=UTC), datetime(2026, 3, 5, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))


@settings(max_examples=6, deadline=None)
@given(
    logs=st.lists(st.lists(st.sampled_from(LINES), min_size=30, max_size=60), min_size=1, max_size=2),
    cuts=st.lists(st.floats(0.5, 1), min_size=3, max_size=3),
    days=st.lists(st.sampled_from(DAYS), min_size=4, max_size=4),
    is_ended=st.booleans(),
)
def test_a_run_that_grows_gives_what_the_whole_gives(
    logs: Sequence[Sequence[str]], cuts: Sequence[float], days: Sequence[datetime], is_ended: bool, lift: Catalog
) -> None:
    texts = {f"{n}.log": ("\n".join(lines) + "\n" * is_ended).encode() for n, lines in enumerate(logs)}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir()
        for share, day in zip([*sorted(cuts), 1.0], sorted(days), strict=False):
            for name, data in texts.items():
                written(run / name, data[: round(share * len(data))], day)
            grown = analyze(run, catalog=lift, db=Path(folder) / "grown.duckdb")
        whole = analyze(run, catalog=lift, db=Path(folder) / "whole.duckdb")
        assert told(grown) == told(whole)


TEXT = ("lift stopped at floor 3\n  part door\n" + "going up\n" * 30) * 8


@pytest.mark.parametrize(
    ("change", "read"),
    [
        pytest.param(lambda data: data + b"lift stopped at floor 4\n", 400, id="grown: the end"),
        pytest.param(lambda data: data[:-20], 400, id="cut at its end: the end"),
        pytest.param(lambda data: data.replace(b"floor 3", b"floor 9"), 3000, id="written anew: all"),
        pytest.param(lambda data: b"lift stopped at floor 4\n" + data, 3000, id="rotated: all"),
        pytest.param(lambda data: data[:500], 1000, id="truncated: all"),
    ],
)
def test_what_is_read_of_a_log_that_changed(
    change: Callable[[bytes], bytes], read: int, lift: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    data = TEXT.encode()
    (run / "a.log").write_bytes(data)
    analyze(run, catalog=lift)
    (run / "a.log").write_bytes(change(data))
    seen = list[int]()
    passed = parse.Parser.passed
    monkeypatch.setattr(
        parse.Parser,
        "passed",
        lambda self, owner, window, *rest: (
            seen.append(window.core_stop - window.core_start) or passed(self, owner, window, *rest)
        ),
    )
    grown = analyze(run, catalog=lift)
    assert 0 < sum(seen) <= read
    assert told(grown) == told(analyze(run, catalog=lift, db=None))


def test_hosts_that_share_a_log_and_no_clock_have_it_read_whole(lift: Catalog, tmp_path: Path) -> None:
    """Which line was moved by which clock is not known any more."""
    run = tmp_path / "run"
    run.mkdir()
    each = {
        "h1": "2026-03-04 04:00:0{n} h1 lift stopped at floor 4",
        "h2": "2026-03-04 06:00:0{n} h2 lift stopped at floor 5",
    }
    shared = "".join(f"{line.format(n=n)}\n" for n in range(1, 9) for line in each.values())
    by_both = "2026-03-04 05:00:0{n} lift stopped at floor {floor}"
    (run / "b.log").write_text("".join(f"{by_both.format(n=1, floor=floor)}\n" for floor in (4, 5) for _ in range(20)))
    for lines in (shared, shared * 2):
        (run / "a.log").write_text(lines)
        grown = analyze(run, catalog=lift)
    assert {r["shift_seconds"] for r in grown.sql("SELECT shift_seconds FROM clock")} == {3600.0, -3600.0, 0.0}
    assert told(grown) == told(analyze(run, catalog=lift, db=None))
