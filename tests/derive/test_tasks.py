"""Files that srun names by node and task: what the parts of their names are, the names of all of them tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze

SAYS = "step 1 loss 2.5\n"
RAISES = (
    "Traceback (most recent call last):\n  File \"/job/lift.py\", line 8, in <module>\n    ride()\nKeyError: 'door'\n"
)
Placed = list[tuple[str | None, int | None]]


def job(pattern: str, *nodes: str, each: int = 2, first: int = 0) -> dict[str, str]:
    names = [pattern.format(node, first + n * each + k) for n, node in enumerate(nodes) for k in range(each)]
    return {name: SAYS + RAISES * (name == names[-1]) for name in names}


TWO: Placed = [("gx07", 0), ("gx07", 1), ("gx08", 2), ("gx08", 3)]
CASES: dict[str, tuple[dict[str, str], Placed]] = {
    "job, node and task": (job("4711-{}-{}.out", "gx07", "gx08"), TWO),
    "with dots": (job("job.4711.{}.{}.err", "gx07", "gx08"), TWO),
    "with lines below": (job("slurm-4711_{}_{}.log", "gx07", "gx08"), TWO),
    "with a letter for the task": (job("{}-t{}.out", "gx07", "gx08"), TWO),
    "nodes whose names look like those": (
        job("4711-{}-{}.out", "node-3", "node-4"),
        [("node-3", 0), ("node-3", 1), ("node-4", 2), ("node-4", 3)],
    ),
    "nodes named by their addresses": (
        job("{}-{}.out", "ip-10-0-0-3", "ip-10-0-0-4"),
        [("ip-10-0-0-3", 0), ("ip-10-0-0-3", 1), ("ip-10-0-0-4", 2), ("ip-10-0-0-4", 3)],
    ),
    "one for each node: the number may be its own": (
        job("{}-{}.out", "node03", "node04", "node07", each=1),
        [("node03", None), ("node04", None), ("node07", None)],
    ),
    "some of them, whose last lines tell": (
        {f"4711-{node}-{n}.out": f"{SAYS}[rank{n}]: ValueError: door\n" for node, n in (("gx07", 5), ("gx11", 40))}
        | {"4711-gx09-22.out": SAYS + RAISES},
        [("gx07", 5), ("gx09", 22), ("gx11", 40)],
    ),
    "some of them, and none tells": (
        job("4711-{}-{}.out", "gx07", "gx08", first=4),
        [(None, None)] * 4,
    ),
    "a line tells another rank": (
        job("4711-{}-{}.out", "gx07", "gx08") | {"4711-gx08-2.out": "[rank7]: ValueError: door\n"},
        [(None, None)] * 4,
    ),
    "the same numbers on each node": (
        {f"{node}-{n}.out": SAYS + RAISES for node in ("gx07", "gx08") for n in range(2)},
        [(None, None)] * 4,
    ),
    "stages of a model": (job("{}-{}.out", "pp0", "pp1"), [(None, None)] * 4),
    "nodes of one rack": (
        {f"a100-{n}.out": SAYS + RAISES for n in range(4)},
        [(f"a100-{n}", None) for n in range(4)],
    ),
    "a rank behind the name of a node": (
        {"node-2-rank7.log": SAYS, "node-5-rank9.log": RAISES},
        [("node-2", 7), ("node-5", 9)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_node_and_task_in_the_names_of_files(run_of: Callable[..., Path], catalog: Catalog, case: str) -> None:
    files, placed = CASES[case]
    with analyze(run_of(files), catalog=catalog, db=None) as run:
        rows = run.store.rows("SELECT host, rank FROM file ORDER BY length(path), path")
        assert [(r["host"], r["rank"]) for r in rows] == placed
        for r in run.store.rows(
            "SELECT e.host, e.rank, f.host AS h, f.rank AS r FROM exception e JOIN file f USING (file_id)"
        ):
            assert (r["host"], r["rank"]) == (r["h"], r["r"]) or r["r"] is None
