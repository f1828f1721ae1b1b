"""Printed times as UTC, and the clocks of several logs brought together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders.clusters import CAUSES, make

from logsift import Analysis, analyze
from logsift.content.incident import Evidence, Incident
from logsift.derive.clocks import Clocks
from logsift.ingest.clock import read_times

Runs = Callable[[Mapping[str, str]], Path]
WRITTEN = datetime(2026, 3, 4, 6)  # noqa: DTZ001 - the tables keep UTC without a zone


def told(text: str) -> tuple[str, str]:
    row = read_times(pl.Series([text], dtype=pl.String), pl.Series([WRITTEN], dtype=pl.Datetime("us"))).row(0)
    return str(row[0]), str(row[1])


@pytest.mark.parametrize(
    ("printed", "time", "quality"),
    [
        ("2026-03-03T09:00:31.5-08:00", "2026-03-03 17:00:31.500000", "exact"),
        ("2026-03-03T09:00:31Z", "2026-03-03 09:00:31", "exact"),
        ("1772528431.25", "2026-03-03 09:00:31.250000", "exact"),
        ("2026-03-03 09:00:31,250", "2026-03-03 09:00:31.250000", "zoneless"),
        ("03/13/2026 09:00:31", "2026-03-13 09:00:31", "zoneless"),
        ("Tue Mar  3 09:00:31 2026", "2026-03-03 09:00:31", "zoneless"),
        ("Mar  3 09:00:31", "2026-03-03 09:00:31", "yearless"),
        ("2026-03-03T09:00:31,250000+01:00", "2026-03-03 08:00:31.250000", "exact"),
        ("Dec 31 23:59:59", "2025-12-31 23:59:59", "yearless"),
        ("303 09:00:31.000000001", "2026-03-03 09:00:31", "yearless"),
        ("0303 09:00:31.000001", "2026-03-03 09:00:31.000001", "yearless"),
        ("09:00:31", "2026-03-04 09:00:31", "daytime"),
        ("12345.678", "None", "None"),
        ("yesterday", "None", "None"),
        ("1970-01-01 00:00:07", "1970-01-01 00:00:07", "zoneless"),  # a clock that nobody has set
        ("2106-02-07T06:28:16Z", "2106-02-07 06:28:16", "exact"),
        ("0001-01-01 00:00:00", "None", "None"),
        ("0001-01-01T00:00:00+12:00", "None", "None"),
        ("9999-12-31 23:59:59", "None", "None"),
    ],
)
def test_a_printed_time(printed: str, time: str, quality: str) -> None:
    assert told(printed) == (time, quality)


def test_a_time_is_read_the_same_whatever_is_beside_it() -> None:
    of_one_length = [
        "2026-03-03 09:00:31.250",
        "2026-03-03 9:00:31.2504",
        "2026-02-30 09:00:31.250",
        "2026-03-03 09:00:61.250",
    ]
    others = ["2026-03-03T09:00:31Z", "Mar  3 09:00:31", "yesterday", "", "2026-03-03 09:00:31"]
    for texts in (of_one_length, of_one_length[:1] * 2, others, of_one_length + others):
        written = pl.Series([WRITTEN] * len(texts), dtype=pl.Datetime("us"))
        together = read_times(pl.Series(texts), written).rows()
        assert [(str(time), str(quality)) for time, quality in together] == [told(text) for text in texts]


def seen(analysis: Analysis, table: str, column: str = "line_no") -> dict[Any, str]:
    """The times of a table by one of its columns."""
    return {r[column]: str(r["time"]) for r in analysis.sql(f"SELECT {column}, time FROM {table} ORDER BY line_no")}


def written(path: Path, at: str) -> None:
    stamp = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
    os.utime(path, (stamp, stamp))


XID = "NVRM: Xid (PCI:0000:19:00): 79, pid=411, name=python, GPU has fallen off the bus."
VICTIM = "Out of memory: Killed process 41007 (python) total-vm:98000000kB, anon-rss:88000000kB, file-rss:0kB, shmem-rss:1024kB, UID:1000 pgtables:190000kB oom_score_adj:0"
REPORT = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : {at}
  host      : gx2
  rank      : 9 (local_rank: 1)
  exitcode  : -9 (pid: 41007)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 41007
============================================================
"""


