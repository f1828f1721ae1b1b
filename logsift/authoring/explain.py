"""What becomes of one line, step by step: the debugger that grammars owe their authors."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logsift.errors import UserError
from logsift.ingest.clock import utc
from logsift.ingest.discover import discover
from logsift.ingest.envelope import FACTS
from logsift.ingest.evidence import fetch
from logsift.ingest.parse import Parser
from logsift.ingest.readers import lines as text
from logsift.ingest.readers.numbered import unnumbered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from logsift.content.model import Catalog, Grammar

_AFTER = 400
"""Lines behind the one that is asked for that are matched with it: a message may go on there."""


def explain(path: Path, line_no: int, catalog: Catalog) -> str:
    """The way of line `line_no` of a file, in words.

    Raises:
        FileNotFoundError: no such file.
        UserError: it has fewer lines, or is not to be read.
    """
    file = next(iter(discover(path, catalog)), None)
    if file is None:
        raise UserError(f"{path} is one of logsift's own files")
    if file.reader != "lines":
        return f"{path} is read by {file.reader or 'nobody'}{f' ({file.why})' if file.why else ''}: it has no lines"
    parser = Parser(catalog)
    before = max(1, line_no - parser.reach(file.grammar))
    wanted = {(file.file_id, n) for n in range(before, line_no + _AFTER + 1)}
    lines = fetch(wanted, {file.file_id: file}, [], parser.spelling)
    if (file.file_id, line_no) not in lines:
        raise UserError(f"{path} has no line {line_no}")
    raw = lines[file.file_id, line_no]
    owner = parser.owners.get(file.grammar or "")
    out = [f"line      {raw!r}", f"owner     {file.grammar or 'none: every ordinary grammar looks into this file'}"]
    there = sorted(lines)
    data = unnumbered("".join(lines[k] + "\n" for k in there).encode())
    frame = text.frame([(file.file_id, np.array([n for _, n in there]), data)])
    frame = frame.with_columns(
        core=pl.col("line_no") == line_no,
        marked=pl.lit(True),
        written=pl.lit(utc(file.mtime_ns)).cast(pl.Datetime("us")),
    )
    envelopes = parser.wrapped[owner.name] if owner else parser.envelopes
    grammars = [owner] if owner else parser.everywhere
    records = envelopes.strip(frame)
    for record in records.filter("core").iter_rows(named=True):
        facts = {f: record[f] for f in FACTS if record[f] is not None and f != "stream"}
        out.append(f"message   {record['body']!r}" + (f"\nenvelope  {facts}" if facts else ""))
    needles = {n for g in grammars for p in g.patterns for n in p.needles}
    needles |= {n for g in grammars if g.envelope for n in g.envelope.needles}
    matched = parser.match(file.grammar, frame, frozenset(needles))
    for table, frames in matched.tables.items():
        for row in pl.concat(frames, how="diagonal").iter_rows(named=True):
            out.append(f"row       {table}: {_shown(row)}")
            out += [f"block     opened by line {n}: {_line(lines, file.file_id, n)}" for n in sorted(_openers(row))]
    if not matched.tables:
        out.append("row       none")
    if matched.tables.keys() <= {p.table for g in grammars if g.leftovers for p in g.patterns}:
        grammars = [g for g in grammars if not g.leftovers]
        out += [
            f"          {said}"
            for said in _why_not(grammars, raw, records.filter(pl.col("line_no") <= line_no), owned=bool(owner))
        ]
    return "\n".join(out)


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k: v.isoformat(sep=" ") if isinstance(v, datetime) else v
        for k, v in row.items()
        if v is not None and k not in {"file_id", "line_no", "stream"}
    }


def _openers(row: Mapping[str, Any]) -> set[int]:
    """The lines that opened the blocks a row is in: a table keeps them in columns called after the blocks."""
    return {v for k, v in row.items() if k.endswith("_line") and isinstance(v, int) and 0 < v < row["line_no"]}


def _line(lines: Mapping[tuple[int, int], str], file_id: int, line_no: int) -> str:
    return repr(lines.get((file_id, line_no), "")[:160])


def _why_not(grammars: list[Grammar], raw: str, records: pl.DataFrame, *, owned: bool) -> list[str]:
    """What patterns make of a line that gives no row.

    Args:
        grammars: those that look into the file.
        raw: the line.
        records: its records, and those of the lines before it.
        owned: the file has one grammar.
    """
    out = []
    bodies, before = (records.filter(f)["body"] for f in (pl.col("core"), ~pl.col("core")))
    for g in grammars:
        for p in g.patterns:
            there = any(n in raw for n in p.needles)
            whole = not p.whole_line or pl.Series([raw]).str.contains(p.whole_line).item()
            fits = (there or not p.needles) and whole and bodies.str.contains(p.regex).any()
            if fits and p.inside and _opened(g, p.inside, before):
                becomes = f"continues a block {p.inside!r}" if p.append else f"ends a block {p.inside!r}"
                becomes = becomes if p.append or p.closes else f"belongs into a block {p.inside!r}"
                out.append(f"{g.name}.{p.id}: matches, and {becomes} where one is open")
            elif there and not fits:
                out.append(f"{g.name}.{p.id}: its needle is there, its regex does not match: {p.regex}")
            elif there:
                out.append(f"{g.name}.{p.id}: matches, but no block {p.inside!r} was opened before")
    return out or ["no pattern of the owner matches" if owned else "no known phrase occurs in this line"]


def _opened(grammar: Grammar, block: str, before: pl.Series) -> bool:
    """True where a line before opened such a block."""
    return any(p.opens == block and before.str.contains(p.regex).any() for p in grammar.patterns)
