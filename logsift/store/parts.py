"""What a content defines, part by part: two contents that share most of it need not define it twice."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from logsift.places import engine_digest
from logsift.store.dependencies import references
from logsift.store.schema import definitions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from logsift.content.model import Catalog

NOTED = frozenset({"rule", "missing"})
"""The kinds of parts of which a store holds no relation, only what it knows of their queries."""


class Part(NamedTuple):
    """A relation (`kind`: table, view, macro, macro table), a rule or a missing source."""

    kind: str
    digest: str
    """Of its text and of the engine that defined it."""
    reads: Sequence[str] = ()
    """The names that its query reads or calls."""


def parts_of(catalog: Catalog) -> dict[str, Part]:
    """What a content defines, by name; what it reads is not told yet."""
    return {
        **{
            name: _part("macro" if sql[0].startswith("CREATE MACRO") else "table", *sql)
            for name, sql in definitions(catalog).items()
        },
        **{s.name: _part("table", s.csv) for s in catalog.seeds},
        **{r.name: _part("macro table" if r.gives_table else r.kind, r.definition, r.about) for r in catalog.relations},
        **{f"rule {r.id}": _part("rule", r.sql) for r in catalog.rules},
        **{f"missing {m.id}": _part("missing", m.sql) for m in catalog.missing},
    }


def with_reads(parts: Mapping[str, Part], catalog: Catalog, known: Mapping[str, Collection[str]]) -> dict[str, Part]:
    """The same parts with what they read; of some it is known."""
    queries = {
        **{r.name: r.query for r in catalog.relations},
        **{f"rule {r.id}": r.sql for r in catalog.rules},
        **{f"missing {m.id}": m.sql for m in catalog.missing},
    }

    def reads(name: str) -> list[str]:
        return sorted(known[name] if name in known else references(queries[name]) if name in queries else ())

    return {name: part._replace(reads=reads(name)) for name, part in parts.items()}


def outdated(there: Mapping[str, Part], wanted: Mapping[str, Part]) -> set[str]:
    """Of the parts that are there, those that are wanted otherwise or not at all, and all that reads them."""
    out = {name for name, part in there.items() if name not in wanted or wanted[name].digest != part.digest}
    readers: dict[str, list[str]] = {}
    for name, part in there.items():
        for read in part.reads:
            readers.setdefault(read, []).append(name)
    todo = list(out)
    while todo:
        more = set(readers.get(todo.pop(), ())) - out
        out |= more
        todo += more
    return out


def _part(kind: str, *texts: str) -> Part:
    told = hashlib.sha256("\0".join((engine_digest(), kind, *texts)).encode())
    return Part(kind, told.hexdigest()[:24])
