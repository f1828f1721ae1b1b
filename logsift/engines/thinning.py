"""Of the rows that a share read, those that rules can need: what every one of ten thousand ranks says all day is more than one machine can judge."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from logsift.content.columns import TYPES
from logsift.errors import StorageError
from logsift.store.database import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logsift.content.model import Bulk, Catalog, Table

_STRETCH_ROWS = 64
"""Rows that are kept together: what stands on neighbouring lines is read together, too."""
_MEMORY = "600MB"


def thin(parts: Path, catalog: Catalog, of: int, scratch: Path) -> dict[str, dict[str, int]]:
    """Leave rows of bulk tables out of the parts of one share of `of`: table -> id of a file -> how many.

    Each share keeps its part of what is enough for the run, so that a run with fewer rows loses none. Within a share the
    longest series are cut first; of each the last half of what is kept are its last rows, the other stretches from all over it,
    at places that are the same in series of about the same length.

    Args:
        parts: the folder with a folder of Parquet files per table.
        catalog: the content, which says what is enough.
        of: how many shares there are.
        scratch: a folder for what does not fit into memory.

    Raises:
        StorageError: the disk is full.
    """
    out: dict[str, dict[str, int]] = {}
    with closing(duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(scratch)})) as con:
        # Conditions are content's, which may be anybody's: they see the parts and nothing else.
        con.execute(
            f"SET allowed_directories = [{quoted(str(parts))}]; SET enable_external_access = false; SET lock_configuration = true"
        )
        for table in catalog.tables.values():
            files = sorted((parts / table.name).glob("*.parquet"))
            if (
                table.bulk
                and files
                and (left := _thinned(con, files, table, table.bulk, max(1, table.bulk.rows // of)))
            ):
                out[table.name] = left
    return out


def _thinned(
    con: duckdb.DuckDBPyConnection, files: Sequence[Path], table: Table, bulk: Bulk, enough: int
) -> dict[str, int]:
    listed = ", ".join(quoted(str(f)) for f in files)
    if (
        con.execute(f"SELECT count(*) FROM read_parquet([{listed}], hive_partitioning=false)").fetchall()[0][0]
        <= enough
    ):
        return {}
    # Parts lack columns that no row fills.
    columns = ", ".join(f"NULL::{TYPES[c.type].sql} AS {c.name}" for c in table.stored if c.name != bulk.left_out)
    read = f"FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"
    rows = f"FROM (SELECT {columns} WHERE false UNION ALL BY NAME {read})"
    series = f"file_id, {bulk.by}" if bulk.by else "file_id"
    sizes = con.execute(f"SELECT file_id, count(*) AS n {rows} GROUP BY {series}").fetchnumpy()
    most = level(sizes["n"], enough)
    kept = files[0].with_name("kept")
    try:
        con.execute(
            f"COPY ({_kept(rows, series, bulk, most)}) TO {quoted(str(kept))} (FORMAT parquet, COMPRESSION lz4)"
        )
    except (duckdb.IOException, duckdb.OutOfMemoryException) as e:
        raise StorageError(f"rows cannot be written: {str(e).splitlines()[0]}") from None
    there = con.execute(f"SELECT file_id, count(*) FROM read_parquet({quoted(str(kept))}) GROUP BY file_id").fetchall()
    for f in files:
        f.unlink()
    kept.rename(files[0])
    before = np.bincount(sizes["file_id"], sizes["n"]).astype(np.int64)
    return {str(f): int(before[f]) - n for f, n in sorted(there) if before[f] > n}


def level(sizes: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]], enough: int) -> int:
    """How many rows each series may keep, so that all together keep about `enough`: short ones keep all of theirs."""
    ascending = np.sort(np.asarray(sizes, np.int64))
    below = np.cumsum(ascending) - ascending
    others = np.arange(len(ascending), 0, -1)
    cut = np.flatnonzero(below + others * ascending > enough)
    return max(1, int((enough - below[cut[0]]) // others[cut[0]])) if len(cut) else int(ascending[-1])


def _kept(rows: str, series: str, bulk: Bulk, most: int) -> str:
    """The query for what is kept of series of which each may keep `most` rows."""
    last = most - most // 2
    stretch = max(1, min(_STRETCH_ROWS, (most - last) // 8))
    stretches = max(1, (most - last) // stretch)
    # A power of two: series of about the same length keep the same places, and can be compared there.
    every = f"pow(2, ceil(log2(greatest(1, ceil((n - {last}) / {stretch}) / {stretches}))))::BIGINT"
    counted = f", (place - coalesce(lag(place) OVER s, -1) - 1)::BIGINT AS {bulk.left_out}" if bulk.left_out else ""
    met = f"coalesce({bulk.always}, false)" if bulk.always else "false"
    within = f"PARTITION BY {series} ORDER BY line_no"
    return f"""
        SELECT * EXCLUDE (place, n, first_met){counted}
        FROM (
            SELECT *
            FROM (
                SELECT
                    *,
                    row_number() OVER ({within}) - 1 AS place,
                    count(*) OVER (PARTITION BY {series}) AS n,
                    {met} AND row_number() OVER (PARTITION BY {series}, {met} ORDER BY line_no) <= {stretch} AS first_met
                {rows}
            )
            QUALIFY
                n <= {most}
                OR place >= n - {last}
                OR (place // {stretch}) % {every} = 0
                OR first_met
                OR lead(first_met) OVER ({within})
        )
        WINDOW s AS ({within})
        ORDER BY file_id, line_no
    """
