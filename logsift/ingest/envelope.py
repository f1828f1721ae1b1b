"""Envelopes: what stands before a message is taken off and remembered; records glued together are separated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.catalog import Envelope
from logsift.ingest.gate import Scanner, scanner

LAYERS = 6
_MANY = 500
"""Lines of a block from which a look at the first of them pays."""
FACTS: dict[str, pl.DataType] = {
    "time": pl.String(), "uptime_seconds": pl.Float64(), "host": pl.String(), "rank": pl.Int64(),
    "local_rank": pl.Int64(), "task": pl.Int64(), "pid": pl.Int64(), "stream": pl.String(),
}  # fmt: skip
"""What an envelope may say of a line, as columns. `time` is still text here."""
_REST = "(?P<body>.*)$"
_BEFORE = re.compile(r"\A\(\?:\.\*\?\[[^\]]*\]\)\?\?")
_STREAM = ("host", "rank", "local_rank", "task", "stream")


@dataclass(frozen=True, slots=True)
class Envelopes:
    """The prefixes of the content, prepared: one test for all, then each."""

    each: tuple[Envelope, ...]
    any_regex: str
    glue: tuple[tuple[Envelope, int], ...]
    glue_regex: str
    glue_needle: str
    needles: tuple[str, ...]
    scanner: Scanner

    @classmethod
    def of(cls, shared: Sequence[Envelope], of_grammars: Sequence[Envelope]) -> Envelopes:
        """Shared envelopes are tried at the start of a line; those marked `midline` also start a record within one."""
        any_regex = "|".join(f"(?:{_unnamed(e.regex)})" for e in shared)
        # A stripped line has no shared prefix left at its start, so one hit is one too many; a grammar's own is still there.
        glue = [(e, 1) for e in shared if e.midline] + [(e, 2) for e in of_grammars if e.midline]
        starts = "|".join(f"(?:{_start(e.regex)})" for e, _ in glue)
        needles = tuple(sorted({n for e in shared for n in e.needles}))
        glue_regex = f"(?:{starts})+" if starts else ""
        glue_needle = "|".join(sorted({re.escape(n).replace("\\ ", " ") for e, _ in glue for n in e.needles}))
        return cls(
            tuple(shared),
            any_regex,
            tuple(glue),
            glue_regex,
            glue_needle,
            needles,
            scanner([n.encode() for n in needles]),
        )

    def strip(self, lines: pl.DataFrame) -> pl.DataFrame:
        """Lines (file_id, line_no, raw, ...) plus `body`, the FACTS and `seq`, the order of records; one row per record."""
        out = lines.with_columns(pl.col("raw").alias("body"), *(pl.lit(None, t).alias(f) for f, t in FACTS.items()))
        out = self._strip(out.with_row_index("seq"))
        out = self._unglue(out)
        writer = pl.concat_str([pl.col(f).cast(pl.String).fill_null("") for f in _STREAM], separator="|")
        return out.drop("seq").with_row_index("seq").with_columns(writer.alias("stream"))

    def _strip(self, lines: pl.DataFrame) -> pl.DataFrame:
        if not self.any_regex or lines.is_empty():
            return lines
        _body, done, todo = pl.col("body"), [], lines
        for _ in range(LAYERS):
            known = todo["body"].str.contains(self.any_regex)
            if not known.any():
                break
            done.append(todo.filter(~known))
            rest, stripped = todo.filter(known), []
            there = self.scanner.present("\n".join(rest["body"].to_list()).encode())
            present = {self.needles[n] for n in there}
            able = [e for e in self.each if not e.needles or not present.isdisjoint(e.needles)]
            if rest.height >= _MANY:
                taken, rest = _usual(rest, able)
                stripped += [taken] if taken.height else []
            for envelope in able:
                if rest.is_empty():
                    break
                taken, fits = take_off(rest, envelope)
                if taken.height:
                    stripped.append(taken)
                    rest = rest.filter(~fits)
            todo = pl.concat(stripped)
        if not done:
            return lines
        return pl.concat([*done, todo]).sort("seq", maintain_order=True)

    def _unglue(self, lines: pl.DataFrame) -> pl.DataFrame:
        if not self.glue_needle:
            return lines
        possible = np.flatnonzero(lines["body"].str.contains(self.glue_needle).to_numpy())
        if not len(possible):
            return lines
        body = lines["body"] if len(possible) == lines.height else lines["body"].gather(possible)
        glued = np.zeros(lines.height, bool)
        for envelope, count in self.glue:
            for needle in envelope.needles:
                hits = np.flatnonzero(body.str.contains(needle, literal=True))
                if len(hits):
                    there = body if len(hits) == len(body) else body.gather(hits)
                    if count > 1:
                        begins = there.str.count_matches(needle, literal=True) >= count
                    else:
                        begins = there.str.contains(_start(envelope.regex))
                    glued[possible[hits[begins.to_numpy()]]] = True
        if not glued.any():
            return lines
        first, rest = lines.filter(pl.Series(~glued)), lines.filter(pl.Series(glued))
        parts = rest.with_columns(pl.col("body").str.replace_all(self.glue_regex, "\n${0}").str.split("\n")).explode(
            "body"
        )
        parts = parts.filter(pl.col("body") != "").with_columns(part=pl.int_range(pl.len()).over("seq"))
        same, fresh = parts.filter(part=0), parts.filter(pl.col("part") > 0)
        if fresh.is_empty():
            return lines
        fresh = fresh.with_columns(pl.lit(None, t).alias(f) for f, t in FACTS.items())
        both = pl.concat([same, self._strip(fresh).select(same.columns)]).sort("seq", "part").drop("part")
        # What is searched for a needle from here on is the record, not the line it shares.
        both = both.with_columns(pl.col("body").alias("raw"))
        return pl.concat([first, both]).sort("seq", maintain_order=True)


def _usual(lines: pl.DataFrame, envelopes: Sequence[Envelope]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines stripped of the prefix that the first of them has, and the rest.

    Most lines of a block begin alike. Whether one fits an earlier envelope, which then owns it, is one search for all
    of those; trying them in turn would be a pass over the block for each.
    """
    first = lines["body"].head(1)
    nth = next((n for n, e in enumerate(envelopes) if first.str.contains(e.regex).item()), None)
    if nth is None:
        return lines.clear(), lines
    free = pl.lit(True)
    if nth:
        free = ~pl.col("body").str.contains("|".join(f"(?:{_unnamed(e.regex)})" for e in envelopes[:nth]))
    alike, others = lines.filter(free), lines.filter(~free)
    taken, fits = take_off(alike, envelopes[nth])
    return taken, pl.concat([others, alike.filter(~fits)])


