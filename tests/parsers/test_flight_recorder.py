"""Flight Recorder dumps written after the documented schema: who is named, and that nobody innocent is."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders import pipelines
from builders.flight_recorder import Job

from logsift import Analysis, Catalog, analyze
from logsift.ingest.discover import discover
from logsift.ingest.reading import read
from logsift.report.json import document

LOUD = ("hang.", "divergence.")


@dataclass(frozen=True)
class Scenario:
    """A job, how it is dumped, and what must be said: rule -> ranks; `side` of hang.missing_rank."""

    job: Job
    said: dict[str, set[int]] = field(default_factory=dict)
    side: str | None = None
    how: dict[str, Any] = field(default_factory=dict)

    @property
    def culprits(self) -> set[int]:
        return set().union(*self.said.values()) if self.said else set()


def data_parallel(world: int, version: str = "2.9", backend: str = "nccl") -> Job:
    job = Job({"0": ("default_pg", range(world))}, version, backend)
    for _ in range(5):
        job.collective("0")
    return job


def megatron() -> Job:
    """16 ranks: tensor groups of 4, data-parallel groups of 2, pipeline pairs (r, r + 8), expert groups of 8."""
    groups: dict[str, tuple[str, Sequence[int]]] = {"0": ("default_pg", range(16))}
    for i in range(8):
        groups[str(1 + i)] = ("DATA_PARALLEL_GROUP", [8 * (i // 4) + i % 4, 8 * (i // 4) + i % 4 + 4])
    for i in range(4):
        groups[str(33 + i)] = ("TENSOR_MODEL_PARALLEL_GROUP", range(4 * i, 4 * i + 4))
    for i in range(8):
        groups[str(40 + i)] = ("PIPELINE_MODEL_PARALLEL_GROUP", [i, i + 8])
    for i in range(2):
        groups[str(71 + i)] = ("EXPERT_MODEL_PARALLEL_GROUP", range(8 * i, 8 * i + 8))
    job = Job(groups)
    for _ in range(3):
        for g in groups:
            if groups[g][0].startswith("PIPELINE"):
                a, b = groups[g][1]
                job.p2p(g, "send", a, b, done=True)
                job.p2p(g, "recv", a, b, done=True)
            else:
                job.collective(g)
    return job


def one_skips() -> Scenario:
    job = data_parallel(4)
    job.collective("0", ranks=[0, 1, 3], done=False)
    return Scenario(job, {"hang.missing_rank": {2}}, "host")


def two_skip() -> Scenario:
    job = data_parallel(8)
    job.collective("0", ranks=[0, 1, 2, 4, 6, 7], done=False)
    job.collective("0", ranks=[0, 1, 4], done=False)
    return Scenario(job, {"hang.missing_rank": {3, 5}}, "host")


def nested_groups() -> Scenario:
    """Ranks 9 and 14 stand; the other stage waits in its tensor groups behind a receive, and is innocent."""
    job = megatron()
    for r in range(8):
        job.p2p(str(40 + r), "send", r, r + 8, done=False)
    rest = [8, 10, 11, 12, 13, 15]
    for _ in range(2):
        job.collective("72", "all_to_all", rest, done=False)
    job.collective("35", "_reduce_scatter_base", [8, 10, 11], done=False)
    job.collective("36", "_reduce_scatter_base", [12, 13, 15], done=False)
    for g in ("33", "34"):
        job.collective(g, "_all_gather_base", done=False)
    return Scenario(job, {"hang.missing_rank": {9, 14}}, "host", {"only_open": True})


def device_stands() -> Scenario:
    """Rank 5 enqueued all, and its device did not finish what the others finished."""
    job = data_parallel(8)
    job.collective("0", done=[0, 1, 2, 3, 4, 6, 7])
    job.collective("0", done=False)
    return Scenario(job, {"hang.missing_rank": {5}}, "device")


def two_devices_stand() -> Scenario:
    job = megatron()
    job.collective("71", "all_to_all", done=[0, 2, 3, 4, 5, 7])
    job.collective("71", "all_to_all", done=False)
    return Scenario(job, {"hang.missing_rank": {1, 6}}, "device", {"only_open": True})


def counters_only_host() -> Scenario:
    job = data_parallel(8)
    job.collective("0", ranks=[0, 1, 2, 3, 4, 5, 7], done=False)
    return Scenario(job, {"hang.missing_rank": {6}}, "host", {"entries": False})


def counters_only_device() -> Scenario:
    job = data_parallel(8)
    job.collective("0", done=[1, 2, 3, 4, 5, 6, 7])
    job.collective("0", done=False)
    return Scenario(job, {"hang.missing_rank": {0}}, "device", {"entries": False})


def waits_elsewhere() -> Scenario:
    """Rank 1 has not joined group 1 because it waits in group 2 for rank 3, which stands."""
    job = Job({"0": ("default_pg", range(4)), "1": ("left", [0, 1]), "2": ("right", [1, 3]), "3": ("rest", [2, 0])})
    for g in ("0", "1", "2", "3"):
        job.collective(g)
    job.collective("2", ranks=[1], done=False)
    job.collective("1", ranks=[0], done=False)
    job.collective("3", ranks=[2], done=False)
    return Scenario(job, {"hang.missing_rank": {3}}, "host")


def old_schema() -> Scenario:
    job = data_parallel(4, version="1.4")
    job.collective("0", ranks=[0, 2, 3], done=False)
    return Scenario(job, {"hang.missing_rank": {1}}, "host", {"status": False})


def gloo_stands() -> Scenario:
    """Backend gloo leaves every entry at `scheduled` and retires what failed too; only the missing one tells."""
    job = data_parallel(4, version="2.10", backend="gloo")
    job.collective("0", ranks=[0, 1, 2], done=True)
    return Scenario(job, {"hang.missing_rank": {3}}, "host")


def all_wait() -> Scenario:
    """Everybody is there: the path between them is at fault, and no rank."""
    job = data_parallel(8)
    job.collective("0", done=False)
    return Scenario(job)


def all_is_well() -> Scenario:
    return Scenario(data_parallel(8))


def gloo_is_well() -> Scenario:
    job = data_parallel(4, version="2.10", backend="gloo")
    job.collective("0", "barrier", [0, 1], done=True)
    job.collective("0", "barrier", [2, 3], done=False)
    return Scenario(job)


def recorder_off() -> Scenario:
    return Scenario(Job({"0": ("default_pg", range(4))}), how={"status": False})


def other_operation() -> Scenario:
    job = data_parallel(4)
    job.collective("0", "all_reduce", [0, 1, 3], done=False)
    job.collective("0", "broadcast", [2], done=False)
    return Scenario(job, {"divergence.collective_mismatch": {2}})


def other_size() -> Scenario:
    job = data_parallel(4)
    job.collective("0", ranks=[0, 2, 3], done=False, size=(64, 2))
    job.collective("0", ranks=[1], done=False, size=(60, 2))
    return Scenario(job, {"divergence.collective_mismatch": {1}})


def other_type() -> Scenario:
    job = data_parallel(8)
    job.collective("0", ranks=[0, 1, 2, 3, 4, 5, 6], done=False)
    job.collective("0", ranks=[7], done=False, dtype="Half")
    return Scenario(job, {"divergence.collective_mismatch": {7}})


def circle() -> Scenario:
    job = Job({"0": ("default_pg", range(4)), "1": ("a", [0, 1]), "2": ("b", [0, 1])})
    for g in ("0", "1", "2"):
        job.collective(g)
    job.collective("1", ranks=[0], done=False)
    job.collective("2", ranks=[1], done=False)
    return Scenario(job, {"hang.collective_order": {0, 1}})


def circle_of_three() -> Scenario:
    """Each of three ranks waits in a group with the next one, who waits in another."""
    job = Job({"0": ("default_pg", range(4)), "1": ("a", [0, 1]), "2": ("b", [1, 2]), "3": ("c", [0, 2])})
    for g in job.groups:
        job.collective(g)
    for g, rank in (("1", 0), ("2", 1), ("3", 2)):
        job.collective(g, ranks=[rank], done=False)
    job.collective("0", ranks=[3], done=False)
    return Scenario(job, {"hang.collective_order": {0, 1, 2}})


def lone_send() -> Scenario:
    job = data_parallel(4)
    job.p2p("0", "send", 1, 2, done=False)
    return Scenario(job, {"hang.p2p_unmatched": {1, 2}})


def unequal_pair() -> Scenario:
    job = data_parallel(4)
    job.p2p("0", "send", 1, 2, done=False, size=(8, 4))
    job.p2p("0", "recv", 1, 2, done=False, size=(8, 5))
    return Scenario(job, {"divergence.p2p_mismatch": {1, 2}})


SCENARIOS: tuple[Callable[[], Scenario], ...] = (
    one_skips, two_skip, nested_groups, device_stands, two_devices_stand, counters_only_host, counters_only_device, waits_elsewhere, old_schema,
    gloo_stands, all_wait, all_is_well, gloo_is_well, recorder_off, other_operation, other_size, other_type, circle, circle_of_three, lone_send, unequal_pair,
)  # fmt: skip


def said(run: Path, catalog: Catalog) -> dict[str, dict[str, Any]]:
    return said_by(analyze(run, catalog=catalog, db=None))


def said_by(analysis: Analysis) -> dict[str, dict[str, Any]]:
    report = document(analysis)
    return {i["rule"]: i for i in report["incidents"] if i["severity"] != "info" and i["rule"].startswith(LOUD)}


def plain(rank: int) -> str:
    """The name that torch gives a dump."""
    return f"nccl_trace_rank_{rank}"


def renamed(rank: int) -> str:
    """A name that people give: it says the host as well."""
    return f"node{rank // 4:02d}.gpu{rank % 4}.rank_{rank}.trace.gz"


def dumped(case: Scenario, run: Path, name: Callable[[int], str]) -> Path:
    """The dumps of all ranks, packed where their names say so."""
    run.mkdir()
    for rank in case.job.ranks:
        data = pickle.dumps(case.job.dump(rank, **case.how), protocol=2)
        (run / name(rank)).write_bytes(gzip.compress(data) if name is renamed else data)
    return run


def rows(run: Path, parts: Path, catalog: Catalog) -> dict[str, list[str]]:
    """What is read of a run before anything is concluded: table -> rows, with the rank of a file for the file."""
    files = discover(run, catalog)
    ranks = pl.DataFrame({"file_id": [f.file_id for f in files], "of": [f.rank for f in files]})
    parts.mkdir()
    read(catalog, files, parts)
    return {
        table.name: sorted(
            map(
                str,
                pl.read_parquet(table).join(ranks, on="file_id").drop("file_id", "host", strict=False).rows(named=True),
            )
        )
        for table in parts.iterdir()
    }


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_full_set_names_exactly_the_culprits(
    scenario: Callable[[], Scenario], tmp_path: Path, catalog: Catalog
) -> None:
    case = scenario()
    found = said(dumped(case, tmp_path / "run", renamed), catalog)
    assert {rule: set(i["ranks"]) for rule, i in found.items()} == case.said
    if case.side:
        assert found["hang.missing_rank"]["facts"]["side"] == case.side
    assert all(i["evidence"] for i in found.values())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_a_packed_and_renamed_dump_has_the_rows_of_the_plain_one(
    scenario: Callable[[], Scenario], tmp_path: Path, catalog: Catalog
) -> None:
    forms = [
        rows(dumped(scenario(), tmp_path / name.__name__, name), tmp_path / f"parts of {name.__name__}", catalog)
        for name in (plain, renamed)
    ]
    assert len(forms[0]["flight_dump"]) == len(scenario().job.ranks)
    assert forms[0] == forms[1]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_without_the_culprits_dumps_nobody_innocent_is_named(
    scenario: Callable[[], Scenario], tmp_path: Path, catalog: Catalog
) -> None:
    case = scenario()
    for rank in case.job.ranks:
        if rank not in case.culprits:
            (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(
                pickle.dumps(case.job.dump(rank, **case.how), protocol=2)
            )
    found = said(tmp_path, catalog)
    for incident in found.values():
        assert set(incident["ranks"]) <= case.culprits
    if "hang.missing_rank" in found:
        assert found["hang.missing_rank"]["confidence"] == "possible"


def test_the_dump_of_an_innocent_rank_is_absent(tmp_path: Path, catalog: Catalog) -> None:
    case = nested_groups()
    for rank in set(case.job.ranks) - {10, 3}:
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(case.job.dump(rank, **case.how), protocol=2))
    assert set(said(tmp_path, catalog)["hang.missing_rank"]["ranks"]) == {9, 14}


def test_pickle_and_json_of_one_rank_count_once(tmp_path: Path, catalog: Catalog) -> None:
    case = one_skips()
    for rank in case.job.ranks:
        dump = case.job.dump(rank)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump, protocol=2))
        (tmp_path / f"nccl_trace_rank_{rank}.json").write_text(json.dumps(dump))
    analysis = analyze(tmp_path, catalog=catalog, db=None)
    assert analysis.sql("SELECT count(*) AS n FROM flight_dump") == [{"n": 8}]
    assert analysis.sql("SELECT count(*) AS n FROM flight_rank") == [{"n": 4}]
    assert analysis.sql("SELECT max(len(ranks)) AS n FROM collective") == [{"n": 4}]


def test_rank_comes_from_the_content_where_the_name_lies(tmp_path: Path, catalog: Catalog) -> None:
    job = megatron()
    (tmp_path / "upload-0007").write_bytes(pickle.dumps(job.dump(11), protocol=2))
    (tmp_path / "rank_3.bin").write_bytes(pickle.dumps(job.dump(12) | {"rank": 12}, protocol=2))
    assert analyze(tmp_path, catalog=catalog, db=None).sql("SELECT rank FROM flight_dump ORDER BY rank") == [
        {"rank": 11},
        {"rank": 12},
    ]


def test_a_truncated_dump_is_a_problem_and_the_others_go_on(tmp_path: Path, catalog: Catalog) -> None:
    case = one_skips()
    for rank in case.job.ranks:
        data = pickle.dumps(case.job.dump(rank), protocol=2)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(data[: len(data) // 2] if rank == 0 else data)
    analysis = analyze(tmp_path, catalog=catalog, db=None)
    assert set(said_by(analysis)["hang.missing_rank"]["ranks"]) == {2}
    assert analysis.sql("SELECT text FROM problem WHERE what LIKE 'Flight Recorder%'") == [{"text": "truncated"}]
    assert analysis.sql("SELECT complete FROM flight_dump WHERE rank = 0") == [{"complete": False}]


class _Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("/tmp/flight-recorder-ran-code"),))


def test_a_pickle_that_wants_to_run_code_is_refused(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "nccl_trace_rank_0").write_bytes(
        pickle.dumps({"version": "2.9", "entries": [_Evil()], "pg_config": {}}, protocol=2)
    )
    Path("/tmp/flight-recorder-ran-code").unlink(missing_ok=True)
    problems = analyze(tmp_path, catalog=catalog, db=None).sql("SELECT text FROM problem")
    assert not Path("/tmp/flight-recorder-ran-code").exists()
    assert "not a dump" in problems[0]["text"]


def test_versions_compare_as_numbers(tmp_path: Path, catalog: Catalog) -> None:
    for rank, version in enumerate(("2.4", "2.10")):
        (tmp_path / f"rank_{rank}").write_bytes(pickle.dumps(data_parallel(2, version=version).dump(rank), protocol=2))
    newest = "SELECT max_by(version, (version_major, version_minor)) AS v FROM flight_dump"
    assert analyze(tmp_path, catalog=catalog, db=None).sql(newest) == [{"v": "2.10"}]


def recorded(played: pipelines.Played) -> Job:
    """The dumps that such a job leaves."""
    job = Job(played.groups)
    for rank, operations in played.enqueued.items():
        for at, (kind, group, src, dst) in enumerate(operations):
            done = at in played.completed[rank]
            members = played.groups[group][1] if group else []
            if kind in ("send", "recv"):
                a, b = members.index(src), members.index(dst)
                name = f"nccl:send {a}->{b}" if kind == "send" else f"nccl:recv {b}<-{a}"
                seq = job.sent[rank, group] = job.sent.get((rank, group), 0) + 1
                job._record(rank, group, name, (8, 4), "BFloat16", done, p2p_seq_id=seq, is_p2p=True)
            elif kind != "sync":
                seq = job.enqueued[rank, group] = job.enqueued.get((rank, group), 0) + 1
                if done:
                    job.completed[rank, group] = seq
                job._record(rank, group, f"nccl:{kind}", (64,), "Float", done, collective_seq_id=seq, is_p2p=False)
    return job


HIDDEN = {1: {15}, 2: {8}}
"""Who can't be told from the others in these jobs: what they wait for is what all wait for, behind or beside another one that stands."""


