"""What came out of reading a run: incidents, causes, coverage, and the tables to ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logsift.derive.clocks import Clocks
from logsift.ingest.discover import known_files
from logsift.ingest.spelling import Spelling
from logsift.judge.conclusions import concluded
from logsift.judge.coverage import Coverage, coverage
from logsift.judge.decision import Decision, decided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from logsift.content.incident import Incident
    from logsift.content.model import Catalog, Rule
    from logsift.judge.causes import Causes
    from logsift.store import Store


EXCERPT = "excerpt"
"""The table of lines (file_id, line_no, text) that come with tables which are sent without their logs."""


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """What came out. `run` is what was given, `place` the folder or file it is read in, None where it is not there.

    `parsed` counts the files that were read in this call: 0 where nothing had changed.
    """

    run: Path
    store: Store
    incidents: tuple[Incident, ...]
    causes: Causes
    decision: Decision
    coverage: Coverage
    clocks: Clocks
    rules: Mapping[str, Rule]
    spelling: Spelling
    parsed: int
    place: Path | None = None

    @property
    def root(self) -> Incident | None:
        """The root cause, None where nothing was found or nothing can be said."""
        return self.causes.root

    def sql(self, query: str) -> Sequence[dict[str, Any]]:
        """Rows of a query over the tables (see `logsift tables`)."""
        return self.store.rows(query)

    def lines(self, wanted: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The text of lines by (file_id, line_no): of the logs, or of those that came with the tables where the logs did not."""
        if self.place is None:
            if not self.store.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [EXCERPT]):
                return {}
            kept = self.store.rows(f"SELECT file_id, line_no, text FROM {EXCERPT}")
            return {at: r["text"] for r in kept if (at := (r["file_id"], r["line_no"])) in wanted}
        windows = self.store.rows("SELECT file_id, first_line, byte_offset FROM file_window ORDER BY ALL")
        files = known_files(self.place, self.store.rows("SELECT * FROM file"))
        starts = [(w["file_id"], w["first_line"], w["byte_offset"]) for w in windows]
        # Imported here: whoever only opens a store reads no lines, and needs nothing of what reads them.
        from logsift.ingest.evidence import fetch

        return fetch(wanted, files, starts, self.spelling)

    def __repr__(self) -> str:
        found = f"{len(self.incidents)} incident{'s' * (len(self.incidents) != 1)}"
        return f"<{type(self).__name__} {self.run}: {self.root.rule if self.root else 'no cause found'}, {found}>"

    @classmethod
    def of(cls, run: Path, store: Store, catalog: Catalog, parsed: int = 0, place: Path | None = None) -> Analysis:
        """An analysis from what a store holds."""
        incidents, causes = concluded(store)
        return cls(
            run, store, incidents, causes, decided(store), coverage(store), Clocks.of(store), {r.id: r for r in catalog.rules},
            Spelling(catalog.envelopes), parsed, place,
        )  # fmt: skip
