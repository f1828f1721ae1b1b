"""Files of numbers and nothing else, as `numpy.savetxt` and scripts write a curve: rows of them, or one list. Their name says of what."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import polars as pl

from logsift.ingest import budget
from logsift.ingest.readers.opening import cut_short, read_whole
from logsift.ingest.readers.points import curves, long_rows

if TYPE_CHECKING:
    from pathlib import Path

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_SUFFIXES = re.compile(r"(?:\.(?:csv|tsv|txt|dat|log|out|json|gz|bz2|xz|zst))+$", re.IGNORECASE)
_BETWEEN = re.compile(rb"[ \t]*[,;][ \t]*|[ \t]+")
_AROUND = re.compile(rb"(?m)^[ \t]+|[ \t\r,;]+$")


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves; where the first of several columns counts up, it is the step, else rows are counted."""
    data, why = read_whole(file.path)
    yield from cut_short(why)
    data = data.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    wide = _listed(data) if data.lstrip()[:1] == b"[" else _rows(data)
    values = wide.columns[1:]
    first = wide[values[0]].drop_nulls()
    counts = (
        len(values) > 1 and len(first) > 1 and bool(((first == first.round()) & (first.diff().fill_null(1) > 0)).all())
    )
    step = values.pop(0) if counts else None
    name = _named_after(file.path)
    wide = wide.select(
        "line_no",
        (pl.col(step) if step else pl.int_range(1, pl.len() + 1)).cast(pl.Float64).alias("step"),
        *(pl.col(c).alias(f"{name}/{n}" if len(values) > 1 else name) for n, c in enumerate(values, 1)),
    )
    yield from curves(long_rows(file, wide.drop("line_no"), wide["line_no"]))


def _named_after(path: Path) -> str:
    """What a file is called, without what says how it was written."""
    return _SUFFIXES.sub("", path.name) or path.name


def _listed(data: bytes) -> pl.DataFrame:
    """The numbers of one list, each with its line."""
    lines = pl.Series(data.decode(errors="replace").split("\n"))
    found = lines.str.extract_all(r"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|(?i:nan|inf(?:inity)?))")
    return (
        pl.DataFrame({"line_no": pl.int_range(1, len(lines) + 1, eager=True), "value": found})
        .explode("value")
        .with_columns(pl.col("value").cast(pl.Float64, strict=False))
    )


def _rows(data: bytes) -> pl.DataFrame:
    """The columns of a table without a header, each row with its line."""
    plain = _BETWEEN.sub(b",", _AROUND.sub(b"", data))
    width = min(plain.lstrip().partition(b"\n")[0].count(b",") + 1, budget.COLUMNS)
    schema = {f"column_{n}": pl.String() for n in range(1, width + 1)}
    # A first row of empty cells says how many there are, also where a line with nothing follows.
    body = b"," * (width - 1) + b"\n" + plain
    wide = pl.read_csv(
        io.BytesIO(body), has_header=False, schema=schema, ignore_errors=True, truncate_ragged_lines=True, encoding="utf8-lossy"
    ).slice(1)  # fmt: skip
    return wide.select(
        pl.int_range(1, pl.len() + 1).alias("line_no"), pl.all().str.strip_chars().cast(pl.Float64, strict=False)
    )
