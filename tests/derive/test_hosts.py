"""Names of hosts that were read before all of them were known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze

XID = "Mar  3 02:10:0{n} mesa-18 kernel: NVRM: Xid (PCI:0000:9b:00): {code}, pid=7710, name=python3, Ch 00000008\n"


@pytest.mark.parametrize("rest", ["a-18 kernel:", "8 kernel:"])
def test_a_log_that_was_cut_within_its_first_line_names_no_other_host(
    run_of: Callable[..., Path], catalog: Catalog, rest: str
) -> None:
    whole = XID.format(n=7, code=79) + XID.format(n=8, code=79)
    log = whole[whole.index(rest) :]
    assert {h for i in analyze(run_of({"kern.log": log}), catalog=catalog).incidents for h in i.hosts} == {"mesa-18"}
