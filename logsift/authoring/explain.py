"""What becomes of one line, step by step: the debugger that grammars owe their authors."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.errors import UserError
from logsift.ingest.clock import utc
from logsift.ingest.discover import discover
from logsift.ingest.envelope import FACTS
from logsift.ingest.evidence import fetch
from logsift.ingest.parse import Parser
from logsift.ingest.readers import lines as text

if TYPE_CHECKING:
    from pathlib import Path

    from logsift.content.model import Catalog, Grammar, Pattern

_CONTEXT = 400
"""Lines before the one that is asked for that are matched with it, so that blocks are open."""


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
    wanted = {(file.file_id, n) for n in range(max(1, line_no - _CONTEXT), line_no + 1)}
    parser = Parser(catalog)
    lines = fetch(wanted, {file.file_id: file}, [], parser.spelling)
    if (file.file_id, line_no) not in lines:
        raise UserError(f"{path} has no line {line_no}")
    raw = lines[file.file_id, line_no]
    owner = parser.owners.get(file.grammar or "")
    out = [f"line      {raw!r}", f"owner     {file.grammar or 'none: every ordinary grammar looks into this file'}"]
    there = sorted(lines)
    data = "\n".join(lines[k] for k in there).encode()
    frame = text.frame([(file.file_id, np.array([n for _, n in there]), data)])
    frame = frame.with_columns(
        core=pl.col("line_no") == line_no, written=pl.lit(utc(file.mtime_ns)).cast(pl.Datetime("us"))
    )
    envelopes = parser.wrapped[owner.name] if owner else parser.envelopes
    grammars = [owner] if owner else parser.everywhere
    records = envelopes.strip(frame)
    for record in records.filter("core").iter_rows(named=True):
        facts = {f: record[f] for f in FACTS if record[f] is not None and f != "stream"}
        out.append(f"message   {record['body']!r}" + (f"\nenvelope  {facts}" if facts else ""))
    from logsift.ingest.match import match

    needles = frozenset(n for g in grammars for n in _needles(g))
    matched = match(grammars, catalog.tables, records, needles)
    for table, frames in matched.tables.items():
        for row in pl.concat(frames, how="diagonal").iter_rows(named=True):
            shown = {
                k: v.isoformat(sep=" ") if isinstance(v, datetime) else v
                for k, v in row.items()
                if v is not None and k not in {"file_id", "line_no", "stream"}
            }
            out.append(f"row       {table}: {shown}")
    if not matched.tables:
        out.append("row       none")
        out += [f"          {said}" for said in _why_not(grammars, raw, bool(owner))]
    return "\n".join(out)


def _needles(grammar: Grammar) -> list[str]:
    own = [n for p in grammar.patterns for n in p.needles]
    return own + list(grammar.envelope.needles if grammar.envelope else ())


def _why_not(grammars: list[Grammar], raw: str, owned: bool) -> list[str]:
    near: list[tuple[Grammar, Pattern]] = [
        (g, p) for g in grammars for p in g.patterns if any(n in raw for n in p.needles)
    ]
    if not near:
        return ["no known phrase occurs in this line" if not owned else "no pattern of the owner matches"]
    return [
        f"{g.name}.{p.id}: its needle is there, its regex does not match{' (or no block is open)' if p.inside else ''}: {p.regex}"
        for g, p in near
    ]
