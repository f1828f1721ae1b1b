"""Files that are numbered by rank: what the lines of some tell of their numbers holds for those that tell nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze

WAITS = (
    "[rank{0}]:[E511 10:13:26.123456789 ProcessGroupNCCL.cpp:685] [Rank {0}] Watchdog caught collective operation timeout:"
    " WorkNCCL(SeqNum=21, OpType=ALLREDUCE, NumelIn=262, NumelOut=262, Timeout(ms)=600000) ran for 600021 milliseconds before"
    " timing out.\n"
)
RAISES = (
    "Traceback (most recent call last):\n  File \"/work/train.py\", line 8, in <module>\n    main()\nKeyError: 'ids'\n"
)


def waits(pattern: str, ranks: dict[int, int]) -> dict[str, str]:
    return {pattern.format(number): WAITS.format(rank) for number, rank in ranks.items()}


CASES: dict[str, tuple[dict[str, str], list[int | None]]] = {
    "the number is the rank": (
        {**waits("attempt_0/{}/stderr.log", {0: 0, 3: 3}), "attempt_0/2/stderr.log": RAISES},
        [0, 2, 3],
    ),
    "the number is the local rank of a host": (
        {**waits("mesa-1/{}.log", {0: 8, 1: 9, 3: 11}), "mesa-1/2.log": RAISES, "mesa-1/9.log": RAISES},
        [8, 9, 10, 11, None],
    ),
    "two that are moved by as much may be chance": (
        {**waits("mesa-1/{}.log", {0: 8, 1: 9}), "mesa-1/2.log": RAISES},
        [None, None, None],
    ),
    "the lines contradict each other": (
        {**waits("part_{}.log", {0: 0, 1: 1, 2: 5}), "part_3.log": RAISES},
        [None, None, None, None],
    ),
    "a restart is numbered as the attempt before it": (
        {**waits("attempt_0/{}/o", {0: 0, 1: 1}), "attempt_1/0/o": RAISES, "attempt_1/1/o": RAISES},
        [0, 1, 0, 1],
    ),
    "the other stream of a process is its own": (
        {**waits("run/{}_log.out", {0: 0, 1: 1}), "run/1_log.err": RAISES, "run/other.err": RAISES},
        [0, 1, 1, None],
    ),
    "a second host that says nothing has other ranks": (
        {**waits("mesa-1/{}.log", {0: 0, 1: 1}), "mesa-2/0.log": RAISES, "mesa-2/1.log": RAISES},
        [0, 1, None, None],
    ),
    "the streams of a launcher's processes": (
        {"job/attempt_0/0/stderr.log": RAISES, "job/attempt_0/3/stderr.log": RAISES, "log/other.log": RAISES},
        [0, 3, None],
    ),
    "the log of a worker": ({"log/workerlog.1": RAISES}, [1]),
    "the processes of two hosts have the same numbers": (
        {"mesa-1/attempt_0/0/stderr.log": RAISES, "mesa-2/attempt_0/0/stderr.log": RAISES},
        [None, None],
    ),
    "the processes of a host that is not the first": (
        {**waits("attempt_0/{}/stderr.log", {0: 8}), "attempt_0/1/stderr.log": RAISES},
        [None, None],
    ),
    "a trial is no process": ({"trial/0/stdout.log": RAISES, "trial/1/stdout.log": RAISES}, [None, None]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_rank_of_a_file_that_tells_none(run_of: Callable[..., Path], catalog: Catalog, case: str) -> None:
    files, ranks = CASES[case]
    with analyze(run_of(files), catalog=catalog, db=None) as run:
        assert [r["rank"] for r in run.store.rows("SELECT rank FROM file ORDER BY path")] == ranks
        raised = run.store.rows("SELECT e.rank, f.rank AS of_file FROM exception e JOIN file f USING (file_id)")
        assert raised
        assert all(r["rank"] == r["of_file"] for r in raised)
