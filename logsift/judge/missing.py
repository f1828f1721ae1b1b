"""What would settle open questions: the sources that are not there, and how to get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logsift.store import Store


def ask_for_more(store: Store) -> None:
    """Fill the table `missing`."""
    store.con.execute("INSERT INTO missing SELECT what, why, how FROM missing_source")
