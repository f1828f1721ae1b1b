"""The linter of grammars: envelopes, patterns, needles and samples, each line read as a line of a file is."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.content.errors import ContentError, Origin
from logsift.content.language import described
from logsift.content.model import ENVELOPE_FACTS, Catalog, Envelope, Grammar, Pattern, Sample
from logsift.ingest.capture import capture
from logsift.ingest.envelope import FACTS, Envelopes, take_off
from logsift.ingest.match import constant, finish
from logsift.ingest.readers import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NOW = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_UNICODE_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\\[dwDW]")
_SHORT_BYTES = 4
_TOO_COMMON = 0.02
"""Of the lines that other formats print: a needle in more of them, which its pattern makes nothing of, slows every run."""
_TOO_COMMON_TO_OPEN = 0.005
"""The same of all lines that are printed, for what opens a block: behind each such needle thousands of lines are looked at."""


def check_grammars(catalog: Catalog, grammars: Sequence[Grammar]) -> Iterator[ContentError]:
    """Every mistake in the envelopes of a catalog, in some of its grammars, and in what these and all others are together."""
    shared = Envelopes.of(catalog.envelopes, [])
    yield from _envelopes(catalog.envelopes, shared)
    for grammar in grammars:
        if grammar.reader not in NAMES:
            yield ContentError(
                grammar.origin,
                f"no reader {grammar.reader!r}",
                f"there are: {', '.join(sorted(NAMES))}",
                key="reader",
            )
        yield from check_grammar(catalog, grammar, shared)
    yield from check_needles(catalog, grammars)
    yield from _counted_twice(catalog, grammars)


def check_grammar(catalog: Catalog, grammar: Grammar, shared: Envelopes | None = None) -> Iterator[ContentError]:
    """Every mistake in the patterns of one grammar, each line read as it is behind all envelopes."""
    for key, heads in (("head", grammar.head), ("unless", (grammar.unless,) if grammar.unless else ())):
        for head in heads:
            yield from _linear(head, grammar.origin, key)
    if grammar.envelope:
        yield from _regex(grammar.envelope.regex, grammar.envelope.origin)
    lines = _Lines(grammar, shared or Envelopes.of(catalog.envelopes, []))
    for n, pattern in enumerate(grammar.patterns):
        yield from _pattern(catalog, pattern, grammar.patterns[:n], lines)


def _envelopes(envelopes: Sequence[Envelope], shared: Envelopes) -> Iterator[ContentError]:
    stripped = _stripped([sample.line for envelope in envelopes for sample in envelope.samples], shared)
    for envelope in envelopes:
        yield from _regex(envelope.regex, envelope.origin)
        name = f"envelope {envelope.id!r}"
        if not envelope.samples:
            yield _wrong(envelope, f"{name} has no sample", "sample")
        for sample in envelope.samples:
            if not any(n in sample.line for n in envelope.needles or ("",)):
                yield _wrong(envelope, f"{name}: its needle is not in the sample", "needle", sample.line)
            elif not _finds(envelope.regex, sample.line):
                yield _wrong(envelope, f"{name} does not match its sample", "sample", sample.line)
            else:
                row = take_off(_lines([sample.line]), envelope)[0].row(0, named=True)
                wrong = list(_compare(name, envelope, sample, row))
                yield from wrong
                if not wrong:  # read alone it gives the row; read as a line of a file, others take part, and take more
                    only_facts = replace(
                        sample, row={k: v for k, v in sample.row.items() if k not in {"body", "stream"}}
                    )
                    yield from _compare(f"{name} among the others", envelope, only_facts, stripped[sample.line])


def _stripped(lines: Sequence[str], shared: Envelopes) -> dict[str, dict[str, Any]]:
    """Line -> what all envelopes together say of its first record."""
    records = shared.strip(_lines(lines).select("file_id", "line_no", "raw", "core", "written"))
    first = records.unique("file_id", keep="first", maintain_order=True).sort("file_id")
    return dict(zip(lines, first.iter_rows(named=True), strict=True))


def _wrong(one: Envelope | Pattern, text: str, key: str, note: str = "", help: str = "") -> ContentError:
    """A mistake in a key of an envelope or pattern; what the key is for stands for a help."""
    section = "[[pattern]]" if isinstance(one, Pattern) else "an envelope"
    return ContentError(one.origin, text, help or described(section, key), note, key)


def _pattern(catalog: Catalog, p: Pattern, earlier: tuple[Pattern, ...], lines: _Lines) -> Iterator[ContentError]:
    name = f"pattern {p.id!r}"
    yield from _regex(p.regex, p.origin)
    if any(_linear(p.regex, p.origin, "regex")):
        return
    if p.whole_line:
        yield from _linear(p.whole_line, p.origin, "whole_line")
    if not p.samples:
        yield _wrong(p, f"{name} has no sample", "sample")
    groups, filled = set(re.compile(p.regex).groupindex), set[str]()
    matched: list[tuple[Sample, pl.DataFrame]] = []
    for sample in p.samples:
        if not _looked_for(p, sample.line):
            key = "whole_line" if _has_needles(p, sample.line) else "needle"
            yield _wrong(p, f"{name}: its {key} is not in the sample", key, sample.line)
            continue
        records = lines.records(sample.line)
        bodies = records["body"].to_list()
        found = next((n for n, body in enumerate(bodies) if body in lines.matched_by(p.regex)), None)
        if found is None:
            help = "after envelopes the line reads as noted"
            yield _wrong(p, f"{name} does not match its sample", "sample", bodies[0], help)
            continue
        body = bodies[found]
        for other in earlier:
            if other.inside == p.inside and body in lines.matched_by(other.regex) and _looked_for(other, sample.line):
                help = "make one of them narrower"
                yield _wrong(p, f"{name}: {other.id!r} above it takes this sample", "sample", sample.line, help)
        matched.append((sample, records[found]))
    if matched:
        captured = _captured(pl.concat([record for _, record in matched]), p)
        filled = {g for g in groups if captured[f"own__{g}" if f"own__{g}" in captured.columns else g].count()}
        if p.table:
            for (sample, _), row in zip(matched, _rows(catalog, p, captured), strict=True):
                yield from _compare(name, p, sample, row)
    if p.samples and (lost := sorted(groups - filled)):
        yield _wrong(
            p, f"{name}: no sample ever fills ({lost[0]})", "sample", "",
            "every named group must be captured by at least one sample; `.*?` before an optional group is the usual reason",
        )  # fmt: skip
    for line in p.rejects:
        bodies = lines.records(line)["body"].to_list()
        if _looked_for(p, line) and any(b in lines.matched_by(p.regex) for b in bodies):
            yield _wrong(p, f"{name} matches what it should reject", "reject", line)


def printed_by(grammar: Grammar) -> list[str]:
    """The lines of a grammar's samples and rejects, pattern by pattern."""
    return [line for p in grammar.patterns for line in (*(s.line for s in p.samples), *p.rejects)]