def test_a_kill_that_two_logs_saw_tells_the_zone_between_them(run_of: Runs) -> None:
    run = run_of(
        {
            "dmesg.gx2.txt": f"[Tue Mar  3 01:00:20 2026] {VICTIM}\n[Tue Mar  3 01:00:40 2026] {XID}\n",
            "train.log": REPORT.format(at="2026-03-03_09:00:31"),
        }
    )
    analysis = analyze(run, db=None)
    assert seen(analysis, "oom_victim") == {1: "2026-03-03 09:00:20"}
    assert seen(analysis, "xid_line") == {2: "2026-03-03 09:00:40"}
    clocks = {
        r["path"]: r
        for r in analysis.sql("SELECT path, shift_seconds, zone, source FROM clock JOIN file USING (file_id)")
    }
    assert clocks["dmesg.gx2.txt"]["shift_seconds"] == 8 * 3600
    assert clocks["dmesg.gx2.txt"]["source"] == "moments"
    assert clocks["dmesg.gx2.txt"]["zone"] == "of ranks"


def test_a_kill_of_another_moment_tells_nothing(run_of: Runs) -> None:
    run = run_of(
        {
            "dmesg.gx2.txt": f"[Tue Mar  3 01:09:20 2026] {VICTIM}\n",
            "train.log": REPORT.format(at="2026-03-03_09:00:31"),
        }
    )
    analysis = analyze(run, db=None)
    assert seen(analysis, "oom_victim") == {1: "2026-03-03 01:09:20"}


def test_seconds_since_boot_become_times_where_the_kernel_says_the_wall_clock(run_of: Runs) -> None:
    log = f"""[    2.000000] rtc_cmos 00:01: setting system clock to 2026-03-03T08:00:00 UTC (1772524800)
[ 3631.000000] {XID}
"""
    assert seen(analyze(run_of({"dmesg.gx2.txt": log}), db=None), "xid_line") == {2: "2026-03-03 09:00:29"}


def test_seconds_since_boot_become_times_through_another_log_of_the_host(run_of: Runs) -> None:
    syslog = (
        "2026-03-03T08:00:10.000000+00:00 gx2 kernel: [   12.000000] mlx5_core 0000:1a:00.0 eth0: Link up\n"
        + "2026-03-03T08:30:10.000000+00:00 gx2 kernel: [ 1812.000000] mlx5_core 0000:1a:00.0 eth0: Link down\n"
    )
    run = run_of(
        {"syslog.gx2": syslog, "dmesg.gx2.txt": f"[ 3631.000000] {XID}\n", "dmesg.gx3.txt": f"[ 3631.000000] {XID}\n"}
    )
    times = seen(analyze(run, db=None), "xid_line", "host")
    assert times == {"gx2": "2026-03-03 09:00:29", "gx3": "None"}


def test_an_earlier_boot_in_the_same_log_is_not_put_on_the_later_boots_clock(run_of: Runs) -> None:
    log = f"""[ 9000.000000] {XID}
[    2.000000] rtc_cmos 00:01: setting system clock to 2026-03-03T08:00:00 UTC (1772524800)
[ 3631.000000] {XID}
"""
    assert seen(analyze(run_of({"kern.gx2.log": log}), db=None), "xid_line") == {1: "None", 3: "2026-03-03 09:00:29"}


def test_midnight_is_a_new_day_where_only_the_time_of_day_is_printed(run_of: Runs) -> None:
    run = run_of(
        {
            "train.log": "".join(
                f"[{at}] step {n} loss {3 - n / 10}\n"
                for n, at in enumerate(["22:30:00", "23:59:00", "00:10:00", "01:00:00"], 1)
            )
        }
    )
    written(run / "train.log", "2026-03-04T01:00:00")
    assert [t[:16] for t in seen(analyze(run, db=None), "training_line").values()] == [
        "2026-03-03 22:30",
        "2026-03-03 23:59",
        "2026-03-04 00:10",
        "2026-03-04 01:00",
    ]