def take_off(lines: pl.DataFrame, envelope: Envelope) -> tuple[pl.DataFrame, pl.Series]:
    """Replace `body` by what the envelope leaves of it and fill the facts it captures.

    Returns the lines that match, and for all lines whether they do. The text before the body is matched alone where
    the body is simply the rest: capturing over a short span is several times as fast as over the whole line.
    """
    body = lines["body"]
    prefix = envelope.regex.removesuffix(_REST)
    alone = envelope.regex.startswith("^") and prefix != envelope.regex
    groups = body.str.extract_groups(f"(?P<whole__>{prefix if alone else envelope.regex})").struct.unnest()
    fits = groups["whole__"].is_not_null()
    if not fits.all():
        lines, groups = lines.filter(fits), groups.filter(fits)
    rest = lines["body"].str.strip_prefix(groups["whole__"]) if alone else groups["body"]
    new = [rest.alias("body")] + [
        groups.select(pl.coalesce(pl.col(f).cast(t, strict=False), lines[f]).alias(f)).to_series()
        for f, t in FACTS.items() if f in groups.columns
    ]  # fmt: skip
    return lines.with_columns(new), fits


def _unnamed(regex: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", regex)


def _start(regex: str) -> str:
    """The part of an envelope's regex before its body, unnamed: where it stands, a record begins.

    What the regex lets stand before the record - a leading `(?:.*?[...])??` - is no part of it.
    """
    return _unnamed(_BEFORE.sub("", regex.removeprefix("^").split("(?P<body>")[0]))
