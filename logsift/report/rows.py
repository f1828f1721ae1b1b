"""Rows as a table for people, as CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import sys
from json import loads
from typing import TYPE_CHECKING

from logsift.judge.words import count, ranges
from logsift.report.fates import each, folded
from logsift.report.inert import cell, code, line, markdown, spreadsheet, to_json
from logsift.report.json import plain
from logsift.report.model import fact, fate_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from logsift.store import Store

_CELL = 100
_FEW_RANKS = 64
_ALIGNED = 60
"""Characters of the longest cell that its column is made as wide as, where no terminal sets a width."""
_NESTED = (list, dict, tuple)
FORMATS = ("table", "csv", "json", "md")


def written(names: Sequence[str], rows: Sequence[Sequence[object]], to: str, types: Sequence[str] = ()) -> str:
    """Rows as text; `to` is table, csv, json or md. On a terminal a table cuts long cells; elsewhere nothing is cut.

    `types` are the SQL types of the columns: in JSON, what is JSON already is no text.
    """
    if to == "json":
        is_json = [t == "JSON" for t in types] or [False] * len(names)
        shaped = (
            [loads(str(v)) if j and v is not None else v for j, v in zip(is_json, row, strict=True)] for row in rows
        )
        return to_json(plain([dict(zip(names, row, strict=True)) for row in shaped]))
    if to == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([spreadsheet(_flat(v)) for v in row] for row in [names, *rows])
        return out.getvalue().rstrip("\n")
    if to == "md":
        head = [list(map(markdown, names)), ["---"] * len(names)]
        body = [[(code if isinstance(v, _NESTED) else markdown)(_shown(v)) for v in row] for row in rows]
        return "\n".join(f"| {' | '.join(map(cell, row))} |" for row in [*head, *body])
    return f"{_table(names, rows)}{count(len(rows), 'row')}"


def _flat(value: object) -> object:
    """A value for one cell: lists and structs as JSON."""
    return to_json(plain(value), None) if isinstance(value, _NESTED) else value


def _shown(value: object) -> str:
    return "" if value is None else line(_flat(value))


def of_ranks(store: Store, *, each_rank: bool) -> str:
    """What became of every rank: a line for each where there are few, or it is asked for; else one for those that ended alike."""
    alike = folded(store)
    total = sum(len(f.ranks) for f in alike)
    if not alike:
        return "these logs name no ranks"
    if each_rank or total <= _FEW_RANKS:
        names = ["rank", "host", "GPU", "pid", "step", "collective", "how it ended", "last word", "at"]
        each_row = [
            (
                r.rank, r.host, r.gpu, r.pid, fact(r.step) if r.step is not None else "", r.collective,
                r.said + " (the first to end)" * r.was_first, _time(r.last), f"{r.path}:{r.line}" * bool(r.path),
            )
            for r in each(store)
        ]  # fmt: skip
        return f"{_table(names, each_row)}{count(total, 'rank')}"
    names = ["ranks", "hosts", "last step", "how they ended", "last word", "for example"]
    folded_rows = [
        (
            ranges(f.ranks), count(len(f.hosts), "host"), "-".join(dict.fromkeys(map(fact, f.steps or ()))), fate_of(f),
            _time(f.last), f"{f.path}:{f.line}" * bool(f.path),
        )
        for f in alike
    ]  # fmt: skip
    return f"{_table(names, folded_rows)}{count(total, 'rank')}; --all shows each of them"


def _time(time: datetime | None) -> str:
    return time.isoformat(sep=" ", timespec="seconds") if time else ""


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    if not sys.stdout.isatty():
        return _columns([list(map(line, names)), *([_shown(v) for v in row] for row in rows)])
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for n in names:
        table.add_column(Text(line(n)))
    for row in rows:
        table.add_row(*(Text(_cut(_shown(v))) for v in row))
    with (console := Console(highlight=False)).capture() as capture:
        console.print(table)
    return capture.get()


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Cells in columns, each as long as it is; one much longer than its neighbours moves what follows it in its row only."""
    widths = [max((len(c) for c in column if len(c) <= _ALIGNED), default=0) for column in zip(*rows, strict=True)]
    return "".join(f"{'  '.join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()}\n" for row in rows)


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
