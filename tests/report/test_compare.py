"""Two runs side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from logsift.cli import main

Make = Callable[..., Path]


def log(rank: int, *, is_bad: bool) -> str:
    """A run of 40 steps; the bad one is on another host, slower, with another library, and its loss jumps at step 21."""
    host = "node-2" if is_bad else "node-1"
    lines = [
        f"2026-03-01 10:00:00,000 INFO rank {rank} local_rank {rank} pid 10{rank} host {host}",
        f"{host}:10{rank}:10{rank} [{rank}] NCCL INFO NCCL version 2.2{1 + is_bad}.5+cuda12.4",
        f"{host}:10{rank}:10{rank} [{rank}] NCCL INFO NCCL_IB_DISABLE set by environment to {int(is_bad)}.",
    ]
    for step in range(40):
        loss = 3 - step / 100 + (0.5 if is_bad and step > 20 else 0)
        seconds = 0.9 if is_bad else 0.5
        lines.append(
            f"2026-03-01 10:{step // 30:02d}:{step * 2 % 60:02d},000 INFO step {step}/1000 | loss: {loss:.3f} | step time: {seconds}"
        )
    if is_bad:
        lines.append("2026-03-01 10:02:00,000 WARNING falling back to sockets for /dev/shm/psm_12 in 0x7fff12")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A good run and a bad one; analysed once, the commands open what was kept."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("good", "bad"):
        for rank in (0, 1):
            path = folder / name / ("node-2" if name == "bad" else "node-1") / f"rank{rank}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(log(rank, is_bad=name == "bad"))
    return folder / "good", folder / "bad"


def asked(runs: tuple[Path, Path], to: str) -> str:
    done = CliRunner().invoke(main, ["diff", *map(str, runs), "--format", to], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_what_differs_is_told_and_what_does_not_is_not(runs: tuple[Path, Path]) -> None:
    found = json.loads(asked(runs, "json"))
    assert [(s["name"], s["good"], s["bad"]) for s in found["settings"]] == [
        ("NCCL", ["2.21.5+cuda12.4"], ["2.22.5+cuda12.4"]), ("NCCL_IB_DISABLE", ["0"], ["1"]),
    ]  # fmt: skip
    figures = {f["name"]: (f["good"], f["bad"], f["worse"]) for f in found["figures"]}
    assert figures["seconds per step"] == (0.5, 0.9, True)
    assert figures["last step"] == (39.0, 39.0, False)
    assert (found["loss"]["parts_at"], found["loss"]["steps"]) == (21.0, 40)
    assert found["only_good"] == []
    assert [(m["template"], m["lines"], m["path"]) for m in found["only_bad"]] == [
        ("falling back to sockets for <path> in <id>", 2, "node-2/rank0.log")
    ]
    assert (found["hosts_only_good"], found["hosts_only_bad"]) == (["node-1"], ["node-2"])


def test_a_regression_report_has_versions_and_performance(runs: tuple[Path, Path]) -> None:
    told = asked(runs, "md")
    assert "| NCCL | 2.21.5+cuda12.4 | 2.22.5+cuda12.4 |" in told
    assert "| seconds per step | 0.5 s | 0.9 s | +80% |" in told
    assert "`falling back to sockets for <path> in <id>`, 2×" in told


def test_a_run_beside_itself_differs_in_nothing(runs: tuple[Path, Path]) -> None:
    told = asked((runs[0], runs[0]), "text")
    assert "→" not in told.replace("0.5 s → 0.5 s", "").replace("2.61 → 2.61", "").replace("39 steps → 39 steps", "")
    assert "messages of" not in told
