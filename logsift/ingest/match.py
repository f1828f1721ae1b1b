"""Records -> rows: first match per grammar, captures, blocks. No Python loop over lines.

Within one grammar outer patterns come before those inside a block, and of the same depth the first in file order that
matches a record owns it; grammars do not compete with each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.content.columns import TYPES
from logsift.content.model import BLOCK_LINES, COMMON_NAMES, PREFIX, Grammar, Pattern, Table
from logsift.ingest.capture import capture, contains_any
from logsift.ingest.clock import read_times
from logsift.ingest.envelope import FACTS, take_off

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
_CARRIED = ["seq", "file_id", "line_no", "core", "written", *FACTS]
PROBLEM = {"file_id": pl.Int64(), "line_no": pl.Int64(), "what": pl.String(), "text": pl.String()}
OUTSIDE = "outside"
"""The group of an owned file's pattern that captures what another writer put into the line."""
_PREFIX_LENGTH = 200
_NEAR_LINES = 200
_REACH_LINES = 2 * BLOCK_LINES
"""Blocks within blocks end at most this many lines after the outermost opener."""


@dataclass
class Matched:
    """Rows by table, problems, and how many lines only a grammar of leftovers made rows of.

    `left` are the lines (file_id, line_no, raw) that no pattern took, and what patterns found to be another writer's.
    """

    tables: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    left: list[pl.DataFrame] = field(default_factory=list)
    problems: list[pl.DataFrame] = field(default_factory=list)
    not_understood: dict[int, int] = field(default_factory=dict)

    def add(self, table: str, rows: pl.DataFrame) -> None:
        """Keep rows of a table."""
        self.tables.setdefault(table, []).append(rows)


def match(
    grammars: Sequence[Grammar], tables: Mapping[str, Table], lines: pl.DataFrame, needles: frozenset[str]
) -> Matched:
    """Match stripped records against grammars.

    Args:
        grammars: those that look into these lines.
        tables: all declared tables.
        lines: as `Envelopes.strip` gives them, plus `core` (rows count only where true), `marked` (grammars of
            leftovers look at these) and `written` (file time).
        needles: the needles that are somewhere in these lines; others are not looked for.
    """
    out = Matched()
    if lines.is_empty():
        return out
    standing = _Standing(lines["raw"])
    understood = np.zeros(lines.height, bool)
    for grammar in (g for g in grammars if not g.leftovers):
        there = {p.id: [n for n in p.needles if n in needles] for p in grammar.patterns}
        possible = [p for p in grammar.patterns if there[p.id] or not p.needles]
        if not any(not p.inside for p in possible):
            continue
        run = _Run(grammar, lines, understood, standing)
        if grammar.envelope and any(n in needles for n in grammar.envelope.needles):
            run.unwrap(standing.any_of(grammar.envelope.needles))
        run.match({p.id: there[p.id] for p in possible})
        run.emit(tables, out)
        if grammar.shares:
            out.left += run.left()
    left = lines.filter(pl.col("core") & pl.col("marked") & ~pl.Series(understood))
    gave_rows = np.zeros(left.height, bool)
    for grammar in (g for g in grammars if g.leftovers and left.height):
        run = _Run(grammar, left, np.zeros(left.height, bool), _Standing(left["raw"]))
        run.match({p.id: p.needles for p in grammar.patterns})
        run.emit(tables, out)
        for h in (h for h in run.hits if h.pattern.table and not h.pattern.aside):
            gave_rows[h.seq] = True
    lines_of = left.filter(pl.Series(gave_rows)).group_by("file_id").agg(pl.col("line_no").n_unique())
    out.not_understood |= dict(lines_of.iter_rows())
    return out


class _Standing:
    """In which lines a needle is: looked up once for all lines, or in a few of them where no more are asked for."""

    def __init__(self, raw: pl.Series) -> None:
        self.raw = raw
        self.masks: dict[frozenset[str], Bools] = {}

    def any_of(self, needles: Collection[str]) -> Bools:
        """For every line whether one of the needles is in it."""
        mask = self.masks.get(key := frozenset(needles))
        if mask is None:
            mask = self.masks[key] = contains_any(self.raw, key).to_numpy()
        return mask

    def among(self, needles: Collection[str], where: Ints) -> Ints:
        """Those of the lines at `where` in which one of the needles stands."""
        if frozenset(needles) in self.masks or 2 * len(where) > len(self.raw):
            there = self.any_of(needles)[where]
        else:
            there = contains_any(self.raw.gather(where), needles).to_numpy()
        return where[there]


