"""A new store: every table, view, macro and seed of a catalogue, without rows."""

from __future__ import annotations

import json
import shutil
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from logsift import __version__
from logsift.content.errors import ContentError, ContentErrors
from logsift.content.interface import CLOCK_INPUTS
from logsift.errors import UserError
from logsift.places import cache_folder, publish, tidy, workplace
from logsift.store.database import Store, quoted, without_bar
from logsift.store.dependencies import Inputs, branches, columns_asked, ordered
from logsift.store.made import share
from logsift.store.parts import NOTED, Part, outdated, parts_of, with_reads
from logsift.store.schema import CONCLUDED, ENGINE, READ, SEARCHED, definitions, timeline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from logsift.content.errors import Origin
    from logsift.content.model import Catalog, Relation
    from logsift.store.schema import Stage

_LOOKED_AT = 3
"""How many of the empty stores that are kept are asked what they have."""


def create(path: Path, catalog: Catalog, parts: Path | None = None) -> Store:
    """A new store, which also reads the folder of `parts`.

    Defining hundreds of relations takes longer than reading a small run, so it is done once per content: an empty store
    is kept in the user's cache and copied. One of a content that changed begins as that of the content before: only what
    changed, and what reads it, is defined anew.

    Raises:
        ContentErrors: a statement of the content's SQL is wrong.
    """
    shutil.copyfile(_template(catalog), path)
    store = Store.open(path, read_only=False, parts=parts)
    store.begin()
    share(store, catalog.digest)
    return store


def empty(catalog: Catalog) -> Store:
    """A store without rows, to be asked which tables and columns there are.

    Raises:
        ContentErrors: a statement of the content's SQL is wrong.
    """
    return Store.open(_template(catalog))


def _template(catalog: Catalog) -> Path:
    template = cache_folder() / f"empty-{catalog.digest[:24]}.duckdb"
    if not template.is_file():
        wanted = parts_of(catalog)
        with workplace(template) as work:
            near, there = _nearest(wanted)
            if near:
                shutil.copyfile(near, work / "store")
            with closing(Store.open(work / "store", read_only=False)) as store:
                store.con.execute("RESET memory_limit")
                _define(store, catalog, wanted, there)
                store.finish()
            publish(work / "store", template)
        tidy()
    return template


def _nearest(wanted: Mapping[str, Part]) -> tuple[Path | None, Mapping[str, Part]]:
    """Of the empty stores that were used last, the one that is most like what this content defines, and its parts; None where none is."""
    near: tuple[Path | None, Mapping[str, Part]] = None, {}
    most = 0
    for path in sorted(cache_folder().glob("empty-*.duckdb"), key=_used, reverse=True)[:_LOOKED_AT]:
        with suppress(UserError, duckdb.Error, OSError), closing(Store.open(path)) as store:
            there = {name: Part(*rest) for name, *rest in store.con.execute("FROM content_part").fetchall()}
            if (alike := len(there) - 2 * len(outdated(there, wanted))) > most:
                near, most = (path, there), alike
    return near


def _used(path: Path) -> float:
    with suppress(OSError):
        return max(path.stat().st_atime, path.stat().st_mtime)
    return 0


def _define(store: Store, catalog: Catalog, wanted: Mapping[str, Part], there: Mapping[str, Part]) -> None:
    """Make a store that has the parts `there` one of this content."""
    # Nothing has rows yet: a better plan would only cost time.
    without_bar(store.con)
    store.con.execute("SET TimeZone = 'UTC'; PRAGMA disable_optimizer; BEGIN")
    old = outdated(there, wanted)
    _drop(store, {name: there[name] for name in old})
    kept = there.keys() - old
    new = wanted.keys() - kept
    _run(store, (sql for name, each in definitions(catalog).items() if name in new for sql in each))
    store.con.execute(timeline(catalog.tables))
    for seed in catalog.seeds:
        if seed.name in new:
            _load_seed(store, seed.name, seed.csv)
    relations = ordered([r for r in catalog.relations if r.name in new])
    known = {name: there[name].reads for name in kept}
    inputs = Inputs(catalog.tables, ENGINE.keys() - CONCLUDED, SEARCHED | CONCLUDED, catalog.relations, READ, known)
    for relation in relations:
        _make(store, relation)
    # Whatever aggregates nothing has given a row; a new store has none.
    made = [r for r in relations if r.kind == "table" and r.name not in inputs.constant]
    _run(store, (f"DELETE FROM {r.name}" for r in made))
    _note_tables(store, made, inputs)
    _note_rules(store, catalog, new, inputs)
    _run(store, (f"DELETE FROM {name}" for name in ("content_value", "content_declared", "content_part", "run_info")))
    store.insert("content_value", _values(store))
    store.insert("content_declared", [(t.name, sorted(t.omits)) for t in catalog.tables.values()])
    store.insert("content_part", [(name, *p) for name, p in with_reads(wanted, catalog, known).items()])
    store.insert("run_info", [(catalog.digest, __version__)])
    store.con.execute("COMMIT; PRAGMA enable_optimizer")


