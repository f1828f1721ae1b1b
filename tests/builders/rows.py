"""Rows as tests compare them."""

from __future__ import annotations

from typing import Any

from logsift import Analysis


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the columns that are empty."""
    return [{k: v for k, v in row.items() if v is not None} for row in rows]


def tables(analysis: Analysis) -> dict[str, list[str]]:
    """Every row of every table of the run; `line_id` is a number by the order of reading."""
    names = [
        r["table_name"]
        for r in analysis.sql("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")
    ]
    rows = {
        name: analysis.store.rows(f'FROM "{name}"')
        for name in names
        if name != "excerpt" and not name.startswith("content_")
    }
    return {
        name: sorted(repr({c: v for c, v in row.items() if c != "line_id"}) for row in each)
        for name, each in rows.items()
    }
