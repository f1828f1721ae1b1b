"""Results as data frames whose columns have their types also where there are no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.store.database import told_apart

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    from duckdb.sqltypes import DuckDBPyType

_ROWS = 100_000
"""Rows that are held as Python's values at a time."""
_DTYPES: dict[str, pl.DataType] = {
    "boolean": pl.Boolean(), "tinyint": pl.Int8(), "smallint": pl.Int16(), "integer": pl.Int32(), "bigint": pl.Int64(),
    "hugeint": pl.Int128(), "utinyint": pl.UInt8(), "usmallint": pl.UInt16(), "uinteger": pl.UInt32(),
    "ubigint": pl.UInt64(), "float": pl.Float32(), "double": pl.Float64(), "varchar": pl.String(), "blob": pl.Binary(),
    "date": pl.Date(), "time": pl.Time(), "timestamp": pl.Datetime("us"), "timestamp_s": pl.Datetime("us"),
    "timestamp_ms": pl.Datetime("us"), "timestamp_ns": pl.Datetime("us"), "interval": pl.Duration("us"),
}  # fmt: skip


def frame(cursor: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """What a query that was executed gives; of columns with the same name the later ones are numbered.

    Not by Arrow: without pyarrow, polars and DuckDB leave something behind that Python complains of when it ends.
    """
    kinds = [d[1] for d in cursor.description or ()]
    names = told_apart([d[0] for d in cursor.description or ()])
    dtypes, shaped = [_dtype(k) for k in kinds], [_shape(k) for k in kinds]
    parts = [pl.DataFrame(schema=dict(zip(names, dtypes, strict=True)))]
    while rows := cursor.fetchmany(_ROWS):
        columns = [list(map(s, c)) if s else c for s, c in zip(shaped, zip(*rows, strict=True), strict=True)]
        parts.append(
            pl.DataFrame([pl.Series(n, c, d, strict=False) for n, d, c in zip(names, dtypes, columns, strict=True)])
        )
    return pl.concat(parts)


def _dtype(kind: DuckDBPyType) -> pl.DataType:
    """The type of a column; what polars has no type for is text."""
    if kind.id in ("list", "array"):
        return pl.List(_dtype(_inner(kind)["child"]))
    if kind.id == "struct":
        return pl.Struct({name: _dtype(child) for name, child in _inner(kind).items()})
    if kind.id == "map":
        return pl.List(pl.Struct({name: _dtype(child) for name, child in _inner(kind).items()}))
    if kind.id == "decimal":
        sizes = _inner(kind)
        return pl.Decimal(sizes["precision"], sizes["scale"])
    return _DTYPES.get(kind.id, pl.String())


def _shape(kind: DuckDBPyType) -> Callable[[Any], Any] | None:
    """What makes polars' form of one of Python's values of that type, None where they are the same."""
    if kind.id in ("list", "array"):
        each = _shape(_inner(kind)["child"])
        return lambda v: v if v is None else [each(x) for x in v] if each else list(v)
    if kind.id == "struct":
        fields = [(name, _shape(child)) for name, child in _inner(kind).items()]
        return lambda v: v if v is None else {name: shape(v[name]) if shape else v[name] for name, shape in fields}
    if kind.id == "map":
        key, value = (_shape(child) or _same for child in _inner(kind).values())
        return lambda v: v if v is None else [{"key": key(k), "value": value(x)} for k, x in v.items()]
    if kind.id in _DTYPES or kind.id in ("decimal", "enum"):
        return None
    return lambda v: v if v is None else str(v)


def _inner(kind: DuckDBPyType) -> dict[str, Any]:
    """What a type is made of, by name: other types, or sizes."""
    return dict(kind.children)


def _same(value: object) -> object:
    return value
