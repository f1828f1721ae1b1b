"""A run to ask: two ranks with their steps, one slower and dead at the end."""

from __future__ import annotations

import pytest

from logsift import Catalog, analyze
from logsift.analysis import Analysis

CRASH = """Traceback (most recent call last):
  File "/work/train.py", line 81, in <module>
    main()
KeyError: 'wanted'
"""


def log_of(rank: int, seconds: int) -> str:
    """The log of a rank whose steps take that long."""
    lines = [f"node-{rank}:410:410 [0] NCCL INFO NCCL_TIMEOUT set by environment to {600 + rank}."]
    lines += [f"step {n} of 900 | loss: {2.5 - n / 100:.3f} | step_time: {seconds} |" for n in range(1, 121)]
    lines += CRASH.splitlines() if rank else ["lift controller: FATAL: door blocked"]
    times = [min(n, 121) * seconds for n in range(len(lines))]
    return "".join(f"2026-01-01T00:{t // 60:02d}:{t % 60:02d}Z {line}\n" for t, line in zip(times, lines, strict=True))


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """The analysis of that run."""
    run = tmp_path_factory.mktemp("asked") / "run"
    for rank in (0, 1):
        (run / f"node-{rank}").mkdir(parents=True)
        (run / f"node-{rank}" / f"rank{rank}.log").write_text(log_of(rank, rank + 2))
    return analyze(run, catalog=catalog)