def _note_tables(store: Store, made: Sequence[Relation], inputs: Inputs) -> None:
    """Note how tables are filled that the content makes of others, given in their order, behind those that are noted."""
    for_clocks = inputs.closure(CLOCK_INPUTS)
    (first,) = store.con.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM content_table").fetchone() or (0,)
    branched = [
        (
            r.name,
            ordinal,
            query,
            by_name,
            json.dumps(inputs.of(query)),
            _stage(r, inputs, for_clocks),
            sorted(inputs.direct(query)),
        )
        for ordinal, r in enumerate(made, first)
        for query, by_name in branches(r.sql)
    ]
    store.insert("content_table", branched)


def _note_rules(store: Store, catalog: Catalog, new: Collection[str], inputs: Inputs) -> None:
    """Note the queries of those rules and missing sources that are new."""
    rules = [r for r in catalog.rules if f"rule {r.id}" in new]
    missing = [m for m in catalog.missing if f"missing {m.id}" in new]
    for origin, sql in [(r.origin, r.sql) for r in rules] + [(m.origin, m.sql) for m in missing]:
        _only_statement(store, origin, sql, duckdb.StatementType.SELECT)
    asked = [
        (r.id, n, query, json.dumps(inputs.of(query)))
        for r in rules
        for n, (query, _) in enumerate(branches(r.sql, rows=True))
    ]
    store.insert("content_rule", asked)
    store.insert("content_missing", [(m.id, json.dumps(inputs.needs(m.sql))) for m in missing])


def _run(store: Store, statements: Iterable[str]) -> None:
    if together := ";".join(statements):
        store.con.execute(together)


def _drop(store: Store, parts: Mapping[str, Part]) -> None:
    """Take parts out of a store, with what it notes about them."""
    _run(store, (f"DROP {p.kind} {name}" for name, p in parts.items() if p.kind not in NOTED))
    for table, column, before in (
        ("content_table", "name", ""),
        ("content_rule", "rule", "rule "),
        ("content_missing", "name", "missing "),
    ):
        if gone := [name.removeprefix(before) for name in parts if name.startswith(before)]:
            store.con.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT unnest(?))", [gone])


def _values(store: Store) -> list[tuple[str, list[str], list[str]]]:
    """The columns by whose values queries are left out, those asked for a value and those asked for any, by table."""
    needs = store.con.execute(
        "SELECT needs FROM content_table UNION SELECT needs FROM content_rule UNION SELECT needs FROM content_missing"
    ).fetchall()
    pairs = set().union(*(columns_asked(json.loads(text)) for (text,) in needs))

    def columns(table: str, *, of_value: bool) -> list[str]:
        return sorted(c for t, c, which in pairs if t == table and which is of_value)

    return [(t, columns(t, of_value=True), columns(t, of_value=False)) for t in sorted({t for t, _, _ in pairs})]


def _stage(relation: Relation, inputs: Inputs, for_clocks: Collection[str]) -> Stage:
    read = inputs.read_by(relation.query)
    if read & CONCLUDED:
        return "behind the verdict"
    if read & SEARCHED:
        return "behind the search"
    return "for clocks" if relation.name in for_clocks else "the rest"


def _make(store: Store, relation: Relation) -> None:
    try:
        store.con.execute(_only_statement(store, relation.origin, relation.definition, duckdb.StatementType.CREATE))
    except duckdb.Error as e:
        raise ContentErrors([ContentError(relation.origin, f"SQL fails: {e}")]) from None
    if relation.kind != "macro":
        store.con.execute(f"COMMENT ON {relation.kind} {relation.name} IS {quoted(relation.about)}")


def _only_statement(store: Store, origin: Origin, sql: str, kind: duckdb.StatementType) -> duckdb.Statement:
    """A text of SQL, parsed. Content asks, and changes nothing: a second statement behind a query could.

    Raises:
        ContentErrors: it is no single statement of this kind.
    """
    try:
        statements = store.con.extract_statements(sql)
    except duckdb.Error as e:
        raise ContentErrors([ContentError(origin, f"SQL fails: {e}")]) from None
    if [s.type for s in statements] != [kind]:
        said = ", ".join(str(s.type.name) for s in statements)
        raise ContentErrors([ContentError(origin, f"it holds {said or 'nothing'}", "one SELECT and nothing behind it")])
    return statements[0]


def _load_seed(store: Store, name: str, csv: str) -> None:
    """A CSV of the content as a table of that name; comment lines (#) stay out. Types are DuckDB's guess."""
    with store.scratch() as folder:
        path = Path(folder) / "seed.csv"
        path.write_text(
            "\n".join(line for line in csv.splitlines() if not line.startswith("#")) + "\n", encoding="utf-8"
        )
        store.con.execute(
            f"CREATE TABLE {name} AS SELECT * FROM read_csv(?, header=true, all_varchar=false, sample_size=-1)",
            [str(path)],
        )
