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
    assert {h for i in analyze(run_of({"kern.log": log}), catalog=catalog, db=None).incidents for h in i.hosts} == {
        "mesa-18"
    }


@pytest.mark.parametrize("name", ["node-mesa-18-journal.log", "again-mesa-18-kern.log", "mesa-18.log"])
def test_lines_without_a_host_are_of_the_one_that_the_name_of_their_file_holds(
    run_of: Callable[..., Path], catalog: Catalog, name: str
) -> None:
    unnamed = "[ 912.004] NVRM: Xid (PCI:0000:3b:00): 79, pid=7711, name=python3, GPU has fallen off the bus.\n"
    run = run_of({name: unnamed, "kern.log": XID.format(n=7, code=79)})
    with analyze(run, catalog=catalog, db=None) as analysis:
        assert {r["host"] for r in analysis.store.rows("SELECT host FROM xid_line")} == {"mesa-18"}


def test_files_that_srun_names_by_node_and_task_are_of_the_node(run_of: Callable[..., Path], catalog: Catalog) -> None:
    line = "2026-10-12 09:41:02,716 rack2-n4{n} rank{n} INFO step 1/300 loss 1.4\n[rank{n}]: ValueError: lift\n"
    run = run_of({f"rack2-n4{n}-{n}.out": line.format(n=n) for n in (0, 1)})
    with analyze(run, catalog=catalog, db=None) as analysis:
        assert {r["host"] for r in analysis.store.rows("SELECT host FROM file")} == {"rack2-n40", "rack2-n41"}
