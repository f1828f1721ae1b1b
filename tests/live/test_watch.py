"""Runs that are followed: what is read of files that grow, what is told and when."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders.lift import LIFT, lift_stopped
from click.testing import CliRunner
from rich.console import Console

from logsift import Analysis, Catalog, analyze
from logsift.cli import main
from logsift.live import follow as following
from logsift.live import watch as watching
from logsift.live.display import Screen, table
from logsift.live.watch import Event, Row, Watch, watch

CONTENT = {"parsers/lift.toml": LIFT, "rules/lift/stopped.sql": lift_stopped()}


@pytest.fixture
def lift(content_of: Callable[..., Catalog]) -> Catalog:
    """Content that knows one format and one failure."""
    return content_of(CONTENT, alone=True)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of a watch, moved by hand."""
    moved = Clock()
    monkeypatch.setattr(watching, "monotonic", moved)
    monkeypatch.setattr(following, "monotonic", moved)
    monkeypatch.setattr(following, "_since", lambda _: moved.now)
    return moved


@contextmanager
def watched(run: Path, catalog: Catalog, work: Path) -> Iterator[Watch]:
    work.mkdir()
    one = Watch(run, catalog, work)
    try:
        yield one
    finally:
        one.close()


def say(path: Path, text: str, how: str = "a") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(how, newline="") as f:
        f.write(text)


def rows(one: Watch) -> list[tuple[object, ...]]:
    verdict = one.verdict()
    assert verdict
    asked = "SELECT line_no, floor, NULL AS part FROM lift_stop UNION ALL SELECT line_no, stop_line, part FROM lift_part ORDER BY 1"
    return [tuple(r.values()) for r in verdict.sql(asked)]


@pytest.mark.parametrize("again", [3, following.AGAIN_LINES])
def test_a_log_that_grows_gives_the_rows_of_the_whole_log(
    again: int, lift: Catalog, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "AGAIN_LINES", again)
    text = (
        "up\nlift stopped at floor 3\n  part door\n  part rope\ndown\n\nup\nlift stopped at floor 71\n  part motor\nup\n"
        * 2
    )
    (tmp_path / "whole").mkdir()
    say(tmp_path / "whole" / "a.log", text)
    with watched(tmp_path / "whole", lift, tmp_path / "w1") as one:
        whole = rows(one)
    assert len(whole) == 10
    run = tmp_path / "run"
    say(run / "a.log", "")
    with watched(run, lift, tmp_path / "w2") as one:
        for at in range(0, len(text), 23):  # in the middle of lines and of blocks
            say(run / "a.log", text[at : at + 23])
            clock.now += 1
            list(one.look())
        assert rows(one) == whole
        verdict = one.verdict()
        assert verdict
        assert [(r["path"], r["lines"]) for r in verdict.sql("SELECT path, lines FROM file")] == [("a.log", 20)]


def test_an_incident_is_told_once_though_its_lines_become_more(lift: Catalog, clock: Clock, tmp_path: Path) -> None:
    with watched(tmp_path / "run", lift, tmp_path / "work") as one:
        say(tmp_path / "run" / "a.log", "up\n")
        told = list(one.look())
        for text in ("lift stopped at floor 3\n", "lift stopped at floor 3\n", "lift stopped at floor 4\n"):
            say(tmp_path / "run" / "a.log", text)
            clock.now += 0.1  # at once: such lines are not usual
            told += one.look()
    assert [e.said for e in told] == ["The lift stopped at floor 3", "The lift stopped at floor 4"]
    assert told[0].line()["evidence"] == [{"path": "a.log", "line": 2, "text": "lift stopped at floor 3"}]


@pytest.mark.parametrize(
    ("what", "how", "floors"),
    [
        pytest.param("rotate", "rotated", [3, 4], id="rotated: the old file goes on under another name"),
        pytest.param("truncate", "truncated", [4], id="truncated"),
        pytest.param("delete", "gone", [3], id="deleted: what it said is kept"),
    ],
)
def test_what_becomes_of_a_file_ends_no_watch(
    what: str, how: str, floors: list[int], lift: Catalog, clock: Clock, tmp_path: Path
) -> None:
    log = tmp_path / "run" / "a.log"
    say(log, "going up to the roof\nlift stopped at floor 3\n")
    with watched(tmp_path / "run", lift, tmp_path / "work") as one:
        list(one.look())
        if what == "rotate":
            log.rename(log.with_name("a.log.1"))
            say(log, "lift stopped at floor 4\n")
        elif what == "truncate":
            say(log, "lift stopped at floor 4\n", "w")
        else:
            log.unlink()
        clock.now += 100
        told = list(one.look())
        assert [e.fields["how"] for e in told if e.kind == "file"] == [how]
        verdict = one.verdict()
        assert verdict
        assert [r["floor"] for r in verdict.sql("SELECT floor FROM lift_stop ORDER BY 1")] == floors