@dataclass
class _Hit:
    """A pattern's matches: positions of the records, captured groups, and the opener's position inside a block."""

    pattern: Pattern
    seq: Ints
    groups: pl.DataFrame
    opener: Ints | None


class _Run:
    """One grammar over one frame of records."""

    def __init__(self, grammar: Grammar, lines: pl.DataFrame, understood: Bools, standing: _Standing) -> None:
        self.grammar, self.lines, self.understood, self.standing = grammar, lines, understood, standing
        self.free = np.ones(lines.height, bool)
        self.hits: list[_Hit] = []
        self.openers: dict[str, list[_Hit]] = {}
        self.line_no: Ints = lines["line_no"].to_numpy()
        self.outermost: Ints = np.full(lines.height, -1, np.int64)  # line of the block that holds an opener's block
        self._writer: pl.Series | None = None

    def unwrap(self, has_needle: Bools) -> None:
        """Take off the grammar's own envelope wherever it is."""
        envelope = self.grammar.envelope
        assert envelope is not None
        wrapped = self.lines if has_needle.all() else self.lines.filter(pl.Series(has_needle))
        taken, fits = take_off(wrapped, envelope)
        if not fits.all() and envelope.regex.startswith("^"):
            # A record glued behind other output: its envelope is somewhere in the line.
            anywhere = replace(envelope, regex=envelope.regex.removeprefix("^"))
            taken = pl.concat([taken, take_off(wrapped.filter(~fits), anywhere)[0]])
        if taken.height == self.lines.height:
            self.lines = taken if fits.all() else taken.sort("seq")
        elif taken.height:
            others = np.ones(self.lines.height, bool)
            others[taken["seq"].to_numpy()] = False
            self.lines = pl.concat([self.lines.filter(pl.Series(others)), taken]).sort("seq")

    def match(self, candidates: Mapping[str, Sequence[str]]) -> None:
        """Match the patterns of these ids, each where one of its needles is, or anywhere if it has none."""
        depths = _depths(self.grammar)
        for depth in range(max(depths.values(), default=-1) + 1):
            level = [p for p in self.grammar.patterns if depths[p.id] == depth and p.id in candidates]
            # Most blocks end soon: the lines near their openers first, and further on only where none has closed them.
            hits = self.captures(level, candidates, [], near=True)
            blocks = {p.inside for p in level if p.inside}
            if blocks:
                hits = _joined(hits + self.captures(level, candidates, hits, near=False))
            while self.freed_behind_closers(hits) and len(blocks) > 1:
                # What was behind the end of one block may be another's.
                more = [h for near in (True, False) for h in self.captures(level, candidates, hits, near=near)]
                if not more:
                    break
                hits = _joined(hits + more)
            for h in hits:
                if len(h.seq):
                    if not h.pattern.aside:
                        self.understood[h.seq] = True
                    self.hits.append(h)
                    if h.pattern.opens:
                        own = self.line_no[h.seq]
                        self.outermost[h.seq] = own if h.opener is None else self.outermost[h.opener]
                        self.openers.setdefault(h.pattern.opens, []).append(h)

    def freed_behind_closers(self, hits: Sequence[_Hit]) -> bool:
        """Give every hit its block's opener, and give back the lines behind a closer; True where there are any."""
        freed = False
        for block in {h.pattern.inside for h in hits if h.pattern.inside}:
            at = self.open_at(block, [h for h in hits if h.pattern.closes == block])
            for h in hits:
                if h.pattern.inside == block:
                    opener = at[h.seq]
                    valid = opener >= 0
                    freed |= not valid.all()
                    self.free[h.seq[~valid]] = True  # for another block of this depth, or a deeper one
                    h.seq, h.opener, h.groups = h.seq[valid], opener[valid], h.groups.filter(pl.Series(valid))
        return freed

    def captures(
        self, level: Sequence[Pattern], candidates: Mapping[str, Sequence[str]], closers: Sequence[_Hit], *, near: bool
    ) -> list[_Hit]:
        """What the patterns of one depth match among the lines near their openers or those beyond.

        In file order; where several blocks are open, those of the one opened last come first.
        """
        open_at: dict[str, Ints] = {}
        for block in {p.inside for p in level if p.inside in self.openers}:
            at = self.open_at(block, [h for h in closers if h.pattern.closes == block])
            inside = np.flatnonzero(at >= 0)
            beyond = self.line_no[inside] - self.line_no[at[inside]] > _NEAR_LINES
            at[inside[beyond if near else ~beyond]] = -1
            open_at[block] = at
        last = np.maximum.reduce(list(open_at.values())) if len(open_at) > 1 else None
        hits: list[_Hit] = []
        for opened_last in (True, False) if last is not None else (True,):
            for p in level:
                mask = self.free
                if p.inside:
                    if p.inside not in open_at:
                        continue
                    at = open_at[p.inside]
                    mask = mask & (at >= 0)
                    if last is not None:
                        mask &= (at == last) == opened_last
                elif not near or not opened_last:
                    continue
                if hit := self.captured(p, mask, candidates[p.id]):
                    hits.append(hit)
        return hits

    def captured(self, p: Pattern, mask: Bools, needles: Sequence[str]) -> _Hit | None:
        """What a pattern matches among some lines, which it then owns."""
        where = np.flatnonzero(mask)
        for literals in (needles, p.also_needs):
            if len(where) and literals:
                where = self.standing.among(literals, where)
        if p.whole_line:
            where = where[self.lines["raw"].gather(where).str.contains(p.whole_line).to_numpy()]
        if len(where) == 0:
            return None
        bodies = self.lines["body"] if len(where) == len(mask) else self.lines["body"].gather(where)
        fits, groups = capture(bodies, p.regex)
        if not fits.any():
            return None
        seq = where[fits.to_numpy()]
        self.free[seq] = False
        return _Hit(p, seq, groups, None)

    def open_at(self, block: str, closers: Sequence[_Hit]) -> Ints:
        """For every record the position of the opener of the block it is in, -1 outside."""
        outer = {h.pattern.inside for h in self.openers[block] if h.pattern.inside}
        events = {
            "opened": [h.seq for h in self.openers[block]],
            "closed": [h.seq for h in closers],
            "outer": [h.seq for o in outer for h in self.openers.get(o, [])],
        }
        frame = pl.DataFrame({"writer": self.writer})
        for name, seqs in events.items():
            column = np.full(len(self.free), -1, np.int64)
            for seq in seqs:
                column[seq] = seq
            frame = frame.with_columns(pl.when(pl.Series(column) >= 0).then(pl.Series(column)).alias(name))
        before = pl.col("closed").shift(1).forward_fill().over("writer").fill_null(-1)
        opened, again = (pl.col(c).forward_fill().over("writer").fill_null(-1) for c in ("opened", "outer"))
        at = (
            frame.select(pl.when((opened > before) & (opened >= again)).then(opened).otherwise(-1))
            .to_series()
            .to_numpy()
            .copy()
        )
        inside = np.flatnonzero(at >= 0)
        far = self.line_no[inside] - self.line_no[at[inside]] > BLOCK_LINES
        far |= self.line_no[inside] - self.outermost[at[inside]] > _REACH_LINES
        at[inside[far]] = -1
        return at

    @property
    def writer(self) -> pl.Series:
        if self._writer is None:
            self._writer = self.lines.select(pl.struct("file_id", "stream").rank("dense")).to_series()
        return self._writer

    def emit(self, tables: Mapping[str, Table], out: Matched) -> None:
        inherited = self.captured_by_openers()
        for h in self.hits:
            if h.pattern.table:
                self.rows(h, tables[h.pattern.table], inherited, out)

    def left(self) -> list[pl.DataFrame]:
        """The lines that no pattern took, and what patterns captured of other writers."""
        place = self.lines.select("file_id", "line_no")
        out = [self.lines.filter(pl.Series(~self.understood)).select("file_id", "line_no", "raw")]
        out += [
            place[h.seq].with_columns(h.groups[OUTSIDE].alias("raw")).filter(pl.col("raw") != "")
            for h in self.hits
            if OUTSIDE in h.groups.columns
        ]
        return [frame for frame in out if frame.height]

    def captured_by_openers(self) -> dict[str, pl.DataFrame]:
        """Block -> what its openers captured, by position; with text appended and what they inherited themselves."""
        for h in [h for h in self.hits if h.pattern.append]:
            assert h.opener is not None
            said = pl.DataFrame({"opener": h.opener, "said": self.lines["body"].gather(h.seq)})
            text = said.group_by("opener", maintain_order=True).agg(pl.col("said").str.join("\n"))
            for opener in self.openers[h.pattern.inside]:
                column = h.pattern.append
                base = opener.groups.with_columns(pl.Series("opener", opener.seq))
                if column not in base.columns:
                    base = base.with_columns(pl.lit(None, pl.String).alias(column))
                joined = base.join(text, on="opener", how="left", maintain_order="left")
                opener.groups = joined.with_columns(
                    pl.concat_str([column, "said"], separator="\n", ignore_nulls=True).replace("", None).alias(column)
                ).drop("opener", "said")
        out: dict[str, pl.DataFrame] = {}
        for block in sorted(self.openers, key=lambda b: _block_depth(self.grammar, b)):
            parts = []
            for h in self.openers[block]:
                line = pl.Series(f"{block}_line", self.line_no[h.seq]).cast(pl.String)
                own = h.groups.with_columns(
                    pl.Series("opener", h.seq), line, *(pl.lit(constant(v)).alias(k) for k, v in h.pattern.set.items())
                )
                if h.opener is not None and h.pattern.inside in out:
                    parent = out[h.pattern.inside]
                    extra = [c for c in parent.columns if c not in own.columns]
                    own = (
                        own.with_columns(pl.Series("up", h.opener))
                        .join(
                            parent.select("opener", *extra).rename({"opener": "up"}),
                            on="up",
                            how="left",
                            maintain_order="left",
                        )
                        .drop("up")
                    )
                parts.append(own)
            out[block] = pl.concat(parts, how="diagonal")
        return out

    def rows(self, h: _Hit, table: Table, inherited: Mapping[str, pl.DataFrame], out: Matched) -> None:
        carried = self.lines.select(_CARRIED)
        rows = (carried if len(h.seq) == carried.height else carried[h.seq]).rename(
            {f: f"{f}__line" for f in FACTS if f in h.groups.columns}
        )
        rows = rows.hstack(h.groups).with_columns(pl.lit(constant(v)).alias(k) for k, v in h.pattern.set.items())
        if any(c.name == PREFIX for c in table.columns):
            raw, body = self.lines["raw"].gather(h.seq), self.lines["body"].gather(h.seq)
            rows = rows.with_columns(raw.str.strip_suffix(body).str.head(_PREFIX_LENGTH).alias(PREFIX))
        if h.opener is not None:
            rows = rows.with_columns(pl.Series("opener", h.opener))
            numbers = (
                [pl.int_range(1, pl.len() + 1).over("opener").cast(pl.String).alias(h.pattern.number)]
                if h.pattern.number
                else []
            )
            rows = rows.with_columns(pl.Series(f"{h.pattern.inside}_line", self.line_no[h.opener]), *numbers)
            block = inherited.get(h.pattern.inside)
            if block is not None:
                known = {c.name for c in table.columns} | set(FACTS)
                given = [c for c in block.columns if c in known and (c in FACTS or c not in rows.columns)]
                above = block.select("opener", *(pl.col(c).alias(f"{c}__opener") for c in given))
                rows = rows.join(above, on="opener", how="left", maintain_order="left").with_columns(
                    pl.coalesce(
                        *([c] if c in rows.columns else []),
                        pl.col(f"{c}__opener").cast(rows.schema.get(c, pl.String()), strict=False),
                    ).alias(c)
                    for c in given
                )
        rows = rows.filter("core")
        if rows.height:
            finished, problems = finish(rows, table)
            out.add(table.name, finished)
            if problems.height:
                out.problems.append(problems)


