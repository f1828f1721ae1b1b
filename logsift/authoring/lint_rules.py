"""The linter of rules and of what is asked for: their queries, and the templates of their words."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

import duckdb
from jinja2 import TemplateError

from logsift.content.errors import ContentError
from logsift.content.incident import RESULT
from logsift.content.model import Phrase
from logsift.judge.words import GIVEN, names_in, odd, tried

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from logsift.content.errors import Origin
    from logsift.content.model import Missing, Rule
    from logsift.store import Store


_TYPES = {
    "VARCHAR": re.compile(r"VARCHAR|ENUM.*"),
    "TIMESTAMP": re.compile(r"TIMESTAMP(_[A-Z]+)?|DATE"),
    "BIGINT[]": re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\[\]"),
    "VARCHAR[]": re.compile(r"VARCHAR\[\]"),
    "BOOLEAN": re.compile(r"BOOLEAN"),
    "STRUCT(file_id BIGINT, line_no BIGINT)[]": re.compile(r"STRUCT\(.*file_id .*line_no .*\)\[\]"),
}
"""What DuckDB calls the types that a rule's result may have, by the type that is declared."""
UNTYPED = re.compile(r"\"?NULL\"?(\[\])*|INTEGER(\[\])*")
"""A column that is NULL, or an empty list, in every branch of a query."""
_PLURAL = re.compile(r"\b[a-z]+\(e?s\)")
_PLACEHOLDER = re.compile(
    r"<[a-z_ ]+>|(?<![$,\w])(?:PID|HOSTS?|NODES?|PEER|PORT|RANK|JOB_?ID|DEVICE|GPU|FILE|PATH|ADDRESS)\b(?![=,-])"
)
"""What stands for a value in a command; `$PATH`, `RANK=`, a UUID and a list of column names are none."""
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_ALSO_CALLED = {"node": "host", "nodes": "hosts", "jobid": "job_id"}


def check_rule(store: Store, rule: Rule) -> Iterator[ContentError]:
    """Every mistake in a rule's query and words."""
    name = f"rule {rule.id}"
    try:
        statements = duckdb.extract_statements(rule.sql)
        if len(statements) != 1:
            yield ContentError(rule.origin, f"{name} holds {len(statements)} statements", "one SELECT")
            return
        types, rows = _described(store, rule.sql)
    except duckdb.Error as e:
        yield ContentError(rule.origin, f"{name}: {e}")
        return
    if rows:
        yield ContentError(
            rule.origin,
            f"{name} finds {rows} incident{'s' if rows > 1 else ''} in an empty database",
            "aggregate with GROUP BY, or filter what is NULL",
        )
    if "evidence" not in types:
        yield ContentError(rule.origin, f"{name}: the result has no column evidence", "[line_at(file_id, line_no)]")
    for column in sorted(types.keys() & {"summary", "action"}):
        yield ContentError(
            rule.origin, f"{name}: the result has a column {column}", "words are templates of the header"
        )
    for column, found in types.items():
        if (declared := RESULT.get(column)) is not None:
            if not _TYPES[declared[0]].fullmatch(found) and not UNTYPED.fullmatch(found):
                yield ContentError(rule.origin, f"{name}: column {column} is {found}, not {declared[0]}", declared[1])
        elif near := next((known for known in RESULT if _alike(column, known, types)), None):
            yield ContentError(rule.origin, f"{name}: column {column} is a fact; was {near} meant?", RESULT[near][1])
    facts = {c: kind for c, kind in types.items() if c != "evidence"}
    for header, phrases in (("summary", rule.summary), ("step", rule.steps)):
        for n, phrase in enumerate(phrases):
            place = rule.origin.section(f"[[{header}]]", n)
            said = f"{name}, {header}{f' {n + 1}' if header == 'step' else ''}"
            key = "say" if place is not rule.origin else header
            yield from _phrase(said, place, key, phrase, facts)
            if header == "step" and not phrase.say.rstrip().endswith((".", "%}")):
                yield ContentError(place, f"{said}: a step is a sentence", "end it with a full stop", phrase.say, key)


def check_missing(store: Store, source: Missing) -> Iterator[ContentError]:
    """Every mistake in the query and words of a missing source."""
    name = f"missing source {source.id}"
    try:
        types, rows = _described(store, source.sql)
    except duckdb.Error as e:
        yield ContentError(source.origin, f"{name}: {e}")
        return
    if rows:
        yield ContentError(source.origin, f"{name} asks for something in an empty database", "filter what is NULL")
    for key, text in (("what", source.what), ("why", source.why), ("how", source.how)):
        run = source.run if key == "how" else ()
        yield from _phrase(name, source.origin, key, Phrase(text, run=run), types, given={})


