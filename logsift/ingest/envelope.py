"""Envelopes: what is before a message is taken off and remembered; records glued together are separated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.model import Envelope
from logsift.ingest.capture import capture, contains_any
from logsift.ingest.gate import Scanner, scanner

LAYERS = 6
_MANY = 500
"""Lines of a block from which a look at the first of them pays, and the regex of all envelopes."""
_REST = "(?P<body>.*)$"
FACTS: dict[str, pl.DataType] = {
    "time": pl.String(), "uptime_seconds": pl.Float64(), "host": pl.String(), "rank": pl.Int64(),
    "local_rank": pl.Int64(), "task": pl.Int64(), "pid": pl.Int64(), "stream": pl.String(),
}  # fmt: skip
"""What an envelope may say of a line, as columns. `time` is still text here."""
_BEFORE = re.compile(r"\A\(\?:\.\*\?\[[^\]]*\]\)\?\?")
_ESCAPED = {
    "\\\\": "\\", '\\"': '"', '""': '"', "\\/": "/", "\\t": "\t", "\\u003c": "<", "\\u003e": ">", "\\u0026": "&", "\\u0027": "'"
}  # fmt: skip
"""What JSON writes for a sign, and CSV for a quotation mark. Line feeds stay escaped: a message is one line."""
_STREAM = ("host", "rank", "local_rank", "task", "stream")


@dataclass(frozen=True, slots=True)
class Envelopes:
    """The prefixes of the content, prepared: one test for all, then each."""

    each: tuple[Envelope, ...]
    inner_needles: tuple[str, ...]
    inner_start: str
    own_needles: tuple[str, ...]
    glue_regex: str
    needles: tuple[str, ...]
    scanner: Scanner

    @classmethod
    def of(cls, shared: Sequence[Envelope], of_grammars: Sequence[Envelope]) -> Envelopes:
        """Shared envelopes are tried at the start of a line; those marked `midline` also start a record within one."""
        # A stripped line has no shared prefix left at its start, so one is one too many; a grammar's own is still there.
        inner, own = [e for e in shared if e.midline], [e for e in of_grammars if e.midline]
        starts = "|".join(f"(?:{_start(e.regex)})" for e in (*inner, *own))
        needles = tuple(sorted({n for e in shared for n in e.needles}))
        return cls(
            tuple(shared),
            tuple(n for e in inner for n in e.needles),
            "|".join(f"(?:{_start(e.regex)})" for e in inner),
            tuple(n for e in own for n in e.needles),
            f"(?:{starts})+" if starts else "",
            needles,
            scanner(tuple(n.encode() for n in needles)),
        )

    def strip(self, lines: pl.DataFrame) -> pl.DataFrame:
        """Lines (file_id, line_no, raw, ...) plus `body`, the FACTS and `seq`, the order of records; one row per record."""
        out = lines.with_columns(pl.col("raw").alias("body"), *(pl.lit(None, t).alias(f) for f, t in FACTS.items()))
        out = self._strip(out.with_row_index("seq"))
        out = self._unglue(out)
        writer = pl.concat_str([pl.col(f).cast(pl.String).fill_null("") for f in _STREAM], separator="|")
        return out.drop("seq").with_row_index("seq").with_columns(writer.alias("stream"))

    def _strip(self, lines: pl.DataFrame) -> pl.DataFrame:
        if not self.each or lines.is_empty():
            return lines
        done: list[pl.DataFrame] = []
        todo = lines
        for _ in range(LAYERS):
            taken, rest = self._usual(todo) if todo.height >= _MANY else (todo.clear(), todo)
            stripped = [taken] if taken.height else []
            possible = self.each if rest.height >= _MANY else self._possible(rest["body"])
            known = rest["body"].str.contains(_any(possible)) if possible else pl.Series([False])
            if known.any():
                done, rest = [*done, rest.filter(~known)], rest.filter(known)
                for envelope in self._possible(rest["body"]):
                    if rest.is_empty():
                        break
                    taken, fits = take_off(rest, envelope)
                    if taken.height:
                        stripped.append(taken)
                        rest = rest.filter(~fits)
            if rest.height:
                done.append(rest)
            todo = pl.concat(stripped) if stripped else todo.clear()
            if todo.is_empty():
                break
        done += [todo] if todo.height else []
        return pl.concat(done).sort("seq") if len(done) > 1 else done[0]

    def _possible(self, bodies: pl.Series) -> tuple[Envelope, ...]:
        """The envelopes that have a needle in these lines; for few of them, compiling the regex of all takes longer than reading."""
        there = {self.needles[n] for n in self.scanner.present("\n".join(bodies.to_list()).encode())}
        return tuple(e for e in self.each if not e.needles or not there.isdisjoint(e.needles))

    def _usual(self, lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The lines stripped of the prefix that the first of them has, and the rest.

        Most lines of a block begin alike. Whether one fits an earlier envelope, which then owns it, is one search for
        all of those; trying them in turn would be a pass over the block for each.
        """
        first = lines["body"].head(1)
        able = (n for n, e in enumerate(self.each) if not e.needles or any(x in first.item() for x in e.needles))
        nth = next((n for n in able if first.str.contains(self.each[n].regex).item()), None)
        if nth is None:
            return lines.clear(), lines
        earlier = lines["body"].str.contains(_any(self.each[:nth])) if nth else pl.Series([False])
        alike, others = (lines.filter(~earlier), lines.filter(earlier)) if earlier.any() else (lines, lines.clear())
        taken, fits = take_off(alike, self.each[nth])
        return taken, others if fits.all() else pl.concat([others, alike.filter(~fits)])

    def _unglue(self, lines: pl.DataFrame) -> pl.DataFrame:
        body, glued = lines["body"], np.zeros(lines.height, bool)
        if self.inner_needles:
            where = np.flatnonzero(contains_any(body, self.inner_needles).to_numpy())
            glued[where] = body.gather(where).str.contains(self.inner_start).to_numpy()
        for needle in self.own_needles:
            glued |= (body.str.count_matches(needle, literal=True) > 1).to_numpy()
        if not glued.any():
            return lines
        first, rest = lines.filter(pl.Series(~glued)), lines.filter(pl.Series(glued))
        # Blanks in front of a record are no other writer's line: who wrote them wrote the record.
        blank = rest["body"].str.contains(rf"^\s+{self.glue_regex}")
        if blank.any():
            inner = self._strip(rest.filter(blank).with_columns(pl.col("body").str.strip_chars_start()))
            rest = pl.concat([rest.filter(~blank), inner.select(rest.columns)]).sort("seq")
        parts = rest.with_columns(pl.col("body").str.replace_all(self.glue_regex, "\n${0}").str.split("\n")).explode(
            "body"
        )
        parts = parts.filter(pl.col("body") != "").with_columns(part=pl.int_range(pl.len()).over("seq"))
        same, fresh = parts.filter(part=0), parts.filter(pl.col("part") > 0)
        if fresh.is_empty():
            return pl.concat([first, rest]).sort("seq")
        fresh = fresh.with_columns(pl.lit(None, t).alias(f) for f, t in FACTS.items())
        both = pl.concat([same, self._strip(fresh).select(same.columns)]).sort("seq", "part").drop("part")
        # What is searched for a needle from here on is the record, not the line it shares.
        both = both.with_columns(pl.col("body").alias("raw"))
        return pl.concat([first, both]).sort("seq", maintain_order=True)


