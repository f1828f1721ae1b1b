"""The decision over an out-of-memory message: one message for every branch, with the class and grade its numbers give."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from logsift import analyze

NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {r} GiB. GPU 0 has a total capacity of 80.00 GiB of which {f} GiB is free. "
    "{others}Including non-PyTorch memory, this process has {s} GiB memory in use. Of the allocated memory {a} GiB is allocated by PyTorch{pools}, "
    "and {u} GiB is reserved by PyTorch but unallocated."
)
OLD = (
    "RuntimeError: {api} out of memory. Tried to allocate {r} GiB (GPU 0; 80.00 GiB total capacity; {a} GiB already allocated; {f} GiB free; "
    "{res} GiB reserved in total by PyTorch)"
)


def new(r: str, f: str, s: str, a: str, u: str, others: str = "", pools: str = "") -> str:
    """The wording of PyTorch 2.4 and later."""
    return NEW.format(r=r, f=f, s=s, a=a, u=u, others=others, pools=pools)


def old(r: str, f: str, a: str, res: str, api: str = "CUDA") -> str:
    """The wording before PyTorch 2.1."""
    return OLD.format(r=r, f=f, a=a, res=res, api=api)


TPU = "RESOURCE_EXHAUSTED: Error {call}. That was not possible. There are {free}.; (0x0x0_HBM0)"
BRANCHES = {
    "larger than the card": (new("96.00", "40.00", "39.00", "37.00", "1.00"), "capacity", "definite", "request_exceeds_card"),
    "free, yet refused": (new("2.00", "9.00", "70.00", "68.00", "1.00"), "fragmentation", "possible", "refused_although_free"),
    "free, yet refused by HIP": (new("2.00", "9.00", "70.00", "68.00", "1.00").replace("CUDA out", "HIP out"), "capacity", "possible", "refused_below_the_total"),
    "a little more free than asked": (new("0.02", "0.03", "79.50", "78.50", "0.20"), "capacity", "definite", "does_not_fit"),
    "another process named": (
        new("4.00", "1.00", "60.00", "58.00", "0.50", others="Process 411 has 18.50 GiB memory in use. "),
        "foreign_process", "definite", "other_process_named",
    ),
    "nobody named, a third of the card": (new("4.00", "1.00", "50.00", "48.00", "0.50"), "foreign_process", "probable", "memory_nobody_here_holds"),
    "nobody named, a tenth of the card": (new("4.00", "1.00", "70.00", "68.00", "0.50"), "foreign_process", "possible", "memory_nobody_here_holds"),
    "others hold less than is wanted": (new("30.00", "1.00", "70.00", "68.00", "0.50"), "capacity", "definite", "does_not_fit"),
    "old wording, memory of somebody": (old("4.00", "1.00", "40.00", "41.00"), "foreign_process", "probable", "memory_nobody_here_holds"),
    "old wording on ROCm": (old("4.00", "1.00", "40.00", "41.00", api="HIP"), "foreign_process", "probable", "memory_nobody_here_holds"),
    "more in pieces than a twentieth": (new("2.00", "0.50", "79.30", "68.00", "10.00"), "fragmentation", "probable", "reserved_but_scattered"),
    "in pieces, a thirtieth": (new("2.00", "0.50", "79.30", "75.00", "2.90"), "fragmentation", "possible", "reserved_but_scattered"),
    "pieces and what is free would do": (new("3.50", "1.40", "78.40", "75.00", "3.00"), "fragmentation", "possible", "reserved_but_scattered"),
    "pieces too few to matter": (new("1.00", "0.50", "79.30", "77.00", "1.20"), "capacity", "definite", "does_not_fit"),
    "graph pools": (
        new("2.00", "0.50", "79.30", "76.00", "1.00", pools=", with 9.00 GiB allocated in private pools (e.g., CUDA Graphs)"),
        "graph_capture", "probable", "graph_pools_hold_it",
    ),
    "tpu, more than is free": (
        TPU.format(call="allocating device buffer: Attempting to allocate 129.50M", free="78.17M free"),
        "capacity", "definite", "request_exceeds_free",
    ),
    "tpu, free but in pieces": (
        TPU.format(call="allocating device buffer: Attempting to allocate 129.50M", free="900.00M free"),
        "fragmentation", "probable", "free_but_not_in_one_piece",
    ),
    "tpu, a program in pieces": (
        TPU.format(call="loading program 'jit_f': Attempting to reserve 7.04G at the bottom of memory", free="9.00G free, 0B reserved, and 6.90G reservable"),
        "fragmentation", "definite", "free_but_not_in_one_piece",
    ),
    "tpu, a kernel's scratch": (
        "XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used 31.07M of 16.00M vmem. Exceeded vmem capacity by 15.07M.",
        "capacity", "definite", "kernel_exceeds_scratch_memory",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str, str]]:
    """Every message in a file of its own, analysed together."""
    run = tmp_path_factory.mktemp("run")
    for n, (text, *_) in enumerate(BRANCHES.values()):
        (run / f"m{n:02d}.log").write_text(f"step 1\n{text}\n")
    analyze(run)
    store = duckdb.connect(str(run / "logsift.duckdb"), read_only=True)
    got = store.execute("SELECT f.path, class, grade, because FROM oom_verdict JOIN file f USING (file_id)").fetchall()
    names = list(BRANCHES)
    return {names[int(path[1:3])]: (kind, grade, because) for path, kind, grade, because in got}


@pytest.mark.parametrize("name", BRANCHES)
def test_every_branch(name: str, verdicts: dict[str, tuple[str, str, str]]) -> None:
    assert verdicts.get(name) == BRANCHES[name][1:]


def test_pools_hidden_in_the_cache_where_graphs_are_in_use(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(
        "INFO model_runner.py:1440] Graph capturing finished in 17 secs, took 0.61 GiB\n"
        + old("2.00", "0.50", "64.00", "78.90")
        + "\n"
    )
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    assert store.execute("SELECT class, because FROM oom_verdict").fetchall() == [
        ("graph_capture", "graph_pools_hidden_in_cache")
    ]


def test_a_size_gone_wrong_is_no_want_of_memory(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(
        'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    x = torch.empty(n)\n'
        "RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory.\n"
    )
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    assert store.execute("SELECT count(*) FROM oom_verdict").fetchone() == (0,)
