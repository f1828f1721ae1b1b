"""Who explains whom, and which incident is the root."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from builders.incidents import NOON, incident, rule

from logsift.content.incident import Evidence, Incident
from logsift.derive.clocks import UTC, Clocks
from logsift.judge.causes import folded, trace
from logsift.judge.grades import combined
from logsift.judge.progress import Progress

RULES = [
    rule("gpu.dead", "hang", "crash.cuda"),
    rule("crash.cuda", "hang"),
    rule("hang.timeout", here="crash.cuda"),
    rule("hang.missing", "hang.timeout", elsewhere="crash.cuda"),
    rule("net.closed"),
    rule("a.a", "b.b"),
    rule("b.b", "a.a"),
]


def roots(*incidents: Incident) -> list[str]:
    return [i.rule for i in trace(incidents, RULES).roots]


@pytest.mark.parametrize(
    ("incidents", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([incident("net.closed")], ["net.closed"], id="one alone is the root"),
        pytest.param([incident("hang.timeout", 10), incident("gpu.dead", 0)], ["gpu.dead"], id="a cause folds its echo, by family"),
        pytest.param([incident("hang.timeout", 0), incident("gpu.dead", 30)], ["hang.timeout", "gpu.dead"], id="what came later explains nothing"),
        pytest.param([incident("hang.timeout", 0), incident("gpu.dead", 3)], ["gpu.dead"], id="clocks may differ by minutes"),
        pytest.param([incident("hang.timeout", 0), incident("gpu.dead", None)], ["gpu.dead"], id="an unknown time is no objection"),
        pytest.param([incident("crash.cuda", ranks=[3], hosts=["b"]), incident("gpu.dead", hosts=["a"])], ["crash.cuda", "gpu.dead"], id="here: not on another host"),
        pytest.param([incident("crash.cuda", ranks=[3], hosts=["a"]), incident("gpu.dead", hosts=["a"])], ["gpu.dead"], id="here: on the same host"),
        pytest.param([incident("crash.cuda", hosts=["a"], gpus=["0"]), incident("gpu.dead", hosts=["a"], gpus=["1"])], ["crash.cuda", "gpu.dead"], id="here: not on another GPU"),
        pytest.param([incident("crash.cuda", ranks=[3], hosts=["a"]), incident("hang.timeout", ranks=[1, 2], hosts=["a"])], ["crash.cuda"], id="ranks decide where both are known"),
        pytest.param([incident("hang.missing", ranks=[3], confidence="probable"), incident("crash.cuda", ranks=[3])], ["crash.cuda"], id="elsewhere: the missing rank's own crash made it miss"),
        pytest.param([incident("hang.missing", ranks=[3], confidence="probable"), incident("net.closed", None, severity="info")], ["hang.missing"], id="context is no root"),
        pytest.param([incident("a.a", 1), incident("b.b", 0)], ["b.b"], id="of two that explain each other the earlier"),
        pytest.param([incident("a.a", 0, confidence="possible"), incident("b.b", 1)], ["b.b"], id="of two that explain each other the better proved"),
        pytest.param([incident("hang.timeout", 0, ranks=[1, 2]), incident("crash.cuda", 1)], ["crash.cuda"], id="of two that explain each other the one that assumes no place"),
        pytest.param([incident("net.closed", 0, severity="warning"), incident("gpu.dead", 9)], ["gpu.dead", "net.closed"], id="of independent ones the graver first"),
    ],
)  # fmt: skip
def test_roots(incidents: list[Incident], expected: list[str]) -> None:
    assert roots(*incidents) == expected
    assert roots(*reversed(incidents)) == expected


def test_of_independent_ones_without_a_time_the_first_in_the_log_comes_first() -> None:
    late = replace(incident("a.a", None), evidence=(Evidence(1, 90),))
    early = replace(incident("net.closed", None), evidence=(Evidence(1, 4),))
    assert [r.rule for r in trace([late, early], RULES).roots] == ["net.closed", "a.a"]


def test_a_chain_is_kept_whole() -> None:
    dead, crash, hang = (
        incident("gpu.dead", 0, hosts=["a"]),
        incident("crash.cuda", 1, ranks=[3], hosts=["a"]),
        incident("hang.timeout", 10, ranks=[1]),
    )
    causes = trace([hang, crash, dead], RULES)
    assert causes.root is dead
    assert causes.cause_of(crash) is dead
    assert {(a.rule, b.rule) for a, b in causes.edges} == {
        ("gpu.dead", "crash.cuda"),
        ("gpu.dead", "hang.timeout"),
        ("crash.cuda", "hang.timeout"),
    }


@pytest.mark.parametrize(
    ("other", "grade"),
    [
        pytest.param({"file": 2}, "definite", id="another file says the same"),
        pytest.param({"file": 1}, "probable", id="the same file twice is one source"),
        pytest.param({"file": 2, "ranks": [4]}, "probable", id="of another rank"),
        pytest.param({"file": 2, "minutes": 300}, "probable", id="at another time"),
        pytest.param({"file": 2, "severity": "info"}, "probable", id="context confirms nothing"),
    ],
)
def test_a_second_source_raises_the_grade(other: dict[str, Any], grade: str) -> None:
    given = {"ranks": [3], "confidence": "probable", "minutes": 0} | other
    second = replace(
        incident("hang.missing", **{k: v for k, v in given.items() if k != "file"}),
        evidence=(Evidence(given["file"], 1),),
    )
    assert combined([incident("hang.missing", ranks=[3], confidence="probable"), second])[0].confidence == grade


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        pytest.param(1, 9, ["gpu.error"], id="it stands below the cause"),
        pytest.param(1, 2, ["gpu.error", "net.error"], id="it stands above it"),
        pytest.param(2, 2, ["gpu.error"], id="it is in another file, whose order nobody knows"),
    ],
)
def test_without_times_some_causes_explain_only_what_stands_below_them(
    file: int, line: int, expected: list[str]
) -> None:
    cause = replace(rule("gpu.error", "net.error"), explains_after=frozenset({"net.error"}))
    first = replace(incident("gpu.error"), at=None, evidence=(Evidence(1, 5),))
    second = replace(incident("net.error"), at=None, evidence=(Evidence(file, line),))
    causes = trace([first, second], [cause, rule("net.error")])
    assert sorted(r.rule for r in causes.roots) == expected


@pytest.mark.parametrize(
    ("later", "steps_until", "zone", "expected"),
    [
        pytest.param(150, 150, UTC, ["late.error", "link.flap"], id="steps were logged for hours in between"),
        pytest.param(8, 8, UTC, ["link.flap"], id="the job stopped soon after"),
        pytest.param(150, 0, UTC, ["link.flap"], id="the job stood still in between"),
        pytest.param(150, 150, "of others", ["late.error", "link.flap"], id="whatever zone its log is in"),
        pytest.param(180, 180, "of others", ["link.flap"], id="its log may be in a zone three hours off"),
    ],
)
def test_a_momentary_cause_explains_nothing_that_came_after_the_job_had_gone_on(
    later: int, steps_until: int, zone: str, expected: list[str]
) -> None:
    rules = [replace(rule("link.flap", "late"), transient=True), rule("late.error")]
    error = replace(incident("late.error", later), evidence=(Evidence(2, 1),))
    clocks = Clocks({1: (frozenset({zone}), timedelta()), 2: (frozenset({UTC}), timedelta())})
    minutes = [NOON + timedelta(minutes=n) for n in range(-30, steps_until)]
    causes = trace([incident("link.flap"), error], rules, clocks, Progress(clocks, minutes, frozenset({UTC})))
    assert sorted(r.rule for r in causes.roots) == expected


def test_what_a_rule_gives_way_to_is_told_once_and_takes_over_its_effects() -> None:
    rules = [
        rule("crash.config", "crash.exception"),
        replace(rule("crash.exception", "hang"), gives_way_to=frozenset({"crash.config"})),
        rule("hang.x"),
    ]
    config = replace(incident("crash.config"), evidence=(Evidence(1, 9),))
    same = replace(incident("crash.exception"), evidence=(Evidence(1, 2), Evidence(1, 9)))
    another = replace(incident("crash.exception"), evidence=(Evidence(2, 9),))
    hang = incident("hang.x")
    told, causes = folded((config, same, another, hang), trace((config, same, another, hang), rules), rules)
    assert [(i.rule, i.severity) for i in told] == [
        ("crash.config", "critical"), ("crash.exception", "info"), ("crash.exception", "critical"), ("hang.x", "critical"),
    ]  # fmt: skip
    edges = {(told.index(a), told.index(b)) for a, b in causes.edges}
    assert edges == {(0, 2), (0, 3), (2, 3)}
    assert causes.roots == (config,)


def test_of_two_echoes_none_gives_way() -> None:
    rules = [
        rule("host.full", "crash"),
        rule("crash.config", "crash.exception"),
        replace(rule("crash.exception"), gives_way_to=frozenset({"crash.config"})),
    ]
    full, config, same = (incident(r.id) for r in rules)
    told, causes = folded((full, config, same), trace((full, config, same), rules), rules)
    assert {i.severity for i in told} == {"critical"}
    assert causes.roots == (full,)
