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
    from logsift.content.model import Relation

Node = Mapping[str, Any]
Needs = frozenset[frozenset[str]]
"""Groups of tables, or of tables with a value (`table.column=value`): where nothing of a group is there, a query finds nothing.

Without groups it may find something always.
"""
ALWAYS: Needs = frozenset()
_NAMED = re.compile(r'"(?:table_name|function_name)":"([^"]+)"')
_COMMON_TABLE = re.compile(r'"key":"([^"]+)","value":\{')
_UNION = re.compile(r'\{"error":false,"statements":\[\{"node":\{"type":"SET_OPERATION_NODE"')
_GROUPS = 32
"""More groups than this are not told apart: fewer of them let a query be asked more often, which is never wrong."""


@cache
def references(sql: str) -> frozenset[str]:
    """Names of the tables, views and macros a query reads or calls."""
    # Looked up in the text of the parse: to walk its tree takes ten times as long.
    tree = _serialized(sql)
    names = {m.lower() for m in _NAMED.findall(tree)}
    return frozenset(names - {m.lower() for m in _COMMON_TABLE.findall(tree)})


def ordered(relations: Sequence[Relation]) -> list[Relation]:
    """The relations, each after those that it reads or calls.

    Raises:
        ValueError: they use each other in a circle.
    """
    by_name = {r.name: r for r in relations}
    graph = {name: (references(r.query) & by_name.keys()) - {name} for name, r in by_name.items()}
    try:
        return [by_name[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as e:
        raise ValueError(f"views use each other in a circle: {', '.join(sorted(set(e.args[1])))}") from None


@cache
def branches(sql: str, *, rows: bool = False) -> tuple[tuple[str, bool], ...]:
    """The branches of a union as queries of their own, each with whether its columns go by name.

    Only a UNION ALL BY NAME at the top is taken apart; for a table's own query, where what each branch gives is inserted,
    one by position too. Every branch keeps the common tables it reads. With `rows` the results are read by name.
    """
    whole = ((sql, False),)
    text = _serialized(sql)
    if not _UNION.match(text):
        return whole
    tree = json.loads(text)
    node = tree["statements"][0]["node"]
    by_name = node.get("setop_type") == "UNION_BY_NAME"
    if not node.get("setop_all") or node.get("modifiers"):
        return whole
    if not by_name and (rows or node.get("setop_type") != "UNION"):
        return whole
    out = []
    common = {c["key"]: c for c in node["cte_map"]["map"]}
    for part in node["children"]:
        kept = _reachable(part, common)
        own = part.get("cte_map", {}).get("map", [])
        one = {**part, "cte_map": {"map": [*(common[name] for name in common if name in kept), *own]}}
        given = json.dumps({**tree, "statements": [{**tree["statements"][0], "node": one}]}, separators=(",", ":"))
        (query,) = duckdb.execute("SELECT json_deserialize_sql(?::JSON)", [given]).fetchone() or (sql,)
        _serialized_before[str(query)] = given
        out.append((str(query), by_name))
    return tuple(out)


def _reachable(part: Node, common: Mapping[str, Node]) -> set[str]:
    """The common tables that a branch reads, directly or through others."""
    todo: list[object] = [part]
    kept: set[str] = set()
    while todo:
        for n in _all(todo.pop()):
            name = n.get("table_name") if n.get("type") == "BASE_TABLE" else None
            for key in common:
                if name is not None and key.lower() == str(name).lower() and key not in kept:
                    kept.add(key)
                    todo.append(common[key])
    return kept


class Inputs:
    """Which tables must have rows for a query to find any, read through whatever views, joins and common tables.

    A join needs both its sides, a left join the left one, a union one of its parts, a condition `EXISTS (…)` or
    `x IN (…)` what it asks; an aggregate without groups gives a row whatever there is. What is not understood counts as
    finding something always.
    """

    def __init__(
        self, tables: Iterable[str], engine: Iterable[str], searched: Iterable[str], relations: Iterable[Relation]
    ) -> None:
        """`tables` are filled by formats, those of `engine` by itself in any run, `searched` where it finds something."""
        self.made = {r.name: r for r in relations}
        self.tables, self.engine = frozenset(tables) | frozenset(searched), frozenset(engine)
        ends = self.tables | self.engine
        self.constant = frozenset(
            r.name
            for r in self.made.values()
            if r.kind == "table" and ends.isdisjoint(self._read({r.name}, as_said=False))
        )
        """Tables made of seeds alone: the same for every run, and whole as soon as they are defined."""
        self.filled = self.tables | {r.name for r in self.made.values() if r.kind == "table"} - self.constant
        self._of_view: dict[str, Needs] = {}
        listed = duckdb.execute("SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
        self._aggregates = {str(name).lower() for (name,) in listed.fetchall()}
        for name, made in self.made.items():
            if made.kind == "macro" and self._aggregated(_parsed(made.query).get("select_list")):
                self._aggregates.add(name)

    def of(self, sql: str, said: frozenset[str] = frozenset()) -> Needs:
        """The groups a query is asked for: those it needs, those that are `said`, and of all that it reads one table."""
        names = set(said or references(sql))
        near = self._read(names, self.filled)
        if near & self.engine:  # which files there are may say what is in no made table
            read = self._read(names) & self.tables
        else:
            read = {name for name in near & self.filled if self._read({name}) & self.tables}
        needs = self.needs(sql, said)
        return _both(needs, frozenset([frozenset(read)])) if read else needs

    def read_by(self, sql: str) -> frozenset[str]:
        """The tables filled by formats or the engine that a query reads, directly or through something else."""
        return (self.tables | self.engine) & self._read(references(sql), as_said=False)

    def closure(self, names: Iterable[str]) -> set[str]:
        """Some relations and all that they read, directly or through something else."""
        return self._read(names, as_said=False)

    def _read(self, names: Iterable[str], ends: frozenset[str] = frozenset(), *, as_said: bool = True) -> set[str]:
        """All that is read, directly or through something else; what `ends` holds is not looked into.

        `as_said` takes the tables that a relation is said to need for all that it reads.
        """
        todo, seen = set(names), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                if (made := self.made.get(name)) and name not in ends:
                    todo |= (as_said and made.needs) or references(made.query)
        return seen

    def needs(self, sql: str, said: frozenset[str] = frozenset()) -> Needs:
        """The groups of tables of which a query needs one each to find anything, by its parse and by what is `said`."""
        found = self._node(_parsed(sql), {})
        return _both(found, frozenset([said])) if said else found

    def _node(self, node: Node, scope: Mapping[str, Needs]) -> Needs:
        """Of a query."""
        scope = dict(scope)
        for name, query in _ctes(node).items():
            scope[name] = self._node(query, scope)
        match node.get("type"):
            case "SELECT_NODE":
                if self._one_row_of_nothing(node):
                    return ALWAYS
                named = self._names(node["from_table"], scope)
                needs = _both(
                    self._table(node["from_table"], scope), self._condition(node.get("where_clause"), scope, named)
                )
                return _both(needs, self._joined_on(node["from_table"], scope, named))
            case "SET_OPERATION_NODE":
                parts = node.get("children") or [node["left"], node["right"]]
                each = [self._node(part, scope) for part in parts]
                return reduce(_either, each) if str(node["setop_type"]).startswith("UNION") else each[0]
            case "RECURSIVE_CTE_NODE":
                return self._node(node["left"], scope)
        return ALWAYS

    def _table(self, node: Node, scope: Mapping[str, Needs]) -> Needs:
        """Of what follows FROM."""
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
            self._of_view[name] = self.needs(self.made[name].query, self.made[name].needs)
        return self._of_view[name]

    def _names(self, node: Node, scope: Mapping[str, Needs]) -> dict[str, str]:
        """Alias -> table, of the tables with rows of their own behind FROM; "" -> the only one there is."""
        out: dict[str, str] = {}
        parts = list(_all(node, lambda n: n.get("type") != "SUBQUERY"))
        for part in parts:
            name = str(part.get("table_name", "")).lower()
            if part.get("type") == "BASE_TABLE" and name in self.filled and name not in scope:
                out[str(part.get("alias") or name).lower()] = name
        if node.get("type") == "BASE_TABLE" and len(out) == 1:
            out[""] = next(iter(out.values()))
        return out

    def _joined_on(self, node: Node, scope: Mapping[str, Needs], named: Mapping[str, str]) -> Needs:
        """Of the conditions of inner joins."""
        if node.get("type") != "JOIN" or node["join_type"] != "INNER":
            return ALWAYS
        inner = _both(self._joined_on(node["left"], scope, named), self._joined_on(node["right"], scope, named))
        return _both(inner, self._condition(node.get("condition"), scope, named))

    def _condition(self, node: Node | None, scope: Mapping[str, Needs], named: Mapping[str, str]) -> Needs:
        """Of a WHERE clause: what each of its parts asks that must all hold."""
        if node and node.get("type") == "CONJUNCTION_AND":
            return reduce(_both, (self._condition(part, scope, named) for part in node["children"]))
        if node and node.get("type") in ("COMPARE_EQUAL", "COMPARE_IN"):
            return _value_asked(node, named)
        if node and node.get("class") == "SUBQUERY" and node["subquery_type"] in ("EXISTS", "ANY"):
            return self._node(node["subquery"]["node"], scope)
        return ALWAYS

    def _one_row_of_nothing(self, node: Node) -> bool:
        """True for a SELECT that gives a row where its tables have none: it aggregates without keys, and HAVING lets that row pass."""
        if _asks_for_rows(node.get("having")):
            return False
        if node["aggregate_handling"] == "FORCE_AGGREGATES":  # GROUP BY ALL: its keys are what does not aggregate
            return not any(_has_column(item) and not self._aggregated(item) for item in node["select_list"])
        if node["group_expressions"]:
            return not all(node["group_sets"])
        return self._aggregated([node["select_list"], node.get("having")])

    def _aggregated(self, tree: object) -> bool:
        """True where an aggregate function is in an expression, outside of windows and subqueries."""
        inside = _all(tree, lambda n: n.get("class") not in ("WINDOW", "SUBQUERY"))
        return any(n.get("class") == "FUNCTION" and str(n["function_name"]).lower() in self._aggregates for n in inside)


_BELOW: Mapping[str, Callable[[int], bool]] = {
    "COMPARE_GREATERTHAN": lambda number: number >= 0,
    "COMPARE_GREATERTHANOREQUALTO": lambda number: number > 0,
    "COMPARE_EQUAL": lambda number: number > 0,
}
"""Whether a comparison with a number is false for a count of nothing."""


def _asks_for_rows(having: Node | None) -> bool:
    """True for a HAVING that is false where nothing is counted: `count(*) > 0`, also beside other conditions."""
    if not having:
        return False
    if having["type"] == "CONJUNCTION_AND":
        return any(_asks_for_rows(part) for part in having["children"])
    below = _BELOW.get(having["type"])
    counted = having.get("left", {}).get("function_name") in ("count", "count_star")
    number = having.get("right", {}).get("literal", {})
    return bool(below and counted and number.get("kind") == "INTEGER" and below(int(number["text"])))


def _value_asked(node: Node, named: Mapping[str, str]) -> Needs:
    """Of `column = 'text'` or `column IN ('text', …)`: the table must have a row with one of these values."""
    parts = node.get("children") or [node["left"], node["right"]]
    columns = [p["column_names"] for p in parts if p.get("class") == "COLUMN_REF"]
    texts = [
        p["literal"]["text"] for p in parts if p.get("class") == "CONSTANT" and p["literal"].get("kind") == "STRING"
    ]
    if len(columns) != 1 or len(texts) != len(parts) - 1 or len(columns[0]) > 2:
        return ALWAYS
    *alias, column = (str(name).lower() for name in columns[0])
    table = named.get(alias[0] if alias else "")
    return frozenset([frozenset(with_value(table, column, text) for text in texts)]) if table else ALWAYS


def with_value(table: str, column: str, text: str) -> str:
    """What stands in a group of needs for a table that has a row with this value."""
    return f"{table}.{column}={text}"


def columns_asked(needs: Iterable[Iterable[str]]) -> set[tuple[str, str]]:
    """The (table, column) pairs whose values groups of needs ask for."""
    named = (one.partition("=")[0] for group in needs for one in group if "=" in one)
    return {(table, column) for table, _, column in (n.partition(".") for n in named)}


def may_find(needs: Iterable[Iterable[str]], filled: frozenset[str] | set[str]) -> bool:
    """True where every group has a table with rows, or with rows of the value it asks for."""
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
    """The root of a query's parse; empty where DuckDB can't tell."""
    statements = json.loads(_serialized(sql)).get("statements")
    return statements[0]["node"] if statements else {}


_serialized_before: dict[str, str] = {}
"""The parses that queries were written from: to parse these again is half the work of defining a store's relations."""


@cache
def _serialized(sql: str) -> str:
    """A query's parse as JSON."""
    if sql in _serialized_before:
        return _serialized_before.pop(sql)
    (tree,) = duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone() or ("{}",)
    return str(tree)