@pytest.mark.parametrize("absent", [False, True], ids=["all dumps", "one culprit's dump missing"])
@pytest.mark.parametrize("seed", range(12))
def test_jobs_played_through_name_the_culprits_and_nobody_else(
    seed: int, absent: bool, tmp_path: Path, catalog: Catalog
) -> None:
    played = pipelines.play(seed)
    job = recorded(played)
    for rank in set(job.ranks) - ({min(played.culprits)} if absent else set()):
        dump = job.dump(rank, only_open=seed % 2 == 0)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump, protocol=2))
    found = said(tmp_path, catalog)
    assert set(found) <= {"hang.missing_rank"}
    named = set(found["hang.missing_rank"]["ranks"]) if found else set()
    assert named <= played.culprits
    if not absent:
        assert named == played.culprits - HIDDEN.get(seed, set())
    if found and (side := found["hang.missing_rank"]["facts"].get("side")):
        assert side == played.side


@pytest.mark.parametrize("with_a_culprits", [False, True], ids=["alone", "beside a culprit's"])
@pytest.mark.parametrize("seed", [0, 1, 6, 8, 11])
def test_a_lost_dump_of_an_innocent_rank_proves_nothing(
    seed: int, with_a_culprits: bool, tmp_path: Path, catalog: Catalog
) -> None:
    played = pipelines.play(seed)
    job = recorded(played)
    lost = {min(set(job.ranks) - played.culprits)} | ({min(played.culprits)} if with_a_culprits else set())
    for rank in set(job.ranks) - lost:
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(job.dump(rank), protocol=2))
    for rule, incident in said(tmp_path, catalog).items():
        assert rule == "hang.missing_rank"
        if not set(incident["ranks"]) <= played.culprits:
            assert incident["confidence"] == "possible"
            assert "may not have joined" in incident["summary"]
            assert "don't take it out" in incident["action"]
