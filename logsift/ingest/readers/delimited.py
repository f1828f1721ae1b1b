"""CSV and TSV files of metrics: a header and columns of numbers; where no step or epoch is among them, rows are counted."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import polars as pl

from logsift.ingest import budget
from logsift.ingest.readers.opening import cut_short, read_whole
from logsift.ingest.readers.points import EPISODES, EPOCHS, STEPS, TIMES, counters_in, curves, first_of, long_rows

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_LOOK_ROWS = 2000
_NAMES = ("metric", "tag", "name", "key", "metric_name")


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves; a row cut off in the middle gives the cells it has."""
    data, why = read_whole(file.path)
    yield from cut_short(why)
    wide = _table(_uncommented(data.replace(b"\0", b"")))
    wide = wide.select(c for c in wide.columns if not c.endswith(("__MIN", "__MAX")))
    line_no = pl.int_range(2, wide.height + 2, eager=True)
    value = first_of(("value",), wide.columns)
    name = first_of(_NAMES, [c for c in wide.columns if wide[c].dtype == pl.String]) if value else None
    if value and name:
        wide = wide.with_columns(pl.col(value).cast(pl.Float64, strict=False))
    elif value and {c.strip().lower() for c in wide.columns} <= {"value", *STEPS, *TIMES, *EPISODES, *EPOCHS}:
        stem = file.path.name.rpartition("-tag-")[2].split(".")[0]  # TensorBoard's download: one file per tag
        wide = wide.rename({value: stem or file.path.name})
    if not any(counters_in(wide, wide.columns)):
        wide = wide.with_columns(pl.int_range(1, wide.height + 1).alias("step"))
    yield from curves(long_rows(file, wide, line_no, name))


def _uncommented(data: bytes) -> bytes:
    """A file with a header as one of CSV has it: without the sign of a comment, and blanks between columns as tabs."""
    if data[:1] not in (b"#", b"%"):
        return data
    head, _, rows = data.partition(b"\n")
    data = head.lstrip(b"#% \t") + b"\n" + re.sub(rb"(?m)^[ \t]*[#%][^\n]*", b"", rows)
    if any(separator in head for separator in b",;\t"):
        return data
    return re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", data))


def _table(data: bytes) -> pl.DataFrame:
    """A file as columns: Float64 where every cell looked at is a number, else text."""
    head = data.partition(b"\n")[0]
    separator = max("\t;,", key=lambda s: head.count(s.encode()))
    if _unbalanced(data, separator):
        data = data.replace(b'"', b"")
        head = data.partition(b"\n")[0]
    names = _unique(
        [n.strip().strip('"') for n in head.decode(errors="replace").strip().lstrip("\ufeff").split(separator)]
    )[: budget.COLUMNS]
    if names[0] == "" and "step" not in names:
        names[0] = "step"  # pandas' index, which has no name

    # A first row of empty cells says how many there are, also where a torn one follows. So does a header that was
    # written again, by another run that appends to the file.
    empty = separator.encode() * (len(names) - 1)
    body = data[len(head) + 1 :]
    if head in body:
        body = re.sub(rb"(?m)^" + re.escape(head.rstrip(b"\r")) + rb"\r?$", empty, body)
    body = empty + b"\n" + body

    def cells(schema: dict[str, pl.DataType], rows: int | None = None) -> pl.DataFrame:
        return pl.read_csv(
            io.BytesIO(body), separator=separator, has_header=False, schema=schema, n_rows=rows and rows + 1, ignore_errors=True,
            truncate_ragged_lines=True, encoding="utf8-lossy",
        ).slice(1)  # fmt: skip

    look = cells({n: pl.String() for n in names}, _LOOK_ROWS)
    schema: dict[str, pl.DataType] = {}
    padded = []
    for n in names:
        said = look[n].drop_nulls()
        plain = said.str.strip_chars()
        numbers = plain.cast(pl.Float64, strict=False)
        if numbers.null_count() > (plain == "").sum():
            schema[n] = pl.String()
        else:
            padded += [n] * (plain != said).any()
            schema[n] = pl.String() if n in padded else pl.Float64()
    wide = cells(schema)
    return wide.with_columns(pl.col(n).str.strip_chars().cast(pl.Float64, strict=False) for n in padded)


def _unbalanced(data: bytes, separator: str) -> bool:
    """True where a quote is none: nobody closes it in its line, or it is within a cell. It would take the lines that follow."""
    if b'"' not in data:
        return False
    within = re.compile(rb'[^\n%b"]"[^\n\r%b"]' % (2 * (separator.encode(),)))
    return any(line.count(b'"') % 2 for line in data.splitlines()) or within.search(data) is not None


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    out = []
    for n in names:
        seen[n] = seen.get(n, 0) + 1
        out.append(n if seen[n] == 1 else f"{n}_{seen[n]}")
    return out
