"""Conclusions into a store and out of it: incidents, the lines that prove them, and who explains whom."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from logsift.content.incident import COLUMNS, Evidence, Incident
from logsift.judge.causes import Causes
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from logsift.store import Store


@timed("stage", "proof")
def conclude(
    store: Store,
    incidents: Sequence[Incident],
    causes: Causes,
    paths: Mapping[int, str],
    texts: Callable[[set[tuple[int, int]]], Mapping[tuple[int, int], str]],
) -> None:
    """Write incidents, the root first, their evidence with its text, and the edges.

    `paths` are names of files by number, `texts` gives lines by (file_id, line_no).
    """
    first = list(causes.roots)
    rest = [i for i in incidents if not any(i is r for r in first)]
    ordered = first + sorted(rest, key=lambda i: (i.severity == "info", i.at is None, str(i.at), i.rule))
    number = {id(i): n for n, i in enumerate(ordered, 1)}
    cause = {id(i): causes.cause_of(i) for i in ordered}
    store.insert_named("incident", [
        {
            **{k: json.dumps(v, default=str) if COLUMNS[k][0] == "JSON" else v for k, v in i.values.items()},
            "id": number[id(i)], "action": i.action, "root": i is causes.root,
            "explained_by": number[id(c)] if (c := cause[id(i)]) else None,
        }
        for i in ordered
    ])  # fmt: skip
    wanted = {(e.file_id, e.line_no) for i in ordered for e in i.evidence}
    told = texts(wanted)
    store.insert("evidence", [
        (number[id(i)], e.file_id, e.line_no, paths[e.file_id], e.text or told.get((e.file_id, e.line_no), ""))
        for i in ordered for e in i.evidence
    ])  # fmt: skip
    store.insert("cause", [(number[id(a)], number[id(b)]) for a, b in causes.edges])


def concluded(store: Store) -> tuple[tuple[Incident, ...], Causes]:
    """The incidents that a store holds, in their order, and what explains them."""
    evidence: dict[int, list[Evidence]] = {}
    for e in store.rows("SELECT * FROM evidence ORDER BY incident_id, rowid"):
        evidence.setdefault(e["incident_id"], []).append(Evidence(e["file_id"], e["line_no"], e["path"], e["text"]))
    rows = store.rows("SELECT * FROM incident ORDER BY id")
    incidents = tuple(Incident.of_row(r, evidence.get(r["id"], ())) for r in rows)
    edges = store.rows("SELECT cause_id, effect_id FROM cause ORDER BY rowid")
    explained = {e["effect_id"] for e in edges}
    roots = [i for i, r in zip(incidents, rows, strict=True) if r["severity"] != "info" and r["id"] not in explained]
    return incidents, Causes(
        tuple(roots), tuple((incidents[e["cause_id"] - 1], incidents[e["effect_id"] - 1]) for e in edges)
    )
