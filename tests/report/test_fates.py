"""What became of every rank: how it ended, who was first, folded to those that ended alike."""

from __future__ import annotations

import pytest
from builders.clusters import make

from logsift import Analysis, Catalog, analyze
from logsift.report.fates import each, folded
from logsift.report.rows import of_ranks


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """16 ranks on 2 hosts: rank 11 raises, its launcher ends its neighbours, the others time out."""
    return analyze(make("exception in one rank", 16).write(tmp_path_factory.mktemp("fates") / "run"), catalog=catalog)


def test_ranks_that_ended_alike_are_one_row_and_the_first_comes_first(crashed: Analysis) -> None:
    assert [(f.fate, f.said, f.ranks, f.first) for f in folded(crashed.store)] == [
        ("raised", "raised KeyError", (11,), (11,)),
        ("timed_out", "timed out in ALLREDUCE 20", tuple(range(8)), ()),
        ("torn_down", "ended by the launcher", (8, 9, 10, 12, 13, 14, 15), ()),
    ]


def test_each_rank_has_its_place_its_last_word_and_its_end(crashed: Analysis) -> None:
    by_rank = {r.rank: r for r in each(crashed.store)}
    assert sorted(by_rank) == list(range(16))
    first, last = by_rank[11], by_rank[15]
    assert (first.host, first.gpu, first.pid, first.said, first.was_first) == (
        "hgx001", "0000:49:00", 40011, "raised KeyError", True,
    )  # fmt: skip
    assert first.path == "slurm-881.out"
    assert (last.step, last.was_first) == (10.0, False)
    assert by_rank[3].collective == "ALLREDUCE 20"


def test_few_ranks_are_listed_many_are_folded(crashed: Analysis) -> None:
    assert of_ranks(crashed.store, each_rank=False).endswith("16 ranks")
    assert "KeyError (the first to end)" in of_ranks(crashed.store, each_rank=True)


def test_a_rank_that_only_waits_is_told_from_one_that_says_nothing(stuck: Analysis) -> None:
    fates = {f.fate: f.ranks for f in folded(stuck.store)}
    assert fates["silent"] == (11,)
    assert len(fates["timed_out"]) == 15