def take_off(lines: pl.DataFrame, envelope: Envelope) -> tuple[pl.DataFrame, pl.Series]:
    """Replace `body` by what the envelope leaves of it and fill the facts it captures.

    Returns the lines that match, and for all lines whether they do.
    """
    fits, groups = capture(lines["body"], envelope.regex)
    if not fits.all():
        lines = lines.filter(fits)
    facts = [
        groups.select(pl.coalesce(pl.col(f).cast(t, strict=False), lines[f]).alias(f)).to_series()
        for f, t in FACTS.items() if f in groups.columns
    ]  # fmt: skip
    body = groups["body"]
    if envelope.escaped and contains_any(body, ("\\", '""')).any():
        body = body.str.replace_many(_ESCAPED)
    return lines.with_columns(body, *facts), fits


def _any(envelopes: Sequence[Envelope]) -> str:
    """One regex that matches what one of them matches. What it matches of the body is not looked at."""
    return "|".join(_alone(e.regex) for e in envelopes)


@cache
def _alone(regex: str) -> str:
    return f"(?:{_unnamed(regex.removesuffix(_REST))})"


def _unnamed(regex: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", regex)


def _start(regex: str) -> str:
    """The part of an envelope's regex before its body, unnamed: where it is, a record begins.

    What the regex lets stand before the record - a leading `(?:.*?[...])??` - is no part of it.
    """
    return _unnamed(_BEFORE.sub("", regex.removeprefix("^").split("(?P<body>")[0]))
