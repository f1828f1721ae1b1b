"""A new store: every table, view, macro and seed of a catalogue, without rows."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from logsift import __version__
from logsift.content.errors import ContentError, ContentErrors
from logsift.content.interface import CLOCK_INPUTS
from logsift.places import cache_folder, publish, tidy, workplace
from logsift.store.database import Store, quoted, without_bar
from logsift.store.dependencies import Inputs, branches, columns_asked, ordered
from logsift.store.made import share
from logsift.store.schema import CONCLUDED, ENGINE, READ, SEARCHED, definitions

if TYPE_CHECKING:
    from collections.abc import Collection

    from logsift.content.errors import Origin
    from logsift.content.model import Catalog, Relation
    from logsift.store.schema import Stage


def create(path: Path, catalog: Catalog, parts: Path | None = None) -> Store:
    """A new store, which also reads the folder of `parts`.

    Defining hundreds of relations takes longer than reading a small run, so it is done once per content: an empty store
    is kept in the user's cache and copied.

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
        with workplace(template) as work:
            with closing(Store.open(work / "store", read_only=False)) as store:
                store.con.execute("RESET memory_limit")
                _define(store, catalog)
                store.finish()
            publish(work / "store", template)
        tidy()
    return template


def _define(store: Store, catalog: Catalog) -> None:
    # Nothing has rows yet: a better plan would only cost time.
    without_bar(store.con)
    store.con.execute("SET TimeZone = 'UTC'; PRAGMA disable_optimizer; BEGIN")
    store.con.execute(";".join(definitions(catalog)))
    for seed in catalog.seeds:
        _load_seed(store, seed.name, seed.csv)
    relations = ordered(catalog.relations)
    inputs = Inputs(catalog.tables, ENGINE.keys() - CONCLUDED, SEARCHED | CONCLUDED, relations, READ)
    for_clocks = inputs.closure(CLOCK_INPUTS)
    for relation in relations:
        _make(store, relation)
    # Whatever aggregates nothing has given a row; a new store has none.
    made = [r.name for r in relations if r.kind == "table" and r.name not in inputs.constant]
    store.con.execute(";".join(f"DELETE FROM {name}" for name in made))
    for origin, sql in [(r.origin, r.sql) for r in catalog.rules] + [(m.origin, m.sql) for m in catalog.missing]:
        _only_statement(store, origin, sql, duckdb.StatementType.SELECT)
    branched = [
        (
            r.name,
            ordinal,
            query,
            by_name,
            inputs.of(query),
            _stage(r, inputs, for_clocks),
            inputs.direct(query),
        )
        for ordinal, r in enumerate(relations)
        if r.name in made
        for query, by_name in branches(r.sql)
    ]
    store.insert("content_table", [(*row[:4], json.dumps(row[4]), row[5], sorted(row[6])) for row in branched])
    asked = [
        (r.id, n, query, inputs.of(query))
        for r in catalog.rules
        for n, (query, _) in enumerate(branches(r.sql, rows=True))
    ]
    store.insert("content_rule", [(*row[:3], json.dumps(row[3])) for row in asked])
    wanted = [(m.id, inputs.needs(m.sql)) for m in catalog.missing]
    store.insert("content_missing", [(name, json.dumps(needs)) for name, needs in wanted])
    pairs = set().union(
        *(
            columns_asked(needs)
            for needs in (*(r[4] for r in branched), *(r[3] for r in asked), *(w[1] for w in wanted))
        )
    )
    values = [
        (table, *(sorted(c for t, c, of_value in pairs if t == table and of_value is which) for which in (True, False)))
        for table in sorted({t for t, _, _ in pairs})
    ]
    store.insert("content_value", values)
    store.insert("content_declared", [(t.name, sorted(t.omits)) for t in catalog.tables.values()])
    store.insert("run_info", [(catalog.digest, __version__)])
    store.con.execute("COMMIT; PRAGMA enable_optimizer")


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
