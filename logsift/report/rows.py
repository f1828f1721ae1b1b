"""The result of a query as a table for people, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING

from logsift.judge.words import count, ranges
from logsift.report.fates import each, folded
from logsift.report.inert import line, spreadsheet, to_json
from logsift.report.model import fact, fate_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from logsift.store import Store

_CELL = 100
_FEW_RANKS = 64
_PIPE = 250
"""Columns where no terminal sets them."""


def written(store: Store, query: str, to: str) -> str:
    """Rows of a query as text; `to` is table, csv or json.

    Raises:
        duckdb.Error: the query is wrong; DuckDB says where.
        UserError: it is none, or takes more than a query may.
    """
    names, rows = store.typed(query)
    if to == "json":
        return to_json([dict(zip(names, row, strict=True)) for row in rows])
    if to == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([spreadsheet(v) for v in row] for row in [names, *rows])
        return out.getvalue()
    return f"{_table(names, rows)}{len(rows)} row{'s' * (len(rows) != 1)}"


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
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for n in names:
        table.add_column(Text(line(n)))
    for row in rows:
        table.add_row(*(Text(_cell(v)) for v in row))
    width = None if sys.stdout.isatty() else _PIPE
    with (console := Console(highlight=False, width=width)).capture() as capture:
        console.print(table)
    return capture.get()


def _cell(value: object) -> str:
    text = "" if value is None else line(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
