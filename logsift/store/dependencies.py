"""What the content's SQL reads, told by DuckDB's own parse: which statement comes first, and which need not be asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import duckdb

if TYPE_CHECKING:
    from logsift.content.model import Relation

Node = Mapping[str, Any]
Needs = str | tuple["Needs", ...]
"""What must be so for a query to find anything: `("all", …)` and `("any", …)` of others, and of

`table` (has rows), `table.column=value` (has a row with this value), `table.column` (has a row with any), each also behind
a `!`: has none.
"""
ALWAYS: Needs = ("all",)
NEVER: Needs = ("any",)
_NAMED = re.compile(r'"(?:table_name|function_name)":"([^"]+)"')
_COMMON_TABLE = re.compile(r'"key":"([^"]+)","value":\{')
_UNION = re.compile(r'\{"error":false,"statements":\[\{"node":\{"type":"SET_OPERATION_NODE"')


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


@dataclass(frozen=True)
class _Common:
    """A common table, the ones its query sees, and what it needs."""

    query: Node
    scope: Scope
    needs: Needs


Scope = Mapping[str, _Common]


class Inputs:
    """Which tables must have rows for a query to find any, read through whatever views, joins and common tables.

    A join needs both its sides, a left join the left one, a union one of its parts, a condition `EXISTS (…)` or
    `x IN (…)` what it asks, `NOT EXISTS (FROM table)` a table without rows, `column = 'text'` a row with that text,
    `column IS NOT NULL` one with any; an aggregate without groups gives a row whatever there is. What is not understood counts as finding something always.
    """

    def __init__(
        self,
        tables: Iterable[str],
        engine: Iterable[str],
        searched: Iterable[str],
        relations: Iterable[Relation],
        whole: Collection[str] = (),
        known: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """`tables` are filled by formats, those of `engine` by itself in any run, `searched` where it finds something.

        `whole` are those of `engine` in which all rows are before the first query is asked. `known` is what some of the
        relations read, told before.
        """
        self.whole = frozenset(whole)
        self.made = {r.name: r for r in relations}
        self._known = known or {}
        self.tables, self.engine = frozenset(tables) | frozenset(searched), frozenset(engine)
        ends = self.tables | self.engine
        self.constant = frozenset(
            r.name for r in self.made.values() if r.kind == "table" and ends.isdisjoint(self._read({r.name}))
        )
        """Tables made of seeds alone: the same for every run, and whole as soon as they are defined."""
        self.filled = self.tables | {r.name for r in self.made.values() if r.kind == "table"} - self.constant
        self._of_view: dict[str, Needs] = {}
        listed = duckdb.execute("SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
        self._aggregates = {str(name).lower() for (name,) in listed.fetchall()}
        for name, made in self.made.items():
            if made.kind == "macro" and self._aggregated(_parsed(made.query).get("select_list")):
                self._aggregates.add(name)

    def of(self, sql: str) -> Needs:
        """What a query is asked for: what it needs, and of all that it reads one table."""
        names = references(sql)
        near = self._read(names, self.filled)
        if near & self.engine:  # which files there are may say what is in no made table
            read = self._read(names) & self.tables
        else:
            read = {name for name in near & self.filled if self._read({name}) & self.tables}
        needs = self.needs(sql)
        return _both(needs, _either(*sorted(read))) if read else needs

    def read_by(self, sql: str) -> frozenset[str]:
        """The tables filled by formats or the engine that a query reads, directly or through something else."""
        return (self.tables | self.engine) & self._read(references(sql))

    def direct(self, sql: str) -> frozenset[str]:
        """The tables made of others that a query reads itself, or through views and macros."""
        return (self.filled - self.tables) & self._read(references(sql), self.filled)

    def closure(self, names: Iterable[str]) -> set[str]:
        """Some relations and all that they read, directly or through something else."""
        return self._read(names)

    def _read(self, names: Iterable[str], ends: frozenset[str] = frozenset()) -> set[str]:
        """All that is read, directly or through something else; what `ends` holds is not looked into."""
        todo, seen = set(names), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                if (made := self.made.get(name)) and name not in ends:
                    todo |= references(made.query) if name not in self._known else set(self._known[name])
        return seen

    def needs(self, sql: str) -> Needs:
        """What a query needs to find anything, by its parse."""
        return self._node(_parsed(sql), {})

    def _node(self, node: Node, scope: Scope) -> Needs:
        """Of a query."""
        scope = self._seen(node, scope)
        match node.get("type"):
            case "SELECT_NODE":
                if self._one_row_of_nothing(node):
                    return ALWAYS
                table = node["from_table"]
                named = _aliases(table)
                return _both(
                    self._table(table, scope),
                    self._condition(node.get("where_clause"), scope, named),
                    self._joined_on(table, scope, named),
                )
            case "SET_OPERATION_NODE":
                each = [self._node(part, scope) for part in _parts(node)]
                return _either(*each) if str(node["setop_type"]).startswith("UNION") else each[0]
            case "RECURSIVE_CTE_NODE":
                return self._node(node["left"], scope)
        return ALWAYS

    def _seen(self, node: Node, scope: Scope) -> Scope:
        """The common tables that a query sees."""
        out = dict(scope)
        for name, query in _ctes(node).items():
            out[name] = _Common(query, dict(out), self._node(query, out))
        return out

    def _table(self, node: Node, scope: Scope) -> Needs:
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

    def _named(self, name: str, scope: Scope) -> Needs:
        if name in scope:
            return scope[name].needs
        if name in self.filled:
            return name
        if name not in self.made:
            return ALWAYS
        if name not in self._of_view:
            self._of_view[name] = self.needs(self.made[name].query)
        return self._of_view[name]

    def _joined_on(self, node: Node, scope: Scope, named: Mapping[str, str]) -> Needs:
        """Of the conditions of inner joins."""
        if node.get("type") != "JOIN" or node["join_type"] != "INNER":
            return ALWAYS
        return _both(
            self._joined_on(node["left"], scope, named),
            self._joined_on(node["right"], scope, named),
            self._condition(node.get("condition"), scope, named),
        )

    def _condition(self, node: Node | None, scope: Scope, named: Mapping[str, str]) -> Needs:
        """Of a WHERE clause: what each of its parts asks."""
        if not node:
            return ALWAYS
        match node["type"]:
            case "CONJUNCTION_AND":
                return _both(*(self._condition(part, scope, named) for part in node["children"]))
            case "CONJUNCTION_OR":
                return _either(*(self._condition(part, scope, named) for part in node["children"]))
            case "COMPARE_EQUAL" | "COMPARE_IN":
                if asked := _values_asked(node):
                    return self._value(named.get(asked.alias, ""), asked.column, asked.texts, scope)
            case "OPERATOR_NOT":
                return self._absent(node["children"][0], scope)
            case "OPERATOR_IS_NOT_NULL":
                return self._given(node["children"][0], scope, named)
            case "SUBQUERY" if node["subquery_type"] in ("EXISTS", "ANY"):
                return self._node(node["subquery"]["node"], scope)
        return ALWAYS

    def _absent(self, node: Node, scope: Scope) -> Needs:
        """Of `NOT EXISTS (FROM table)`, also of one with a value: whatever else such a query says is not understood."""
        if node["type"] != "SUBQUERY" or node["subquery_type"] != "EXISTS":
            return ALWAYS
        query = node["subquery"]["node"]
        if query["type"] != "SELECT_NODE" or _ctes(query) or any(query[k] for k in _THAT_LEAVE_OUT):
            return ALWAYS
        named, where = _aliases(query["from_table"]), query["where_clause"]
        name = named.get("", "")
        if name not in self.filled or name in scope:
            return ALWAYS
        if not where:
            return f"!{name}"
        asked = _values_asked(where) if where["type"] in ("COMPARE_EQUAL", "COMPARE_IN") else None
        if not asked or asked.alias not in named:
            return ALWAYS
        return _both(*(f"!{with_value(name, asked.column, text)}" for text in asked.texts))

    def _given(self, node: Node, scope: Scope, named: Mapping[str, str]) -> Needs:
        """Of an expression that is not NULL."""
        if node["type"] == "OPERATOR_COALESCE":
            return _either(*(self._given(part, scope, named) for part in node["children"]))
        if node["class"] != "COLUMN_REF" or len(node["column_names"]) > 2:
            return ALWAYS
        *alias, column = (str(part).lower() for part in node["column_names"])
        return self._value(named.get(alias[0] if alias else "", ""), column, (), scope)

    def _value(self, name: str, column: str, texts: Sequence[str], scope: Scope) -> Needs:
        """Of one of these texts in a column, of any value where there are none: of a table, or of what a view or a common table has it from."""
        if name in scope:
            return self._value_of(scope[name].query, column, texts, scope[name].scope)
        if name in self.filled | self.whole:
            return _either(*(with_value(name, column, text) for text in texts)) if texts else with_value(name, column)
        if name in self.made:
            return self._value_of(_parsed(self.made[name].query), column, texts, {})
        return ALWAYS

    def _value_of(self, node: Node, column: str, texts: Sequence[str], scope: Scope) -> Needs:
        """Of one of these texts in a column that a query gives, of any value where there are none."""
        scope = self._seen(node, scope)
        if node.get("type") == "SET_OPERATION_NODE" and node["setop_type"] == "UNION_BY_NAME":
            return _either(
                *(_both(self._node(part, scope), self._value_of(part, column, texts, scope)) for part in _parts(node))
            )
        if node.get("type") != "SELECT_NODE":
            return ALWAYS
        named, listed = _aliases(node["from_table"]), node["select_list"]
        given = [item for item in listed if column in (item["alias"].lower(), *_last(item))]
        star = [item for item in listed if item["type"] == "STAR"]
        if len(given) == 1 and given[0]["class"] == "COLUMN_REF" and len(given[0]["column_names"]) <= 2:
            *alias, own = (str(part).lower() for part in given[0]["column_names"])
            return self._value(named.get(alias[0] if alias else "", ""), own, texts, scope)
        if len(given) == 1 and given[0]["class"] == "CONSTANT" and not star:
            return ALWAYS if not texts or given[0]["literal"].get("text") in texts else NEVER
        if len(given) == 1 and given[0]["type"] == "OPERATOR_COALESCE" and not texts and not star:
            return self._given(given[0], scope, named)
        if not given and len(star) == 1 and _is_plain(star[0]):
            return self._value(named.get("", ""), column, texts, scope)
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


_THAT_LEAVE_OUT = ("modifiers", "group_sets", "having", "qualify", "sample")
"""The parts of a SELECT, beside WHERE, that may leave rows out."""


class _Asked(NamedTuple):
    """`alias.column IN (texts)`."""

    alias: str
    column: str
    texts: Sequence[str]


def _values_asked(node: Node) -> _Asked | None:
    """What `column = 'text'` or `column IN ('text', …)` asks for."""
    parts = node.get("children") or [node["left"], node["right"]]
    columns = [p["column_names"] for p in parts if p.get("class") == "COLUMN_REF"]
    texts = [
        p["literal"]["text"] for p in parts if p.get("class") == "CONSTANT" and p["literal"].get("kind") == "STRING"
    ]
    if len(columns) != 1 or len(texts) != len(parts) - 1 or len(columns[0]) > 2:
        return None
    *alias, column = (str(name).lower() for name in columns[0])
    return _Asked(alias[0] if alias else "", column, texts)


def _aliases(table: Node) -> dict[str, str]:
    """Alias -> relation, of those behind FROM; "" -> the only one there is."""
    out = {
        str(part.get("alias") or part["table_name"]).lower(): str(part["table_name"]).lower()
        for part in _all(table, lambda n: n.get("type") != "SUBQUERY")
        if part.get("type") == "BASE_TABLE" and not part["column_name_alias"]
    }
    return {**out, "": next(iter(out.values()))} if out and table.get("type") == "BASE_TABLE" else out


def _parts(node: Node) -> list[Node]:
    """The parts of a union."""
    return node.get("children") or [node["left"], node["right"]]


def _last(item: Node) -> list[str]:
    """The name that a column has where it is given none."""
    return [str(item["column_names"][-1]).lower()] if item["class"] == "COLUMN_REF" and not item["alias"] else []


def _is_plain(star: Node) -> bool:
    return not any(star[k] for k in ("relation_name", "replace_list", "rename_list", "columns", "expr"))


def with_value(table: str, column: str, text: str | None = None) -> str:
    """What stands in a group of needs for a table that has a row with this value, or with any."""
    return f"{table}.{column}" if text is None else f"{table}.{column}={text}"


def columns_asked(needs: Needs) -> set[tuple[str, str, bool]]:
    """The (table, column) pairs whose values are asked for, each with whether it matters which."""
    if not isinstance(needs, str):
        return set().union(*map(columns_asked, needs[1:]))
    named, of_value, _ = needs.lstrip("!").partition("=")
    table, _, column = named.partition(".")
    return {(table, column, bool(of_value))} if column else set()


def may_find(needs: Needs | list[Any], filled: Container[str]) -> bool:
    """True where what a query needs is so; `filled` are the tables with rows, and those with the values that are asked for."""
    if isinstance(needs, str):
        return needs[1:] not in filled if needs.startswith("!") else needs in filled
    is_all = needs[0] == "all"  # asked a thousand times a run: a generator takes twice as long
    for part in needs[1:]:
        if may_find(part, filled) is not is_all:
            return not is_all
    return is_all


def _both(*parts: Needs) -> Needs:
    return _joined("all", parts)


def _either(*parts: Needs) -> Needs:
    return _joined("any", parts)


def _joined(kind: Literal["all", "any"], parts: Iterable[Needs]) -> Needs:
    """The parts as one, without what is said twice."""
    each = dict.fromkeys(
        one for part in parts for one in (part[1:] if isinstance(part, tuple) and part[0] == kind else [part])
    )
    if (decided := NEVER if kind == "all" else ALWAYS) in each:
        return decided
    # a AND (a OR b) is a; a OR (a AND b) too.
    kept = [one for one in each if isinstance(one, str) or each.keys().isdisjoint(one[1:])]
    return kept[0] if len(kept) == 1 else (kind, *kept)


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
