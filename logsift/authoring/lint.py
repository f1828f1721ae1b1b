"""The linter of content: everything a start does not check because it costs time. `logsift check` and the tests run it."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import duckdb

from logsift.authoring.lint_grammars import check_grammars, printed_by
from logsift.authoring.lint_rules import UNTYPED, check_missing, check_rule
from logsift.content.errors import ContentError, ContentErrors, Origin
from logsift.content.interface import INTERFACE
from logsift.store.create import empty
from logsift.store.schema import ABOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsift.content.model import Catalog, Envelope, Grammar
    from logsift.store import Store


def check(catalog: Catalog, *, added: bool = False) -> list[ContentError]:
    """Every mistake in content that loads: names, samples, rejects, shadowing, needles, both regex engines, SQL, words.

    With `added` the patterns and rules that come with logsift are taken for sound, but for those grammars in whose
    lines an envelope that was added is looked for.
    """
    envelopes = [e for e in catalog.envelopes if e.origin.root]
    grammars = [g for g in catalog.grammars if not added or g.origin.root or _may_meet(g, envelopes)]
    twice = list(_named_twice(catalog))
    return [
        *_names(catalog),
        *twice,
        *check_grammars(catalog, grammars),
        *(() if twice else _sql(catalog, added=added)),
    ]


def _may_meet(grammar: Grammar, envelopes: Sequence[Envelope]) -> bool:
    return any(n in line for e in envelopes for n in e.needles or ("",) for line in printed_by(grammar))


def _names(catalog: Catalog) -> Iterator[ContentError]:
    with duckdb.connect() as con:
        reserved = {
            r[0]
            for r in con.execute(
                "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
            ).fetchall()
        }
    types: dict[str, tuple[str, str | None, Origin]] = {}
    for table in catalog.tables.values():
        for c in table.columns:
            if c.name in reserved:
                yield ContentError(
                    table.origin, f"column {table.name}.{c.name} is a reserved word of SQL", "choose another name",
                    key=c.name,
                )  # fmt: skip
            first = types.setdefault(c.name, (c.type, c.unit, table.origin))
            if first[:2] != (c.type, c.unit):
                yield ContentError(
                    table.origin, f"column {c.name} is {c.type} [{c.unit}] in {table.name}, elsewhere {first[0]} [{first[1]}]",
                    f"one name, one meaning: the other is at {first[2]}", key=c.name,
                )  # fmt: skip


def _named_twice(catalog: Catalog) -> Iterator[ContentError]:
    """Tables, relations and catalogues (seeds) share one room of names with the tables of the engine."""
    taken = {name: f"a table of logsift itself: {about}" for name, about in ABOUT.items()}
    made = [(t.name, "table", t.origin) for t in catalog.tables.values()]
    made += [(r.name, "relation", r.origin) for r in catalog.relations if r.kind != "macro"]
    made += [(s.name, "catalogue", s.origin) for s in catalog.seeds]
    # What comes with logsift was there first: the file of the user's own is the one to change.
    for name, kind, origin in sorted(made, key=lambda m: bool(m[2].root)):
        if name in taken:
            yield ContentError(
                origin, f"{kind} {name} has the name of {taken[name]}", "choose another name: in SQL both are tables"
            )
        else:
            taken[name] = f"the {kind} at {origin}"


def _sql(catalog: Catalog, *, added: bool) -> Iterator[ContentError]:
    try:
        store = empty(catalog)
    except ContentErrors as e:
        yield from e.errors
        return
    except ValueError as e:
        yield ContentError(Origin("rules/views", 1), str(e))
        return
    with closing(store):
        yield from _interface(store, catalog)
        yield from _bulk(store, catalog)
        for rule in catalog.rules:
            if rule.origin.root or not added:
                yield from check_rule(store, rule)
        for source in catalog.missing:
            if source.origin.root or not added:
                yield from check_missing(store, source)


def _interface(store: Store, catalog: Catalog) -> Iterator[ContentError]:
    """What the engine asks of relations by name has the columns it reads."""
    made = {r.name: r.origin for r in catalog.relations} | {t.name: t.origin for t in catalog.tables.values()}
    for name, asked in INTERFACE.items():
        if name not in made:
            continue
        there = {str(r[0]): str(r[1]) for r in store.con.execute(f"DESCRIBE {name}").fetchall()}
        for column, kind in asked.columns.items():
            found = there.get(column)
            if found is None or (_kind_of(found) != _kind_of(kind) and not UNTYPED.fullmatch(found)):
                yield ContentError(
                    made[name],
                    f"{name} has {'no column ' + column if found is None else f'{column} as {found}'}: the engine reads it as {kind}",
                    f"{name}: {asked.about}; columns: {', '.join(f'{c} {k}' for c, k in asked.columns.items())}",
                )


def _bulk(store: Store, catalog: Catalog) -> Iterator[ContentError]:
    """What tells the series of a bulk table apart can be asked of it."""
    for table in catalog.tables.values():
        for key, sql in (("by", table.bulk.by), ("always", table.bulk.always)) if table.bulk else ():
            try:
                store.con.execute(f"SELECT {sql or 'true'} FROM {table.name} LIMIT 0")
            except duckdb.Error as e:
                yield ContentError(
                    table.origin, f"{key} of {table.name} cannot be asked: {str(e).splitlines()[0]}", "", sql
                )


def _kind_of(sql: str) -> str:
    """Types that the engine reads alike."""
    return re.sub(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?", "INT", sql)
