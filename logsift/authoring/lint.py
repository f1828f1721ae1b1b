"""The linter of content: everything a start does not check because it costs time. `logsift check` and the tests run it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import regex
from jinja2 import TemplateError

from logsift.content.errors import ContentError, ContentErrors, Origin
from logsift.content.incident import RESULT
from logsift.content.interface import INTERFACE
from logsift.content.model import ENVELOPE_FACTS, Catalog, Envelope, Grammar, Missing, Pattern, Phrase, Rule, Sample
from logsift.ingest.capture import capture
from logsift.ingest.envelope import FACTS, Envelopes, take_off
from logsift.ingest.match import constant, finish
from logsift.ingest.readers import NAMES
from logsift.judge.words import GIVEN, names_in
from logsift.store.create import create

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from logsift.store import Store

_NOW = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_UNICODE_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\\[dwDW]")


def check(catalog: Catalog) -> list[ContentError]:
    """Every mistake in content that loads: samples, rejects, shadowing, both regex engines, SQL."""
    errors = [*_names(catalog)]
    shared = Envelopes.of(catalog.envelopes, [])
    for envelope in catalog.envelopes:
        errors += _envelope(envelope)
    for grammar in catalog.grammars:
        if grammar.reader not in NAMES:
            errors.append(
                ContentError(grammar.origin, f"no reader {grammar.reader!r}", f"there are: {', '.join(sorted(NAMES))}")
            )
        if grammar.envelope:
            errors += _regex(grammar.envelope.regex, grammar.envelope.origin)
        lines = _Lines(grammar, shared)
        for n, pattern in enumerate(grammar.patterns):
            errors += _pattern(catalog, pattern, grammar.patterns[:n], lines)
    return [*errors, *_counted_twice(catalog), *_sql(catalog)]


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
                    table.origin, f"column {table.name}.{c.name} is a reserved word of SQL", "choose another name"
                )
            first = types.setdefault(c.name, (c.type, c.unit, table.origin))
            if first[:2] != (c.type, c.unit):
                yield ContentError(
                    table.origin, f"column {c.name} is {c.type} [{c.unit}] in {table.name}, elsewhere {first[0]} [{first[1]}]",
                    f"one name, one meaning: the other is at {first[2]}",
                )  # fmt: skip


def _envelope(envelope: Envelope) -> Iterator[ContentError]:
    yield from _regex(envelope.regex, envelope.origin)
    if not envelope.samples:
        yield ContentError(envelope.origin, f"envelope {envelope.id!r} has no sample")
    for sample in envelope.samples:
        if not any(n in sample.line for n in envelope.needles or ("",)):
            yield ContentError(
                envelope.origin,
                f"envelope {envelope.id!r}: its needle is not in the sample",
                snippet=sample.line,
            )
        elif not re.search(envelope.regex, sample.line):
            yield ContentError(
                envelope.origin, f"envelope {envelope.id!r} does not match its sample", snippet=sample.line
            )
        else:
            row = take_off(_lines([sample.line]), envelope)[0].row(0, named=True)
            yield from _compare(f"envelope {envelope.id!r}", envelope.origin, sample, row)


def _pattern(catalog: Catalog, p: Pattern, earlier: tuple[Pattern, ...], lines: _Lines) -> Iterator[ContentError]:
    name = f"pattern {p.id!r}"
    yield from _regex(p.regex, p.origin)
    if not p.samples:
        yield ContentError(p.origin, f"{name} has no sample", "a line as the program prints it, and the row it gives")
    groups, filled = set(re.compile(p.regex).groupindex), set()
    for sample in p.samples:
        if not all(any(n in sample.line for n in literals) for literals in (p.needles, p.also_needs) if literals):
            yield ContentError(p.origin, f"{name}: no needle is in the sample", snippet=sample.line)
            continue
        records = lines.records(sample.line)
        bodies = records["body"].to_list()
        found = next((n for n, body in enumerate(bodies) if re.search(p.regex, body)), None)
        if found is None:
            yield ContentError(
                p.origin, f"{name} does not match its sample", "after envelopes the line reads as shown", bodies[0]
            )
            continue
        body = bodies[found]
        for other in earlier:
            if (
                other.inside == p.inside
                and re.search(other.regex, body)
                and (not other.needles or any(n in sample.line for n in other.needles))
            ):
                yield ContentError(
                    p.origin,
                    f"{name}: {other.id!r} above it takes this sample",
                    "make one of them narrower",
                    sample.line,
                )
        at = records[found]
        _, groups_of = capture(at["body"], p.regex)
        captured = at.hstack(groups_of.rename({c: f"own__{c}" for c in groups_of.columns if c in at.columns}))
        row = captured.row(0, named=True)
        filled |= {g for g in groups if row.get(f"own__{g}", row.get(g)) is not None}
        if p.table:
            yield from _compare(name, p.origin, sample, _row(catalog, p, captured))
    if p.samples and (lost := sorted(groups - filled)):
        yield ContentError(
            p.origin, f"{name}: no sample ever fills ({lost[0]})",
            "every named group must be captured by at least one sample; `.*?` before an optional group is the usual reason", p.regex,
        )  # fmt: skip
    for line in p.rejects:
        bodies = lines.records(line)["body"].to_list()
        if (not p.needles or any(n in line for n in p.needles)) and any(re.search(p.regex, b) for b in bodies):
            yield ContentError(p.origin, f"{name} matches what it should reject", snippet=line)


def _regex(pattern: str, origin: Origin) -> Iterator[ContentError]:
    try:
        pl.Series([""]).str.extract_groups(pattern)
    except pl.exceptions.PolarsError as e:
        yield ContentError(
            origin,
            f"not a regular expression of the Rust engine: {str(e).splitlines()[-1]}",
            "no look-around, no back-references",
            pattern,
        )
    try:
        regex.compile(pattern)
    except regex.error as e:
        yield ContentError(origin, f"not a regular expression: {e}", snippet=pattern)
    if found := _UNICODE_CLASS.search(pattern):
        yield ContentError(
            origin,
            f"{found[0]} means every digit or letter of Unicode",
            "write [0-9], [0-9A-Za-z_]: three times as fast",
            pattern,
        )


_SCHEMA = {
    "file_id": pl.Int64(), "line_no": pl.Int64(), "raw": pl.String(), "core": pl.Boolean(), "written": pl.Datetime("us"),
    "body": pl.String(), **FACTS, "seq": pl.UInt32(),
}  # fmt: skip


def _lines(lines: Sequence[str]) -> pl.DataFrame:
    """Lines as records that no envelope was taken off yet, each of a file of its own."""
    blank = dict.fromkeys(FACTS)
    rows = [
        {"file_id": n, "line_no": 1, "raw": x, "core": True, "written": _NOW, "body": x, **blank, "seq": n}
        for n, x in enumerate(lines)
    ]
    return pl.DataFrame(rows, _SCHEMA)


class _Lines:
    """All samples and rejects of a grammar, stripped in one go: a strip costs more than a line."""

    def __init__(self, grammar: Grammar, shared: Envelopes) -> None:
        known = {s.line for p in grammar.patterns for s in p.samples} | {x for p in grammar.patterns for x in p.rejects}
        self.number = {line: n for n, line in enumerate(sorted(known))}
        plain = _lines(list(self.number)).select("file_id", "line_no", "raw", "core", "written")
        records = shared.strip(plain)
        if grammar.envelope:
            taken, fits = take_off(records, grammar.envelope)
            records = pl.concat([records.filter(~fits), taken]).sort("seq")
        self.parts = {int(str(k[0])): part for k, part in records.partition_by("file_id", as_dict=True).items()}

    def records(self, line: str) -> pl.DataFrame:
        """What is left of a line after envelopes: one record, or several that were glued together."""
        return self.parts[self.number[line]]


def _row(catalog: Catalog, p: Pattern, captured: pl.DataFrame) -> Mapping[str, Any]:
    own = {c.removeprefix("own__"): c for c in captured.columns if c.startswith("own__")}
    captured = captured.with_columns(pl.coalesce(pl.col(o), pl.col(c).cast(pl.String)).alias(c) for c, o in own.items())
    captured = captured.with_columns(pl.lit(constant(v)).alias(k) for k, v in p.set.items())
    row: dict[str, Any] = finish(captured, catalog.tables[p.table])[0].row(0, named=True)
    return row


def _compare(name: str, origin: Origin, sample: Sample, row: Mapping[str, Any]) -> Iterator[ContentError]:
    for key, want in sample.row.items():
        if key not in row and key not in ENVELOPE_FACTS:
            yield ContentError(origin, f"{name}: its sample expects {key}, which is no column here")
            continue
        got = row.get(key)
        shown = got.isoformat(sep=" ") if isinstance(got, datetime) else got
        if shown != want and not (
            isinstance(want, float) and isinstance(got, float) and abs(want - got) <= 1e-9 * abs(want)
        ):
            yield ContentError(origin, f"{name}: {key} = {shown!r}, its sample says {want!r}", snippet=sample.line)


def _sql(catalog: Catalog) -> Iterator[ContentError]:
    try:
        store = create(None, catalog)
    except ContentErrors as e:
        yield from e.errors
        return
    except ValueError as e:
        yield ContentError(Origin("rules/views", 1), str(e))
        return
    yield from _interface(store, catalog)
    for rule in catalog.rules:
        yield from _rule(store, rule)
    for source in catalog.missing:
        yield from _missing(store, source)


def _missing(store: Store, source: Missing) -> Iterator[ContentError]:
    name = f"missing source {source.id}"
    try:
        columns = {str(r[0]) for r in store.con.execute(f"DESCRIBE {source.sql}").fetchall()}
        rows = store.con.execute(source.sql).fetchall()
    except duckdb.Error as e:
        yield ContentError(source.origin, f"{name}: {e}")
        return
    if rows:
        yield ContentError(source.origin, f"{name} asks for something in an empty database", "filter what is NULL")
    for text in (source.what, source.why, source.how, *source.run):
        try:
            if unknown := sorted(names_in(Phrase(text)) - columns):
                yield ContentError(
                    source.origin, f"{name}: no fact {unknown[0]!r}", f"there are: {', '.join(sorted(columns))}", text
                )
        except TemplateError as e:
            yield ContentError(source.origin, f"{name}: not a template: {e}", snippet=text)
    for command in source.run:
        if _quotes_a_fact(command):
            yield ContentError(
                source.origin,
                f"{name}: a fact between quotes",
                "leave the quotes out: every value is quoted by itself",
                command,
            )


def _interface(store: Store, catalog: Catalog) -> Iterator[ContentError]:
    """What the engine asks of relations by name has the columns it reads."""
    made = {r.name: r.origin for r in catalog.relations} | {t.name: t.origin for t in catalog.tables.values()}
    for name, asked in INTERFACE.items():
        if name not in made:
            continue
        there = {str(r[0]): str(r[1]) for r in store.con.execute(f"DESCRIBE {name}").fetchall()}
        for column, kind in asked.columns.items():
            found = there.get(column)
            if found is None or (_kind_of(found) != _kind_of(kind) and not _UNTYPED.fullmatch(found)):
                yield ContentError(
                    made[name],
                    f"{name} has {'no column ' + column if found is None else f'{column} as {found}'}: the engine reads it as {kind}",
                    f"{name}: {asked.about}; columns: {', '.join(f'{c} {k}' for c, k in asked.columns.items())}",
                )


def _kind_of(sql: str) -> str:
    """Types that the engine reads alike."""
    return re.sub(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?", "INT", sql)


def _counted_twice(catalog: Catalog) -> Iterator[ContentError]:
    """A line of which two grammars make a row of one table: its values would count twice."""
    writers: dict[str, list[tuple[str, Pattern]]] = {}
    for grammar in catalog.grammars:
        if not grammar.owns:
            for p in grammar.patterns:
                if p.table and p.needles and not p.inside:
                    writers.setdefault(p.table, []).append((grammar.name, p))
    compiled = {id(p): re.compile(p.regex) for each in writers.values() for _, p in each}
    for each in writers.values():
        for name, p in each:
            for other_name, other in each:
                if other_name <= name:
                    continue
                for sample in (*p.samples, *other.samples):
                    line = sample.line
                    if (
                        all(any(n in line for n in q.needles) for q in (p, other))
                        and all(any(n in line for n in q.also_needs) for q in (p, other) if q.also_needs)
                        and all(compiled[id(q)].search(line) for q in (p, other))
                    ):
                        yield ContentError(
                            other.origin,
                            f"pattern {other.id!r}: {name}.{p.id} makes a row of {p.table} of the same line",
                            "a value would count twice: make one of them narrower",
                            line,
                        )
                        break


_TYPES = {
    "VARCHAR": re.compile(r"VARCHAR|ENUM.*"),
    "TIMESTAMP": re.compile(r"TIMESTAMP(_[A-Z]+)?|DATE"),
    "BIGINT[]": re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\[\]"),
    "VARCHAR[]": re.compile(r"VARCHAR\[\]"),
    "STRUCT(file_id BIGINT, line_no BIGINT)[]": re.compile(r"STRUCT\(.*file_id .*line_no .*\)\[\]"),
}
"""What DuckDB calls the types that a rule's result may have, by the type that is declared."""
_UNTYPED = re.compile(r"\"?NULL\"?(\[\])*|INTEGER(\[\])*")
"""A column that is NULL, or an empty list, in every branch of a query."""
_PLURAL = re.compile(r"\b[a-z]+\(e?s\)")
_PLACEHOLDER = re.compile(
    r"<[a-z_ ]+>|(?<![$,\w])(?:PID|HOST|HOSTS|NODE|PEER|PORT|RANK|JOBID|DEVICE|GPU|FILE|PATH|ADDRESS)\b(?![=,])"
)
"""What stands for a value in a command; `$PATH`, `RANK=` and a list of column names are none."""


