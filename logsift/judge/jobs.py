"""Of which of several jobs an incident is, where logs of more than one lie in one folder: none explains what befell another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from logsift.content.incident import Incident
    from logsift.store import Store


@dataclass(frozen=True, slots=True)
class Jobs:
    """The job of each log by each kind of name that tells jobs apart; none where nothing does."""

    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> Jobs:
        """Read the content's `separate_job`."""
        names: dict[str, dict[int, str]] = {}
        for r in store.rows("SELECT file_id, kind, job FROM separate_job"):
            names.setdefault(r["kind"], {})[r["file_id"]] = r["job"]
        return cls(names)

    def apart(self, a: Incident, b: Incident) -> bool:
        """True where all lines of both are in logs of known jobs, and no job has lines of both."""
        return any(
            (of_a := _jobs(a, known)) and (of_b := _jobs(b, known)) and of_a.isdisjoint(of_b)
            for known in self.names.values()
        )


def _jobs(i: Incident, known: Mapping[int, str]) -> frozenset[str]:
    """The jobs that its lines are of, none where a line is of no known one."""
    files = {e.file_id for e in i.evidence}
    return frozenset(known[f] for f in files) if files <= known.keys() else frozenset()
