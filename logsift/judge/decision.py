"""What to do next, for people and machines: what the content decides, never surer than the incidents it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import duckdb

from logsift.judge.words import told
from logsift.timings import timed

if TYPE_CHECKING:
    from logsift.content.model import Confidence
    from logsift.store import Store

Next = Literal["restart", "restart_without", "stop", "unknown"]
_GRADES: tuple[Confidence, ...] = ("possible", "probable", "definite")


@dataclass(frozen=True, slots=True)
class Decision:
    """`restart` the job, `restart_without` these hosts, `stop` because it would fail again, or `unknown`."""

    next: Next = "unknown"
    hosts: tuple[str, ...] = ()
    """To be left out, with `restart_without` only."""
    reason: str = ""
    confidence: Confidence = "possible"
    incidents: tuple[int, ...] = ()
    """Numbers of the incidents that it rests on."""


@timed("stage", "decision")
def decide(store: Store) -> None:
    """Fill the table `decision` with what the relation `next_step` says, once the incidents are written."""
    try:
        rows = store.rows("SELECT * FROM next_step LIMIT 1")
    except duckdb.Error as e:
        store.problem("the decision failed", str(e))
        return
    for row in rows:
        hosts, incidents = sorted(row["leave_out"] or ()), sorted(row["incidents"] or ())
        marks = ",".join("?" for _ in incidents) or "NULL"
        graded = store.rows(f"SELECT confidence FROM incident WHERE id IN ({marks})", incidents)
        grade = min([row["confidence"], *(g["confidence"] for g in graded)], key=_GRADES.index)
        store.insert("decision", [(_known(row), hosts, told(row["reason"], row), grade, incidents)])


def decided(store: Store) -> Decision:
    """The decision that a store holds."""
    for r in store.rows("SELECT * FROM decision"):
        return Decision(r["next"], tuple(r["hosts"]), r["reason"], r["confidence"], tuple(r["incidents"]))
    return Decision()


def _known(row: dict[str, Any]) -> str:
    return row["next"] if row["next"] in get_args(Next) else "unknown"