def test_a_log_is_silent_by_its_own_rhythm(
    lift: Catalog, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is written to every other second, one every twenty: the same pause is the silence of the first only."""
    monkeypatch.setattr(watching, "_SHARE", 1e-9)
    run, told = tmp_path / "run", list[Event]()
    with watched(run, lift, tmp_path / "work") as one:
        for second in range(0, 250, 2):
            clock.now = 1000 + second
            if second < 200:
                say(run / "rank0.log", "up\n")
            if second % 20 == 0:
                say(run / "rank1.log", "up\n")
            told += one.look()
        say(run / "rank0.log", "up\n")
        told += one.look()
    assert [(e.kind, e.fields.get("ranks")) for e in told] == [("silence", [0]), ("resumed", None)]
    assert told[0].fields["scope"] == "some"


def test_it_ends_with_the_verdict_so_far(lift: Catalog, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say(tmp_path / "run" / "a.log", "lift stopped at floor 3\n")
    said = list[str]()

    def pressed(_: Watch) -> None:
        raise KeyboardInterrupt

    def ended(verdict: Analysis | None) -> None:
        said.append(verdict.root.rule if verdict and verdict.root else "")
        Screen(None).end(verdict)

    watch(tmp_path / "run", lift, lambda e: said.append(e.said), pressed, done=ended)
    assert said == ["The lift stopped at floor 3", "lift.stopped"]
    assert "tables:" not in capsys.readouterr().out, "the database is gone with the watch"
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["a.log"]


def test_the_ranks_of_a_job_as_lines_of_json_and_a_command_for_every_incident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, catalog: Catalog
) -> None:
    """The built-in content: rank 1 raises, the others go on."""
    run = tmp_path / "run"
    for rank in range(3):
        steps = 30 if rank else 33
        lines = [
            f"2026-03-01 10:00:{step:02d},000 INFO step {step}/1000 | loss: {3 - step / 100:.2f} | lr: 1e-4\n"
            for step in range(steps)
        ]
        say(run / "node-1" / f"rank{rank}.log", "".join(lines))
    ranks = list[Row]()

    def then(_: float) -> None:
        if not ranks:
            ranks.extend(seen[0].ranks())
            error = (
                'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\n    main()\nValueError: odd\n'
            )
            say(run / "node-1" / "rank1.log", error)
        elif seen[0].ranks()[1].word == "ValueError: odd":
            raise KeyboardInterrupt

    seen = list[Watch]()
    monkeypatch.setattr(watching, "sleep", then)
    monkeypatch.setattr(watching, "_waker", lambda _: then)
    monkeypatch.setattr("logsift.live.display.JsonLines.show", lambda _, one: seen.append(one))
    command = f"{sys.executable} -c \"import sys; open('{tmp_path}/got', 'w').write(sys.stdin.read())\""
    done = CliRunner().invoke(main, ["watch", str(run), "--json", "--on-incident", command], catch_exceptions=False)
    assert done.exit_code == 0
    assert [(r.rank, r.host, r.step, r.lag, r.step_seconds) for r in ranks] == [
        (0, "node-1", 32.0, 0.0, 1.0), (1, "node-1", 29.0, 3.0, 1.0), (2, "node-1", 29.0, 3.0, 1.0),
    ]  # fmt: skip
    assert ranks[1].loss == pytest.approx(2.71)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(e["event"], e.get("rule"), e.get("ranks")) for e in events] == [
        ("incident", "crash.exception", [1]), ("verdict", None, None),
    ]  # fmt: skip
    assert events[-1]["document"]["root"] == "crash.exception"
    assert json.loads((tmp_path / "got").read_text())["rule"] == "crash.exception"
    whole = analyze(run, catalog=catalog, db=tmp_path / "x.duckdb")
    assert whole.root
    assert whole.root.summary == events[-1]["said"]


def test_a_table_shows_those_that_stand_out_and_nothing_of_a_log_acts_on_the_terminal() -> None:
    rows = [Row(n, "node-1", 100.0 - (n == 40), float(n == 40), 0.5, 2.0, 1.0, "\x1b[31mstep") for n in range(64)]
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(table(rows))
    text = console.export_text()
    assert "40 more ranks" in text
    assert any(line.split()[:4] == ["40", "node-1", "99", "1"] for line in text.splitlines())
    assert "\x1b" not in text


def test_what_cannot_grow_is_not_watched(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["watch", str(tmp_path / "nothing")])
    assert (done.exit_code, "no such file or directory" in done.output) == (2, True)
