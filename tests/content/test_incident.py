"""The one shape of an incident: what a rule returns arrives in it, and comes back from the store as it went in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from builders.incidents import rule

from logsift.content.incident import RESULT, Evidence, Incident

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC).replace(tzinfo=None)
ROW = {
    "severity": "warning", "confidence": "possible", "evidence": [{"file_id": 1, "line_no": 7}],
    "at": NOON, "until": NOON + timedelta(hours=1), "ranks": [3, None, 3], "hosts": ["a", ""], "gpus": ["0"],
    "explains": ["hang"], "otherwise": True, "waited": True,
}  # fmt: skip


def test_every_column_that_a_rule_may_return_arrives() -> None:
    assert set(ROW) == set(RESULT)
    made = Incident.of_result(rule("lift.stopped"), ROW | {"floor": 3, "door": None})
    assert (made.severity, made.confidence, made.evidence) == ("warning", "possible", (Evidence(1, 7),))
    assert (made.at, made.until) == (ROW["at"], ROW["until"])
    assert (made.ranks, made.hosts, made.gpus, made.explains) == ({3}, {"a"}, {"0"}, {"hang"})
    assert made.otherwise is made.waited is True
    assert dict(made.facts) == {"floor": 3}


def test_what_it_leaves_out_is_the_rule_s_or_empty() -> None:
    made = Incident.of_result(rule("lift.stopped"), {"evidence": ROW["evidence"]})
    assert (made.severity, made.confidence, made.explains) == ("critical", "definite", None)
    assert made.ranks == made.hosts == made.gpus == frozenset()
