"""MLflow's stores: one text file per metric, or a SQLite database."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.ingest import budget
from logsift.ingest.readers.opening import cut_short, open_bytes, read_whole
from logsift.ingest.readers.points import curves, times
from logsift.places import on_disk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

# SQLite keeps any type in any column.
_QUERY = (
    "SELECT CAST(key AS TEXT), CAST(value AS REAL), CAST(timestamp AS INTEGER), CAST(step AS REAL), CAST(is_nan AS INTEGER),"
    " CAST(run_uuid AS TEXT) FROM metrics ORDER BY run_uuid, key, step, timestamp LIMIT ?"
)


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves: `timestamp value step` per line, or the table `metrics`."""
    with open_bytes(file.path) as stream:
        if stream.read(16).startswith(b"SQLite format 3"):
            yield from _database(file)
            return
    data, why = read_whole(file.path)
    data = data.replace(b"\0", b"")
    yield from cut_short(why)
    name = f"/{file.name}".rpartition("/metrics/")[2].lstrip("/")
    lines = pl.DataFrame({"line": io.StringIO(data.decode(errors="replace")).read().splitlines()}, {"line": pl.String})
    cells = pl.col("line").str.split(" ")
    rows = lines.with_row_index("line_no", 1).select(
        pl.col("line_no").cast(pl.Int64), cells.list.get(0, null_on_oob=True).alias("time"),
        cells.list.get(1, null_on_oob=True).str.to_lowercase().str.replace("infinity", "inf").cast(pl.Float64, strict=False).alias("metric_value"),
        cells.list.get(2, null_on_oob=True).cast(pl.Float64, strict=False).alias("step"),
    )  # fmt: skip
    rows = rows.drop_nulls(["metric_value", "step"])
    yield from curves([(name, rows.with_columns(*times(file, rows["time"])))])


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """Rows of the database, or lines of the text file."""
    with open_bytes(file.path) as stream:
        is_text = not stream.read(16).startswith(b"SQLite format 3")
    if is_text:
        lines = read_whole(file.path)[0].decode(errors="replace").splitlines()
        return {n: lines[n - 1] for n in numbers if 0 < n <= len(lines)}
    try:
        found = _rows(file)
    except sqlite3.Error:
        return {}
    return {n: f"step {found[n - 1][3]}: {found[n - 1][0]} = {found[n - 1][1]}" for n in numbers if 0 < n <= len(found)}


def _rows(file: SourceFile) -> list[tuple[Any, ...]]:
    """What the database holds; SQLite reads files on the disk only.

    Raises:
        sqlite3.Error: its metrics are no plain table: a view can give rows without end.
    """
    with on_disk(file.path, budget.WHOLE_BYTES) as path, closing(_open(path)) as con:
        return con.execute(_QUERY, [budget.ROWS]).fetchall()


def _open(path: Path) -> sqlite3.Connection:
    """The database, to be read within the budget of a file."""
    con = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    con.text_factory = lambda text: text.decode(errors="replace")
    con.execute("PRAGMA trusted_schema = OFF")
    con.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
    until = monotonic() + budget.SECONDS
    con.set_progress_handler(lambda: monotonic() > until, 100_000)
    made = con.execute("SELECT type, sql FROM sqlite_master WHERE lower(name) = 'metrics'").fetchall()
    if len(made) != 1 or made[0][0] != "table" or "VIRTUAL" in str(made[0][1]).upper()[:40]:
        con.close()
        raise sqlite3.DatabaseError("no plain table named metrics")
    return con


def _database(file: SourceFile) -> Rows:
    try:
        found = _rows(file)
    except sqlite3.Error as e:
        yield "problem", pl.DataFrame({"line_no": [0], "what": ["holds no table of metrics"], "text": [str(e)]})
        return
    schema = {
        "name": pl.String(),
        "metric_value": pl.Float64(),
        "time": pl.Int64(),
        "step": pl.Float64(),
        "nan": pl.Int64(),
        "run_name": pl.String(),
    }
    rows = pl.DataFrame(found, schema, orient="row", strict=False).with_row_index("line_no", 1)
    rows = rows.with_columns(
        pl.col("line_no").cast(pl.Int64), *times(file, rows["time"].cast(pl.String)),
        pl.when(pl.col("nan") == 1).then(float("nan")).otherwise(pl.col("metric_value")).alias("metric_value"),
    )  # fmt: skip
    yield from curves([(None, rows.drop_nulls(["name", "metric_value"]))])
