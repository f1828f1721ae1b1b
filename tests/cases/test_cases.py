"""Every directory under fixtures/ is a run with a known cause; the whole pipeline must agree with its case.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsift import Catalog
from logsift.authoring.cases import cases_in, failures

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("case", cases_in(ROOT / "fixtures"), ids=lambda c: c.name)
def test_case(case: Path, catalog: Catalog) -> None:
    assert [str(e) for e in failures(case, catalog)] == []
