"""Which queries need not be asked: those that can find nothing, whatever else has rows."""

from __future__ import annotations

import duckdb
import pytest

from logsift.content.errors import Origin
from logsift.content.model import Kind, Relation
from logsift.store.dependencies import (
    ALWAYS,
    NEVER,
    Inputs,
    Needs,
    branches,
    columns_asked,
    may_find,
    ordered,
    references,
)


def relation(kind: Kind, name: str, sql: str, parameters: str = "") -> Relation:
    return Relation(name, kind, "", sql, Origin(f"rules/views/{name}.sql", 1), parameters)


MADE = [
    relation("view", "either", "FROM a UNION ALL FROM b"),
    relation("table", "kept", "SELECT * FROM a"),
    relation("macro", "highest", "max(x)", "(x)"),
    relation("macro", "twice", "2 * x", "(x)"),
    relation("view", "last_of", "SELECT k, max(k) OVER () AS top FROM c"),
    relation("view", "kinds", "SELECT k, 'a' AS kind FROM a UNION ALL BY NAME SELECT k, word AS kind FROM b"),
    relation("view", "of_kinds", "SELECT *, 1 AS n FROM kinds"),
]


def told(needs: Needs) -> str:
    """What a query needs, as one would write it."""
    if isinstance(needs, str):
        return needs
    kind, *parts = needs
    return (" & " if kind == "all" else " | ").join(f"({t})" if " " in (t := told(p)) else t for p in parts)


