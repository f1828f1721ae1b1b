"""Stacks of live, hung processes, dumped with the real py-spy, through the whole pipeline."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logsift import Analysis, Incident, analyze

PY_SPY = Path(sysconfig.get_path("scripts")) / "py-spy"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PY_SPY.exists(), reason="py-spy is not installed")]

# Stands where torch stands, so that dumps show its path; a read of a pipe nobody writes to is the collective.
COLLECTIVE = """
def all_reduce(tensor, pipe):
    return pipe.read(1)
"""
RANKS = """
import os, sys
sys.path.insert(0, {folder!r})
from torch.distributed.distributed_c10d import all_reduce

def load_page(pipe):
    return pipe.read(1)

def step(rank, pipe):
    if rank == {culprit}:
        load_page(pipe)
    all_reduce(None, pipe)

def main(rank):
    global_step = 417
    ours, theirs = os.pipe()
    print("up", flush=True)
    step(rank, os.fdopen(ours, "rb"))

main(int(sys.argv[1]))
"""
LOCKS = """
import threading
class Cache:
    def __init__(self):
        self.index, self.data = threading.Lock(), threading.Lock()
        self.both = threading.Barrier(2)
    def flush(self):
        with self.index:
            self.both.wait()
            with self.data:
                pass
    def update(self):
        with self.data:
            self.both.wait()
            with self.index:
                pass
cache = Cache()
threading.Thread(target=cache.flush, name="flusher").start()
print("up", flush=True)
cache.update()
"""
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def run(name: str, source: str, *arguments: str) -> subprocess.Popen[str]:
        script = tmp_path / name
        script.write_text(source)
        process = subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def ranks(start: Start, tmp_path: Path) -> list[int]:
    """Four ranks of which the third never comes to the all_reduce."""
    package = tmp_path / "torch" / "distributed"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    (package / "distributed_c10d.py").write_text(COLLECTIVE)
    source = RANKS.format(folder=str(tmp_path), culprit=2)
    pids = [start("pretrain.py", source, str(rank)).pid for rank in range(4)]
    time.sleep(0.5)
    return pids


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


def dump(pid: int, *options: str) -> str:
    """What py-spy prints for a process, errors included; skips the test where nothing may be traced."""
    done = subprocess.run([PY_SPY, "dump", "--pid", str(pid), *options], capture_output=True, text=True, timeout=60)
    if "Permission" in done.stderr:
        pytest.skip("ptrace is not allowed here")
    return done.stdout + done.stderr


def said(pids: list[int]) -> str:
    return "".join(f"2026-04-02 08:11:0{n},000 INFO: rank {n} pid {pid} ready\n" for n, pid in enumerate(pids))


def incident(analysis: Analysis, rule: str) -> Incident:
    found = [i for i in analysis.incidents if i.rule == rule and i.severity != "info"]
    assert found, [i.rule for i in analysis.incidents]
    return found[0]


@pytest.mark.parametrize(
    "options", [(), ("--native",), ("--locals",), ("--json",), ("--json", "--locals"), ("--nonblocking",)], ids=" ".join
)
def test_the_rank_that_is_elsewhere_is_named_from_any_kind_of_dump(
    ranks: list[int], run: Path, options: tuple[str, ...]
) -> None:
    (run / "job.log").write_text(said(ranks))
    for pid in ranks:
        (run / f"dump-{pid}.txt").write_text(dump(pid, *options))
    analysis = analyze(run, db=None)
    assert analysis.root
    assert analysis.root.rule == "hang.missing_rank"
    apart = incident(analysis, "divergence.stack")
    assert apart.ranks == {2}
    assert apart.facts["minority_function"] == "load_page"
    assert apart.facts["majority_function"] == "all_reduce"
    assert apart.facts["pid_of_rank"] == ranks
    assert all("load_page" in e.text or "all_reduce" in e.text or "Thread" in e.text or e.text for e in apart.evidence)


def test_dumps_of_all_ranks_may_stand_in_one_file(ranks: list[int], run: Path) -> None:
    (run / "job.log").write_text(said(ranks) + "".join(dump(pid) for pid in ranks))
    assert incident(analyze(run, db=None), "divergence.stack").ranks == {2}


def test_several_json_documents_may_stand_in_one_file(ranks: list[int], run: Path) -> None:
    (run / "job.log").write_text(said(ranks))
    (run / "stacks.json").write_text("".join(dump(pid, "--json") for pid in ranks))
    apart = incident(analyze(run, db=None), "divergence.stack")
    assert apart.ranks == {2}
    assert apart.facts["pids"] == [ranks[2]]
    assert {e.path for e in apart.evidence} == {"stacks.json"}


def test_locals_give_rank_and_step_where_no_log_does(ranks: list[int], run: Path) -> None:
    (run / "stacks.txt").write_text("".join(dump(pid, "--locals") for pid in ranks))
    apart = incident(analyze(run, db=None), "divergence.stack")
    assert apart.ranks == {2}
    assert apart.facts["minority_step"] == 417


def test_two_dumps_in_which_nothing_moves_are_said_to_stand(ranks: list[int], run: Path) -> None:
    (run / "job.log").write_text(said(ranks))
    for number in (1, 2):
        (run / f"stacks-{number}.txt").write_text("".join(dump(pid) for pid in ranks))
    assert incident(analyze(run, db=None), "divergence.stack").facts["stands_still"] is True


def test_a_stopped_process_is_named_by_the_dump_that_fails(ranks: list[int], run: Path) -> None:
    os.kill(ranks[1], signal.SIGSTOP)
    time.sleep(0.2)
    (run / "job.log").write_text(said(ranks))
    waiting = [pid for pid in ranks if pid != ranks[2]]
    (run / "stacks.txt").write_text("".join(dump(pid) for pid in waiting))
    analysis = analyze(run, db=None)
    apart = incident(analysis, "divergence.stack")
    assert apart.ranks == {1}
    assert apart.facts["process_state"] == "T (stopped)"
    assert apart.facts["failed_dump_pid"] == ranks[1]


def test_two_threads_that_want_each_others_lock(start: Start, run: Path) -> None:
    process = start("cache.py", LOCKS)
    time.sleep(0.5)
    (run / "native.txt").write_text(dump(process.pid, "--native"))
    analysis = analyze(run, db=None)
    if not analysis.sql(
        "SELECT 1 AS x FROM stack_frame WHERE function LIKE '%PyThread_acquire_lock%' OR function LIKE '%lock_acquire%'"
    ):
        pytest.skip("this Python has no symbols for --native")
    found = incident(analysis, "hang.deadlock")
    assert set(found.facts["functions"]) == {"flush", "update"}


def test_a_process_that_is_gone_is_no_suspect(ranks: list[int], run: Path) -> None:
    (run / "job.log").write_text(said(ranks))
    waiting = [pid for pid in ranks if pid != ranks[2]]
    (run / "stacks.txt").write_text("".join(dump(pid) for pid in waiting) + dump(2**22 - 3))
    analysis = analyze(run, db=None)
    assert {"reason": "gone"} in analysis.sql("SELECT reason FROM stack_failure")
    assert not [i for i in analysis.incidents if 2**22 - 3 in i.facts.get("pids", ())]


LOADER = """
import os, sys
sys.path.insert(0, {folder!r})
from torch.utils.data._utils.worker import _worker_loop

