"""Runs the rules on the sealed store: each row a rule returns is an incident with its evidence."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from logsift.content.catalog import Confidence, Rule, Severity
    from logsift.store import Store

EVIDENCE_LINES = 50
"""More lines than this prove nothing more; the count stays in the facts of the rule that wants it."""
_SIDE_BY_SIDE = 4
"""Rules asked at once: each may need memory of its own."""
_KNOWN = frozenset(
    {"summary", "evidence", "at", "until", "ranks", "hosts", "gpus", "severity", "confidence", "action", "explains"}
)
REQUIRED = frozenset({"summary", "evidence"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that proves an incident: where it stands, and its text once fetched."""

    file_id: int
    line_no: int
    path: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Incident:
    """One thing that is wrong. Times are UTC; `ranks`, `hosts`, `gpus` are who it happened to, as far as told.

    `explains` stands where this incident explains other ones than its rule does in general.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    summary: str
    action: str
    evidence: tuple[Evidence, ...]
    at: datetime | None
    until: datetime | None
    ranks: frozenset[int]
    hosts: frozenset[str]
    gpus: frozenset[str]
    facts: Mapping[str, Any]
    explains: frozenset[str] | None = None


class RuleError(Exception):
    """A rule's query failed or gave what no incident can be made of: a mistake in content, not in the data."""


def judge(store: Store, rules: Sequence[Rule]) -> list[Incident]:
    """Every incident the rules find. A rule that fails on odd data is a row in `problem`, and the others go on."""
    # Most of a rule's time is DuckDB's planning, on one core: rules are asked side by side.
    free: SimpleQueue[Store] = SimpleQueue()
    for _ in range(min(len(rules), os.cpu_count() or 1, _SIDE_BY_SIDE)):
        free.put(store.beside())

    def ask(rule: Rule) -> tuple[list[Incident], str]:
        beside = free.get()
        try:
            return _ask(beside, rule)
        finally:
            free.put(beside)

    with ThreadPoolExecutor(max(free.qsize(), 1)) as pool:
        asked = list(pool.map(ask, rules))
    while not free.empty():
        free.get().close()
    for rule, (_, failed) in zip(rules, asked, strict=True):
        if failed:
            store.problem(f"rule {rule.id} failed", failed)
    return [incident for incidents, _ in asked for incident in incidents]


def _ask(store: Store, rule: Rule) -> tuple[list[Incident], str]:
    """A rule's incidents, and what went wrong with the first row that failed."""
    out, failed = [], ""
    try:
        for row in store.rows(rule.sql):
            try:
                out.append(incident_of(rule, row))
            except RuleError as e:
                failed = failed or str(e)
    except duckdb.Error as e:
        failed = str(e)
    return out, failed


def incident_of(rule: Rule, row: Mapping[str, Any]) -> Incident:
    """An incident from a row of the rule's result.

    Raises:
        RuleError: a required column is missing, or a severe incident has no evidence.
    """
    if lacking := REQUIRED - set(row):
        raise RuleError(f"{rule.origin.path}: the result has no column {', '.join(sorted(lacking))}")
    severity = row.get("severity") or rule.severity
    evidence = tuple(_evidence(row["evidence"]))
    if severity != "info" and not evidence:
        raise RuleError(f"{rule.origin.path}: an incident of severity {severity} without evidence: {row['summary']}")
    facts = {k: v for k, v in row.items() if k not in _KNOWN and v is not None}
    return Incident(
        rule.id, severity, row.get("confidence") or rule.confidence, row["summary"] or rule.title,
        row.get("action") or rule.remedy, evidence, row.get("at"), row.get("until"),
        frozenset(int(r) for r in row.get("ranks") or () if r is not None),
        frozenset(h for h in row.get("hosts") or () if h), frozenset(g for g in row.get("gpus") or () if g),
        MappingProxyType(facts), None if row.get("explains") is None else frozenset(row["explains"]),
    )  # fmt: skip


def _evidence(given: object) -> Iterable[Evidence]:
    """Evidence from a list of {'file_id', 'line_no'[, 'text']}; doubles and empty entries left out."""
    entries = given if isinstance(given, list) else [given]
    seen: set[tuple[int, int]] = set()
    for e in entries:
        if not isinstance(e, dict) or e.get("file_id") is None or e.get("line_no") is None:
            continue
        key = (int(e["file_id"]), int(e["line_no"]))
        if key not in seen and len(seen) < EVIDENCE_LINES:
            seen.add(key)
            yield Evidence(*key, text=str(e.get("text") or ""))
