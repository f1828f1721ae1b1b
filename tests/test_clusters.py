"""Whole clusters with one injected cause: root, rank, host and GPU right; with a source less, right or less sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsift import Catalog, analyze
from tests.clusters import CAUSES, make

CULPRIT = 11


@pytest.mark.parametrize("name", CAUSES)
def test_the_root_is_named_with_rank_host_and_gpu(name: str, tmp_path: Path, catalog: Catalog) -> None:
    cause, cluster = CAUSES[name], make(name, culprit=CULPRIT)
    root = analyze(cluster.write(tmp_path / "run"), catalog=catalog).root
    assert root is not None
    assert root.rule == cause.root
    if cause.names_rank:
        assert root.ranks == {CULPRIT}
    if cause.names_host:
        assert root.hosts == {cluster.host(CULPRIT)}
    if cause.names_gpu:
        assert root.gpus == {cluster.gpu(CULPRIT)}


@pytest.mark.parametrize("name", [n for n in CAUSES if make(n).kernel and len(CAUSES[n].root) > 0])
@pytest.mark.parametrize("without", ["kernel", "output"])
def test_with_a_source_less_nothing_wrong_is_claimed_for_sure(
    name: str, without: str, tmp_path: Path, catalog: Catalog
) -> None:
    cause, cluster = CAUSES[name], make(name, culprit=CULPRIT)
    cluster.write(tmp_path / "run", without)
    root = analyze(tmp_path / "run", catalog=catalog).root
    if root is not None and root.rule != cause.root and root.confidence == "definite":
        # Another incident may stand for sure (the rank's own CUDA error, say), but never another rank or host.
        assert not cause.names_rank or root.ranks <= {CULPRIT} or root.ranks == set(range(cluster.ranks)) - {CULPRIT}
