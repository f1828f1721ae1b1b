"""Of the rows that a share read, those that rules can need: what every one of ten thousand ranks says all day is more than one machine can judge."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import polars as pl

from logsift.content.columns import TYPES
from logsift.store.database import MEMORY, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logsift.content.model import Bulk, Catalog, Table

    Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
    Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]

_STRETCH_ROWS = 64
"""Rows that are kept together: what stands on neighbouring lines is read together, too."""


def thin(parts: Path, catalog: Catalog, of: int) -> dict[str, dict[str, int]]:
    """Leave rows of bulk tables out of the parts of one share of `of`: table -> id of a file -> how many.

    Each share keeps its part of what is enough for the run, so that a run with fewer rows loses none. Within a share the
    longest series are cut first; of each the last half of what is kept are its last rows, the other stretches from all over it,
    at places that are the same in series of about the same length.

    Args:
        parts: the folder with a folder of Parquet files per table.
        catalog: the content, which says what is enough.
        of: how many shares there are.
    """
    large = [
        (table, bulk, files)
        for table in catalog.tables.values()
        if (bulk := table.bulk)
        and (files := sorted((parts / table.name).glob("*.parquet")))
        and _rows(files) > _share(bulk, of)
    ]
    if not large:
        return {}
    with closing(duckdb.connect(config={"memory_limit": MEMORY})) as con:
        # Conditions are content's, which may be anybody's: they see the parts and nothing else.
        con.execute(
            f"SET allowed_directories = [{quoted(str(parts))}]; SET enable_external_access = false; SET lock_configuration = true"
        )
        return {table.name: _thinned(con, files, table, bulk, _share(bulk, of)) for table, bulk, files in large}


def _rows(files: Sequence[Path]) -> int:
    return sum(pl.scan_parquet(f).select(pl.len()).collect().item() for f in files)


def _share(bulk: Bulk, of: int) -> int:
    """How many rows are enough of one share of so many."""
    return max(1, bulk.rows // of)


def _thinned(
    con: duckdb.DuckDBPyConnection, files: Sequence[Path], table: Table, bulk: Bulk, enough: int
) -> dict[str, int]:
    """Leave rows out of the parts of one table: id of a file -> how many."""
    # Columns that decide, of all parts; the others are read part by part.
    asked = [con.execute(_asked(f, table, bulk)).fetchnumpy() for f in files]
    file_id, line_no, series, met = (
        np.concatenate([a[name] for a in asked]) for name in ("file_id", "line_no", "series", "met")
    )
    kept, before = chosen(series, line_no, met, enough)
    ends = np.cumsum([len(a["file_id"]) for a in asked])
    for f, begin, end in zip(files, (0, *ends), ends, strict=False):
        rows, counted = pl.read_parquet(f), pl.Series(bulk.left_out, before[begin:end])
        rows = rows.with_columns(counted) if bulk.left_out else rows
        rows.filter(kept[begin:end]).write_parquet(f, compression="lz4")
    ids, left = np.unique(file_id[~kept], return_counts=True)
    return dict(zip(map(str, ids.tolist()), left.tolist(), strict=True))


def _asked(part: Path, table: Table, bulk: Bulk) -> str:
    """The query for what decides about the rows of a part, in their order."""
    # A part lacks columns that no row of it fills.
    columns = ", ".join(f"NULL::{TYPES[c.type].sql} AS {c.name}" for c in table.stored if c.name != bulk.left_out)
    series = f"file_id, {bulk.by}" if bulk.by else "file_id"
    met = f"coalesce({bulk.always}, false)" if bulk.always else "false"
    return (
        f"SELECT file_id, line_no, hash({series}) AS series, {met} AS met FROM (SELECT {columns} WHERE false"
        f" UNION ALL BY NAME FROM read_parquet({quoted(str(part))}, hive_partitioning=false))"
    )


def chosen(series: Ints, line_no: Ints, met: Bools, enough: int) -> tuple[Bools, Ints]:
    """Which rows are kept so that there are about `enough`, and how many of its series are left out just before each.

    Args:
        series: what tells the series of each row apart.
        line_no: the order within a series.
        met: rows of which the first of each series are kept, and those just before them.
        enough: how many rows in all.
    """
    order = np.lexsort((line_no, series))
    begins = np.flatnonzero(np.diff(series[order], prepend=~series[order][:1]))
    sizes = np.diff(begins, append=len(order))
    place = np.arange(len(order)) - np.repeat(begins, sizes)
    n = np.repeat(sizes, sizes)
    most = level(sizes, enough)
    last = most - most // 2
    stretch = max(1, min(_STRETCH_ROWS, (most - last) // 8))
    # A power of two: series of about the same length keep the same places, and can be compared there.
    every = 2 ** np.ceil(np.log2(np.maximum(1, (n - last) / stretch / max(1, (most - last) // stretch)))).astype(
        np.int64
    )
    marked = met[order]
    nth: Ints = np.cumsum(marked) - np.repeat((np.cumsum(marked) - marked)[begins], sizes)
    first = marked & (nth <= stretch)
    just_before = np.append(first[1:], False) & (place < n - 1)
    keep = (n <= most) | (place >= n - last) | (place // stretch % every == 0) | first | just_before
    at = np.flatnonzero(keep)
    # Every series keeps its last row: what is between two kept rows and of another series is none.
    before = np.where(place[at] == 0, 0, np.minimum(np.diff(at, prepend=-1) - 1, place[at]))
    out, left = np.zeros(len(order), bool), np.zeros(len(order), np.int64)
    out[order], left[order[at]] = keep, before
    return out, left


def level(sizes: Ints, enough: int) -> int:
    """How many rows each series may keep, so that all together keep about `enough`: short ones keep all of theirs."""
    ascending = np.sort(sizes)
    below = np.cumsum(ascending) - ascending
    others = np.arange(len(ascending), 0, -1)
    cut = np.flatnonzero(below + others * ascending > enough)
    return max(1, int((enough - below[cut[0]]) // others[cut[0]])) if len(cut) else int(ascending[-1])
