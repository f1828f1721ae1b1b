"""The one shape of an incident: what a rule may return, what the table holds, what every report shows, follow from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import MappingProxyType
from typing import Any

from logsift.content.model import Confidence, Rule, Severity

EVIDENCE_LINES = 50
"""More lines than this prove nothing more; the count stays in the facts of the rule that wants it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that proves an incident: where it is, and its text once fetched."""

    file_id: int
    line_no: int
    path: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do next: a sentence, and commands that can be pasted."""

    text: str
    commands: tuple[str, ...] = ()


def _column(sql: str, about: str, *, name: str = "", returned: str = "", **more: Any) -> Any:  # noqa: ANN401 - as dataclasses.field
    """A field that the table `incident` holds: its SQL type, its name there, and the type of what a rule may return for it."""
    return field(metadata={"sql": sql, "about": about, "name": name, "returned": returned}, **more)


@dataclass(frozen=True, slots=True, eq=False)
class Incident:
    """One thing that is wrong. `ranks`, `hosts` and `gpus` are who it happened to, as far as it is known."""

    rule: str = _column("VARCHAR", "id of the rule that found it")
    severity: Severity = _column("VARCHAR", "info | warning | critical", returned="VARCHAR")
    confidence: Confidence = _column("VARCHAR", "definite | probable | possible", returned="VARCHAR")
    evidence: tuple[Evidence, ...] = field(
        metadata={
            "returned": "STRUCT(file_id BIGINT, line_no BIGINT)[]",
            "about": "the lines that prove it, most telling first; `text` beside file_id and line_no where a line does not speak for itself",
        }
    )
    at: datetime | None = _column(
        "TIMESTAMP",
        "when it began; what is later cannot be its cause",
        name="first",
        returned="TIMESTAMP",
        default=None,
    )
    until: datetime | None = _column(
        "TIMESTAMP", "when it was last seen", name="last", returned="TIMESTAMP", default=None
    )
    ranks: frozenset[int] = _column("BIGINT[]", "global ranks it happened to", returned="BIGINT[]", default=frozenset())
    hosts: frozenset[str] = _column("VARCHAR[]", "hosts it happened on", returned="VARCHAR[]", default=frozenset())
    gpus: frozenset[str] = _column(
        "VARCHAR[]", "GPUs, by PCI address or index", returned="VARCHAR[]", default=frozenset()
    )
    facts: Mapping[str, Any] = _column(
        "JSON", "every other column of the rule's result", default_factory=lambda: MappingProxyType({})
    )
    explains: frozenset[str] | None = _column(
        "VARCHAR[]",
        "the rules or families it explains, where these are not those of its rule",
        returned="VARCHAR[]",
        default=None,
    )
    summary: str = _column("VARCHAR", "one sentence: what happened, to whom", default="")
    steps: tuple[Step, ...] = _column("JSON", "what to do next: [{text, commands[]}]", default=())

    @property
    def action(self) -> str:
        """What to do next, as one text."""
        return " ".join(step.text for step in self.steps)

    @property
    def values(self) -> dict[str, Any]:
        """The columns of the table `incident` that an incident fills by itself."""
        out: dict[str, Any] = {}
        for f in STORED:
            value = getattr(self, f.name)
            if isinstance(value, frozenset):
                value = sorted(value)
            elif f.name == "steps":
                value = [{"text": s.text, "commands": list(s.commands)} for s in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            out[f.metadata["name"] or f.name] = value
        return out

    @classmethod
    def of_row(cls, row: Mapping[str, Any], evidence: Sequence[Evidence]) -> Incident:
        """The incident that a row of the table `incident` and its lines hold."""
        given: dict[str, Any] = {}
        for f in STORED:
            value = row[f.metadata["name"] or f.name]
            if f.metadata["sql"] == "JSON":
                value = json.loads(value)
            if f.name == "steps":
                value = tuple(Step(s["text"], tuple(s["commands"])) for s in value)
            elif f.metadata["sql"].endswith("[]") and value is not None:
                value = frozenset(value)
            given[f.name] = value
        return cls(**given, evidence=tuple(evidence))

    @classmethod
    def of_result(cls, rule: Rule, row: Mapping[str, Any]) -> Incident:
        """The incident of a row of a rule's result, without words.

        Raises:
            ValueError: a column is missing or holds what no incident can be made of, or the evidence is missing.
        """
        if "evidence" not in row:
            raise ValueError(f"{rule.origin.path}: the result has no column evidence")
        severity = row.get("severity") or rule.severity
        evidence = tuple(_evidence(row["evidence"]))
        if severity != "info" and not evidence:
            raise ValueError(f"{rule.origin.path}: an incident of severity {severity} without evidence")
        for name in ("ranks", "hosts", "gpus", "explains"):
            if not isinstance(row.get(name), (list, type(None))):
                raise ValueError(f"{rule.origin.path}: {name} is not a list: {row[name]!r}")
        for name in ("at", "until"):
            if not isinstance(row.get(name), (datetime, type(None))):
                raise ValueError(f"{rule.origin.path}: {name} is not a time: {row[name]!r}")
        return cls(
            rule=rule.id,
            severity=severity,
            confidence=row.get("confidence") or rule.confidence,
            evidence=evidence,
            at=row.get("at"),
            until=row.get("until"),
            ranks=frozenset(int(r) for r in row.get("ranks") or () if r is not None),
            hosts=frozenset(h for h in row.get("hosts") or () if h),
            gpus=frozenset(g for g in row.get("gpus") or () if g),
            facts=MappingProxyType(
                {k: v for k, v in row.items() if k not in RESULT and k not in ("summary", "action") and v is not None}
            ),
            explains=None if row.get("explains") is None else frozenset(row["explains"]),
            summary=row.get("summary") or "",
            steps=(Step(row["action"]),) if row.get("action") else (),
        )


STORED = tuple(f for f in fields(Incident) if "sql" in f.metadata)
"""The fields that the table `incident` holds."""
COLUMNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "id": ("BIGINT", "number of the incident in this run, the root first"),
        **{f.metadata["name"] or f.name: (f.metadata["sql"], f.metadata["about"]) for f in STORED},
        "action": ("VARCHAR", "the steps as one text"),
        "root": ("BOOLEAN", "the root cause"),
        "explained_by": ("BIGINT", "the incident that explains this one best"),
    }
)
"""The table `incident`: column -> (SQL type, meaning)."""
RESULT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {f.name: (f.metadata["returned"], f.metadata["about"]) for f in fields(Incident) if f.metadata.get("returned")}
)
"""The columns of a rule's result that are not facts: column -> (SQL type, meaning)."""


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
