"""The bar of progress: every stage is named, and none stands still at 100 %."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze
from logsift.report.progress import reading


def test_what_comes_after_all_is_done_is_a_stage_of_its_own(run_of: Callable[..., Path], catalog: Catalog) -> None:
    told: list[tuple[str, int, int]] = []
    analyze(run_of({"a.log": "step 1\n"}), catalog=catalog, progress=lambda *said: told.append(said))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert (stages[:3], stages[-1]) == (["reading", "storing", "tables"], "verdict")
    assert told[-1] == ("verdict", 0, 0)


def test_a_stage_of_unknown_length_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with reading() as progress:
        assert progress
        progress("reading", 50, 100)
        progress("verdict", 0, 0)
    _, shown, after = screen.getvalue().rpartition("verdict")
    assert shown
    assert "%" not in after


def test_nothing_is_drawn_where_nobody_watches() -> None:
    with reading() as progress:
        assert progress is None
