"""NCCL's lines as launchers, progress bars and processes that write at once leave them."""

from __future__ import annotations

from pathlib import Path

from logsift import analyze

CALL = "AllReduce: opCount 0 sendbuff 0x7f1 recvbuff 0x7f2 count 1024 datatype 7 op 0 root 0 comm 0x55a0 [nranks=2] stream 0x5"


def written(tmp_path: Path, *lines: str) -> list[tuple[object, ...]]:
    """Host, pid and line of every call found in a log of these lines."""
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path).sql("SELECT host, pid, line_no FROM nccl_call ORDER BY line_no, pid")
    return [tuple(r.values()) for r in rows]


def test_records_glued_to_each_other_and_to_a_progress_bar_are_found(tmp_path: Path) -> None:
    glued = f"step 3: 12%|# | 9.2it/s, loss=5.46]ga1:10:10 [0] NCCL INFO {CALL}ga1:11:11 [1] NCCL INFO {CALL}"
    rows = written(tmp_path, glued, f"ga2:12:12 [0] NCCL INFO {CALL}")
    # What was glued to a host's name cannot be told from it; whoever joins over hosts compares their ends.
    assert [(str(host)[-3:], pid, line) for host, pid, line in rows] == [("ga1", 10, 1), ("ga1", 11, 1), ("ga2", 12, 2)]


def test_what_launchers_put_in_front_is_no_host(tmp_path: Path) -> None:
    call = f"ga1:10:10 [0] NCCL INFO {CALL}"
    fronts = [
        "2025-05-13 18:01:41 ", "[2025-05-13 18:01:41] ", "[1,3]<stdout>:", "[default2]:", " 12: ", "10.1.2.3: ",
        "(RayWorkerWrapper pid=489, ip=10.0.0.2) ", "[80746] ", "trainer/0 [1]:", "host9: [rank3]: ",
    ]  # fmt: skip
    assert written(tmp_path, *(f + call for f in fronts)) == [("ga1", 10, n) for n in range(1, len(fronts) + 1)]
