"""Whole clusters with one injected cause: root, rank, host and GPU right; with sources less, right or less sure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from pathlib import Path

import pytest
from builders.clusters import CAUSES, Cluster, KernelLog, make

from logsift import Analysis, Catalog, Incident, analyze

CULPRIT = 11
NOTICED = {"hang.collective_timeout", "network.ib_error", "network.peer_lost"}
"""They name those who noticed, and say so."""
LEFT_OUT_WITH = {"metrics": {"gpu fell off the bus"}, "kernel": {"stuck data loader", "node lost"}}
"""Source -> the causes with which it is left out, though it tells nothing of them: most fixtures have neither."""


def analysed(cluster: Cluster, run: Path, catalog: Catalog, without: Collection[str] = ()) -> Analysis:
    return analyze(cluster.write(run, without), catalog=catalog, db=None)


def names(name: str, root: Incident | None, cluster: Cluster, culprit: int) -> None:
    """Root, rank, host and GPU as they were injected."""
    cause = CAUSES[name]
    assert root is not None
    assert root.rule == cause.root
    if "rank" in cause.names:
        assert root.ranks == {culprit}
    if "host" in cause.names:
        assert root.hosts == {cluster.host(culprit)}
    if "gpu" in cause.names:
        assert root.gpus == {cluster.gpu(culprit)}


@pytest.mark.parametrize("name", CAUSES)
def test_the_root_is_named_with_rank_host_and_gpu(name: str, tmp_path: Path, catalog: Catalog) -> None:
    cluster = make(name, culprit=CULPRIT)
    analysis = analysed(cluster, tmp_path / "run", catalog)
    names(name, analysis.root, cluster, CULPRIT)
    assert [i.rule for i in analysis.causes.roots[1:]] == [r for r in (CAUSES[name].also,) if r]


@pytest.mark.parametrize("kernel_log", ["syslog", "journal", "kmsg"])
@pytest.mark.parametrize("name", ["gpu fell off the bus", "host OOM of a data loader"])
def test_a_kernel_log_may_come_as_any_tool_writes_it(
    name: str, kernel_log: KernelLog, tmp_path: Path, catalog: Catalog
) -> None:
    cluster = make(name, 16, CULPRIT, kernel_log)
    names(name, analysed(cluster, tmp_path / "run", catalog).root, cluster, CULPRIT)


def telling(name: str, cluster: Cluster) -> list[str]:
    """The sources to leave out: those that tell of the fault, and what a healthy job leaves as well by causes that show it."""
    (healthy := Cluster()).begin()
    return sorted(
        source
        for source, files in cluster.sources().items()
        if files != healthy.sources().get(source) or name in LEFT_OUT_WITH[source]
    )


def never_wrong_for_sure(name: str, fewer: int, run: Path, catalog: Catalog) -> None:
    """With every choice of `fewer` sources removed the root stays right, or is graded lower, or there is none."""
    cause, cluster = CAUSES[name], make(name, culprit=CULPRIT)
    for without in combinations(telling(name, cluster), fewer):
        root = analysed(cluster, run / "-".join(without), catalog, without).root
        if root is None or root.confidence == "possible" or root.rule in NOTICED:
            continue
        told = f"without {', '.join(without)}: {root.rule} ({root.confidence}) {set(root.ranks)} {set(root.hosts)}"
        if root.rule in (cause.root, cause.also):
            continue
        # The culprit's own symptom (its CUDA error, its absence in the collective) may stand for the cause.
        assert root.ranks == {CULPRIT} or root.hosts == {cluster.host(CULPRIT)}, told


@pytest.mark.parametrize("name", CAUSES)
def test_with_a_source_less_nothing_wrong_is_claimed_for_sure(name: str, tmp_path: Path, catalog: Catalog) -> None:
    never_wrong_for_sure(name, 1, tmp_path, catalog)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpu fell off the bus", "stuck data loader", "node lost"])
def test_with_two_sources_less_nothing_wrong_is_claimed_for_sure(name: str, tmp_path: Path, catalog: Catalog) -> None:
    never_wrong_for_sure(name, 2, tmp_path, catalog)


@pytest.mark.parametrize("name", ["gpu fell off the bus", "node lost"])
def test_512_ranks(name: str, tmp_path: Path, catalog: Catalog) -> None:
    cluster = make(name, 512, culprit := 259)
    names(name, analysed(cluster, tmp_path / "run", catalog).root, cluster, culprit)
