"""What the content's SQL reads, told by DuckDB's own parse: which statement comes first, and which need not be asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from graphlib import CycleError, TopologicalSorter
from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from logsift.content.catalog import Script

CREATES = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|MACRO|FUNCTION)\s+([a-z_][a-z0-9_]*)", re.IGNORECASE
)
MATERIALISED = re.compile(r"\bCREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+([a-z_][a-z0-9_]*)\s+AS\b", re.IGNORECASE)
_ONLY_WITH = re.compile(r"^-- only with ([a-z0-9_, ]+)$", re.MULTILINE)
"""A comment before a statement: it finds nothing unless one of these tables has rows, though its parse does not tell."""
_BEHIND = re.compile(r";\s*(?P<comments>(?:--[^\n]*\s*)*)\Z")
_AS = re.compile(r"\bAS\b", re.IGNORECASE)
_COMMENT_ON = re.compile(r"\bCOMMENT\s+ON\s+(?:TABLE|VIEW|COLUMN|MACRO)\s+([A-Za-z_][A-Za-z0-9_]*)", re.IGNORECASE)

Node = Mapping[str, Any]
Needs = frozenset[frozenset[str]]
"""Groups of tables: where no table of a group has rows, a query finds nothing. Without groups it may find something always."""
ALWAYS: Needs = frozenset()
_GROUPS = 32
"""More groups than this are not told apart: fewer of them let a query be asked more often, which is never wrong."""


def created(sql: str) -> list[str]:
    """Names of the tables, views and macros a statement creates."""
    return [m[1].lower() for m in CREATES.finditer(sql)]


@cache
def references(sql: str) -> frozenset[str]:
    """Names of the tables, views and macros a query or a CREATE … AS statement reads or calls."""
    names, local = set[str](), set[str]()
    for node in _all(_parsed(sql)):
        if node.get("type") == "BASE_TABLE":
            names.add(str(node["table_name"]).lower())
        if node.get("class") == "FUNCTION" or "function_name" in node:
            names.add(str(node.get("function_name")).lower())
        if "cte_map" in node:
            local.update(_ctes(node))
    return frozenset(names - local)


def ordered(scripts: Sequence[Script]) -> list[tuple[Script, str]]:
    """The statements of all scripts, each after those that create a name it reads or calls.

    Raises:
        ValueError: they use each other in a circle.
    """
    statements = [(script, sql) for script in scripts for sql in _statements(script.sql)]
    creator = {name: n for n, (_, sql) in enumerate(statements) for name in created(sql)}
    graph = {
        n: {creator[r] for r in references(sql) if creator.get(r, n) != n} | _commented(creator, sql, n)
        for n, (_, sql) in enumerate(statements)
    }
    try:
        return [statements[n] for n in TopologicalSorter(graph).static_order()]
    except CycleError as e:
        names = sorted({name for n in e.args[1] for name in created(statements[n][1])})
        raise ValueError(f"views use each other in a circle: {', '.join(names)}") from None


def _statements(script: str) -> list[str]:
    """The statements of a script, each with the comments before it; DuckDB leaves those with the statement above."""
    found = [str(statement.query) for statement in duckdb.extract_statements(script)]
    out, comments = list[str](), script[: script.index(found[0])] if found else ""
    for sql in found:
        end = _BEHIND.search(sql)
        out.append(comments + (sql[: end.start("comments")] if end else sql))
        comments = end["comments"] if end else ""
    return out


def _commented(creator: dict[str, int], sql: str, own: int) -> set[int]:
    """What a COMMENT ON statement speaks of must be there first."""
    return {creator[m.lower()] for m in _COMMENT_ON.findall(sql) if creator.get(m.lower(), own) != own}


class Inputs:
    """Which tables must have rows for a query to find any, read through whatever views, joins and common tables.

    A join needs both its sides, a left join the left one, a union one of its parts, a condition `EXISTS (…)` or
    `x IN (…)` what it asks; an aggregate without groups gives a row whatever there is. What is not understood counts as
    finding something always.
    """

    def __init__(self, tables: Iterable[str], engine: Iterable[str], statements: Iterable[str]) -> None:
        """`tables` are filled by formats, those of `engine` by itself; `statements` make tables of them, views and macros."""
        self.made = {name: sql for sql in statements for name in created(sql)}
        self.tables, self.engine = frozenset(tables), frozenset(engine)
        self.filled = self.tables | {m[1].lower() for sql in self.made.values() if (m := MATERIALISED.search(sql))}
        self._of_view: dict[str, Needs] = {}
        listed = duckdb.execute("SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
        self._aggregates = {str(name).lower() for (name,) in listed.fetchall()}
        for name, sql in self.made.items():
            if name not in self.filled and self._aggregated(_parsed(sql).get("select_list")):
                self._aggregates.add(name)

    def of(self, sql: str) -> Needs:
        """The groups a query, or a CREATE … AS statement, is asked for: those it needs, and of all that it reads one table."""
        names = set(said_of(sql) or references(sql))
        near = self._read(names, self.filled)
        if near & self.engine:  # which files there are may say what stands in no made table
            read = self._read(names) & self.tables
        else:
            read = {name for name in near & self.filled if self._read({name}) & self.tables}
        return _both(self.needs(sql), frozenset([frozenset(read)])) if read else self.needs(sql)

    def read_by(self, sql: str) -> frozenset[str]:
        """The tables filled by formats or the engine that a statement reads, directly or through something else."""
        return (self.tables | self.engine) & self._read(references(sql), as_said=False)

    def _read(self, names: Iterable[str], ends: frozenset[str] = frozenset(), *, as_said: bool = True) -> set[str]:
        """All that is read, directly or through something else; what `ends` holds is not looked into.

        `as_said` takes the tables of a statement's comment for all that it reads.
        """
        todo, seen = set(names), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                made = "" if name in ends else self.made.get(name, "")
                todo |= ((as_said and said_of(made)) or references(made)) if made else set()
        return seen

    def needs(self, sql: str) -> Needs:
        """The groups of tables of which a query needs one each to find anything, by its parse and by what its comment says."""
        found = self._node(_parsed(sql), {})
        return _both(found, frozenset([said])) if (said := said_of(sql)) else found

    def _node(self, node: Node, scope: Mapping[str, Needs]) -> Needs:
        """Of a query."""
        scope = dict(scope)
        for name, query in _ctes(node).items():
            scope[name] = self._node(query, scope)
        match node.get("type"):
            case "SELECT_NODE":
                if self._one_row_of_nothing(node):
                    return ALWAYS
                return _both(self._table(node["from_table"], scope), self._condition(node.get("where_clause"), scope))
            case "SET_OPERATION_NODE":
                parts = node.get("children") or [node["left"], node["right"]]
                each = [self._node(part, scope) for part in parts]
                return reduce(_either, each) if str(node["setop_type"]).startswith("UNION") else each[0]
            case "RECURSIVE_CTE_NODE":
                return self._node(node["left"], scope)
        return ALWAYS

    def _table(self, node: Node, scope: Mapping[str, Needs]) -> Needs:
        """Of what stands behind FROM."""
        match node.get("type"):
            case "BASE_TABLE":
                return self._named(str(node["table_name"]).lower(), scope)
            case "SUBQUERY":
                return self._node(node["subquery"]["node"], scope)
            case "JOIN":
                left, right = self._table(node["left"], scope), self._table(node["right"], scope)
                match node["join_type"]:
                    case "INNER" | "SEMI" if node.get("ref_type") != "POSITIONAL":
                        return _both(left, right)
                    case "LEFT" | "ANTI":
                        return left
                    case "RIGHT":
                        return right
                return _either(left, right)
        return ALWAYS

    def _named(self, name: str, scope: Mapping[str, Needs]) -> Needs:
        if name in scope:
            return scope[name]
        if name in self.filled:
            return frozenset([frozenset([name])])
        if name not in self.made:
            return ALWAYS
        if name not in self._of_view:
            self._of_view[name] = self.needs(self.made[name])
        return self._of_view[name]

    def _condition(self, node: Node | None, scope: Mapping[str, Needs]) -> Needs:
        """Of a WHERE clause: what each of its parts asks that must all hold."""
        if node and node.get("type") == "CONJUNCTION_AND":
            return reduce(_both, (self._condition(part, scope) for part in node["children"]))
        if node and node.get("class") == "SUBQUERY" and node["subquery_type"] in ("EXISTS", "ANY"):
            return self._node(node["subquery"]["node"], scope)
        return ALWAYS

    def _one_row_of_nothing(self, node: Node) -> bool:
        """True for a SELECT that gives a row where its tables have none: it aggregates without keys."""
        if node["aggregate_handling"] == "FORCE_AGGREGATES":  # GROUP BY ALL: its keys are what does not aggregate
            return not any(_has_column(item) and not self._aggregated(item) for item in node["select_list"])
        if node["group_expressions"]:
            return not all(node["group_sets"])
        return self._aggregated([node["select_list"], node.get("having")])

    def _aggregated(self, tree: object) -> bool:
        """True where an aggregate function stands in an expression, outside of windows and subqueries."""
        inside = _all(tree, lambda n: n.get("class") not in ("WINDOW", "SUBQUERY"))
        return any(n.get("class") == "FUNCTION" and str(n["function_name"]).lower() in self._aggregates for n in inside)


def said_of(sql: str) -> frozenset[str]:
    """The tables a statement's comment says it finds nothing without."""
    return frozenset(name.strip() for m in _ONLY_WITH.finditer(sql) for name in m[1].split(","))