def _rule(store: Store, rule: Rule) -> Iterator[ContentError]:
    try:
        statements = duckdb.extract_statements(rule.sql)
        if len(statements) != 1:
            yield ContentError(rule.origin, f"rule {rule.id} holds {len(statements)} statements", "one SELECT")
            return
        types = {str(r[0]): str(r[1]) for r in store.con.execute(f"DESCRIBE {rule.sql}").fetchall()}
        rows = store.con.execute(rule.sql).fetchall()
    except duckdb.Error as e:
        yield ContentError(rule.origin, f"rule {rule.id}: {e}")
        return
    if rows:
        yield ContentError(
            rule.origin,
            f"rule {rule.id} finds {len(rows)} incident(s) in an empty database",
            "aggregate with GROUP BY, or filter what is NULL",
        )
    if "evidence" not in types:
        yield ContentError(
            rule.origin, f"rule {rule.id}: the result has no column evidence", "[line_at(file_id, line_no)]"
        )
    for name in sorted(types.keys() & {"summary", "action"}):
        yield ContentError(
            rule.origin, f"rule {rule.id}: the result has a column {name}", "words are templates of the header"
        )
    for name, found in types.items():
        if (declared := RESULT.get(name)) is not None:
            if not _TYPES[declared[0]].fullmatch(found) and not _UNTYPED.fullmatch(found):
                yield ContentError(
                    rule.origin, f"rule {rule.id}: column {name} is {found}, not {declared[0]}", declared[1]
                )
        elif near := next((known for known in RESULT if _alike(name, known, types)), None):
            yield ContentError(
                rule.origin, f"rule {rule.id}: column {name} is a fact; was {near} meant?", RESULT[near][1]
            )
    yield from _words(rule, frozenset(types) - {"evidence"})


