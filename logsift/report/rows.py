"""Rows as a table for people, as CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import textwrap
from itertools import zip_longest
from json import loads
from typing import TYPE_CHECKING

from logsift.judge.words import count, ranges
from logsift.report import fold
from logsift.report.fates import each, folded
from logsift.report.inert import cell, code, line, markdown, spreadsheet, to_json
from logsift.report.json import plain
from logsift.report.model import fact, fate_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from logsift.store import Store

_CELL = 100
_FOLDED = 26
"""Characters that the column of a long cell keeps at least on a terminal."""
_FEW_RANKS = 64
_ALIGNED = 60
"""Characters of the longest cell that its column is made as wide as, where no terminal sets a width."""
_NESTED = (list, dict, tuple)
FORMATS = ("table", "csv", "json", "md")


def written(names: Sequence[str], rows: Sequence[Sequence[object]], to: str, types: Sequence[str] = ()) -> str:
    """Rows as text; `to` is table, csv, json or md. On a terminal a table cuts and folds long cells; elsewhere nothing is cut.

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
        spare = ["pid", "GPU", "at", "last word", "collective", "host", "step"]
        return f"{_table(names, each_row, spare)}{count(total, 'rank')}"
    names = ["ranks", "hosts", "last step", "how they ended", "last word", "for example"]
    folded_rows = [
        (
            ranges(f.ranks), count(len(f.hosts), "host"), "-".join(dict.fromkeys(map(fact, f.steps or ()))), fate_of(f),
            _time(f.last), f"{f.path}:{f.line}" * bool(f.path),
        )
        for f in alike
    ]  # fmt: skip
    spare = ["for example", "last word", "last step", "hosts"]
    return f"{_table(names, folded_rows, spare)}{count(total, 'rank')}; --all shows each of them"


def _time(time: datetime | None) -> str:
    return time.isoformat(sep=" ", timespec="seconds") if time else ""


def _table(names: Sequence[str], rows: Iterable[Sequence[object]], spare: Sequence[str] = ()) -> str:
    """Cells in columns; on a terminal that has no room for all, without those that can be spared, the first of them first.

    Where nothing can be spared, each row becomes a list of its cells.
    """
    cells = [list(map(line, names)), *([_shown(v) for v in row] for row in rows)]
    if not sys.stdout.isatty():
        return _columns(cells)
    width = max(shutil.get_terminal_size().columns, fold.NARROWEST)
    cells = [[fold.shortened(c, _CELL) for c in row] for row in cells]
    shown, left_out = cells, list[str]()
    for name in spare:
        if _room(shown) <= width:
            break
        left_out.append(name)
        shown = [[c for n, c in zip(names, row, strict=True) if n not in left_out] for row in cells]
    if not spare and _room(shown) > width:
        return _records(cells, width)
    told = fold.folded(f"no room for: {', '.join(left_out)}\n", width) if left_out else ""
    return f"{_wrapped(shown, width)}{told}"


def _room(cells: Sequence[Sequence[str]]) -> int:
    """Characters that columns take at least; long cells can be folded."""
    return sum(min(_FOLDED, max(map(len, column))) + 2 for column in zip(*cells, strict=True)) - 2


def _wrapped(cells: Sequence[Sequence[str]], width: int) -> str:
    """Columns as wide as their cells where there is room, else the widest are folded."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    while (over := sum(widths) + 2 * (len(widths) - 1) - width) > 0 and max(widths) > 1:
        widest = max(range(len(widths)), key=widths.__getitem__)
        second = max((w for n, w in enumerate(widths) if n != widest), default=0)
        widths[widest] = max(widths[widest] - over, min(second, widths[widest] - 1), 1)
    out = []
    for row in cells:
        parts = [textwrap.wrap(c, w, break_on_hyphens=False) or [""] for c, w in zip(row, widths, strict=True)]
        out += [
            "  ".join(c.ljust(w) for c, w in zip(one, widths, strict=True)).rstrip()
            for one in zip_longest(*parts, fillvalue="")
        ]
    return "".join(f"{text}\n" for text in out)


def _records(cells: Sequence[Sequence[str]], width: int) -> str:
    """Rows one below the other, a line for each cell that holds anything."""
    wide = max(map(len, cells[0]))
    out = []
    for n, row in enumerate(cells[1:], 1):
        out.append(f"row {n}")
        out += [fold.folded(f"  {name:{wide}}  {c}", width) for name, c in zip(cells[0], row, strict=True) if c]
    return "".join(f"{text}\n" for text in out)


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Cells in columns, each as long as it is; one much longer than its neighbours moves what follows it in its row only."""
    widths = [max((len(c) for c in column if len(c) <= _ALIGNED), default=0) for column in zip(*rows, strict=True)]
    return "".join(f"{'  '.join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()}\n" for row in rows)
