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
import datetime, sys
import torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=8))
rank = dist.get_rank()
x = torch.ones(8)
for _ in range(3):
    dist.all_reduce(x)
if sys.argv[1] == "barrier":
    if rank == 2:
        import time
        time.sleep(20)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=4))
else:
    (dist.broadcast(x, 0) if rank == 2 else dist.all_reduce(x))
dist.all_reduce(x)
"""


def run(folder: Path, how: str, **env: str) -> Path:
    script, log = folder / "job.py", folder / "run"
    script.write_text(SCRIPT)
    log.mkdir()
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc-per-node=4",
        "--master-port=29677",
        str(script),
        how,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **env}, check=False)
    (log / "job.log").write_text(done.stdout + done.stderr)
    return log


def test_monitored_barrier_names_the_rank_that_sleeps(tmp_path: Path) -> None:
    root = analyze(run(tmp_path, "barrier")).root
    assert root is not None
    assert (root.rule, root.ranks) == ("hang.missing_rank", {2})


def test_detail_names_the_rank_that_runs_something_else(tmp_path: Path) -> None:
    root = analyze(run(tmp_path, "mismatch", TORCH_DISTRIBUTED_DEBUG="DETAIL")).root
    assert root is not None
    assert root.rule == "divergence.collective_mismatch"
    assert 2 in root.ranks
