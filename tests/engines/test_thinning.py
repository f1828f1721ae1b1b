"""Of a run read in shares, no more rows are kept than rules need: the verdict is the same, and what was left out is counted and told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from builders.rows import tables
from hypothesis import given
from hypothesis import strategies as st

from logsift import Analysis, Catalog, analyze
from logsift.engines.mapping import map_share
from logsift.engines.reducing import reduce
from logsift.engines.thinning import level

CALLS = 3_000
KEPT = 800


def enough(catalog: Catalog, rows: int) -> Catalog:
    """The content, of whose bulk tables so many rows are enough."""
    tables = {name: replace(t, bulk=replace(t.bulk, rows=rows)) if t.bulk else t for name, t in catalog.tables.items()}
    return replace(catalog, tables=MappingProxyType(tables))


def calls(rank: int, *, differ: bool) -> str:
    """NCCL's log of one rank of two: collectives, and messages to the other; at the end rank 1 calls something else."""
    comm, who = f"0x{rank + 1}a0", f"n{rank}:{70 + rank}:{90 + rank} [0] NCCL INFO "
    init = f"{who}ncclCommInitRankConfig comm {comm} rank {rank} nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x5f2a"
    lines = [f"{init} - Init START", f"{init} - Init COMPLETE"]

    def call(op: str, n: int, elements: int, root: int = 0) -> str:
        return (
            f"{who}{op}: opCount {n:x} sendbuff 0x7f1 recvbuff 0x7f2 count {elements} datatype 7 op 0 root {root}"
            f" comm {comm} [nranks=2] stream 0x51"
        )

    for n in range(CALLS):
        op = "ReduceScatter" if differ and rank == 1 and n == CALLS - 1 else "AllReduce"
        lines.append(call(op, n, 1024 + n % 7))
        if n % 3 == 0:
            lines.append(call("Send" if rank == 0 else "Recv", n, 8, 1 - rank))
    return "".join(f"{line}\n" for line in lines)


def curve(steps: int, *, broken_from: int) -> str:
    """A log of training whose loss is no number from a step on."""
    noise = np.random.default_rng(5).normal(0, 0.02, steps)
    return "".join(
        f"step {n} | loss {'nan' if n >= broken_from else f'{3 + 4 / (1 + n / 100) + noise[n]:.4f}'} | lr 1e-4\n"
        for n in range(1, steps)
    )


def both(run: Path, folder: Path, catalog: Catalog, rows: int, of: int = 2) -> tuple[Analysis, Analysis]:
    """The analysis of a run, and of its shares of which no more rows are kept than are enough."""
    for shard in range(1, of + 1):
        map_share([run], folder, enough(catalog, rows), shard, of)
    return analyze(run, catalog=catalog, db=None), reduce(folder, catalog)


@pytest.mark.parametrize("differ", [pytest.param(True, id="a mismatch"), pytest.param(False, id="none")])
def test_calls_are_counted_and_compared_as_if_all_were_there(
    differ: bool, run_of: Callable[..., Path], tmp_path: Path, catalog: Catalog
) -> None:
    run = run_of({f"nccl.n{rank}.log": calls(rank, differ=differ) for rank in (0, 1)})
    whole, thin = both(run, tmp_path / "parts", catalog, 2 * KEPT)
    assert 1500 <= thin.sql("SELECT count(*) AS n FROM nccl_call")[0]["n"] <= 2 * (KEPT + 128)
    for asked in (
        "SELECT * FROM nccl_call_count ORDER BY ALL",
        "SELECT sends, recvs FROM nccl_pair_count ORDER BY ALL",
    ):
        assert thin.sql(asked) == whole.sql(asked)
    assert thin.sql("SELECT max(seq) AS n FROM collective_call") == [{"n": CALLS}]
    kept = set(map(str, thin.sql("SELECT comm_rank, seq, op, line_no FROM collective_call")))
    assert kept < set(map(str, whole.sql("SELECT comm_rank, seq, op, line_no FROM collective_call")))
    assert [(i.rule, i.ranks, i.summary, i.evidence) for i in thin.incidents] == [
        (i.rule, i.ranks, i.summary, i.evidence) for i in whole.incidents
    ]
    assert bool(thin.incidents) is differ


def test_the_first_value_that_is_no_number_is_kept(
    run_of: Callable[..., Path], tmp_path: Path, catalog: Catalog
) -> None:
    run = run_of({"train.log": curve(9_000, broken_from=2_345)})
    whole, thin = both(run, tmp_path / "parts", catalog, 1_000)
    assert thin.root
    assert whole.root
    assert (thin.root.rule, thin.root.facts, thin.root.evidence) == (
        whole.root.rule,
        whole.root.facts,
        whole.root.evidence,
    )
    assert (thin.root.facts["step"], thin.root.facts["last_finite_step"]) == (2_345, 2_344)


def test_what_is_left_out_is_told_and_kept_where_every_row_is_wanted(
    run_of: Callable[..., Path], tmp_path: Path, catalog: Catalog
) -> None:
    run = run_of({"train.log": curve(2_000, broken_from=9_999), "other.log": curve(100, broken_from=9_999)})
    whole, thin = both(run, tmp_path / "parts", catalog, 600, of=1)
    there = thin.sql(
        "SELECT path, count(*) AS n FROM training_line JOIN file USING (file_id) GROUP BY ALL ORDER BY ALL"
    )
    assert there[0] == {"path": "other.log", "n": 99}
    assert thin.sql("SELECT path, what, text FROM problem JOIN file USING (file_id)") == [
        {
            "path": "train.log",
            "what": "not kept",
            "text": f"{1_999 - there[1]['n']} rows of training_line: more than rules need; `logsift map --every-row` keeps them",
        }
    ]
    assert not map_share([run], tmp_path / "parts", enough(catalog, 600), every_row=True).done_before
    assert tables(reduce(tmp_path / "parts", catalog)) == tables(whole)


@given(sizes=st.lists(st.integers(1, 500), min_size=1, max_size=40), rows=st.integers(1, 5_000))
def test_long_series_are_cut_first_and_no_more_than_need_be(sizes: list[int], rows: int) -> None:
    most = level(np.array(sizes), rows)
    kept = sum(min(n, most) for n in sizes)
    assert kept <= max(rows, len(sizes))
    assert most == max(sizes) or sum(min(n, most + 1) for n in sizes) > rows
