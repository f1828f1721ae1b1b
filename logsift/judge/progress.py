"""Whether the job went on after something: what it outlived is not what ended it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from logsift.derive.clocks import PRINT_DELAY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from logsift.content.incident import Incident
    from logsift.derive.clocks import Clocks
    from logsift.store import Store

WENT_ON = 10
"""Steps logged in this many minutes after something show that it did not stop the job."""


@dataclass(frozen=True, slots=True)
class Progress:
    """When the job went on: the minutes in which steps were logged, and the last of them before a line that tells no time."""

    clocks: Clocks
    minutes: Sequence[datetime] = ()
    zones: frozenset[str] = frozenset()
    before: Mapping[tuple[int, int], datetime] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, incidents: Sequence[Incident], clocks: Clocks) -> Progress:
        """Read the content's `job_progress`."""
        if len(incidents) < 2:
            return cls(clocks)
        files = {r["file_id"] for r in store.rows("SELECT DISTINCT file_id FROM job_progress")} & clocks.of_file.keys()
        zones, _ = clocks.clock(files)
        if len(zones) != 1:
            return cls(clocks)
        minutes = store.rows("SELECT DISTINCT minute FROM job_progress ORDER BY minute")
        untimed = sorted(
            {(e.file_id, e.line_no) for i in incidents if i.at is None for e in i.evidence if e.file_id in files}
        )
        before = store.rows(
            "SELECT u.file_id, u.line_no, p.minute FROM (SELECT unnest(?::BIGINT[]) AS file_id, unnest(?::BIGINT[]) AS line_no) u"
            " ASOF JOIN job_progress p ON p.file_id = u.file_id AND u.line_no >= p.line_no",
            [[f for f, _ in untimed], [n for _, n in untimed]],
        ) if untimed else []  # fmt: skip
        return cls(
            clocks, [m["minute"] for m in minutes], zones, {(b["file_id"], b["line_no"]): b["minute"] for b in before}
        )

    def outlived(self, a: Incident, b: Incident) -> bool:
        """True where the job went on for long between the end of `a` and `b`, whatever zones the clocks may be in."""
        told = [t for e in a.evidence if (t := self.before.get((e.file_id, e.line_no)))]
        end = a.until or a.at or max(told, default=None)
        began = b.at or min((t for e in b.evidence if (t := self.before.get((e.file_id, e.line_no)))), default=None)
        in_a, in_b = ({e.file_id for e in i.evidence} & self.clocks.of_file.keys() for i in (a, b))
        if not self.minutes or end is None or began is None or not in_a or self.clocks.clock(in_b)[0] != self.zones:
            return False
        zones, uncertain = self.clocks.clock(in_a)
        hours = (0,) if zones == self.zones else range(-14, 15)
        return all(
            self._outlived(end + timedelta(hours=h), began, uncertain, WENT_ON if h == 0 else WENT_ON // 3)
            for h in hours
        )

    def _outlived(self, end: datetime, began: datetime, uncertain: timedelta, minutes: int) -> bool:
        if end > began + PRINT_DELAY + uncertain:
            return True
        went_on = bisect_left(self.minutes, began) - bisect_left(self.minutes, end + uncertain + PRINT_DELAY)
        return went_on >= minutes
