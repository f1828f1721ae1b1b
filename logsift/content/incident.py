"""The one shape of an incident: what a rule may return, what the table holds, what every report shows, follow from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_type_hints

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


@dataclass(frozen=True, slots=True)
class Held:
    """Where a field of an incident is kept: the type and meaning of its column in the table `incident`.

    `name` is the column's name where it is another than the field's, "" where the field is kept elsewhere; `returned` is
    the SQL type of what a rule may return for it, "" where it is not the rule that says it.
    """

    sql: str
    about: str
    name: str | None = None
    returned: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Incident:
    """One thing that is wrong. `ranks`, `hosts` and `gpus` are who it happened to, as far as it is known."""

    rule: Annotated[str, Held("VARCHAR", "id of the rule that found it")]
    severity: Annotated[Severity, Held("VARCHAR", "info | warning | critical", returned="VARCHAR")]
    confidence: Annotated[Confidence, Held("VARCHAR", "definite | probable | possible", returned="VARCHAR")]
    evidence: Annotated[
        tuple[Evidence, ...],
        Held(
            "",
            "the lines that prove it, most telling first; `text` beside file_id and line_no where a line does not speak for itself",
            name="",
            returned="STRUCT(file_id BIGINT, line_no BIGINT)[]",
        ),
    ]
    at: Annotated[
        datetime | None, Held("TIMESTAMP", "when it began; what is later cannot be its cause", "first", "TIMESTAMP")
    ] = None
    until: Annotated[datetime | None, Held("TIMESTAMP", "when it was last seen", "last", "TIMESTAMP")] = None
    time_quality: Annotated[
        str | None, Held("VARCHAR", "the worst of what its lines print: exact | zoneless | yearless | daytime | boot")
    ] = None
    zone: Annotated[str | None, Held("VARCHAR", "UTC where the zone of its times is known")] = None
    uncertainty_seconds: Annotated[float | None, Held("DOUBLE", "how far its times may be off the job's one clock")] = (
        None
    )
    attempt: Annotated[
        int | None, Held("BIGINT", "the attempt of the job it belongs to, where its logs tell of several")
    ] = None
    ranks: Annotated[frozenset[int], Held("BIGINT[]", "global ranks it happened to", returned="BIGINT[]")] = frozenset()
    hosts: Annotated[frozenset[str], Held("VARCHAR[]", "hosts it happened on", returned="VARCHAR[]")] = frozenset()
    gpus: Annotated[frozenset[str], Held("VARCHAR[]", "GPUs, by PCI address or index", returned="VARCHAR[]")] = (
        frozenset()
    )
    waited: Annotated[
        bool,
        Held(
            "BOOLEAN",
            "who it happened to only waited for others: these ranks and hosts are no suspects",
            returned="BOOLEAN",
        ),
    ] = False
    facts: Annotated[Mapping[str, Any], Held("JSON", "every other column of the rule's result")] = field(
        default_factory=lambda: MappingProxyType({})
    )
    explains: Annotated[
        frozenset[str] | None,
        Held(
            "VARCHAR[]",
            "the rules or families it explains, where these are not those of its rule",
            returned="VARCHAR[]",
        ),
    ] = None
    otherwise: Annotated[
        bool,
        Held(
            "",
            "counts only where all else that was found follows from it, as `explains` says",
            name="",
            returned="BOOLEAN",
        ),
    ] = False
    summary: Annotated[str, Held("VARCHAR", "one sentence: what happened, to whom")] = ""
    steps: Annotated[tuple[Step, ...], Held("JSON", "what to do next: [{text, commands[]}]")] = ()

    @property
    def action(self) -> str:
        """What to do next, as one text."""
        return " ".join(step.text for step in self.steps)

    @property
    def values(self) -> dict[str, Any]:
        """The columns of the table `incident` that an incident fills by itself."""
        out: dict[str, Any] = {}
        for name, (column, _) in _STORED.items():
            value = getattr(self, name)
            if isinstance(value, frozenset):
                value = sorted(value)
            elif name == "steps":
                value = [{"text": s.text, "commands": list(s.commands)} for s in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            out[column] = value
        return out

    @classmethod
    def of_row(cls, row: Mapping[str, Any], evidence: Sequence[Evidence]) -> Incident:
        """The incident that a row of the table `incident` and its lines hold.

        Raises:
            ValueError: its severity or grade is none.
        """
        if row["severity"] not in get_args(Severity) or row["confidence"] not in get_args(Confidence):
            raise ValueError(f"no severity or no grade: {row['severity']}, {row['confidence']}")
        given: dict[str, Any] = {}
        for name, (column, held) in _STORED.items():
            value = row[column]
            if held.sql == "JSON":
                value = json.loads(value)
            if name == "steps":
                value = tuple(Step(s["text"], tuple(s["commands"])) for s in value)
            elif held.sql.endswith("[]") and value is not None:
                value = frozenset(value)
            given[name] = value
        return cls(**given, evidence=tuple(evidence))

    @classmethod
    def of_result(cls, rule: Rule, row: Mapping[str, Any]) -> Incident:
        """The incident of a row of a rule's result, without words.

        Raises:
            ValueError: a column is missing, or the evidence.
            TypeError: a column holds what no incident can be made of.
        """
        if "evidence" not in row:
            raise ValueError(f"{rule.origin.path}: the result has no column evidence")
        severity = row.get("severity") or rule.severity
        evidence = tuple(_evidence(row["evidence"]))
        if severity != "info" and not evidence:
            raise ValueError(f"{rule.origin.path}: an incident of severity {severity} without evidence")
        for name in ("ranks", "hosts", "gpus", "explains"):
            if not isinstance(row.get(name), (list, type(None))):
                raise TypeError(f"{rule.origin.path}: {name} is not a list: {row[name]!r}")
        for name in ("at", "until"):
            if not isinstance(row.get(name), (datetime, type(None))):
                raise TypeError(f"{rule.origin.path}: {name} is not a time: {row[name]!r}")
        given: dict[str, Any] = {
            name: _returned(row.get(name), held.returned) for name, held in _HELD.items() if held.returned
        }
        given |= {
            "rule": rule.id, "severity": severity, "confidence": row.get("confidence") or rule.confidence, "evidence": evidence,
            "facts": MappingProxyType({k: v for k, v in row.items() if k not in RESULT and v is not None}),
            "explains": None if row.get("explains") is None else frozenset(row["explains"]),
        }  # fmt: skip
        return cls(**given)


def _returned(value: Any, sql: str) -> object:  # noqa: ANN401 - whatever a query gives
    """What a rule returned in a column of that type, as an incident holds it: lists as sets without what is empty."""
    if sql == "BOOLEAN":
        return bool(value)
    if sql == "BIGINT[]":
        return frozenset(int(x) for x in value or () if x is not None)
    if sql.endswith("[]"):
        return frozenset(x for x in value or () if x and isinstance(x, str))
    return value


_HELD: Mapping[str, Held] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Incident, include_extras=True).items()
}
_STORED = {name: (held.name or name, held) for name, held in _HELD.items() if held.name != ""}
"""Field -> (its column in the table `incident`, what is kept there)."""
COLUMNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "id": ("BIGINT", "number of the incident in this run, the root first"),
        **{column: (held.sql, held.about) for column, held in _STORED.values()},
        "action": ("VARCHAR", "the steps as one text"),
        "root": ("BOOLEAN", "the root cause"),
        "explained_by": ("BIGINT", "the incident that explains this one best"),
    }
)
"""The table `incident`: column -> (SQL type, meaning)."""
RESULT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {name: (held.returned, held.about) for name, held in _HELD.items() if held.returned}
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