def check_needles(catalog: Catalog, grammars: Sequence[Grammar]) -> Iterator[ContentError]:
    """Needles of some grammars that let too much pass: every line that holds one is made, stripped and matched.

    What other formats print, as their samples show it, tells how common a text is. Those of leftovers may be common:
    the number of their lines is bounded.
    """
    everywhere = [g for g in catalog.grammars if g.reader == "lines" and not g.owns and not g.leftovers]
    printed = [(g.name, line) for g in everywhere for line in printed_by(g)]
    every = [line for _, line in printed]
    text = "\n".join(every)
    for grammar in (g for g in everywhere if g in grammars):
        others = [line for name, line in printed if name != grammar.name]
        for p in grammar.patterns:
            lines, whose = (every, "all") if p.opens else (others, "other")
            most = len(lines) * (_TOO_COMMON_TO_OPEN if p.opens else _TOO_COMMON)
            for needle in p.needles:
                if len(needle.encode()) < _SHORT_BYTES or re.fullmatch(r"[0-9\s]*", needle):
                    help = "take a longer text that only these lines have; several may be given"
                    yield _wrong(p, f"needle {needle!r} is in lines of all kinds", "needle", "", help)
                elif most >= 1 and text.count(needle) > most:
                    in_vain = _in_vain(p.regex, [line for line in lines if needle in line])
                    if in_vain > most:
                        share = f"{100 * in_vain / len(lines):.0f} %"
                        help = "take a text that is rarer; a second one that is common goes into also_needs"
                        told = f"needle {needle!r} is in {share} of the lines that {whose} formats print"
                        yield _wrong(p, told, "needle", "", help)


def _in_vain(pattern: str, lines: Sequence[str]) -> int:
    """In how many lines a regex does not match."""
    return len(lines) - int(_matches(pattern, pl.Series(lines, dtype=pl.String)).sum())


def _has_needles(p: Pattern, line: str) -> bool:
    return all(any(n in line for n in some) for some in (p.needles, p.also_needs) if some)


def _looked_for(p: Pattern, line: str) -> bool:
    """True where the pattern's regex is tried on the message of a line."""
    return _has_needles(p, line) and (not p.whole_line or _finds(p.whole_line, line))


def _finds(pattern: str, line: str) -> bool:
    """True where a regex matches somewhere in a line."""
    return bool(_matches(pattern, pl.Series([line])).item())


def _matches(pattern: str, lines: pl.Series) -> pl.Series:
    """For each line whether a regex matches somewhere in it; one that is no regex, which is a mistake of its own, does not."""
    try:
        return lines.str.contains(pattern)
    except pl.exceptions.ComputeError:
        return pl.repeat(False, lines.len(), eager=True)


def _linear(pattern: str, origin: Origin, key: str) -> Iterator[ContentError]:
    """A regex that the engine without backtracking does not take: with any other a line could cost time without bound."""
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as e:
        why = next((x.removeprefix("error: ") for x in str(e).splitlines() if x.startswith("error: ")), str(e))
        told = f"not a regular expression of the Rust engine: {why}"
        yield ContentError(origin, told, "no look-around, no back-references", pattern, key)