@pytest.mark.parametrize(
    ("query", "needs"),
    [
        ("FROM a", "a"),
        ("FROM a JOIN b USING (k)", "a & b"),
        ("FROM a, b WHERE a.k = b.k", "a & b"),
        ("FROM a LEFT JOIN b USING (k)", "a"),
        ("FROM a RIGHT JOIN b USING (k)", "b"),
        ("FROM a FULL JOIN b USING (k)", "a | b"),
        ("FROM a ASOF JOIN b ON a.k >= b.k", "a & b"),
        ("FROM a SEMI JOIN b USING (k)", "a & b"),
        ("FROM a ANTI JOIN b USING (k)", "a"),
        ("FROM a POSITIONAL JOIN b", "a | b"),
        ("FROM a UNION ALL FROM b", "a | b"),
        ("FROM a UNION BY NAME (FROM b JOIN c USING (k))", "a | (b & c)"),
        ("FROM a EXCEPT FROM b", "a"),
        ("FROM (FROM a) JOIN (FROM b) USING (k)", "a & b"),
        ("WITH x AS (FROM a), y AS (FROM x JOIN b USING (k)) FROM y", "a & b"),
        ("WITH a AS (FROM b) FROM a", "b"),
        ("WITH RECURSIVE r AS (SELECT k FROM a UNION ALL SELECT k + 1 FROM r JOIN b USING (k)) FROM r", "a"),
        ("FROM either JOIN kept USING (k)", "(a | b) & kept"),
        ("SELECT unnest([k, k]) FROM a", "a"),
        ("FROM a, unnest([1, 2]) AS u(x)", "a"),
        ("FROM a WHERE EXISTS (FROM b WHERE b.k = a.k) AND k IN (SELECT k FROM c)", "a & b & c"),
        ("FROM a WHERE NOT EXISTS (FROM b) AND k NOT IN (SELECT k FROM c)", "a & !b"),
        ("FROM a WHERE NOT EXISTS (FROM b WHERE b.k = a.k)", "a"),
        ("FROM a WHERE NOT EXISTS (FROM either)", "a"),
        ("FROM a WHERE NOT EXISTS (FROM b LIMIT 0)", "a"),
        ("FROM a WHERE NOT EXISTS (SELECT 1 FROM b HAVING count(*) > 3)", "a"),
        ("FROM a WHERE NOT EXISTS (FROM b WHERE a.kind = 'x')", "a"),
        ("WITH b AS (SELECT 1) FROM a WHERE NOT EXISTS (FROM b)", "a"),
        ("FROM a WHERE NOT EXISTS (FROM b WHERE kind IN ('x', 'y'))", "a & !b.kind=x & !b.kind=y"),
        ("FROM a WHERE EXISTS (FROM b) OR EXISTS (FROM c)", "a & (b | c)"),
        ("FROM a WHERE kind = 'x'", "a & a.kind=x"),
        ("FROM a JOIN b AS o USING (k) WHERE o.kind IN ('x', 'y') AND a.n = 1", "a & b & (b.kind=x | b.kind=y)"),
        ("FROM a LEFT JOIN b ON b.kind = 'x'", "a"),
        ("FROM a JOIN b ON b.kind = 'x'", "a & b & b.kind=x"),
        ("WITH x AS (SELECT k, word AS kind FROM a) FROM x WHERE kind = 'x'", "a & a.word=x"),
        ("WITH x AS (SELECT k, upper(word) AS kind FROM a) FROM x WHERE kind = 'x'", "a"),
        ("WITH x AS (SELECT k FROM a), a AS (FROM b) FROM x JOIN a USING (k) WHERE a.kind = 'x'", "a & b & b.kind=x"),
        ("FROM (SELECT 'y' AS kind FROM a) AS s WHERE s.kind = 'x'", "a"),
        ("FROM of_kinds WHERE kind = 'x'", "b & b.word=x"),
        ("FROM of_kinds WHERE kind = 'a'", "(a | b) & (a | (b & b.word=a))"),
        ("FROM of_kinds WHERE n = 'a'", "a | b"),
        ("FROM a WHERE EXISTS (FROM b) OR k = 1", "a"),
        ("FROM a WHERE k IS NOT NULL", "a & a.k"),
        ("FROM a LEFT JOIN b USING (n) WHERE coalesce(a.k, b.k) IS NOT NULL", "a & (a.k | b.k)"),
        ("FROM a LEFT JOIN b USING (n) WHERE k IS NOT NULL AND a.k + 1 IS NOT NULL AND upper(b.k) IS NOT NULL", "a"),
        ("FROM a WHERE k IS NULL", "a"),
        ("FROM a WHERE NOT k IS NOT NULL", "a"),
        ("WITH x AS (SELECT k AS n, coalesce(a.k, b.k) AS k FROM a JOIN b USING (m)) FROM x WHERE n IS NOT NULL", "a & b"),
        ("WITH x AS (SELECT coalesce(a.k, b.k) AS k FROM a JOIN b USING (m)) FROM x WHERE k IS NOT NULL", "a & b & (a.k | b.k)"),
        ("FROM of_kinds WHERE k IS NOT NULL", "(a | b) & ((a & a.k) | (b & b.k))"),
        ("FROM of_kinds WHERE kind IS NOT NULL", "(a | b) & (a | (b & b.word))"),
        ("FROM whole WHERE k IS NOT NULL", "whole.k"),
        ("FROM whole LEFT JOIN a USING (k) WHERE whole.kind = 'x'", "whole.kind=x"),
        ("SELECT k, count(*) FROM a GROUP BY k", "a"),
        ("SELECT k, count(*) FROM a GROUP BY ALL", "a"),
        ("SELECT max(k) FROM a HAVING count(*) > 0 AND max(k) < 9", "a"),
        ("SELECT max(k) FROM a HAVING count(DISTINCT k) = 1", "a"),
        ("SELECT max(k) FROM a HAVING count(k) FILTER (k > 1) >= 1", "a"),
        ("SELECT max(k) OVER () FROM a", "a"),
        ("SELECT twice(k) FROM a", "a"),
        ("FROM last_of", "c"),
    ],
)  # fmt: skip
def test_a_query_needs_tables_and_values(query: str, needs: str) -> None:
    assert told(Inputs(["a", "b", "c"], ["some", "whole"], [], MADE, ["whole"]).needs(query)) == needs


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "SELECT count(*) FROM a",
        "SELECT highest(k) FROM a",
        "SELECT k FROM a HAVING count(*) = 0",
        "SELECT count(*) FROM a HAVING count(*) >= 0",
        "SELECT count(*) FROM a HAVING count(*) > -1",
        "SELECT count(*) FROM a HAVING count(*) > 0 OR max(k) IS NULL",
        "SELECT count(*) FROM a HAVING max(k) > 0",
        "SELECT count(*) FROM a GROUP BY ALL",
        "SELECT k, count(*) FROM a GROUP BY GROUPING SETS ((k), ())",
        "FROM a UNION ALL SELECT 1",
        "FROM a RIGHT JOIN seed USING (k)",
        "FROM unnest([1, 2])",
        "VALUES (1)",
    ],
)
def test_what_may_find_a_row_where_there_is_none_is_always_asked(query: str) -> None:
    assert Inputs(["a"], [], [], MADE).needs(query) == ALWAYS


