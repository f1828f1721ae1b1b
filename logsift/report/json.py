"""The report as one JSON document: the public contract, schema 2."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from logsift import __version__
from logsift.report.fates import folded
from logsift.report.inert import to_json

if TYPE_CHECKING:
    from datetime import datetime

    from logsift.analysis import Analysis


def document(analysis: Analysis) -> dict[str, Any]:
    """The document as Python values."""
    incidents = analysis.incidents
    number = {id(i): n for n, i in enumerate(incidents, 1)}
    cause = {id(i): analysis.causes.cause_of(i) for i in incidents}
    root = analysis.root
    return {
        "schema": 2,
        "run": str(analysis.run),
        "logsift": __version__,
        "root": root.rule if root else None,
        "decision": {**asdict(analysis.decision), "hosts": list(analysis.decision.hosts), "incidents": list(analysis.decision.incidents)},
        "incidents": [
            {
                "id": number[id(i)], "rule": i.rule, "severity": i.severity, "confidence": i.confidence, "root": i is root,
                "explained_by": number[id(c)] if (c := cause[id(i)]) else None, "summary": i.summary,
                "steps": i.values["steps"], "action": i.action, "ranks": i.values["ranks"], "hosts": i.values["hosts"],
                "gpus": i.values["gpus"], "first": _iso(i.at, i.zone), "last": _iso(i.until or i.at, i.zone),
                "time_quality": i.time_quality, "zone": i.zone, "uncertainty_seconds": i.uncertainty_seconds,
                "attempt": i.attempt, "waited": i.waited, "facts": dict(i.facts), "evidence": [{"path": e.path, "line": e.line_no, "text": e.text} for e in i.evidence],
            }
            for i in incidents
        ],
        "ranks": [
            {
                "fate": f.fate, "said": f.said, "ranks": list(f.ranks), "hosts": list(f.hosts), "first": list(f.first),
                "steps": list(f.steps) if f.steps else None, "path": f.path or None, "line": f.line or None,
            }
            for f in folded(analysis.store)
        ],
        "coverage": {
            "files": analysis.coverage.files, "lines": analysis.coverage.lines,
            "not_understood": analysis.coverage.not_understood, "problems": analysis.coverage.problems,
            "training": analysis.coverage.training,
            "job": asdict(job) if (job := analysis.coverage.job) else None,
            "missing": [{"what": m.what, "why": m.why, "how": m.how, "commands": list(m.commands)} for m in analysis.coverage.missing],
        },
    }  # fmt: skip


def render(analysis: Analysis) -> str:
    """The document as text; NaN and infinity become null, which JSON has no word for."""
    return to_json(plain_document(analysis))


def plain_document(analysis: Analysis) -> object:
    """The document as what JSON has words for: NaN and infinity become null."""
    return plain(document(analysis))


def plain(value: object) -> object:
    """A value as JSON can hold it: NaN and infinity are null, keys are texts."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def _iso(time: datetime | None, zone: str | None) -> str | None:
    """A time as ISO 8601, with a Z where it is known to be UTC."""
    return f"{time.isoformat(timespec='milliseconds')}{'Z' if zone else ''}" if time else None