def _regex(pattern: str, origin: Origin) -> Iterator[ContentError]:
    yield from _linear(pattern, origin, "regex")
    if found := _UNICODE_CLASS.search(pattern):
        help = "write [0-9], [0-9A-Za-z_]: three times as fast"
        yield ContentError(origin, f"{found[0]} means every digit or letter of Unicode", help, pattern, "regex")


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
        self.number = {line: n for n, line in enumerate(sorted(set(printed_by(grammar))))}
        plain = _lines(list(self.number)).select("file_id", "line_no", "raw", "core", "written")
        records = shared.strip(plain)
        if grammar.envelope:
            taken, fits = take_off(records, grammar.envelope)
            records = pl.concat([records.filter(~fits), taken]).sort("seq")
        self.bodies = records["body"].unique()
        self.parts = {int(str(k[0])): part for k, part in records.partition_by("file_id", as_dict=True).items()}
        self._matched: dict[str, frozenset[str]] = {}

    def records(self, line: str) -> pl.DataFrame:
        """What is left of a line after envelopes: one record, or several that were glued together."""
        return self.parts[self.number[line]]

    def matched_by(self, pattern: str) -> frozenset[str]:
        """The bodies of records in which a regex matches."""
        if pattern not in self._matched:
            self._matched[pattern] = frozenset(self.bodies.filter(_matches(pattern, self.bodies)))
        return self._matched[pattern]


def row_of_sample(catalog: Catalog, grammar: Grammar, p: Pattern, sample: Sample) -> Mapping[str, Any]:
    """The row that a pattern makes of its sample; empty where it makes none."""
    shared = Envelopes.of(catalog.envelopes, [])
    records = _Lines(replace(grammar, patterns=(replace(p, samples=(sample,), rejects=()),)), shared).records(
        sample.line
    )
    at = records.filter(pl.col("body").str.contains(p.regex)).head(1)
    return _rows(catalog, p, _captured(at, p))[0] if at.height else {}


def _captured(at: pl.DataFrame, p: Pattern) -> pl.DataFrame:
    """Records with the groups of a pattern; those that have the name of one of its columns are `own__NAME`."""
    _, groups_of = capture(at["body"], p.regex)
    return at.hstack(groups_of.rename({c: f"own__{c}" for c in groups_of.columns if c in at.columns}))


def _rows(catalog: Catalog, p: Pattern, captured: pl.DataFrame) -> list[dict[str, Any]]:
    own = {c.removeprefix("own__"): c for c in captured.columns if c.startswith("own__")}
    captured = captured.with_columns(pl.coalesce(pl.col(o), pl.col(c).cast(pl.String)).alias(c) for c, o in own.items())
    captured = captured.with_columns(pl.lit(constant(v)).alias(k) for k, v in p.set.items())
    return finish(captured, catalog.tables[p.table])[0].to_dicts()


def _compare(name: str, one: Envelope | Pattern, sample: Sample, row: Mapping[str, Any]) -> Iterator[ContentError]:
    for key, want in sample.row.items():
        if key not in row and key not in ENVELOPE_FACTS:
            yield _wrong(one, f"{name}: its sample expects {key}, which is no column here", "sample")
            continue
        got = row.get(key)
        shown = got.isoformat(sep=" ") if isinstance(got, datetime) else got
        if shown != want and not (
            isinstance(want, float) and isinstance(got, float) and abs(want - got) <= 1e-9 * abs(want)
        ):
            yield _wrong(one, f"{name}: {key} = {shown!r}, its sample says {want!r}", "sample", sample.line)


def _counted_twice(catalog: Catalog, grammars: Sequence[Grammar]) -> Iterator[ContentError]:
    """A line of which some grammar and another make a row of one table: its values would count twice."""
    names = {g.name for g in grammars}
    writers: dict[str, list[tuple[str, Pattern]]] = {}
    compiled: dict[int, re.Pattern[str]] = {}
    for grammar in catalog.grammars:
        if not grammar.owns and not grammar.leftovers:
            for p in grammar.patterns:
                if p.table and p.needles and not p.inside:
                    with suppress(re.error):  # one that is no regex is a mistake of its own
                        compiled[id(p)] = re.compile(p.regex)
                        writers.setdefault(p.table, []).append((grammar.name, p))
    for each in writers.values():
        for name, p in each:
            for other_name, other in each:
                if other_name <= name or names.isdisjoint((name, other_name)):
                    continue
                for sample in (*p.samples, *other.samples):
                    line = sample.line
                    if all(_looked_for(q, line) for q in (p, other)) and all(
                        compiled[id(q)].search(line) for q in (p, other)
                    ):
                        told = f"pattern {other.id!r}: {name}.{p.id} makes a row of {p.table} of the same line"
                        help = "a value would count twice: make one of them narrower"
                        yield _wrong(other, told, "sample", line, help)
                        break
