"""NCCL's lines as launchers, progress bars and processes that write at once leave them."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.rows import rows_read

from logsift import Catalog, analyze

CALL = "AllReduce: opCount 0 sendbuff 0x7f1 recvbuff 0x7f2 count 1024 datatype 7 op 0 root 0 comm 0x55a0 [nranks=2] stream 0x5"


def written(tmp_path: Path, *lines: str) -> list[tuple[object, ...]]:
    """Host, pid and line of every call found in a log of these lines."""
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = rows_read(tmp_path, "SELECT host, pid, line_no FROM nccl_call ORDER BY line_no, pid")
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
FOUR = [  # two hosts of two ranks, equal pids, and `[0]` before every line: a thread that never set its device prints that
    init(r, f"Init {what}", 4, f"ga{r // 2 + 1}").replace(
        f":{10 + r}:{10 + r} [{r}]", f":{10 + r % 2}:{10 + r % 2} [0]"
    )
    for what in ("START", "COMPLETE")
    for r in range(4)
]
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
    "the device in front is 0 for everybody, and hosts share their pids": [
        *(f"[default{n % 4 % 2}]:{line}" for n, line in enumerate(FOUR)),
        *(f"[default{r % 2}]:ga{r // 2 + 1}:{10 + r % 2}:{10 + r % 2} [0] NCCL INFO {CALL.replace('0x55a0', f'0x55a{r}').replace('=2', '=4')}" for _ in range(3) for r in range(4)),
    ],
    "rank 0 of several groups is somebody else each time": [
        f"[rank{r}]:[I1014 09:01:4{r}.120331 ProcessGroupNCCL.cpp:{line}] [PG ID {pg} PG GUID {guid}(tp) Rank {r % 2}] {said}"
        for r, pg, guid in ((0, 1, 3), (1, 1, 3), (2, 1, 4), (3, 1, 4))
        for line, said in ((934, "ProcessGroupNCCL initialization options: size: 2, global rank: "), (2119, "ProcessGroupNCCL preparing to dump debug info. Include stack trace: 1"))
    ],
    "ranks of two hosts have the same bus id in brackets, as up to 2.15": [
        *(init(r, "Init COMPLETE", 2, f"ga{r + 1}", "").replace(" nvmlDev", "").replace(f" {r} busId {r + 1}000 commId 0x9f31", " busId 60") for r in (0, 1)),
        *(f"ga{r + 1}:{10 + r}:{10 + r} [{r}] NCCL INFO Channel 00 : {1 - r}[60] -> {r}[60] [receive] via NET/IB/0/GDRDMA" for r in (0, 1)),
    ],
    "ranks of two hosts have the same index in brackets, as since 2.16": [
        *(init(r, f"Init {what}", host=f"ga{r + 1}").replace(f"Dev {r}", "Dev 0").replace("2000", "1000") for what in ("START", "COMPLETE") for r in (0, 1)),
        *(f"ga{r + 1}:{10 + r}:{10 + r} [0] NCCL INFO Channel 00/0 : {1 - r}[0] -> {r}[0] [receive] via NET/IB/0/GDRDMA" for r in (0, 1)),
    ],
    "the logs of the other host are not here": [
        *(line for line in FOUR if line.startswith("ga1:")),
        *(f"ga1:{10 + r}:{10 + r} [0] NCCL INFO {CALL.replace('0x55a0', f'0x55a{r}').replace('=2', '=4')}" for _ in range(3) for r in (0, 1)),
    ],
    "a viewer numbered the lines, padded them and made links of names": [
        *(f"[{80746 + n}] {line}          " for n, line in enumerate(STARTED)),
        "[80751] ga1:10:10 [0] NCCL INFO [net.cc:388](http://net.cc:388) -> 2          ",
        "[80752] ga1:10:10 [0] NCCL INFO NET/Socket : Using [0]eth0:[10.0.0.5](http://10.0.0.5)<0>          ",
        "[80753] ga1:10:10 [0] [misc/ibvwrap.cc:63](http://misc/ibvwrap.cc:63) NCCL WARN Failed to open libibverbs.so[.1]          ",
    ],
    "a port that flapped within a plug-in's own recovery": ["ga1:10:44 [0] NCCL INFO NET/IB: ncclIbProgress: Port recovery succeeded"],
}  # fmt: skip


@pytest.mark.parametrize("lines", TRAPS.values(), ids=TRAPS.keys())
def test_what_looks_like_a_cause_and_is_none(lines: list[str], tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    assert [i.rule for i in analyze(tmp_path, catalog=catalog, db=None).incidents if i.severity != "info"] == []


def test_a_flushed_request_follows_the_one_that_failed(tmp_path: Path, catalog: Catalog) -> None:
    said = [
        f"ga{h}:10:44 [0] transport/net_ib.cc:2287 NCCL WARN NET/IB: Got completion from peer 10.0.0.{p}<4711> with status={s} opcode={o} len={n} vendor err {v} (Recv) localGid fe80::1 remoteGidsfe80::2 hca mlx5_{h}"
        for h, p, s, o, n, v in ((1, 9, 12, 0, 0, 129), (1, 9, 5, 32753, 32753, 244), (2, 1, 5, 0, 0, 249))
    ]
    (tmp_path / "out.log").write_text("\n".join(said) + "\n")
    (found,) = [i for i in analyze(tmp_path, catalog=catalog, db=None).incidents if i.severity != "info"]
    assert (found.rule, found.facts["status"]) == ("network.ib_error", 12)


def test_operations_that_failed_without_a_timeout_are_no_hang(tmp_path: Path, catalog: Catalog) -> None:
    lines = [
        GLOG + "Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
        GLOG + "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        GLOG + "To avoid data inconsistency, we are taking the entire process down.",
        "[rank1]: RuntimeError: DDP expects same model across all ranks, but Rank 1 has 51 params, while rank 0 has inconsistent 0 params.",
    ]  # fmt: skip
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    analysis = analyze(tmp_path, catalog=catalog, db=None)
    assert analysis.root is not None
    assert analysis.root.rule == "gpu.cuda_error"
    assert not [i for i in analysis.incidents if i.rule.startswith(("hang.", "divergence."))]


def timed_out(rank: int, second: int, seq: int = 77, ran: int = 600041) -> list[str]:
    """What one rank says of one timeout, with all its repetitions."""
    tag = f"[rank{rank}]:[E1014 09:11:{second:02d}.120331 ProcessGroupNCCL.cpp:"
    group = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
    said = f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for {ran} milliseconds before timing out."
    return [
        f"{tag}632] {said}",
        f"{tag}2268] {group} failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq}, last completed work: {seq - 1}",
        f"{tag}1895] {group}Process group watchdog thread terminated with exception: {said}",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  {group}Process group watchdog thread terminated with exception: {said}",
        f"[rank{rank}]: RuntimeError: {said}",
    ]


def test_a_timeout_printed_often_is_one(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "out.log").write_text("\n".join(line for r in (0, 1) for line in timed_out(r, 40)) + "\n")
    analysis = analyze(tmp_path, catalog=catalog, db=None)
    (found,) = [i for i in analysis.incidents if i.severity != "info"]
    assert (found.rule, found.ranks, found.facts["seq"]) == ("hang.collective_timeout", {0, 1}, 77)
    assert analysis.sql("SELECT rank FROM c10d_timeout_once ORDER BY rank") == [{"rank": 0}, {"rank": 1}]


def test_the_first_in_the_file_is_not_the_first_in_time(tmp_path: Path, catalog: Catalog) -> None:
    # Rank 1's lines come first, though its operation began 20 s after that of rank 0.
    (tmp_path / "out.log").write_text("\n".join([*timed_out(1, 50), *timed_out(0, 30)]) + "\n")
    (found,) = [i for i in analyze(tmp_path, catalog=catalog, db=None).incidents if i.severity != "info"]
    assert str(found.facts["started"])[-8:] == "09:01:30"


def test_a_stuck_watchdog_stood_before_it_was_found(tmp_path: Path, catalog: Catalog) -> None:
    said = "[rank1]:[F1014 09:11:40.120331 ProcessGroupNCCL.cpp:1557] [PG ID 0 PG GUID 0(default_pg) Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives."
    (tmp_path / "out.log").write_text(said + "\n")
    (found,) = [i for i in analyze(tmp_path, catalog=catalog, db=None).incidents if i.severity != "info"]
    assert str(found.facts["started"])[-8:] == "09:03:40"


def test_whom_the_agent_noticed_first_is_not_the_one_that_hung(tmp_path: Path, catalog: Catalog) -> None:
    agent = [
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "pretrain.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        "  time      : 2025-10-14_09:11:40",
        "  host      : ga1",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : 1 (pid: 10)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
    ]
    barrier = "[rank0]: RuntimeError: [Rank 0]: Ranks 2, 5 failed to pass monitoredBarrier in 8000 ms"
    (tmp_path / "out.log").write_text("\n".join([barrier, *agent]) + "\n")
    root = analyze(tmp_path, catalog=catalog, db=None).root
    assert root is not None
    assert (root.rule, root.ranks) == ("hang.missing_rank", {2, 5})


def test_an_init_whose_longer_line_a_terminal_broke_is_not_open(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "out.log").write_text(
        "\n".join(piece for line in STARTED for piece in (line[:133], line[133:]) if piece) + "\n"
    )
    analysis = analyze(tmp_path, catalog=catalog, db=None)
    assert {r["event"] for r in analysis.sql("SELECT event FROM nccl_comm")} == {"Init START", "cut"}
    assert not analysis.incidents