def _described(store: Store, sql: str) -> tuple[dict[str, str], int]:
    """The columns of a query with their types, and how many rows it has of nothing."""
    types = {str(r[0]): str(r[1]) for r in store.con.execute(f"DESCRIBE {sql}").fetchall()}
    return types, len(store.con.execute(sql).fetchall())


def _alike(name: str, known: str, types: Mapping[str, str]) -> bool:
    """A result column that is nearly called like one that logsift knows, which the result lacks."""
    return known not in types and name.strip("_") == known and name != known


def _phrase(
    name: str, origin: Origin, key: str, phrase: Phrase, types: Mapping[str, str], given: Mapping[str, str] = GIVEN
) -> Iterator[ContentError]:
    """A phrase and its commands: what they name is there, they render, and people can use them."""
    known = types.keys() | given.keys()
    try:
        if unknown := sorted(names_in(phrase) - known):
            near = get_close_matches(unknown[0], known, 3)
            hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(sorted(known))}"
            yield ContentError(origin, f"{name}: no fact {unknown[0]!r}", hint, phrase.say, key)
        else:
            yield from _rendered(name, origin, key, phrase, types, given)
    except TemplateError as e:
        yield ContentError(origin, f"{name}: not a template: {e}", "", phrase.say, key)
        return
    if found := _PLURAL.search(phrase.say):
        hint = "ranks | ranks, n | count('line'), x | agree('has', 'have')"
        yield ContentError(origin, f"{name}: {found[0]}", hint, phrase.say, key)
    for command in phrase.run:
        if _quotes_a_fact(command):
            hint = "leave the quotes out: every value is quoted by itself"
            yield ContentError(origin, f"{name}: a fact between quotes", hint, command, "run")
        for placeholder in placeholders(command, known):
            yield ContentError(
                origin,
                f"{name}: {placeholder} stands for a fact that is known",
                "name the fact in {{ }}",
                command,
                "run",
            )


def placeholders(command: str, known: Collection[str]) -> list[str]:
    """Placeholder in a command for the value of a fact that is known."""
    plain = _TEMPLATE.sub("", command)
    found = {m[0]: m[0].strip("<>").lower().replace(" ", "_") for m in _PLACEHOLDER.finditer(plain)}
    return [shown for shown, name in found.items() if name in known or _ALSO_CALLED.get(name) in known]


def _rendered(
    name: str, origin: Origin, key: str, phrase: Phrase, types: Mapping[str, str], given: Mapping[str, str]
) -> Iterator[ContentError]:
    """A phrase as it reads where every fact has a value of its column's type."""
    facts = {c: _value(c, kind) for c, kind in (dict(given) | dict(types)).items()}
    try:
        sentence, commands = tried(phrase, facts)
    except Exception as e:  # whatever a template does with a value of the declared type
        why = f"{type(e).__name__}: {e}"
        help = "it was tried with a value of its type for every fact: DESCRIBE the query"
        yield ContentError(origin, f"{name} can't be rendered: {why}", help, phrase.say, key)
        return
    if found := odd(sentence):
        yield ContentError(origin, f"{name} reads badly: {found!r}", "", sentence, key)
    for command in commands:
        if found := odd(command, command=True):
            yield ContentError(origin, f"{name}: a command with {found!r}", "", command, "run")


_STRUCT_FIELD = re.compile(r'"?(\w+)"? ([A-Z]\w*(?:\([^()]*\))?(?:\[\])*)')


def _value(name: str, kind: str) -> object:
    """A value of a SQL type, for a column of that name."""
    if kind.endswith("[]"):
        return [_value(name, kind.removesuffix("[]"))]
    if kind.startswith("STRUCT("):
        return {field: _value(field, inner) for field, inner in _STRUCT_FIELD.findall(kind[len("STRUCT(") : -1])}
    if kind.startswith(("TIMESTAMP", "DATE")):
        return datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - as a store gives times
    if kind == "INTERVAL":
        return timedelta(seconds=90)
    if kind == "BOOLEAN":
        return True
    if re.fullmatch(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?", kind):
        return 2
    if kind.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return 2.5
    return name


def _quotes_a_fact(command: str) -> bool:
    """True where a fact is put between quotes of the shell: it is quoted by itself, and would be taken out of them."""
    quote = ""
    for token in re.findall(r"\{\{.*?\}\}|\\.|.", command):
        if token.startswith("{{") and quote:
            return True
        if token in ("'", '"'):
            quote = "" if token == quote else quote or token
    return False