def _quotes_a_fact(command: str) -> bool:
    """True where a fact is put between quotes of the shell: it is quoted by itself, and would be taken out of them."""
    quote = ""
    for token in re.findall(r"\{\{.*?\}\}|\\.|.", command):
        if token.startswith("{{") and quote:
            return True
        if token in ("'", '"'):
            quote = "" if token == quote else quote or token
    return False


def _alike(name: str, known: str, types: Mapping[str, str]) -> bool:
    """A result column that is nearly called like one that logsift knows, which the result lacks."""
    return known not in types and name.strip("_") == known and name != known


def _words(rule: Rule, columns: frozenset[str]) -> Iterator[ContentError]:
    """The templates of a rule: what they name is there, and they are sentences and commands that people can use."""
    said = [("summary", p) for p in rule.summary] + [(f"step {n}", p) for n, p in enumerate(rule.steps, 1)]
    for what, phrase in said:
        name = f"rule {rule.id}, {what}"
        try:
            if unknown := sorted(names_in(phrase) - columns - GIVEN):
                near = get_close_matches(unknown[0], columns | GIVEN, 3)
                hint = (
                    f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(sorted(columns | GIVEN))}"
                )
                yield ContentError(rule.origin, f"{name}: no fact {unknown[0]!r}", hint, phrase.say)
        except TemplateError as e:
            yield ContentError(rule.origin, f"{name}: not a template: {e}", snippet=phrase.say)
            continue
        if what != "summary" and not phrase.say.rstrip().endswith((".", "%}")):
            yield ContentError(rule.origin, f"{name}: a step is a sentence", "end it with a full stop", phrase.say)
        if found := _PLURAL.search(phrase.say):
            yield ContentError(
                rule.origin,
                f"{name}: {found[0]}",
                "ranks | ranks, n | count('line'), x | agree('has', 'have')",
                phrase.say,
            )
        for command in phrase.run:
            if _quotes_a_fact(command):
                yield ContentError(
                    rule.origin,
                    f"{name}: a fact between quotes",
                    "leave the quotes out: every value is quoted by itself",
                    command,
                )
            if (found := _PLACEHOLDER.search(command)) and found[0].strip("<>").lower() in columns | GIVEN:
                yield ContentError(
                    rule.origin,
                    f"{name}: {found[0]} stands for a fact that is known",
                    "name the fact in {{ }}",
                    command,
                )
