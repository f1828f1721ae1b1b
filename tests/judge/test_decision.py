"""What to do next: by the cause, never surer than it, and with earlier attempts in view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze
from logsift.judge.decision import Decision

FIXTURES = Path(__file__).parents[2] / "fixtures"
ORDER = ["possible", "probable", "definite"]
CRASH = """Traceback (most recent call last):
  File "/work/train.py", line 81, in <module>
    main()
  File "/work/train.py", line 40, in main
    batch = next(batches)
KeyError: 'input_ids'
"""
AGENT = "W0314 10:0{n}:00.000000 900 torch/distributed/elastic/agent/server/api.py:900] "
RESTART = "[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n"


def decision(run: Path, catalog: Catalog) -> Decision:
    analysis = analyze(run, catalog=catalog, db=None)
    assert analysis.coverage.failed == ()
    number = dict(enumerate(analysis.incidents, 1))
    for n in analysis.decision.incidents:
        assert ORDER.index(analysis.decision.confidence) <= ORDER.index(number[n].confidence)
    return analysis.decision


@pytest.mark.parametrize(
    ("fixture", "to_do", "hosts"),
    [
        ("gpu.hardware--one-of-sixteen-ranks", "restart_without", ("hgx001",)),
        ("crash.config--unknown-argument", "stop", ()),
        ("host.preempted--time_limit", "restart", ()),
    ],
)
def test_the_cause_decides(fixture: str, to_do: str, hosts: tuple[str, ...], tmp_path: Path, catalog: Catalog) -> None:
    import shutil

    run = shutil.copytree(FIXTURES / fixture / "run", tmp_path / "run")
    decided = decision(run, catalog)
    assert (decided.next, decided.hosts) == (to_do, hosts)
    assert decided.reason


@pytest.mark.parametrize(
    ("fixture", "to_do", "hosts", "reason"),
    [
        pytest.param(
            "gpu.hardware--two-hosts-two-faults", "restart_without", ("vx3", "vx8"), "are at fault", id="both"
        ),
        pytest.param(
            "host.kernel_panic--hung-tasks-long-before",
            "restart_without",
            ("w21",),
            "w21 is probably at fault",
            id="not alone",
        ),
        ("gpu.hardware--page-retirement-pending", "unknown", (), "what was found ends no job"),
        ("gpu.hardware--nvml-gpu-is-lost", "unknown", (), "the host of rank 5, and do not name it"),
        ("gpu.application--unrelated-programs-on-one-gpu", "unknown", (), "not settled"),
        ("host.storage--waits-for-nfs-on-arm", "restart", (), "storage failed or did not answer"),
        ("host.disk_full--watchdog-of-partitions", "unknown", (), "nearly full"),
        ("host.node_lost--tasks-that-slurm-could-not-kill", "restart_without", ("mesa4", "mesa6"), "take no job"),
        ("host.storage--checksum-of-an-object", "stop", (), "a file is damaged"),
        ("hang.checkpoint--save-in-background-on-the-same-group", "stop", (), "the program seems to do this by itself"),
        ("loss.nan--one-poisoned-window", "restart", (), "the loss came back"),
        ("network.nic_fault--transmit-queue-stuck", "unknown", (), "not settled"),
        ("oom.foreign_process--process-of-the-last-run", "stop", (), "another process holds the memory of a GPU"),
        ("oom.host--a-guard-that-leaves", "restart", (), "the program left before memory was full"),
        ("perf.slowdown--steps-take-longer", "unknown", (), "only slower than it did"),
        ("crash.signal--overcome-and-training-is-complete", "unknown", (), "its training came to its end"),
    ],
)
def test_the_decision_fits_the_step_beside_it(
    fixture: str, to_do: str, hosts: tuple[str, ...], reason: str, catalog: Catalog
) -> None:
    decided = decision(FIXTURES / fixture / "run", catalog)
    assert (decided.next, decided.hosts) == (to_do, hosts)
    assert reason in decided.reason
    assert fixture != "host.kernel_panic--hung-tasks-long-before" or "other hosts" not in decided.reason


def rdma(host: str, peer: str) -> str:
    return (
        f"{host}:411:455 [2] transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer {peer}<40112> "
        "with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_1\n"
    )


EVENT = "mesa-1:411:455 [2] transport/net_ib.cc:121 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error\n"


@pytest.mark.parametrize(
    ("log", "to_do", "hosts"),
    [
        pytest.param(rdma("mesa-1", "10.1.0.2"), "unknown", (), id="either end, or the path"),
        pytest.param(rdma("mesa-1", "10.1.0.2") + rdma("mesa-3", "10.1.0.2"), "unknown", (), id="the other end"),
        pytest.param(
            rdma("mesa-1", "10.1.0.2") + rdma("mesa-1", "10.1.0.3"), "restart_without", ("mesa-1",), id="reaches nobody"
        ),
        pytest.param(EVENT + rdma("mesa-1", "10.1.0.2"), "restart_without", ("mesa-1",), id="its own card says so"),
    ],
)
def test_who_could_not_reach_a_peer_is_not_left_out_for_that(
    log: str, to_do: str, hosts: tuple[str, ...], run_of: Callable[..., Path], catalog: Catalog
) -> None:
    decided = decision(run_of({"job.log": log}), catalog)
    assert (decided.next, decided.hosts, decided.confidence) == (to_do, hosts, "possible")


def test_nodes_that_are_gone_are_left_out_also_where_no_others_are_known(
    run_of: Callable[..., Path], catalog: Catalog
) -> None:
    log = "[2026-03-01T10:00:00.111] error: Nodes mesa[2,4] not responding, setting DOWN\n"
    decided = decision(run_of({"slurmctld.log": log}), catalog)
    assert (decided.next, decided.hosts) == ("restart_without", ("mesa2", "mesa4"))


@pytest.mark.parametrize(("after", "to_do"), [(2.1, "restart"), (7.5, "stop")])
def test_a_spike_that_is_over_stops_no_job(
    after: float, to_do: str, run_of: Callable[..., Path], catalog: Catalog
) -> None:
    losses = [*(2.6 - 0.005 * n for n in range(100)), 7.9, 7.7, 7.6, *(after - 0.001 * n for n in range(100))]
    log = "".join(f"step {n} of 900 | loss: {loss:.4f} |\n" for n, loss in enumerate(losses, 1))
    assert decision(run_of({"job.log": log}), catalog).next == to_do


def test_nothing_is_decided_where_nothing_failed(run_of: Callable[..., Path], catalog: Catalog) -> None:
    decided = decision(run_of({"a.log": "step 1\nstep 2\n"}), catalog)
    assert (decided.next, decided.hosts, decided.incidents, decided.confidence) == ("unknown", (), (), "possible")


def test_a_failure_that_came_back_behind_the_same_step_stops_the_job(
    run_of: Callable[..., Path], catalog: Catalog
) -> None:
    step = "step 400 of 9000 | loss: 2.5 |\n"
    log = step + CRASH + AGENT.format(n=1) + RESTART + step + CRASH
    decided = decision(run_of({"job.log": log}), catalog)
    assert decided.next == "stop"
    assert "came back in 2 attempts" in decided.reason


def test_jobs_one_after_the_other_are_attempts_and_ranks_side_by_side_are_not(
    run_of: Callable[..., Path], catalog: Catalog
) -> None:
    def log(hour: int) -> str:
        return "".join(f"2026-03-03 {hour}:0{n}:00 step {n} of 90 | loss: 2.5 |\n" for n in range(6)) + CRASH

    one_after_the_other = run_of({"job-1.out": log(10), "job-2.out": log(12)}, "jobs")
    side_by_side = run_of({"rank0.log": log(10), "rank1.log": log(10)}, "ranks")
    assert "came back in 2 attempts" in decision(one_after_the_other, catalog).reason
    assert "came back" not in decision(side_by_side, catalog).reason


def test_every_row_of_the_catalogue_names_a_rule_and_a_reason(catalog: Catalog) -> None:
    seeds = {s.name: s.csv for s in catalog.seeds}
    rows = [line for line in seeds["next_step_of"].splitlines() if not line.startswith("#")][1:]
    reasons = {line.split(",")[0] for line in seeds["next_step_reason"].splitlines() if not line.startswith("#")}
    assert {r.split(",")[0] for r in rows} <= {r.id for r in catalog.rules}
    assert {r.split(",")[5] for r in rows} <= reasons


def test_what_other_tools_call_a_cause_leads_to_rules_that_are_there(catalog: Catalog) -> None:
    csv = next(s.csv for s in catalog.seeds if s.name == "cause_word")
    rows = [line.split(",") for line in csv.splitlines() if not line.startswith("#")][1:]
    assert {rule for _, _, rule in rows} <= {r.id for r in catalog.rules}
    assert len({(word, rule) for word, _, rule in rows}) == len(rows)
