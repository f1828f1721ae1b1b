"""Captures of real processes: of ones that play ranks, and of torchrun jobs that hang where torch is installed."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from logsift import Catalog, analyze
from logsift.cli import main
from logsift.errors import UserError
from logsift.live import capture as module
from logsift.live import probes
from logsift.live.capture import Captured, capture
from logsift.live.how import how
from logsift.live.processes import Process, Rank, training

COLLECTIVE = "def all_reduce(link):\n    link.recv(1)\n"
PLAY = """
import os, socket, sys, threading, time
from torch.distributed.distributed_c10d import all_reduce
def wait_for_lock(lock):
    lock.acquire()
def load(path):
    open(path)
print("ready", flush=True)
how = sys.argv[1]
if how == "collective":
    ends = socket.socketpair()
    all_reduce(ends[0])
elif how == "lock":
    lock = threading.Lock()
    lock.acquire()
    wait_for_lock(lock)
elif how == "sleep":
    time.sleep(1000)
elif how == "read":
    load("fifo")
"""


def may_trace() -> bool:
    """True where one process may look into another that is its sibling."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        command = [sys.executable, "-c", f"import ctypes; print(ctypes.CDLL(None).ptrace(0x4206, {other.pid}, 0, 0))"]
        seized = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == "0"
        other.communicate(b"\n")
    return seized


traced = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "ptrace") or not may_trace() or not shutil.which("strace"),
    reason="processes may not be traced here",
)


@contextmanager
def playing(folder: Path, roles: list[tuple[int, str]], **env: str) -> Iterator[list[int]]:
    """Processes that stand where ranks do; their pids in the order of `roles`."""
    package = folder / "torch" / "distributed"
    package.mkdir(parents=True)
    (package / "distributed_c10d.py").write_text(COLLECTIVE)
    (package.parent / "__init__.py").touch()  # the path of a frame begins at the outermost package
    (package / "__init__.py").touch()
    (folder / "play.py").write_text(PLAY)
    os.mkfifo(folder / "fifo")
    started = []
    try:
        for rank, how in roles:
            environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "4", **env}
            started.append(
                subprocess.Popen(
                    [sys.executable, "play.py", how, "--api-key", "hush-hush"],
                    cwd=folder, env=environment, stdout=subprocess.PIPE,
                )
            )  # fmt: skip
        for process in started:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """Three ranks in a collective, and three processes that play the fourth: in a lock, asleep, in a read."""
    folder = tmp_path_factory.mktemp("job")
    roles = [(0, "collective"), (1, "collective"), (2, "collective"), (3, "lock"), (3, "sleep"), (3, "read")]
    with pytest.MonkeyPatch.context() as patch, playing(folder, roles, WANDB_API_KEY="hush-hush") as pids:
        patch.setattr(module, "BETWEEN_SECONDS", 2.0)
        return capture(folder / "run", training(pids=pids))


def alone(captured: Captured, how: str, to: Path) -> Path:
    """A run in which only this process plays the fourth rank."""
    folder = to / "run" / captured.folder.parent.name / captured.folder.name
    folder.mkdir(parents=True)
    for seen in captured.seen:
        if seen.rank.process.command[2] in ("collective", how):
            shutil.copytree(captured.folder / seen.rank.name, folder / seen.rank.name)
    return to / "run"


@traced
@pytest.mark.parametrize(
    ("how", "rule", "place"),
    [
        pytest.param("lock", "hang.missing_rank", "wait_for_lock", id="a lock"),
        pytest.param("sleep", "hang.missing_rank", "play.py", id="asleep"),
        pytest.param("read", "hang.blocked_syscall", "openat on", id="a file that does not open"),
    ],
)
def test_a_hang_is_found_from_its_capture(
    how: str, rule: str, place: str, captured: Captured, catalog: Catalog, tmp_path: Path
) -> None:
    root = analyze(alone(captured, how, tmp_path), catalog=catalog).root
    assert root is not None
    assert (root.rule, root.ranks, root.hosts) == (rule, {3}, {captured.host})
    assert place in root.summary


@traced
def test_two_looks_tell_who_stands_still(captured: Captured) -> None:
    assert {(s.rank.process.command[2], s.moved) for s in captured.seen} == {
        ("collective", False), ("lock", False), ("sleep", False), ("read", False),
    }  # fmt: skip
    assert captured.refused == () or "stacks" not in {r.what for r in captured.refused}


@traced
def test_no_secret_is_in_what_was_captured(captured: Captured) -> None:
    texts = {p: p.read_bytes() for p in captured.folder.rglob("*") if p.is_file()}
    assert any(b"WANDB_API_KEY=[redacted-secret]" in t for t in texts.values())
    assert not [p for p, t in texts.items() if b"hush-hush" in t]
    assert captured.folder.stat().st_mode & 0o077 == 0


def test_the_command_says_what_it_saw_and_what_comes_next(tmp_path: Path) -> None:
    with playing(tmp_path, [(2, "sleep")]) as (pid,):
        done = CliRunner().invoke(
            main, ["capture", "--pid", str(pid), "--no-strace", "-o", str(tmp_path / "run")], catch_exceptions=False
        )
    assert done.exit_code == 0
    assert f"rank 2    pid {pid}" in done.output
    assert done.output.endswith(f"logsift {tmp_path}/run\n")


