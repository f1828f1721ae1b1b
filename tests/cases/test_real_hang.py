"""A job that really hangs: torchrun starts four CPU ranks, one of them leaves a collective out."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from logsift import analyze

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]

SCRIPT = """
import datetime, os, sys, time
import torch, torch.distributed as dist
how, rank = sys.argv[1], int(os.environ["RANK"])
if how == "late" and rank == 2:
    time.sleep(40)
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=6))
x = torch.ones(8)
for _ in range(3):
    dist.all_reduce(x)
if how == "barrier":
    if rank == 2:
        time.sleep(20)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=4))
elif how == "two":
    if rank in (1, 3):
        time.sleep(20)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=4), wait_all_ranks=True)
elif how == "root":
    if rank == 0:
        time.sleep(20)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=4))
elif how == "skip":
    time.sleep(20) if rank == 2 else dist.all_reduce(x)
elif how == "operation":
    dist.broadcast(x, 0) if rank == 2 else dist.all_reduce(x)
elif how == "size":
    dist.all_reduce(torch.ones(9 if rank == 1 else 8))
dist.all_reduce(x)
dist.destroy_process_group()
"""
DETAIL = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}


def run(folder: Path, how: str, **env: str) -> Path:
    script, log = folder / "job.py", folder / "run"
    script.write_text(SCRIPT)
    log.mkdir()
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc-per-node=4",
        "--standalone",
        "--monitor-interval=3",  # who gives up a moment later than the first has the time to say so
        str(script),
        how,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **env}, check=False)
    (log / "job.log").write_text(done.stdout + done.stderr)
    return log


@pytest.mark.parametrize(
    ("how", "env", "rule", "ranks"),
    [
        ("barrier", {}, "hang.missing_rank", {2}),
        ("two", {}, "hang.missing_rank", {1, 3}),
        ("root", {}, "hang.missing_rank", {0}),
        ("skip", {}, "hang.missing_rank", {2}),
        ("skip", DETAIL, "hang.missing_rank", {2}),
        ("operation", DETAIL, "divergence.collective_mismatch", {2}),
        ("size", DETAIL, "divergence.collective_mismatch", {1}),
    ],
)
def test_the_rank_is_named(how: str, env: dict[str, str], rule: str, ranks: set[int], tmp_path: Path) -> None:
    root = analyze(run(tmp_path, how, **env), db=None).root
    assert root is not None
    assert (root.rule, root.ranks) == (rule, ranks)


@pytest.mark.parametrize(
    "env", [{}, DETAIL | {"TORCH_CPP_LOG_LEVEL": "INFO"}], ids=["plain", "all that torch can tell"]
)
def test_a_job_that_ends_well_is_silent(env: dict[str, str], tmp_path: Path) -> None:
    analysis = analyze(run(tmp_path, "well", **env), db=None)
    assert not [i for i in analysis.incidents if i.severity != "info"]