@pytest.mark.parametrize("filled", [set[str](), {"a"}, {"b"}, {"c"}, {"a", "b"}, {"a", "c"}, {"b", "c"}])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.k FROM a LEFT JOIN b USING (k) WHERE a.k NOT IN (SELECT k FROM c)",
        "SELECT k FROM a FULL JOIN (SELECT k FROM b SEMI JOIN c USING (k)) USING (k)",
        "SELECT k FROM a UNION SELECT max(k) FROM b GROUP BY k",
        "SELECT count(*) FROM a HAVING count(*) >= 0",
        "SELECT count(*) FROM a LEFT JOIN b USING (k) HAVING count(*) >= 1 AND max(a.k) = 1",
        "WITH x AS (SELECT max(k) AS k FROM a) SELECT x.k FROM x LEFT JOIN b USING (k)",
        "SELECT k FROM a WHERE NOT EXISTS (FROM b) OR EXISTS (FROM c)",
        "SELECT k FROM a WHERE NOT EXISTS (SELECT count(*) FROM b)",
    ],
)
def test_a_query_that_is_not_asked_finds_nothing(query: str, filled: set[str]) -> None:
    con = duckdb.connect()
    for table in ("a", "b", "c"):
        con.execute(f"CREATE TABLE {table} AS SELECT 1 AS k WHERE {table in filled}")
    if con.execute(query).fetchall():
        assert may_find(Inputs(["a", "b", "c"], [], [], []).needs(query), filled)


def test_a_query_that_reads_nothing_with_rows_is_not_asked_even_where_it_would_count_to_zero() -> None:
    inputs = Inputs(["a", "b"], ["file"], [], MADE)
    assert told(inputs.of("SELECT count(*) FROM either")) == "a | b"
    assert told(inputs.of("SELECT count(*) FROM kept")) == "kept"
    assert told(inputs.of("SELECT count(*) FROM kept, file")) == "a"


def test_a_text_that_no_branch_gives_is_never_asked_for() -> None:
    view = relation(
        "view", "sides", "SELECT k, 'left' AS side FROM a UNION ALL BY NAME SELECT k, 'right' AS side FROM b"
    )
    assert Inputs(["a", "b"], [], [], [view]).needs("FROM sides WHERE side = 'top'") == NEVER


def test_values_are_noted_of_the_columns_that_are_asked_for() -> None:
    query = "FROM a WHERE k = 'x' AND m IS NOT NULL AND NOT EXISTS (FROM b WHERE n = 'y')"
    asked = columns_asked(Inputs(["a", "b"], [], [], []).needs(query))
    assert asked == {("a", "k", True), ("a", "m", False), ("b", "n", True)}


def test_of_a_table_that_the_engine_still_fills_no_value_is_known() -> None:
    assert Inputs(["a"], ["some"], [], []).needs("FROM some WHERE k IS NOT NULL") == ALWAYS


def test_a_relation_is_made_after_those_it_reads_or_calls() -> None:
    made = [relation("table", "second", "SELECT twice(k) FROM first"), relation("view", "first", "FROM a"), *MADE]
    names = [r.name for r in ordered(made)]
    assert names.index("first") < names.index("second") > names.index("twice")


def test_relations_that_read_each_other_are_told() -> None:
    with pytest.raises(ValueError, match="in a circle: left_hand, right_hand"):
        ordered([relation("view", "left_hand", "FROM right_hand"), relation("view", "right_hand", "FROM left_hand")])


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT k FROM a", 1),
        ("SELECT k FROM a UNION BY NAME SELECT k FROM b", 1),
        ("SELECT k FROM a UNION ALL BY NAME SELECT n FROM b", 2),
        ("SELECT k FROM a UNION ALL BY NAME SELECT n FROM b ORDER BY k", 1),
        ("SELECT k FROM a UNION ALL SELECT n FROM b", 2),
        ("SELECT k FROM a EXCEPT SELECT n FROM b", 1),
    ],
)
def test_a_union_is_taken_apart_where_its_branches_give_the_same_rows(sql: str, count: int) -> None:
    assert len(branches(sql)) == count


def test_a_branch_keeps_the_common_tables_it_reads_and_no_others() -> None:
    sql = "WITH x AS (FROM a), y AS (FROM x), z AS (FROM b) SELECT k FROM y UNION ALL BY NAME SELECT n FROM z"
    first, second = (query for query, _ in branches(sql))
    assert {"a"} == references(first) - {"b"}
    assert references(second) == {"b"}


def test_the_rows_of_a_rule_go_by_name_so_only_such_a_union_is_taken_apart() -> None:
    assert len(branches("SELECT 1 AS k UNION ALL SELECT 2 AS n", rows=True)) == 1
