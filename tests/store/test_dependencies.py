"""Which queries need not be asked: those that can find nothing, whatever else has rows."""

from __future__ import annotations

import duckdb
import pytest

from logsift.content.errors import Origin
from logsift.content.model import Kind, Relation
from logsift.store.dependencies import ALWAYS, Inputs, branches, may_find, ordered, references


def relation(kind: Kind, name: str, sql: str, parameters: str = "", needs: frozenset[str] = frozenset()) -> Relation:
    return Relation(name, kind, "", sql, Origin(f"rules/views/{name}.sql", 1), parameters, needs)


MADE = [
    relation("view", "either", "FROM a UNION ALL FROM b"),
    relation("table", "kept", "SELECT * FROM a"),
    relation("macro", "highest", "max(x)", "(x)"),
    relation("macro", "twice", "2 * x", "(x)"),
    relation("view", "last_of", "SELECT k, max(k) OVER () AS top FROM c"),
    relation("table", "said", "SELECT count(*) AS n FROM a", needs=frozenset({"c"})),
]


@pytest.mark.parametrize(
    ("query", "needs"),
    [
        ("FROM a", ["a"]),
        ("FROM a JOIN b USING (k)", ["a", "b"]),
        ("FROM a, b WHERE a.k = b.k", ["a", "b"]),
        ("FROM a LEFT JOIN b USING (k)", ["a"]),
        ("FROM a RIGHT JOIN b USING (k)", ["b"]),
        ("FROM a FULL JOIN b USING (k)", ["a|b"]),
        ("FROM a ASOF JOIN b ON a.k >= b.k", ["a", "b"]),
        ("FROM a SEMI JOIN b USING (k)", ["a", "b"]),
        ("FROM a ANTI JOIN b USING (k)", ["a"]),
        ("FROM a POSITIONAL JOIN b", ["a|b"]),
        ("FROM a UNION ALL FROM b", ["a|b"]),
        ("FROM a UNION BY NAME (FROM b JOIN c USING (k))", ["a|b", "a|c"]),
        ("FROM a EXCEPT FROM b", ["a"]),
        ("FROM (FROM a) JOIN (FROM b) USING (k)", ["a", "b"]),
        ("WITH x AS (FROM a), y AS (FROM x JOIN b USING (k)) FROM y", ["a", "b"]),
        ("WITH a AS (FROM b) FROM a", ["b"]),
        ("WITH RECURSIVE r AS (SELECT k FROM a UNION ALL SELECT k + 1 FROM r JOIN b USING (k)) FROM r", ["a"]),
        ("FROM either JOIN kept USING (k)", ["a|b", "kept"]),
        ("SELECT unnest([k, k]) FROM a", ["a"]),
        ("FROM a, unnest([1, 2]) AS u(x)", ["a"]),
        ("FROM a WHERE EXISTS (FROM b WHERE b.k = a.k) AND k IN (SELECT k FROM c)", ["a", "b", "c"]),
        ("FROM a WHERE NOT EXISTS (FROM b) AND k NOT IN (SELECT k FROM c)", ["a"]),
        ("FROM a WHERE EXISTS (FROM b) OR k = 1", ["a"]),
        ("SELECT k, count(*) FROM a GROUP BY k", ["a"]),
        ("SELECT k, count(*) FROM a GROUP BY ALL", ["a"]),
        ("SELECT max(k) FROM a HAVING count(*) > 0 AND max(k) < 9", ["a"]),
        ("SELECT max(k) FROM a HAVING count(DISTINCT k) = 1", ["a"]),
        ("SELECT max(k) FROM a HAVING count(k) FILTER (k > 1) >= 1", ["a"]),
        ("SELECT max(k) OVER () FROM a", ["a"]),
        ("SELECT twice(k) FROM a", ["a"]),
        ("FROM last_of", ["c"]),
        ("FROM said", ["said"]),
    ],
)  # fmt: skip
def test_a_query_needs_a_table_of_each_group(query: str, needs: list[str]) -> None:
    got = Inputs(["a", "b", "c"], [], [], MADE).needs(query)
    assert sorted("|".join(sorted(group)) for group in got) == needs


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
    assert inputs.of("SELECT count(*) FROM either") == {frozenset({"a", "b"})}
    assert inputs.of("SELECT count(*) FROM kept") == {frozenset({"kept"})}
    assert inputs.of("SELECT count(*) FROM kept, file") == {frozenset({"a"})}


def test_what_a_query_is_said_to_need_counts_beside_what_it_reads() -> None:
    inputs = Inputs(["a", "b", "c"], [], [], MADE)
    assert inputs.needs("SELECT count(*) FROM a", frozenset({"b", "c"})) == {frozenset({"b", "c"})}


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