def process(pid: int, parent: int, *command: str, **env: str) -> Process:
    return Process(pid, parent, 0, command, env)


NODE = [
    process(10, 1, "bash", "job.sh", SLURM_PROCID="0", SLURM_JOB_ID="77"),
    process(20, 10, "python", "-m", "torch.distributed.run", SLURM_PROCID="0", SLURM_JOB_ID="77"),
    process(30, 20, "python", "train.py", SLURM_PROCID="0", SLURM_JOB_ID="77", RANK="4", WORLD_SIZE="8", LOCAL_RANK="0"),
    process(31, 20, "python", "train.py", SLURM_PROCID="0", SLURM_JOB_ID="77", RANK="5", WORLD_SIZE="8", LOCAL_RANK="1"),
    process(40, 30, "python", "train.py", SLURM_PROCID="0", SLURM_JOB_ID="77", RANK="4", WORLD_SIZE="8"),
    process(50, 1, "python", "solve.py", OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_SIZE="2"),
    process(60, 1, "python", "notebook.py"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param({}, [(1, 50, 0), (4, 30, 1), (5, 31, 0)], id="every rank, its workers below it, no launcher"),
        pytest.param({"job": "77"}, [(4, 30, 1), (5, 31, 0)], id="of one job"),
        pytest.param({"pids": [60]}, [(None, 60, 0)], id="whatever was named"),
    ],
)
def test_who_trains_here(
    asked: Mapping[str, object], found: list[tuple[int | None, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logsift.live.processes.everything", lambda: {p.pid: p for p in NODE})
    ranks = training(**asked)  # type: ignore[arg-type]
    assert [(r.number, r.pid, len(r.children)) for r in ranks] == found


def test_a_node_where_nothing_trains_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logsift.live.processes.everything", lambda: {60: NODE[-1]})
    with pytest.raises(UserError, match="no training process on this node"):
        training()
    with pytest.raises(UserError, match="no such process here: 61"):
        training(pids=[61])


def test_a_flight_record_is_asked_for_through_its_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe_3.pipe")
    reader = os.open(tmp_path / "pipe_3.pipe", os.O_RDONLY | os.O_NONBLOCK)
    env = {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE": f"{tmp_path}/pipe_", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{tmp_path}/fr_"}
    record, why = probes.ask_for_flight_record(Rank(Process(os.getpid(), 1, 0, ("python",), env), 3))
    try:
        assert (str(record).endswith(f"{tmp_path}/fr_3"), why) == (True, "")
        assert os.read(reader, 9) == b"1\n"
    finally:
        os.close(reader)
    assert probes.ask_for_flight_record(Rank(Process(os.getpid(), 1, 0, ("python",), env), 3))[1].startswith("nobody")


def test_every_way_to_start_a_job_has_its_line() -> None:
    told = how("/shared/run")
    assert all(word in told for word in ("srun", "pdsh", "mpirun", "kubectl", "ray"))
    assert told.count("/shared/run") >= 7


JOB = """
import os, sys, threading, time
import torch, torch.distributed as dist
how, rank = sys.argv[1], int(os.environ["RANK"])
dist.init_process_group("gloo")
x = torch.ones(8)
dist.all_reduce(x)
os.write(1, b"ready\\n")  # at once: three of them share a pipe

def wait_for_lock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

class Stuck(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return open("fifo").read()

if rank == 1 and how == "lock":
    wait_for_lock()
if rank == 1 and how == "sleep":
    time.sleep(1000)
if rank == 1 and how == "loader":
    next(iter(torch.utils.data.DataLoader(Stuck(), num_workers=1)))
dist.all_reduce(x)
"""


@traced
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize(
    ("how", "rules"),
    [
        ("lock", {"hang.missing_rank", "hang.deadlock"}),
        ("sleep", {"hang.missing_rank"}),
        ("stopped", {"hang.blocked_syscall", "hang.missing_rank"}),
        ("loader", {"hang.dataloader", "hang.blocked_syscall"}),
    ],
)
def test_the_rank_that_holds_up_a_torchrun_job_is_named(
    how: str, rules: set[str], tmp_path: Path, catalog: Catalog
) -> None:
    (tmp_path / "job.py").write_text(JOB)
    os.mkfifo(tmp_path / "fifo")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=3", "--standalone", "job.py", how]
    ranks = list[Rank]()
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True) as job:
        try:
            assert job.stdout
            assert [job.stdout.readline() for _ in range(3)] == [b"ready\n"] * 3
            ranks = [r for r in training(torchrun=True) if Path(f"/proc/{r.pid}/cwd").readlink() == tmp_path]
            if how == "stopped":
                os.kill(ranks[1].pid, signal.SIGSTOP)
            captured = capture(tmp_path / "run", ranks)
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            for rank in ranks:
                with suppress(ProcessLookupError):
                    os.kill(rank.pid, signal.SIGKILL)
    assert [(s.rank.number, s.rank.world_size) for s in captured.seen] == [(0, 3), (1, 3), (2, 3)]
    root = analyze(tmp_path / "run", catalog=catalog).root
    assert root is not None
    assert root.rule in rules
    assert root.ranks == {1}
