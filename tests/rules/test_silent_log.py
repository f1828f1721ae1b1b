"""A job at its time limit: whether its log had fallen silent long before, which tells of a hang."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from logsift import Catalog, analyze

BEGAN = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
LIMIT = "slurmstepd: error: *** JOB 4711 ON lift7 CANCELLED AT {:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"


def silence(
    run: Path, catalog: Catalog, ended_after: timedelta, pause_seconds: int = 10, last: Sequence[str] = ()
) -> object:
    """What the incident says of the silence before the end: 200 steps, lines behind them, then the time limit."""
    times = [BEGAN + timedelta(seconds=pause_seconds * step) for step in range(200)]
    lines = [f"{time:%Y-%m-%d %H:%M:%S} INFO step {step} loss {4 - 0.01 * step:.4f}" for step, time in enumerate(times)]
    run.mkdir()
    (run / "slurm.out").write_text("\n".join([*lines, *last, LIMIT.format(times[-1] + ended_after)]) + "\n")
    with analyze(run, catalog=catalog, db=None) as analysis:
        assert analysis.root is not None
        assert analysis.root.rule == "host.preempted"
        return analysis.root.facts.get("silent_seconds")


def test_a_log_that_fell_silent_hours_before_is_told_with_how_long(tmp_path: Path, catalog: Catalog) -> None:
    assert silence(tmp_path / "run", catalog, timedelta(hours=3, minutes=20)) == 12000


@pytest.mark.parametrize(
    ("ended_after", "pause_seconds", "last"),
    [
        pytest.param(timedelta(seconds=9), 10, (), id="it ended within its rhythm"),
        pytest.param(timedelta(minutes=20), 10, (), id="a program keeps so many lines back"),
        pytest.param(timedelta(hours=2, seconds=7), 10, (), id="its clock is in another time zone"),
        pytest.param(timedelta(hours=3, minutes=20), 1500, (), id="its longest pauses are not much shorter"),
        pytest.param(timedelta(hours=3, minutes=20), 10, ["training done"], id="its training was over"),
        pytest.param(
            timedelta(hours=3, minutes=20), 10, [f"evaluated door {n}" for n in range(9)], id="it spoke of something else"
        ),
    ],
)  # fmt: skip
def test_nothing_is_said_where(
    ended_after: timedelta, pause_seconds: int, last: Sequence[str], tmp_path: Path, catalog: Catalog
) -> None:
    assert silence(tmp_path / "run", catalog, ended_after, pause_seconds, last) is None
