"""Rules and incidents without a run: what causes are traced from."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from logsift.content.errors import Origin
from logsift.content.incident import Evidence, Incident
from logsift.content.model import Rule

NOON = datetime(2026, 3, 3, 12)  # noqa: DTZ001 - the tables keep UTC without a zone


def rule(id: str, explains: str = "", here: str = "", elsewhere: str = "") -> Rule:
    lists = (frozenset(x.split()) for x in (explains, here, elsewhere))
    return Rule(id, id, "critical", "definite", "stable", *lists, "a", (), (), "f", (), "", Origin("x", 1))


def incident(rule: str, minutes: float | None = 0, **given: object) -> Incident:
    at = None if minutes is None else NOON + timedelta(minutes=minutes)
    base: dict[str, Any] = {
        "severity": "critical",
        "confidence": "definite",
        "ranks": (),
        "hosts": (),
        "gpus": (),
    } | given
    scope = {k: frozenset(base[k]) for k in ("ranks", "hosts", "gpus")}
    return Incident(rule, base["severity"], base["confidence"], (Evidence(1, 1),), at, summary=rule, **scope)