def _joined(hits: Sequence[_Hit]) -> list[_Hit]:
    """One hit per pattern, its records in order."""
    out: dict[str, _Hit] = {}
    for h in hits:
        if first := out.get(h.pattern.id):
            seq = np.concatenate([first.seq, h.seq])
            order = np.argsort(seq, kind="stable")
            out[h.pattern.id] = _Hit(h.pattern, seq[order], pl.concat([first.groups, h.groups])[order], None)
        else:
            out[h.pattern.id] = h
    return list(out.values())


def finish(rows: pl.DataFrame, table: Table) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Captured text -> the declared types; what cannot be cast becomes NULL and a problem."""
    facts: list[pl.Expr] = []
    timed = rows.schema["time"] == pl.Datetime("us")  # a reader that reads its times itself
    for name, dtype in FACTS.items():
        if timed and name == "time":
            continue
        own, line = pl.col(name).cast(dtype, strict=False), f"{name}__line"
        facts.append(pl.coalesce(own, pl.col(line)).alias(name) if line in rows.columns else own)
    rows = rows.with_columns(facts)
    if timed:
        times = rows
    elif rows["time"].null_count() == rows.height:
        times = pl.DataFrame(schema={"time": pl.Datetime("us"), "time_quality": pl.String()}).clear(rows.height)
    else:
        times = read_times(rows["time"], rows["written"])
    rows = rows.with_columns(times["time"], times["time_quality"])
    casts, asked = [], [c for c in table.columns if c.name in rows.columns]
    for c in asked:
        if c.type == "time" and rows.schema[c.name] != pl.Datetime("us"):
            casts.append(read_times(rows[c.name].cast(pl.String), rows["written"])["time"].alias(c.name))
        elif rows.schema[c.name] == pl.String:
            casts.append(_cast(rows[c.name], c.type))
    typed = rows.with_columns(casts) if casts else rows
    problems = []
    for cast in casts:
        if cast.null_count() == rows[cast.name].null_count():
            continue
        failed = cast.is_null() & rows[cast.name].is_not_null() & (rows[cast.name] != "")
        if failed.any():
            bad = rows.filter(failed)
            what = pl.lit(
                f"{table.name}.{cast.name}: not a {next(c.type for c in table.columns if c.name == cast.name)}"
            )
            problems.append(
                bad.select("file_id", "line_no", what.alias("what"), pl.col(cast.name).str.head(300).alias("text"))
            )
    names = [c.name for c in table.stored if c.name in COMMON_NAMES or c in asked]
    return typed.select(names), pl.concat(problems) if problems else pl.DataFrame(schema=PROBLEM)


def _cast(text: pl.Series, type_name: str) -> pl.Series:
    kind = TYPES[type_name]
    for cast in kind.plain:
        plain = pl.select(cast(pl.lit(text)).alias(text.name)).to_series()
        if plain.null_count() == text.null_count():
            return plain
    return pl.select(kind.cast(pl.lit(text)).cast(kind.dtype).alias(text.name)).to_series()


def _depths(grammar: Grammar) -> dict[str, int]:
    return {p.id: _block_depth(grammar, p.inside) + 1 if p.inside else 0 for p in grammar.patterns}


def _block_depth(grammar: Grammar, block: str) -> int:
    """Depth of a block's outermost opener; blocks that open within themselves count once."""
    depth, seen = 0, {block}
    while True:
        insides = {p.inside for p in grammar.patterns if p.opens == block}
        if "" in insides or insides <= seen:
            return depth
        block = min(insides - seen)
        seen.add(block)
        depth += 1


def reach(grammars: Sequence[Grammar]) -> int:
    """How many lines around a window blocks may reach into."""
    depth = max((d for g in grammars for d in _depths(g).values()), default=0)
    return min(depth * BLOCK_LINES, _REACH_LINES)


def constant(value: object) -> str:
    """A value of `set` as captured text, which the column's type then reads."""
    return str(value).lower() if isinstance(value, bool) else str(value)
