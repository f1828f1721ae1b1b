"""What several tests of reports show: one job, analysed once."""

from __future__ import annotations

import pytest
from builders.clusters import make

from logsift import Analysis, Catalog, analyze


@pytest.fixture(scope="session")
def stuck(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """16 ranks, one stuck in its data loader: stacks, progress, fates."""
    return analyze(make("stuck data loader", 16).write(tmp_path_factory.mktemp("stuck") / "run"), catalog=catalog)
