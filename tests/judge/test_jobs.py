"""Several jobs in one folder: what befell one of them explains nothing of another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.incidents import incident, rule

from logsift.content.incident import Evidence, Incident
from logsift.judge.causes import trace
from logsift.judge.jobs import Jobs

RULES = [rule("oom", "crash"), replace(rule("disk", "crash"), lasting=True), rule("crash")]
JOBS = Jobs({"number": {1: "811", 2: "811", 3: "812"}, "run": {5: "0", 6: "1"}})


def of(rule_id: str, *files: int, host: str | None = None) -> Incident:
    hosts = frozenset({host} if host else ())
    return replace(incident(rule_id, None), hosts=hosts, evidence=tuple(Evidence(f, 1) for f in files))


@pytest.mark.parametrize(
    ("cause", "effect", "roots"),
    [
        pytest.param(of("oom", 1), of("crash", 2), ["oom"], id="two logs of one job"),
        pytest.param(of("oom", 1), of("crash", 3), ["crash", "oom"], id="logs of two"),
        pytest.param(of("oom", 1, 3), of("crash", 3), ["oom"], id="one of both"),
        pytest.param(of("oom", 1), of("crash", 4), ["oom"], id="a log of nobody knows which"),
        pytest.param(of("oom", 1), of("crash", 5), ["oom"], id="names of two kinds, perhaps of one job"),
        pytest.param(of("oom", 5), of("crash", 6), ["crash", "oom"], id="by the other kind of name"),
        pytest.param(of("disk", 1, host="n1"), of("crash", 3), ["disk"], id="it stays on its host for the next"),
        pytest.param(of("disk", 1), of("crash", 3), ["crash", "disk"], id="nobody knows where it stays"),
    ],
)
def test_what_befell_one_job_explains_nothing_of_another(cause: Incident, effect: Incident, roots: list[str]) -> None:
    assert sorted(i.rule for i in trace([cause, effect], RULES, jobs=JOBS).roots) == roots