def read_shard(pipe):
    return pipe.read(1)

ours, theirs = os.pipe()
if os.fork() == 0:
    _worker_loop(read_shard, os.fdopen(ours, "rb"))
print("up", flush=True)
os.fdopen(ours, "rb").read(1)
"""
WORKER = """
def _worker_loop(fetch, pipe):
    return fetch(pipe)
"""


def test_children_are_dumped_with_their_parent(start: Start, tmp_path: Path, run: Path) -> None:
    package = tmp_path / "torch" / "utils" / "data" / "_utils"
    package.mkdir(parents=True)
    for folder in (package, *list(package.parents)[:3]):
        (folder / "__init__.py").touch()
    (package / "worker.py").write_text(WORKER)
    parent = start("fit.py", LOADER.format(folder=str(tmp_path)))
    time.sleep(0.5)
    try:
        (run / "stacks.txt").write_text(dump(parent.pid, "--subprocesses"))
        found = analyze(run, db=None)
        worker = found.sql("SELECT pid, function, stuck FROM stack_worker")
        assert [(w["function"], w["stuck"]) for w in worker] == [("read_shard", True)]
        assert worker[0]["pid"] != parent.pid
        assert found.sql("SELECT DISTINCT pid FROM stack_parent") == [{"pid": parent.pid}]
    finally:
        for child in Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)


HANDLED = """
import faulthandler, sys, threading
faulthandler.dump_traceback_later(0.5, file=sys.stderr)
def pull(queue):
    queue.acquire()
locked = threading.Lock()
locked.acquire()
threading.Thread(target=pull, args=(locked,), daemon=True).start()
def all_reduce_gradients():
    sys.stdin.read(1)
all_reduce_gradients()
"""


def test_what_faulthandler_prints_after_a_timeout(run: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HANDLED], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as p:
        time.sleep(2)
        _, said = p.communicate("")
    (run / "stderr.log").write_text(said)
    main = analyze(run, db=None).sql("SELECT occasion, own.f AS function FROM stack_main")
    assert main == [{"occasion": "Timeout (0:00:00.500000)", "function": "all_reduce_gradients"}]


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_native_stacks_by_gdb(start: Start, run: Path) -> None:
    process = start("cache.py", LOCKS)
    time.sleep(0.5)
    command = ["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if "ptrace" in done.stderr and "(LWP" not in done.stdout:
        pytest.skip("ptrace is not allowed here")
    (run / "gdb.txt").write_text(done.stdout + done.stderr)
    main = analyze(run, db=None).sql("SELECT pid, class FROM stack_main")
    assert [m["pid"] for m in main] == [process.pid]
    assert main[0]["class"] in {"lock-wait", "blocked", "wait"}
