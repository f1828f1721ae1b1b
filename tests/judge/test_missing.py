"""What is asked for where a question stays open, and in which words."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from logsift import Catalog, analyze
from logsift.judge.words import asked_for

FIXTURES = Path(__file__).parents[2] / "fixtures"
RAY = (
    "(raylet) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem,"
    " check the logs for the dead worker. RayTask ID: ff Worker ID: 1c Node ID: 6e Worker IP address: 10.7.34.138 Worker port:"
    " 10258 Worker PID: 5226 Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits.\n"
)


def asked(run: Path, catalog: Catalog) -> dict[str, str]:
    """What is asked for, with how it is got."""
    return {m.what: m.how for m in analyze(run, catalog=catalog, db=None).coverage.missing}


def test_a_dead_ray_workers_log_is_fetched_from_its_host(run_of: Callable[..., Path], catalog: Catalog) -> None:
    found = asked(run_of({"driver.log": RAY}), catalog)
    assert (
        found["log of worker 5226 on 10.7.34.138"]
        == r"scp 10.7.34.138:/tmp/ray/session_latest/logs/worker-\*-5226.\* ."
    )


@pytest.mark.parametrize(
    ("fixture", "what", "how"),
    [
        pytest.param(
            "hang.missing_rank--barrier-without-rank-0",
            "stack of rank 0",
            "while it hangs: ssh oxbow-4 'pgrep -f",
            id="a suspect whose host is known",
        ),
        pytest.param(
            "divergence.collective_count--stalled-between-snapshots",
            "stacks of ranks 6,9",
            "while it hangs, on their hosts: pgrep -f",
            id="suspects on hosts that are not known",
        ),
        pytest.param(
            "crash.unexplained--only-the-exit-code",
            "output of local rank 2",
            "copy its stdout and stderr here, and have the next run keep the output of every rank, with @record of"
            " torch.distributed.elastic around main(): the exception is then in error.json: torchrun --log-dir",
            id="a process that failed without a word, by the launcher that told of it",
        ),
        pytest.param(
            "hang.init_incomplete--one-rank-never-came",
            "log of rank 5",
            "copy its output here; if nothing was started there,",
            id="a rank that never came",
        ),
        pytest.param(
            "host.node_lost--node-fail",
            "kernel log of gx5",
            "ssh gx5 sudo journalctl -k -b -1 > dmesg.gx5.txt; ssh gx5 sudo ipmitool",
            id="a host that went down: its boot before",
        ),
    ],
)
def test_the_command_fits_the_case(tmp_path: Path, catalog: Catalog, fixture: str, what: str, how: str) -> None:
    run = tmp_path / "run"
    shutil.copytree(FIXTURES / fixture / "run", run)
    assert asked(run, catalog)[what].startswith(how)


@pytest.mark.parametrize(
    ("source", "row", "words"),
    [
        (
            "logs_of_many_ranks",
            {"silent_ranks": [5], "world_size": 8},
            (
                "log of rank 5",
                "the job has 8 ranks, and nothing here was written by this one",
                "copy its log into the run directory",
            ),
        ),
        (
            "logs_of_many_ranks",
            {"silent_ranks": [5, 6, 7], "world_size": 8},
            (
                "logs of ranks 5-7",
                "the job has 8 ranks, and nothing here was written by these",
                "copy their logs into the run directory",
            ),
        ),
        (
            "stack_held_by_debugger",
            {"tool": "py-spy", "ranks": [], "pids": [11, 12], "pid": None},
            (
                "stacks of processes 11 and 12",
                "py-spy was refused: another debugger holds them",
                "see which one does (TracerPid), or look in without stopping the process:"
                " grep TracerPid /proc/PID/status; py-spy dump --nonblocking --pid PID",
            ),
        ),
        (
            "stack_held_by_debugger",
            {"tool": "gdb", "ranks": [], "pids": [], "pid": None},
            (
                "stacks of the processes",
                "gdb was refused: another debugger holds them",
                "see which one does (TracerPid), or look in without stopping the process:"
                " grep TracerPid /proc/PID/status; py-spy dump --nonblocking --pid PID",
            ),
        ),
    ],
    ids=["one rank", "several ranks", "several processes", "processes nobody named"],
)
def test_words_agree_with_the_number(
    catalog: Catalog, source: str, row: Mapping[str, object], words: tuple[str, str, str]
) -> None:
    by_id = {m.id: m for m in catalog.missing}
    assert (asked_for(by_id[source], row) or ())[:3] == words