def test_the_year_is_that_of_the_logs_that_print_one_and_not_of_the_copy(run_of: Runs) -> None:
    run = run_of(
        {
            "messages.gx2": f"Dec 31 23:58:00 gx2 kernel: {XID}\nJan  1 00:02:00 gx2 kernel: {XID}\n",
            "train.log": REPORT.format(at="2024-01-01_00:10:00"),
        }
    )
    written(run / "messages.gx2", "2026-05-01T00:00:00")
    assert seen(analyze(run, db=None), "xid_line") == {1: "2023-12-31 23:58:00", 2: "2024-01-01 00:02:00"}


def step_log(first: datetime, steps: int = 8) -> str:
    return "".join(
        f"{first + timedelta(seconds=20 * n):%Y-%m-%d %H:%M:%S} step {n} loss {3 - n / 50:.4f}\n"
        for n in range(1, steps + 1)
    )


def test_a_host_whose_clock_is_off_is_told_by_the_steps_all_ranks_end_together(run_of: Runs) -> None:
    start = datetime(2026, 3, 3, 9)  # noqa: DTZ001
    run = run_of(
        {
            "gx1/rank0.log": step_log(start, 9),
            "gx2/rank8.log": step_log(start - timedelta(minutes=3)),
            "gx3/rank16.log": step_log(start + timedelta(seconds=4)),
        }
    )
    clocks = {
        r["path"]: r["shift_seconds"]
        for r in analyze(run, db=None).sql("SELECT path, shift_seconds FROM clock JOIN file USING (file_id)")
    }
    assert clocks == {"gx1/rank0.log": 0, "gx2/rank8.log": 180, "gx3/rank16.log": 0}, (
        "four seconds are within what a step may differ"
    )


def test_steps_that_a_rank_does_again_after_a_restart_move_no_clock(run_of: Runs) -> None:
    start = datetime(2026, 3, 3, 9)  # noqa: DTZ001
    again = start + timedelta(minutes=4)
    resumed = f"{again:%Y-%m-%d %H:%M:%S} resumed from checkpoint /keep/step_0 at step 0\n"
    run = run_of(
        {
            "ride-1.rank0.log": step_log(start, 9),
            "ride-2.rank0.log": resumed + step_log(again, 9),
        }
    )
    clocks = {
        r["path"]: r["shift_seconds"]
        for r in analyze(run, db=None).sql("SELECT path, shift_seconds FROM clock JOIN file USING (file_id)")
    }
    assert clocks == {"ride-1.rank0.log": 0, "ride-2.rank0.log": 0}


def test_nothing_is_moved_where_clocks_share_no_moment(run_of: Runs) -> None:
    run = run_of(
        {"dmesg.gx2.txt": f"[Tue Mar  3 01:00:40 2026] {XID}\n", "train.log": REPORT.format(at="2026-03-03_09:00:31")}
    )
    analysis = analyze(run, db=None)
    assert not analysis.sql("FROM clock WHERE shift_seconds <> 0")
    assert {r["zone"] for r in analysis.sql("SELECT zone FROM clock")} == {"of ranks", "of others"}


def test_a_second_call_with_one_more_file_reads_clocks_that_were_moved_anew(run_of: Runs) -> None:
    run = run_of(
        {
            "dmesg.gx2.txt": f"[Tue Mar  3 01:00:20 2026] {VICTIM}\n",
            "train.log": REPORT.format(at="2026-03-03_09:00:31"),
        }
    )
    analyze(run)
    (run / "dmesg.gx3.txt").write_text(f"[Tue Mar  3 01:00:20 2026] {XID}\n")
    analysis = analyze(run)
    assert seen(analysis, "oom_victim") == {1: "2026-03-03 09:00:20"}
    assert seen(analysis, "xid_line") == {1: "2026-03-03 09:00:20"}, "a neighbour of its kind has its zone"


