"""NCCL's lines as launchers, progress bars and processes that write at once leave them."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsift import Catalog, analyze

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


def init(rank: int, what: str, nranks: int = 2, host: str = "ga1", call: str = "ncclCommInitRankConfig ") -> str:
    ids = (
        f"comm 0x55a{rank} rank {rank} nranks {nranks} cudaDev {rank} nvmlDev {rank} busId {rank + 1}000 commId 0x9f31"
    )
    return f"{host}:{10 + rank}:{10 + rank} [{rank}] NCCL INFO {call}{ids} - {what}"


STARTED = [init(r, f"Init {what}") for what in ("START", "COMPLETE") for r in (0, 1)]
GLOG = "[rank0]:[E1014 09:01:44.120331 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 0] "
TRAPS = {
    "a service thread's peer went home": [
        *STARTED,
        "ga1:10:41 [0] NCCL INFO [Service thread] Connection closed by localRank 1",
        "ga1:11:42 [1] NCCL INFO [Service thread] Connection closed by localRank 0",
    ],
    "torch up to 2.4 aborts its communicators at the end": [
        *STARTED,
        *(init(r, "Abort COMPLETE", call="") for r in (0, 1)),
    ],
    "no end is logged, as since 2.30.3": STARTED,
    "a plug-in is looked for": [
        "ga1:10:10 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v9 symbol.",
        "ga1:10:10 [0] NCCL INFO NET/Plugin: Failed to find ncclCollNetPlugin_v9 symbol.",
        "ga1:10:10 [0] NCCL INFO TUNER/Plugin: Could not find: libnccl-tuner.so.",
        "ga1:10:10 [0] NCCL INFO Plugin load returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory : when loading libnccl-net.so",
        *STARTED,
    ],
    "a lone result while it looks": ["ga1:10:10 [0] NCCL INFO net.cc:388 -> 2", "ga1:11:11 [1] NCCL INFO net.cc:388 -> 3", *STARTED],
    "no InfiniBand on this host": [
        "ga1:10:10 [0] misc/ibvwrap.cc:63 NCCL WARN Failed to open libibverbs.so[.1]",
        "ga1:10:10 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.5<0>",
        "ga1:10:10 [0] NCCL INFO Using network Socket",
        *STARTED,
    ],
    "libuv cannot close its loop": ["[I1014 09:01:44.120331 TCPStoreLibUvBackend.cpp:991] [c10d - debug] uv_loop_close failed with:-16 errn:EBUSY desc:resource busy or locked"],
    "torch is asked to end and has not been told": [
        "[rank0]:[W1014 09:01:44.120331 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL.",
        "[rank1]:[W1014 09:01:44.120331 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 1]  using GPU 1 to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.",
        "ProcessGroupNCCL monitor thread is disabled, but would have terminated the process",
    ],
    "the store is not up yet, and then is": [
        "[W1014 09:01:40.120331 socket.cpp:752] [c10d] The client socket has failed to connect to [ga1]:29500 (errno: 111 - Connection refused).",
        "[W1014 09:01:40.120331 socket.cpp:752] [c10d] The client socket cannot be initialized to connect to [ga1]:29500 (errno: 97 - Address family not supported by protocol).",
        "[W1014 09:01:40.120331 socket.cpp:697] [c10d] The IPv6 network addresses of (ga1, 29500) cannot be retrieved (gai error: -2 - Name or service not known).",
        "[Gloo] Rank 0 is connected to 1 peer ranks. Expected number of connected peer ranks is : 1",
        *STARTED,
    ],
    "numbers of calls stand still on one node and are hexadecimal": [
        *STARTED,
        *(f"ga1:{10 + r}:{10 + r} [{r}] NCCL INFO {CALL.replace('0x55a0', f'0x55a{r}')}" for _ in range(3) for r in (0, 1)),
        f"ga1:10:10 [0] NCCL INFO {CALL.replace('opCount 0', 'opCount 1e7')}",
        f"ga1:11:11 [1] NCCL INFO {CALL.replace('opCount 0', 'opCount 1e8').replace('0x55a0', '0x55a1')}",
    ],
    "one look at a running job": [
        "NCCL version 2.27.5 compiled with CUDA 12.9",
        "Communicators... (0.00s)",
        "#0-0 (7c1e55aa02d94b10) MISMATCH",
        "  Communicator ranks have different status",
        "  15 ranks have status RUNNING",
        "  Rank 7 has status INIT -- GPU 7 managed by process 9107 on node 10.31.0.4",
    ],
    "a port that flapped within a plug-in's own recovery": ["ga1:10:44 [0] NCCL INFO NET/IB: ncclIbProgress: Port recovery succeeded"],
}  # fmt: skip


@pytest.mark.parametrize("lines", TRAPS.values(), ids=TRAPS.keys())
def test_what_looks_like_a_cause_and_is_none(lines: list[str], tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    assert [i.rule for i in analyze(tmp_path, catalog=catalog).incidents if i.severity != "info"] == []


def test_a_flushed_request_follows_the_one_that_failed(tmp_path: Path, catalog: Catalog) -> None:
    said = [
        f"ga{h}:10:44 [0] transport/net_ib.cc:2287 NCCL WARN NET/IB: Got completion from peer 10.0.0.{p}<4711> with status={s} opcode={o} len={n} vendor err {v} (Recv) localGid fe80::1 remoteGidsfe80::2 hca mlx5_{h}"
        for h, p, s, o, n, v in ((1, 9, 12, 0, 0, 129), (1, 9, 5, 32753, 32753, 244), (2, 1, 5, 0, 0, 249))
    ]
    (tmp_path / "out.log").write_text("\n".join(said) + "\n")
    (found,) = [i for i in analyze(tmp_path, catalog=catalog).incidents if i.severity != "info"]
    assert (found.rule, found.facts["status"]) == ("network.ib_error", 12)


def test_operations_that_failed_without_a_timeout_are_no_hang(tmp_path: Path, catalog: Catalog) -> None:
    lines = [
        GLOG + "Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
        GLOG + "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        GLOG + "To avoid data inconsistency, we are taking the entire process down.",
        "[rank1]: RuntimeError: DDP expects same model across all ranks, but Rank 1 has 51 params, while rank 0 has inconsistent 0 params.",
    ]  # fmt: skip
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    root = analyze(tmp_path, catalog=catalog).root
    assert root is not None
    assert root.rule == "gpu.cuda_error"
    assert not [i for i in analyze(tmp_path, catalog=catalog).incidents if i.rule.startswith(("hang.", "divergence."))]
