"""What would settle open questions: the sources that are not there, and how to get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from logsift.judge.words import asked_for
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsift.content.model import Missing
    from logsift.store import Store


@timed("stage", "what is missing")
def ask_for_more(store: Store, sources: Iterable[Missing]) -> None:
    """Fill the table `missing`, once it is known what was found."""
    for source in sources:
        try:
            rows = store.rows(source.sql)
        except duckdb.Error as e:
            store.problem(f"missing source {source.id} failed", str(e))
            continue
        store.insert("missing", [words for row in rows if (words := asked_for(source, row))])