def incident(at: datetime, file_id: int) -> Incident:
    return Incident("a.a", "critical", "definite", (Evidence(file_id, 1),), at)


def test_an_order_is_claimed_only_beyond_what_the_clocks_allow() -> None:
    utc, ranks, others = frozenset({"UTC"}), frozenset({"of ranks"}), frozenset({"of others"})
    clocks = Clocks(
        {
            1: (utc, timedelta()),
            2: (utc, timedelta(seconds=40)),
            3: (ranks, timedelta()),
            4: (ranks, timedelta()),
            5: (others, timedelta()),
        }
    )
    apart = {
        (a, b): clocks.uncertainty(incident(WRITTEN, a), incident(WRITTEN, b))
        for a, b in [(1, 1), (1, 2), (3, 4), (1, 3), (3, 5)]
    }
    assert apart[1, 1] == apart[3, 4] == timedelta(minutes=5)
    assert apart[1, 2] == timedelta(minutes=5, seconds=40)
    assert apart[1, 3] == apart[3, 5] == timedelta(hours=14, minutes=5)


def test_what_was_over_long_before_the_job_is_context() -> None:
    clocks = Clocks(
        {1: (frozenset({"UTC"}), timedelta()), 2: (frozenset({"UTC"}), timedelta())},
        (WRITTEN, frozenset({"UTC"})),
        frozenset({2}),
    )
    old, late, own = clocks.aside(
        [
            incident(WRITTEN - timedelta(hours=30), 1),
            incident(WRITTEN - timedelta(hours=1), 1),
            incident(WRITTEN - timedelta(hours=30), 2),
        ]
    )
    assert (old.severity, old.facts["before_the_job"]) == ("info", "30 h before the first word of the job")
    assert late.severity == own.severity == "critical"


BOOTED = """Mar  3 06:10:00 gx2 kernel: [80000.000000] {xid}
Mar  3 06:20:00 gx2 kernel: [    0.000000] Linux version 6.8.0-51-generic (buildd@bx1) (x86_64-linux-gnu-gcc-13 13.2.0) #52 SMP
Mar  3 06:20:09 gx2 kernel: [    9.000000] mlx5_core 0000:1a:00.0 eth0: Link up
Mar  3 {then} gx2 kernel: [ 9000.000000] audit: type=1400 apparmor
"""


@pytest.mark.parametrize(("first_step", "severity"), [(7, "info"), (6, "critical")])
def test_what_an_older_boot_of_the_host_tells_is_context_where_the_job_began_in_the_newer(
    run_of: Runs, first_step: int, severity: str
) -> None:
    run = run_of(
        {
            "syslog.gx2": BOOTED.format(xid=XID, then="09:00:00"),
            "train.log": step_log(datetime(2026, 3, 3, first_step)) + "KeyError: 'x'\n",  # noqa: DTZ001
        }
    )
    (found,) = (i for i in analyze(run, db=None).incidents if i.rule == "gpu.hardware")
    assert found.severity == severity


KERNEL = ["gpu fell off the bus", "contained ECC error, restart", "port flap", "host OOM of a data loader"]


@pytest.mark.parametrize("name", KERNEL)
@pytest.mark.parametrize("hours", [-8, 0, 5.5])
def test_the_root_stays_where_the_kernel_logs_are_in_a_zone_they_do_not_say(
    name: str, hours: float, tmp_path: Path
) -> None:
    run = (cluster := make(name, culprit=11)).write(tmp_path / "run")
    for log in run.glob("dmesg.*"):
        lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
        local = [(datetime.fromisoformat(at).astimezone(UTC) + timedelta(hours=hours), text) for at, text in lines]
        log.write_text("".join(f"[{at:%a %b %e %H:%M:%S %Y}] {text}\n" for at, text in local))
    root = analyze(run, db=None).root
    assert root is not None
    assert root.rule == CAUSES[name].root
    assert root.hosts == {cluster.host(11)}
    assert "rank" not in CAUSES[name].names or root.ranks == {11}
    assert "gpu" not in CAUSES[name].names or root.gpus == {cluster.gpu(11)}
