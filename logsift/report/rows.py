"""The result of a query as a table for people, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logsift.store import Store

_CELL = 100


def written(store: Store, query: str, to: str) -> str:
    """Rows of a query as text; `to` is table, csv or json.

    Raises:
        duckdb.Error: the query is wrong; DuckDB says where.
    """
    if to == "json":
        return json.dumps(store.rows(query), default=str, ensure_ascii=False, indent=1)
    cursor = store.con.execute(query)
    names, rows = [d[0] for d in cursor.description or ()], cursor.fetchall()
    if to == "csv":
        out = io.StringIO()
        csv.writer(out).writerows([names, *rows])
        return out.getvalue()
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*names, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(_cell(v)) for v in row))
    with (console := Console(highlight=False)).capture() as capture:
        console.print(table)
    return f"{capture.get()}{len(rows)} row{'s' * (len(rows) != 1)}"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
