"""Grades of incidents that an independent source confirms."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from logsift.judge.coverage import is_among_others, is_of_a_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.incident import Incident
    from logsift.content.model import Confidence
    from logsift.store import Store

SAME_TIME = timedelta(minutes=30)
"""Two logs may tell of one failure minutes apart: one at once, another when it has waited long enough."""
_BETTER: dict[Confidence, Confidence] = {"possible": "probable", "probable": "definite", "definite": "definite"}


def combined(incidents: Sequence[Incident]) -> list[Incident]:
    """Raise by one grade what another file says too: the same rule, the same rank or GPU, about the same time."""
    return [
        replace(i, confidence=_BETTER[i.confidence]) if any(_confirms(o, i) for o in incidents) else i
        for i in incidents
    ]


def doubted(incidents: Sequence[Incident], store: Store) -> list[Incident]:
    """Nothing is sure in a folder that is no run: most of its files are no logs, and no line is one that only a job leaves."""
    if not incidents or not is_among_others(store) or is_of_a_job(store):
        return list(incidents)
    return [replace(i, confidence="possible") for i in incidents]


def _confirms(other: Incident, i: Incident) -> bool:
    if other is i or other.rule != i.rule or "info" in (other.severity, i.severity):
        return False
    same = (i.ranks == other.ranks) if i.ranks else bool(i.gpus) and (i.gpus, i.hosts) == (other.gpus, other.hosts)
    apart = {e.file_id for e in i.evidence}.isdisjoint(e.file_id for e in other.evidence)
    near = i.at is None or other.at is None or abs(i.at - other.at) <= SAME_TIME
    return same and apart and near