def may_find(needs: Iterable[Iterable[str]], filled: frozenset[str] | set[str]) -> bool:
    """True where every group has a table with rows."""
    return all(not filled.isdisjoint(group) for group in needs)


def _both(a: Needs, b: Needs) -> Needs:
    return _fewest(a | b)


def _either(a: Needs, b: Needs) -> Needs:
    return _fewest({x | y for x, y in product(a, b)})


def _fewest(groups: Iterable[frozenset[str]]) -> Needs:
    """Without groups that hold another one, and of those left the most telling."""
    out: list[frozenset[str]] = []
    for group in sorted(set(groups), key=lambda g: (len(g), sorted(g))):
        if not any(smaller <= group for smaller in out):
            out.append(group)
    return frozenset(out[:_GROUPS])


def _has_column(tree: object) -> bool:
    return any(n.get("class") in ("COLUMN_REF", "STAR") for n in _all(tree))


def _ctes(node: Node) -> dict[str, Node]:
    """The common table expressions of a query, by name."""
    ctes = node.get("cte_map")
    listed = ctes.get("map", ()) if isinstance(ctes, dict) else ()
    return {str(c["key"]).lower(): c["value"].get("query_node") or c["value"]["query"]["node"] for c in listed}


def _all(tree: object, enter: Callable[[Node], bool] = lambda _: True) -> Iterable[Node]:
    """Every node of a tree; what `enter` refuses is left out with all that is in it."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if enter(node):
                yield node
                todo += node.values()
        elif isinstance(node, list):
            todo += node


@cache
def _parsed(sql: str) -> Node:
    """The root of a query's parse, or of the query or expression of a CREATE statement; empty where DuckDB can't tell."""
    query = sql
    if head := CREATES.search(sql):
        query = _AS.split(sql[head.end() :], maxsplit=1)[-1].strip().rstrip(";")
        if re.match(r"CREATE\s+(OR\s+REPLACE\s+)?(MACRO|FUNCTION)", head[0], re.IGNORECASE):
            query = query[5:] if query[:5].upper() == "TABLE" else f"SELECT {query}"
    (tree,) = duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone() or ("{}",)
    statements = json.loads(tree).get("statements")
    return statements[0]["node"] if statements else {}
