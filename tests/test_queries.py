"""Which queries need not be asked: those that can find nothing, whatever else has rows."""

from __future__ import annotations

import duckdb
import pytest

from logsift.content.model import Script
from logsift.content.errors import Origin
from logsift.store.dependencies import ALWAYS, Inputs, may_find, ordered

MADE = [
    "CREATE VIEW either AS FROM a UNION ALL FROM b",
    "CREATE TABLE kept AS SELECT * FROM a",
    "CREATE MACRO highest(x) AS max(x)",
    "CREATE MACRO twice(x) AS 2 * x",
    "CREATE VIEW last_of AS SELECT k, max(k) OVER () AS top FROM c",
    "-- only with c\nCREATE TABLE said AS SELECT count(*) AS n FROM a",
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
        ("SELECT max(k) OVER () FROM a", ["a"]),
        ("SELECT twice(k) FROM a", ["a"]),
        ("FROM last_of", ["c"]),
        ("-- only with b, c\nSELECT count(*) FROM a", ["b|c"]),
        ("FROM said", ["said"]),
    ],
)  # fmt: skip
def test_a_query_needs_a_table_of_each_group(query: str, needs: list[str]) -> None:
    got = Inputs(["a", "b", "c"], [], MADE).needs(query)
    assert sorted("|".join(sorted(group)) for group in got) == needs


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "SELECT count(*) FROM a",
        "SELECT highest(k) FROM a",
        "SELECT k FROM a HAVING count(*) = 0",
        "SELECT count(*) FROM a GROUP BY ALL",
        "SELECT k, count(*) FROM a GROUP BY GROUPING SETS ((k), ())",
        "FROM a UNION ALL SELECT 1",
        "FROM a RIGHT JOIN seed USING (k)",
        "FROM unnest([1, 2])",
        "VALUES (1)",
    ],
)
def test_what_may_find_a_row_where_there_is_none_is_always_asked(query: str) -> None:
    assert Inputs(["a"], [], MADE).needs(query) == ALWAYS


@pytest.mark.parametrize("filled", [set[str](), {"a"}, {"b"}, {"c"}, {"a", "b"}, {"a", "c"}, {"b", "c"}])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.k FROM a LEFT JOIN b USING (k) WHERE a.k NOT IN (SELECT k FROM c)",
        "SELECT k FROM a FULL JOIN (SELECT k FROM b SEMI JOIN c USING (k)) USING (k)",
        "SELECT k FROM a UNION SELECT max(k) FROM b GROUP BY k",
        "SELECT count(*) FROM a HAVING count(*) >= 0",
        "WITH x AS (SELECT max(k) AS k FROM a) SELECT x.k FROM x LEFT JOIN b USING (k)",
    ],
)
def test_a_query_that_is_not_asked_finds_nothing(query: str, filled: set[str]) -> None:
    con = duckdb.connect()
    for table in ("a", "b", "c"):
        con.execute(f"CREATE TABLE {table} AS SELECT 1 AS k WHERE {table in filled}")
    if con.execute(query).fetchall():
        assert may_find(Inputs(["a", "b", "c"], [], []).needs(query), filled)


def test_a_query_that_reads_nothing_with_rows_is_not_asked_even_where_it_would_count_to_zero() -> None:
    inputs = Inputs(["a", "b"], ["file"], MADE)
    assert inputs.of("SELECT count(*) FROM either") == {frozenset({"a", "b"})}
    assert inputs.of("SELECT count(*) FROM kept") == {frozenset({"kept"})}
    assert inputs.of("SELECT count(*) FROM kept, file") == {frozenset({"a"})}


def test_a_comment_belongs_to_the_statement_below_it() -> None:
    sql = "-- of a\nCREATE VIEW a AS SELECT 1;\n\n-- of b;\n-- still\nCREATE VIEW b AS SELECT 2; -- behind\nCREATE VIEW c AS SELECT 3"
    said = [text.strip() for _, text in ordered([Script("x", sql, Origin("x.sql", 1))])]
    assert said == [
        "-- of a\nCREATE VIEW a AS SELECT 1;",
        "-- of b;\n-- still\nCREATE VIEW b AS SELECT 2;",
        "-- behind\nCREATE VIEW c AS SELECT 3",
    ]
