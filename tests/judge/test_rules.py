"""Rules of last resort: asked where the others found nothing critical."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from builders.incidents import incident, rule

from logsift import Catalog, analyze
from logsift.judge.causes import trace

Make = Callable[..., Path]
LOST = "[rank1]: winch 7: FATAL: gearbox is gone\n"
KNOWN = "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"a.py\", line 1, in f\n[rank0]: KeyError: 'a'\n"


def test_a_rule_of_last_resort_is_asked_where_nothing_critical_was_found(catalog: Catalog, run_of: Make) -> None:
    alone = analyze(run_of({"a.log": LOST}, "alone"), catalog=catalog, db=None)
    assert [(i.rule, i.confidence, sorted(i.ranks)) for i in alone.incidents] == [
        ("crash.unexplained", "possible", [1])
    ]
    beside = analyze(run_of({"a.log": KNOWN + LOST}, "beside"), catalog=catalog, db=None)
    assert [i.rule for i in beside.incidents if i.severity != "info"] == ["crash.exception"]


def test_it_does_not_tell_again_what_another_rule_has_told(catalog: Catalog, run_of: Make) -> None:
    refused = KNOWN.replace(
        "KeyError: 'a'", "RuntimeError: NCCL error in: a.cpp:1, unhandled cuda error, NCCL version 2.18.1"
    )
    alone = analyze(run_of({"a.log": refused}, "alone"), catalog=catalog, db=None)
    assert [(i.rule, i.severity) for i in alone.incidents] == [("gpu.cuda_error", "warning")]
    more = analyze(run_of({"a.log": refused, "b.log": LOST}, "more"), catalog=catalog, db=None)
    assert {i.rule for i in more.incidents} == {"gpu.cuda_error", "crash.unexplained"}


def test_its_incident_is_no_root_before_one_of_another_rule() -> None:
    rules = [replace(rule("x.last"), otherwise=True), rule("x.known")]
    last = incident("x.last", 0, confidence="definite")
    known = incident("x.known", 9, severity="warning", confidence="possible")
    assert [i.rule for i in trace([last, known], rules).roots] == ["x.known", "x.last"]


def test_a_cause_told_in_plain_words_counts_where_all_else_follows_from_it(catalog: Catalog, run_of: Make) -> None:
    told = "winch: lost contact with node lift-7; its 8 tasks are considered failed\n"
    alone = analyze(run_of({"a.log": told}, "alone"), catalog=catalog, db=None)
    assert [(i.rule, i.confidence, sorted(i.hosts)) for i in alone.incidents] == [
        ("host.node_lost", "possible", ["lift-7"])
    ]
    beside = analyze(run_of({"a.log": KNOWN + told}, "beside"), catalog=catalog, db=None)
    assert [i.rule for i in beside.incidents if i.severity != "info"] == ["crash.exception"]


def test_what_is_supposed_or_overcome_is_no_cause(catalog: Catalog, run_of: Make) -> None:
    lines = (
        "the job is stopped by the operator if a node is down",
        "lost contact with node lift-7",
        "node lift-7 answers again",
        "model hub did not answer, using the local copy",
        "winch 7: 8 of 8 doors closed",
    )
    healthy = analyze(run_of({"a.log": "\n".join(lines) + "\n"}), catalog=catalog, db=None)
    assert [i.rule for i in healthy.incidents if i.severity != "info"] == []
