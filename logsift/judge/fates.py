"""How each rank ended, in words: written once, beside the facts, for reports and queries alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logsift.judge.words import told
from logsift.timings import timed

if TYPE_CHECKING:
    from logsift.store import Store

_OF_ONE_RANK = frozenset({
    "rank", "host", "local_rank", "gpu", "pid", "step", "time", "was_first", "last_time", "last_file_id", "last_line_no",
    "file_id", "line_no", "said",
})  # fmt: skip
"""What differs between ranks that ended alike."""


@timed("stage", "fates in words")
def tell(store: Store) -> None:
    """Fill the column `said` of the relation `rank_fate`, once hosts and clocks are settled."""
    says = {r["fate"]: r["says"] for r in store.rows("SELECT fate, says FROM rank_fate_kind")}
    words: dict[tuple[str, ...], str] = {}
    told_of: list[tuple[int, str]] = []
    for row in store.rows("SELECT * FROM rank_fate"):
        alike = tuple(str(v) for k, v in row.items() if k not in _OF_ONE_RANK)
        if alike not in words:
            words[alike] = told(says.get(row["fate"], ""), row) or row["fate"]
        told_of.append((row["rank"], words[alike]))
    if told_of:
        store.con.execute(
            "UPDATE rank_fate SET said = t.said FROM (SELECT unnest(?) AS rank, unnest(?) AS said) t"
            " WHERE t.rank = rank_fate.rank",
            [list(column) for column in zip(*told_of, strict=True)],
        )
