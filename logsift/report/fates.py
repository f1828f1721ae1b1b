"""What became of every rank, one by one and folded to those that ended alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logsift.judge.words import natural

if TYPE_CHECKING:
    from datetime import datetime

    from logsift.store import Store


@dataclass(frozen=True, slots=True)
class Fate:
    """Ranks that ended alike: how, where they ran, how far they came, and a line that tells it of one of them."""

    fate: str
    """Its code, see the catalogue rank_fate_kind."""
    said: str
    ranks: tuple[int, ...]
    hosts: tuple[str, ...]
    steps: tuple[float, float] | None
    """The lowest and the highest of their last steps, None where no rank printed any."""
    first: tuple[int, ...]
    """Those of them that ended before all others."""
    last: datetime | None
    """The last word of any of them."""
    path: str
    line: int
    """A line that tells it, of one of them; "" and 0 where there is none."""


@dataclass(frozen=True, slots=True)
class RankFate:
    """One rank: where it ran, how far it came, its last word, and how it ended."""

    rank: int
    host: str
    gpu: str
    pid: int | None
    step: float | None
    collective: str
    said: str
    fate: str
    was_first: bool
    last: datetime | None
    path: str
    line: int


def folded(store: Store) -> tuple[Fate, ...]:
    """The ranks of the job by how they ended, the first to end in front, then by what the content tells first."""
    rows = store.rows(
        "SELECT fate, said, list(rank ORDER BY rank) AS ranks, list(DISTINCT host) AS hosts, min(step) AS low, max(step) AS high,"
        " list(rank ORDER BY rank) FILTER (was_first) AS first, max(last_time) AS last,"
        " arg_min(struct_pack(path := path, line_no := line_no), rank) FILTER (path IS NOT NULL) AS at"
        " FROM rank_fate LEFT JOIN (SELECT file_id, path FROM file) USING (file_id)"
        " LEFT JOIN (SELECT fate, place FROM rank_fate_kind) USING (fate)"
        " GROUP BY fate, said, place ORDER BY len(first) > 0 DESC NULLS LAST, place NULLS LAST, said, ranks"
    )
    return tuple(
        Fate(
            r["fate"], r["said"], tuple(r["ranks"]), tuple(sorted((h for h in r["hosts"] if h), key=natural)),
            None if r["low"] is None else (r["low"], r["high"]), tuple(r["first"] or ()), r["last"],
            r["at"]["path"] if r["at"] else "", r["at"]["line_no"] if r["at"] else 0,
        )
        for r in rows
    )  # fmt: skip


def each(store: Store) -> list[RankFate]:
    """Every rank of the job, by number."""
    return [
        RankFate(
            r["rank"], r["host"] or "", r["gpu"] or "", r["pid"], r["step"],
            " ".join(str(x) for x in (r["op"], r["seq"]) if x is not None), r["said"], r["fate"], r["was_first"],
            r["last_time"], r["path"] or "", r["last_line_no"] or 0,
        )
        for r in store.rows(
            "SELECT f.*, l.path FROM rank_fate f LEFT JOIN file l ON l.file_id = f.last_file_id ORDER BY rank"
        )
    ]  # fmt: skip
