"""The closed list of column types: what a captured text becomes, in polars and in DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

# Sizes are printed in powers of 1024 by every program logsift reads, whether they write GiB, GB or G.
_BYTE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_SECOND_UNITS = {
    "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3, "": 1.0, "s": 1.0, "sec": 1.0,
    "secs": 1.0, "second": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0, "minutes": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type of the grammar language: its SQL type and the cast from captured text.

    `plain` read the simplest spellings alone, much faster: where one reads all of a column nothing else is tried.
    """

    sql: str
    dtype: pl.DataType
    cast: Callable[[pl.Expr], pl.Expr]
    plain: tuple[Callable[[pl.Expr], pl.Expr], ...] = ()


def _int(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(",", "", literal=True).str.strip_chars().cast(pl.Int64, strict=False)


def _float(text: pl.Expr) -> pl.Expr:
    clean = text.str.replace_all(",", "", literal=True).str.strip_chars().str.to_lowercase()
    clean = clean.str.replace("infinity", "inf", literal=True).str.replace("([0-9.])d([-+0-9])", "${1}e${2}")  # Fortran
    return clean.cast(pl.Float64, strict=False)


def _hex(text: pl.Expr) -> pl.Expr:
    return text.str.strip_prefix("0x").str.to_integer(base=16, dtype=pl.Int64, strict=False)


def _bool(text: pl.Expr) -> pl.Expr:
    lower = text.str.to_lowercase()
    return pl.when(lower.is_in(["true", "yes", "y", "1", "on", "enabled"])).then(True).when(
        lower.is_in(["false", "no", "n", "0", "off", "disabled"])
    ).then(False)  # fmt: skip


def _bytes(text: pl.Expr) -> pl.Expr:
    number = text.str.extract(r"^\s*([0-9][0-9,]*(?:\.[0-9]+)?)", 1).str.replace_all(",", "", literal=True)
    unit = text.str.extract(r"^\s*[0-9.,]+\s*([KMGTPEkmgtpe]?)(?:i?[Bb]|[Bb]ytes|\b)", 1).str.to_uppercase()
    factor = unit.replace_strict(_BYTE_UNITS, default=None, return_dtype=pl.Int64)
    return (number.cast(pl.Float64, strict=False) * factor).round(0).cast(pl.Int64, strict=False)


def _duration(text: pl.Expr) -> pl.Expr:
    number = text.str.extract(r"^\s*([0-9]+(?:\.[0-9]+)?)", 1).cast(pl.Float64, strict=False)
    unit = text.str.extract(r"^\s*[0-9.]+\s*([A-Za-z]*)\s*$", 1).str.to_lowercase()
    plain = number * unit.replace_strict(_SECOND_UNITS, default=None, return_dtype=pl.Float64)
    part = text.str.extract_groups(
        r"^\s*(?:(?P<h>[0-9]+):)?(?P<m>[0-9]{1,2}):(?P<s>[0-9]{1,2}(?:\.[0-9]+)?)\s*$"
    ).struct
    hours, minutes, seconds = (part.field(f).cast(pl.Float64, strict=False) for f in "hms")
    # As Go and Kubernetes print it: 3d4h, 9m15s.
    parts = [
        text.str.extract(rf"(?:^|[dhm\s])([0-9]+(?:\.[0-9]+)?){unit}", 1).cast(pl.Float64, strict=False).fill_null(0)
        * _SECOND_UNITS[unit]
        for unit in "dhms"
    ]
    united = pl.when(text.str.contains(r"^\s*(?:[0-9]+[dhm])+(?:[0-9.]+s)?\s*$")).then(
        parts[0] + parts[1] + parts[2] + parts[3]
    )
    return pl.coalesce(plain, hours.fill_null(0) * 3600 + minutes * 60 + seconds, united)


def _number(dtype: pl.DataType) -> Callable[[pl.Expr], pl.Expr]:
    return lambda text: text.cast(dtype, strict=False)


def _clock(text: pl.Expr) -> pl.Expr:
    """hours:minutes:seconds."""
    part = text.str.splitn(":", 3).struct
    hours, minutes = (part.field(f"field_{n}").cast(pl.Int64, strict=False) for n in (0, 1))
    return hours * 3600 + minutes * 60 + part.field("field_2").cast(pl.Float64, strict=False)


def _text(text: pl.Expr) -> pl.Expr:
    return text


TYPES: dict[str, ColumnType] = {
    "text": ColumnType("VARCHAR", pl.String(), _text),
    "int": ColumnType("BIGINT", pl.Int64(), _int, (_number(pl.Int64()),)),
    "float": ColumnType("DOUBLE", pl.Float64(), _float, (_number(pl.Float64()),)),
    "hex": ColumnType("BIGINT", pl.Int64(), _hex),
    "bool": ColumnType("BOOLEAN", pl.Boolean(), _bool),
    "bytes": ColumnType("BIGINT", pl.Int64(), _bytes),
    "duration": ColumnType("DOUBLE", pl.Float64(), _duration, (_number(pl.Float64()), _clock)),
    # A printed time stays text until ingest/clock.py reads it with what else is known of its file.
    "time": ColumnType("TIMESTAMP", pl.Datetime("us"), _text),
}
"""Type name -> column type. bytes: 64-bit count of bytes; duration: seconds; time: UTC."""
