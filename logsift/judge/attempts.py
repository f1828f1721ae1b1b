"""To which attempts of the job an incident belongs, where its logs tell of several: what the next one got over ended none."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsift.content.incident import Incident
    from logsift.content.model import Rule
    from logsift.store import Store


class Opening(NamedTuple):
    """The line of a log from which on it tells of an attempt; `calm` where that is the last and nothing ended it, else what did."""

    line_no: int
    attempt: int
    calm: bool
    ends: frozenset[int] = frozenset()
    """The lines that tell of the end of the last attempt."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of the job in each log, in the order of its lines; none where there was one only."""

    openings: Mapping[int, Sequence[Opening]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> Attempts:
        """Read the content's `job_attempt`."""
        openings: dict[int, list[Opening]] = {}
        for o in store.rows("SELECT file_id, line_no, attempt, calm, ends FROM job_attempt ORDER BY ALL"):
            openings.setdefault(o["file_id"], []).append(
                Opening(o["line_no"], o["attempt"], o["calm"], frozenset(o["ends"]))
            )
        return cls(openings)

    def span(self, i: Incident) -> tuple[int, int] | None:
        """The first and the last attempt that its lines are of, None where not all of them are in logs of attempts."""
        if not i.evidence or any(e.file_id not in self.openings for e in i.evidence):
            return None
        found = [self._at(e.file_id, e.line_no) for e in i.evidence]
        return min(found), max(found)

    def outlived(self, a: Incident, b: Incident) -> bool:
        """True where all of B is of later attempts than all of A."""
        of_a, of_b = self.span(a), self.span(b)
        return of_a is not None and of_b is not None and of_a[1] < of_b[0]

    def began_before(self, a: Incident, b: Incident) -> bool:
        """True where A was seen in an attempt before the first that B was seen in."""
        of_a, of_b = self.span(a), self.span(b)
        return of_a is not None and of_b is not None and of_a[0] < of_b[0]

    def ended_last(self, i: Incident) -> bool:
        """True where one of its lines tells of the end of the last attempt."""
        return any(e.file_id in self.openings and e.line_no in self.openings[e.file_id][-1].ends for e in i.evidence)

    def noted(self, incidents: Sequence[Incident], rules: Mapping[str, Rule]) -> list[Incident]:
        """Incidents with the last attempt they are of.

        What does not last is only context where the last attempt in its logs goes on without trouble, and a warning where
        the next one has lost by it: where it explains an incident that lasts and reaches from its attempt into that.
        """
        after = [
            (span, i.rule) for i in incidents if rules[i.rule].lasting and (span := self.span(i)) and span[0] < span[1]
        ]
        return [self._noted(i, rules[i.rule], after) for i in incidents]

    def _noted(self, i: Incident, rule: Rule, after: Sequence[tuple[tuple[int, int], str]]) -> Incident:
        if (span := self.span(i)) is None:
            return i
        last = [self.openings[e.file_id][-1] for e in i.evidence]
        severity = i.severity
        if not rule.lasting and severity != "info" and all(o.calm and o.attempt > span[1] for o in last):
            cost = any(a <= span[1] < b and not rule.explains.isdisjoint((r, r.split(".")[0])) for (a, b), r in after)
            severity = "warning" if cost else "info"
        return replace(i, attempt=span[1], severity=severity)

    def _at(self, file_id: int, line_no: int) -> int:
        openings = self.openings[file_id]
        return openings[max(bisect_right(openings, line_no, key=lambda o: o.line_no) - 1, 0)].attempt
