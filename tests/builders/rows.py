"""Rows as tests compare them."""

from __future__ import annotations

import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from logsift import Analysis, Catalog, load_catalog, pipeline
from logsift.ingest.discover import discover
from logsift.store.create import create

_built_in = cache(load_catalog)


def rows_read(run: Path, query: str, catalog: Catalog | None = None) -> list[dict[str, Any]]:
    """Rows of a query over what is read of a run before anything is made of it: the tables of grammars, and views of these alone."""
    catalog = catalog or _built_in()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(create(Path(folder) / "read.duckdb", catalog)) as store,
    ):
        pipeline.read(store, catalog, discover(run, catalog))
        return store.rows(query)


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
