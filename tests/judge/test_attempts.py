"""Several attempts of a job in its logs: which of them an incident belongs to, and what that says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.incidents import incident, rule

from logsift.content.incident import Evidence, Incident
from logsift.judge.attempts import Attempts, Opening
from logsift.judge.causes import trace

RULES = [rule("oom", "crash"), replace(rule("disk", "crash"), lasting=True), rule("crash")]
BY_ID = {r.id: r for r in RULES}
CALM = Attempts({1: [Opening(1, 1, False), Opening(50, 2, True)]})
IN_TROUBLE = Attempts({1: [Opening(1, 1, False), Opening(50, 2, False)]})


def at(rule_id: str, *lines: int, file_id: int = 1) -> Incident:
    return replace(incident(rule_id, None), evidence=tuple(Evidence(file_id, n) for n in lines))


def roots(*incidents: Incident) -> list[str]:
    noted = IN_TROUBLE.noted(incidents, BY_ID)
    return [i.rule for i in trace(noted, RULES, attempts=IN_TROUBLE).roots]


@pytest.mark.parametrize(
    ("found", "attempt"),
    [
        pytest.param(at("oom", 49), 1, id="above the line from which the second is told"),
        pytest.param(at("oom", 50), 2, id="that line and below"),
        pytest.param(at("oom", 3, 70), 2, id="the last in which it was seen"),
        pytest.param(at("oom", 3, file_id=2), None, id="another log tells of none"),
    ],
)
def test_an_incident_belongs_to_the_attempt_that_its_lines_are_of(found: Incident, attempt: int | None) -> None:
    assert [i.attempt for i in CALM.noted([found], BY_ID)] == [attempt]


def test_what_ended_an_attempt_does_not_explain_the_end_of_the_next() -> None:
    assert roots(at("oom", 9), at("crash", 80)) == ["crash", "oom"]
    assert roots(at("oom", 9), at("crash", 10)) == ["oom"]
    assert roots(at("oom", 9, 79), at("crash", 80)) == ["oom"]


def test_what_ended_the_last_attempt_comes_before_what_ended_an_earlier_one_however_grave() -> None:
    told = Attempts({1: [Opening(1, 1, False), Opening(50, 2, False, frozenset({80}))]})

    def first(*incidents: Incident) -> str:
        return trace(told.noted(incidents, BY_ID), RULES, attempts=told).roots[0].rule

    warned = replace(at("crash", 80), severity="warning")
    assert first(at("oom", 9), warned) == "crash"
    assert first(at("oom", 9), replace(at("crash", 79), severity="warning")) == "oom"  # it ended nothing
    assert first(at("disk", 9), replace(at("oom", 80), severity="warning")) == "disk"  # it lasts


def test_of_two_that_explain_each_other_the_cause_is_what_an_earlier_attempt_had_already() -> None:
    rules = [rule("oom", "crash"), rule("crash", "oom")]
    both_ways = [at("crash", 9, 80), at("oom", 79)]
    assert [i.rule for i in trace(both_ways, rules, attempts=IN_TROUBLE).roots] == ["crash"]
    assert [i.rule for i in trace([at("crash", 80), at("oom", 9, 79)], rules, attempts=IN_TROUBLE).roots] == ["oom"]


def test_what_lasts_explains_it_all_the_same() -> None:
    assert roots(at("disk", 9), at("crash", 80)) == ["disk"]


def test_what_a_later_attempt_got_over_is_context_only() -> None:
    assert [i.severity for i in CALM.noted([at("oom", 9), at("disk", 9), at("oom", 80)], BY_ID)] == [
        "info", "critical", "critical",
    ]  # fmt: skip
    assert [i.severity for i in IN_TROUBLE.noted([at("oom", 9)], BY_ID)] == ["critical"]


def test_what_cost_the_next_attempt_something_is_a_warning() -> None:
    back = replace(rule("back"), lasting=True)
    died = rule("oom", "back")
    found = [at("back", 40, 60), at("oom", 9), at("crash", 9)]
    noted = CALM.noted(found, {r.id: r for r in (back, died, rule("crash"))})
    assert [i.severity for i in noted] == ["critical", "warning", "info"]
    assert [i.rule for i in trace(noted, [back, died, rule("crash")], attempts=CALM).roots] == ["oom"]


def test_where_there_was_one_attempt_nothing_is_said_of_any() -> None:
    assert [i.attempt for i in Attempts().noted([at("oom", 9)], BY_ID)] == [None]
