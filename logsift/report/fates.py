"""What became of every rank, one by one and folded to those that ended alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logsift.judge.words import natural, told

if TYPE_CHECKING:
    from datetime import datetime

    from logsift.store import Store

_OF_ONE_RANK = (
    "rank", "host", "local_rank", "gpu", "pid", "step", "time", "was_first", "last_time", "last_file_id", "last_line_no",
    "file_id", "line_no",
)  # fmt: skip
"""What differs between ranks that ended alike."""


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
    """The ranks of the job by how they ended, what is told first in front."""
    rows = store.rows(
        f"SELECT * EXCLUDE ({', '.join(_OF_ONE_RANK)}), list(rank ORDER BY rank) AS ranks, list(DISTINCT host) AS hosts,"
        " min(step) AS low, max(step) AS high, list(rank ORDER BY rank) FILTER (was_first) AS first, max(last_time) AS last,"
        " arg_min(struct_pack(file_id := file_id, line_no := line_no), rank) FILTER (file_id IS NOT NULL) AS at"
        " FROM rank_fate GROUP BY ALL"
    )
    kinds, paths = _kinds(store), _paths(store)
    alike: dict[tuple[int, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        place, says = kinds.get(row["fate"], (len(kinds), row["fate"]))
        alike.setdefault((place, told(says, row) or row["fate"], row["fate"]), []).append(row)
    out = []
    for (_, said, fate), same in sorted(alike.items(), key=lambda kv: (kv[0], kv[1][0]["ranks"])):
        steps = [s for r in same for s in (r["low"], r["high"]) if s is not None]
        at = next((r["at"] for r in same if r["at"]), None)
        out.append(
            Fate(
                fate, said, tuple(sorted(n for r in same for n in r["ranks"])),
                tuple(sorted({h for r in same for h in r["hosts"] if h}, key=natural)),
                (min(steps), max(steps)) if steps else None, tuple(sorted(n for r in same for n in r["first"] or ())),
                max((r["last"] for r in same if r["last"]), default=None),
                paths.get(at["file_id"], "") if at else "", at["line_no"] if at else 0,
            )
        )  # fmt: skip
    return tuple(sorted(out, key=lambda f: not f.first))


def each(store: Store) -> list[RankFate]:
    """Every rank of the job, by number."""
    kinds, paths = _kinds(store), _paths(store)
    said: dict[tuple[object, ...], str] = {}
    out = []
    for r in store.rows("SELECT * FROM rank_fate ORDER BY rank"):
        key = tuple(str(v) for k, v in r.items() if k not in _OF_ONE_RANK)
        if key not in said:
            said[key] = told(kinds.get(r["fate"], (0, r["fate"]))[1], r) or r["fate"]
        collective = " ".join(str(x) for x in (r["op"], r["seq"]) if x is not None)
        out.append(
            RankFate(
                r["rank"], r["host"] or "", r["gpu"] or "", r["pid"], r["step"], collective, said[key], r["fate"],
                r["was_first"], r["last_time"], paths.get(r["last_file_id"], ""), r["last_line_no"] or 0,
            )
        )  # fmt: skip
    return out


def _kinds(store: Store) -> dict[str, tuple[int, str]]:
    return {r["fate"]: (r["place"], r["says"]) for r in store.rows("SELECT fate, place, says FROM rank_fate_kind")}


def _paths(store: Store) -> dict[int, str]:
    return {r["file_id"]: r["path"] for r in store.rows("SELECT file_id, path FROM file")}
