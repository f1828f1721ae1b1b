"""Who is missing in the collective: one list, the evidence of each source, and what agreement and contradiction make of the grade."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.clusters import AT, SECOND, Cluster

from logsift import Catalog, Incident, analyze

AT_DATA = [
    "get (queue.py:180)",
    "_try_get_data (torch/utils/data/dataloader.py:1275)",
    "__next__ (torch/utils/data/dataloader.py:733)",
]
AT_WORK = ["gelu (model.py:44)", "forward (model.py:97)"]


def counters(c: Cluster) -> None:
    c.timeouts(c.others(3), alive=[3])


def dumps(c: Cluster) -> None:
    c.flight([3])


def stacks(c: Cluster) -> None:
    c.stacks({3: AT_DATA})


def sample(c: Cluster) -> None:
    c.stacks({3: AT_WORK}, "active+gil")


def stacks_of_another(c: Cluster) -> None:
    c.stacks({5: AT_DATA})


def silence(c: Cluster) -> None:
    c.timeouts(c.others(3))


def no_dump(c: Cluster) -> None:
    c.flight([3], c.others(3))


def device(c: Cluster) -> None:
    """All have enqueued it, and the device of one has not finished what those of the others have."""
    job = c.job()
    for _ in range(3):
        job.collective("0")
    job.collective("0", done=c.others(3))
    job.collective("0", done=False)
    for r in range(c.ranks):
        c.add("flight", f"nccl_trace_rank_{r}", pickle.dumps(job.dump(r), protocol=2))


def ended(c: Cluster) -> None:
    c.timeouts(c.others(3))
    c.output += [
        "Root Cause (first observed failure):", "[0]:", f"  time      : {AT + 5 * SECOND:%Y-%m-%d_%H:%M:%S}", f"  host      : {c.host(3)}",
        "  rank      : 3 (local_rank: 3)", f"  exitcode  : 1 (pid: {c.pid(3)})", "  error_file: <N/A>",
    ]  # fmt: skip


def named(run: Path, catalog: Catalog, *sources: Callable[[Cluster], None]) -> Incident | None:
    cluster = Cluster(8)
    cluster.begin()
    for source in sources:
        source(cluster)
    found = [
        i for i in analyze(cluster.write(run), catalog=catalog, db=None).incidents if i.rule == "hang.missing_rank"
    ]
    assert len(found) < 2, "one list, not one per source"
    return found[0] if found else None


@pytest.mark.parametrize(
    ("sources", "source", "confidence"),
    [
        pytest.param([counters], {"watchdog"}, "probable", id="enqueued = completed: it never entered"),
        pytest.param([dumps], {"flight_recorder"}, "probable", id="dumps"),
        pytest.param([counters, dumps], {"watchdog", "flight_recorder"}, "definite", id="two that agree"),
        pytest.param([dumps, stacks], {"flight_recorder", "stacks"}, "definite", id="dumps and stacks"),
        pytest.param([dumps, sample], {"flight_recorder", "stacks"}, "definite", id="dumps, and one sample of stacks"),
        pytest.param([silence], {"silent_log"}, "possible", id="all but one report the timeout"),
        pytest.param([silence, no_dump], {"silent_log", "absent_dump"}, "probable", id="neither a word nor a dump"),
        pytest.param([ended], {"ended"}, "probable", id="it had ended before the others gave up"),
    ],
)
def test_sources_make_one_list_and_agreement_raises_the_grade(
    sources: list[Callable[[Cluster], None]], source: set[str], confidence: str, tmp_path: Path, catalog: Catalog
) -> None:
    missing = named(tmp_path / "run", catalog, *sources)
    assert missing is not None
    assert (missing.ranks, missing.confidence) == ({3}, confidence)
    assert set(missing.facts["source"]) == source
    assert "disagreement" not in missing.facts


def test_sources_that_contradict_each_other_are_both_shown_and_lower_the_grade(
    tmp_path: Path, catalog: Catalog
) -> None:
    missing = named(tmp_path / "run", catalog, dumps, stacks_of_another)
    assert missing is not None
    assert missing.confidence == "possible"
    assert missing.facts["disagreement"] == [
        {frozenset({3}): "stacks", frozenset({5}): "flight_recorder"}[missing.ranks]
    ]
    assert missing.ranks | {r for a in missing.facts["accounts"] if not a["agrees"] for r in a["ranks"]} == {3, 5}


def test_sources_that_differ_in_the_side_are_both_shown_and_lower_the_grade(tmp_path: Path, catalog: Catalog) -> None:
    alone = named(tmp_path / "alone", catalog, device)
    assert alone is not None
    assert (alone.facts["side"], alone.confidence) == ("device", "probable")
    missing = named(tmp_path / "both", catalog, device, stacks)
    assert missing is not None
    assert (missing.ranks, missing.confidence) == ({3}, "probable"), "two that agreed in all would make it definite"
    assert missing.facts["disagreement"] == ["flight_recorder", "stacks"]
    assert "on the device by Flight Recorder, on the host by Stacks" in missing.summary
    assert "side" not in missing.facts


def test_a_sample_of_stacks_alone_names_nobody(tmp_path: Path, catalog: Catalog) -> None:
    assert named(tmp_path / "run", catalog, sample) is None


def test_who_was_ended_by_its_launcher_is_not_suspected_for_its_silence(tmp_path: Path, catalog: Catalog) -> None:
    def killed(c: Cluster) -> None:
        c.agent(AT, "W", "multiprocessing/api.py:897", f"Sending process {c.pid(3)} closing signal SIGTERM")

    assert named(tmp_path / "run", catalog, silence, killed) is None


def test_whom_a_program_s_own_barrier_misses_is_said_without_its_time(catalog: Catalog) -> None:
    run = Path(__file__).parents[2] / "fixtures/hang.missing_rank--barrier-in-words/run"
    with analyze(run, catalog=catalog, db=None) as analysis:
        assert analysis.root
        assert analysis.root.summary.startswith("Ranks 4-6 have not joined the barrier the others are waiting in")
