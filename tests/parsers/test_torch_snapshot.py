"""Memory snapshots: the pieces are counted, fragmentation is proved, and a pickle that wants to run code is not loaded."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from logsift import analyze
from logsift.errors import UserError
from logsift.report.plots import draw_extents

MIB = 1 << 20


def segment(address: int, sizes: list[tuple[int, str]], pool: tuple[int, int] = (0, 0)) -> dict[str, Any]:
    """A segment of blocks (MiB, state), as torch.cuda.memory._snapshot() describes it."""
    blocks, at = [], address
    for size, state in sizes:
        blocks.append(
            {"address": at, "size": size * MIB, "requested_size": size * MIB - 64, "state": state, "frames": []}
        )
        at += size * MIB
    live = sum(b["size"] for b in blocks if b["state"] == "active_allocated")
    return {
        "device": 0, "address": address, "total_size": at - address, "allocated_size": live, "active_size": live, "requested_size": live,
        "stream": 0, "segment_type": "large", "segment_pool_id": pool, "is_expandable": False, "frames": [], "blocks": blocks,
    }  # fmt: skip


def snapshot(segments: list[dict[str, Any]], request: int = 0, free: int = 0, later: int = 0) -> dict[str, Any]:
    """A snapshot; `request` and `free` (MiB) make a failed allocation, followed by `later` more."""
    trace: list[dict[str, Any]] = [
        {"action": "alloc", "addr": 1, "size": 512, "stream": 0, "time_us": 1741064766000000, "frames": []}
    ]
    frames = [{"filename": "model.py", "line": 77, "name": "forward"}]
    if request:
        trace.append(
            {
                "action": "oom",
                "size": request * MIB,
                "device_free": free * MIB,
                "stream": 0,
                "time_us": 1741064767000000,
                "frames": frames,
            }
        )
    trace += [
        {"action": "alloc", "addr": 2, "size": 512, "stream": 0, "time_us": 1741064768000000, "frames": []}
    ] * later
    return {
        "segments": segments,
        "device_traces": [trace],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:512"},
    }


SCATTERED = [segment(n << 32, [(100, "active_allocated"), (150, "inactive")] * 4) for n in range(1, 6)]


def write(run: Path, content: object, name: str = "oom_rank2.pickle") -> Path:
    run.mkdir(exist_ok=True)
    (run / name).write_bytes(pickle.dumps(content))
    return run


def test_largest_piece_below_request_is_fragmentation(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", snapshot(SCATTERED, request=400, free=20)), db=None)
    (found,) = [i for i in analysis.incidents if i.rule == "oom.fragmentation"]
    assert found.confidence == "definite"
    assert found.ranks == {2}
    facts = found.facts
    assert facts["requested_bytes"] == 400 * MIB
    assert facts["largest_free_bytes"] == 150 * MIB
    assert facts["stranded_bytes"] == 20 * 150 * MIB
    assert analysis.store.rows("SELECT count(*) AS n FROM memory_block") == [{"n": 40}]


def test_memory_that_changed_since_proves_less(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", snapshot(SCATTERED, request=400, free=20, later=3)), db=None)
    assert [i.confidence for i in analysis.incidents if i.rule == "oom.fragmentation"] == ["probable"]


def test_more_than_all_pieces_together_is_capacity(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", snapshot(SCATTERED, request=4000, free=20)), db=None)
    assert {i.rule for i in analysis.incidents} == {"oom.capacity"}


def test_pieces_in_graph_pools_do_not_count(tmp_path: Path) -> None:
    pools = [segment(n << 32, [(100, "active_allocated"), (150, "inactive")] * 4, pool=(0, 1)) for n in range(1, 6)]
    analysis = analyze(write(tmp_path / "run", snapshot(pools, request=400, free=20)), db=None)
    assert {i.rule for i in analysis.incidents} == {"oom.graph_capture"}


def test_snapshot_without_failure_is_silent(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", snapshot(SCATTERED)), db=None)
    assert not analysis.incidents


def test_snapshot_without_trace_is_read(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", {"segments": SCATTERED}), db=None)
    assert analysis.store.rows("SELECT count(*) AS n FROM memory_segment") == [{"n": 5}]


class Evil:
    """Runs a command when unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def test_code_in_a_pickle_does_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    content = {"segments": SCATTERED, "device_traces": [[Evil(mark)]]}
    analysis = analyze(write(tmp_path / "run", content), db=None)
    assert not mark.exists()
    assert analysis.store.rows("SELECT what FROM problem"), "the file is named as unreadable"


def test_torn_pickle_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    run = write(tmp_path / "run", snapshot(SCATTERED, request=400, free=20))
    file = run / "oom_rank2.pickle"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    analysis = analyze(run, db=None)
    assert not analysis.incidents
    assert analysis.store.rows("SELECT what FROM problem")


def test_segments_are_drawn(tmp_path: Path) -> None:
    analysis = analyze(write(tmp_path / "run", snapshot(SCATTERED, request=400, free=20)), db=None)
    assert draw_extents(analysis, tmp_path / "segments.svg").endswith("5 of 5 lanes")
    picture = (tmp_path / "segments.svg").read_text()
    assert picture.count("PolyCollection") == 5, "a lane for each segment"
    marked = analysis.store.rows(
        "SELECT max(size_bytes) AS free, bool_and(state_no >= 3) AS all_free FROM extent WHERE marked"
    )
    assert marked == [{"free": 150 << 20, "all_free": True}]


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "train.log").write_text("step 1 loss 2.0\n")
    with pytest.raises(UserError, match="layout"):
        draw_extents(analyze(tmp_path / "run", db=None), tmp_path / "segments.svg")
