"""Numbers that no job has: they cost neither memory nor a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from logsift.cli import main

LOGS = {
    "world.log": "".join(
        f"mm1:{pid}:{pid} [0] NCCL INFO ncclCommInitRankConfig comm 0x{pid} rank {rank} nranks 2147483647 cudaDev 0 nvmlDev 0"
        f" busId 1b000 commId 0x5f - Init START\n"
        for pid, rank in ((601, 0), (602, 2_000_000_000))
    ),
    "ranks.log": "".join(
        f'[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File "/t.py", line 1, in f\n[rank{rank}]:     f()\n'
        f"[rank{rank}]: ValueError: odd\n"
        for rank in (3, 4_294_967_295, 9_223_372_036_854_775_807, 10**30)
    ),
    "times.log": "".join(
        f"{time} mm1 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=p, GPU has fallen off the bus.\n"
        for time in ("0001-01-01T00:00:00", "1970-01-01T00:00:01", "2106-02-07T06:28:16", "9999-12-31T23:59:59")
    ),
    "metrics.jsonl": "".join(
        f'{{"step": {step}, "loss": {loss}}}\n'
        for step, loss in (*((n, 2 - n / 100) for n in range(20)), (20, "1e308"), (21, "-1e308"), ("1e308", 1), (22, 1))
    ),
}


def test_worlds_ranks_years_and_losses_beyond_all_bounds_are_reported_and_drawn(
    run_of: Callable[..., Path], tmp_path: Path
) -> None:
    run = run_of(LOGS)
    done = CliRunner().invoke(main, ["analyze", str(run), "--format", "json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = {i["rule"]: i for i in json.loads(done.stdout)["incidents"]}
    assert set(found) >= {"gpu.hardware", "crash.exception", "hang.init_incomplete"}
    assert found["hang.init_incomplete"]["facts"].get("missing") is None
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["report", str(run), "-o", str(page)], catch_exceptions=False).exit_code == 0
    assert "<svg" in page.read_text()
    narrow = CliRunner().invoke(main, ["analyze", str(run)], env={"COLUMNS": "0"}, catch_exceptions=False)
    assert narrow.exit_code == 0


def test_a_store_barrier_of_a_world_that_nobody_has_is_told_without_a_list_of_who_is_missing(
    run_of: Callable[..., Path],
) -> None:
    waits = "".join(
        f"[rank0]:[I304 10:1{minute}:01.123456789 distributed_c10d.py:262] Waiting in store based barrier to initialize process"
        " group for rank: 0, key: store_based_barrier_key:1 (world_size=2147483647, worker_count=1, timeout=0:30:00)\n"
        for minute in range(4)
    )
    done = CliRunner().invoke(
        main, ["analyze", str(run_of({"store.log": waits})), "--format", "json"], catch_exceptions=False
    )
    report = json.loads(done.stdout)
    assert {i["rule"]: i["facts"].get("missing") for i in report["incidents"]} == {"hang.init_incomplete": None}


def test_hosts_with_names_of_hundreds_of_characters_leave_room_for_the_figure(
    run_of: Callable[..., Path], tmp_path: Path
) -> None:
    hosts = ["".join(f"{letter}{n}-" for n in range(75)) + "end" for letter in "ab"]
    xid = "kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=p, GPU has fallen off the bus."
    flap = "kernel: mlx5_core 0000:12:00.0 ib0: Link down"
    run = run_of(
        {
            f"{n}.log": f"2026-03-01T10:0{n}:00+00:00 {host} {xid}\n2026-03-01T10:0{n}:02+00:00 {host} {flap}\n"
            for n, host in enumerate(hosts)
        }
    )
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["report", str(run), "-o", str(page)], catch_exceptions=False).exit_code == 0
    assert "Incidents over hosts and time" in page.read_text()


def test_a_rank_far_beyond_those_that_print_leaves_room_for_the_others(
    run_of: Callable[..., Path], tmp_path: Path
) -> None:
    steps = "".join(
        f"2026-03-01T10:{second // 60:02}:{second % 60:02} [rank{rank}] step {second} loss 2.0\n"
        for second in range(0, 180, 5)
        for rank in range(4)
    )
    crash = "Traceback (most recent call last):", '  File "/t.py", line 1, in f', "    f()", "ValueError: odd"
    run = run_of({"job.log": steps + "".join(f"[rank4000]: {text}\n" for text in crash)})
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["report", str(run), "-o", str(page)], catch_exceptions=False).exit_code == 0
    assert "Ranks over time" in page.read_text()
