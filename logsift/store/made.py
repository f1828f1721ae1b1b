"""What a store is to be filled with, as its content says: the same for all stores that were made of one content."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsift.store.database import Store
    from logsift.store.dependencies import Needs
    from logsift.store.schema import Stage


@dataclass(frozen=True, slots=True)
class Branch:
    """A query whose rows go into a table, what it needs to find any, and the tables made of others that it reads."""

    table: str
    insert: str
    needs: Needs
    stage: Stage
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Made:
    """The tables that formats declare, with the common columns they do without; the queries of tables, rules and missing sources.

    `values` are the columns of a table by whose values queries are left out, and those of which it matters only whether
    they have any.
    """

    declared: Mapping[str, frozenset[str]]
    branches: Sequence[Branch]
    """In their order."""
    rules: Sequence[tuple[str, str, Needs]]
    missing: Mapping[str, Needs]
    values: Mapping[str, tuple[Sequence[str], Sequence[str]]]


def made(store: Store) -> Made:
    """As the store says; read once."""
    if store.made is None:
        branches = store.con.execute(
            "SELECT name, query, by_name, needs, stage, reads FROM content_table ORDER BY ordinal, rowid"
        ).fetchall()
        rules = store.con.execute("SELECT rule, query, needs FROM content_rule ORDER BY rule, ordinal").fetchall()
        store.made = Made(
            {name: frozenset(omits) for name, omits in store.con.execute("FROM content_declared").fetchall()},
            [
                Branch(
                    name, f"INSERT INTO {name} {'BY NAME ' * by_name}{query}", _needs(needs), stage, frozenset(reads)
                )
                for name, query, by_name, needs, stage, reads in branches
            ],
            [(rule, query, _needs(needs)) for rule, query, needs in rules],
            {name: _needs(needs) for name, needs in store.con.execute("FROM content_missing").fetchall()},
            {name: (asked, given) for name, asked, given in store.con.execute("FROM content_value").fetchall()},
        )
    return store.made


_latest: dict[str, Made] = {}


def share(store: Store, digest: str) -> None:
    """Give a store that was just made of a content what the one before it read."""
    if digest not in _latest:
        _latest.clear()
        _latest[digest] = made(store)
    store.made = _latest[digest]


def _needs(text: str) -> Needs:
    return cast("Needs", json.loads(text))
