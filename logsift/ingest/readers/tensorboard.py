"""TensorBoard event files: every scalar, none left out. Record framing and the few protobuf fields that hold scalars.

A record is: length (u64), masked crc32c of the length, payload, crc32c of the payload. After a crash the last record is
cut off, or the file ends in zeros: reading stops there. The checksum of the payload is not looked at: in Python it would
cost more than all the rest.
"""

from __future__ import annotations

import struct
from array import array
from typing import TYPE_CHECKING

import polars as pl

from logsift.ingest.readers.opening import open_bytes
from logsift.ingest.readers.points import TABLE
from logsift.ingest.readers.protobuf import fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsift.content.catalog import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_FLOAT, _DOUBLE, _HALF = 1, 2, 19
_INTS = {3: "<i", 9: "<q", 4: "<B", 6: "<b", 5: "<h"}


def _crc_table() -> list[int]:
    out = []
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
        out.append(n)
    return out


_CRC = _crc_table()


def masked_crc(data: bytes) -> int:
    """TensorFlow's masked crc32c (Castagnoli)."""
    crc = 0xFFFFFFFF
    for b in data:
        crc = _CRC[(crc ^ b) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data: bytes) -> Iterator[bytes]:
    """Payloads in order, up to the first record that is not whole."""
    at, end = 0, len(data)
    good: dict[bytes, bool] = {}  # lengths repeat, their checksums need not be counted again
    while at + 12 <= end:
        head = data[at : at + 12]
        fine = good.get(head)
        if fine is None:
            fine = good[head] = masked_crc(head[:8]) == int.from_bytes(head[8:], "little")
        length = int.from_bytes(head[:8], "little")
        if not fine or at + 16 + length > end:
            return
        yield data[at + 12 : at + 12 + length]
        at += 16 + length


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Rows of `metric_point`, tag by tag; the line number is the record's."""
    with open_bytes(file.path) as stream:
        data = stream.read()
    tags: dict[bytes, tuple[array[int], array[float], array[float], array[float]]] = {}
    used = 0
    for number, event in enumerate(records(data), 1):
        used += 16 + len(event)
        time, step, scalars = _event(event)
        for tag, scalar in scalars:
            columns = tags.get(tag)
            if columns is None:
                columns = tags[tag] = (array("q"), array("d"), array("d"), array("d"))
            columns[0].append(number)
            columns[1].append(time)
            columns[2].append(step)
            columns[3].append(scalar)
    for tag, (numbers, times, steps, values) in tags.items():
        frame = pl.DataFrame({"line_no": numbers, "at_step": steps, "metric_value": values, "time": times})
        seconds = pl.col("time").cast(pl.Decimal(20, 6)).cast(pl.String)
        yield (
            TABLE,
            frame.with_columns(
                pl.lit(tag.decode(errors="replace")).alias("name"),
                pl.when(pl.col("time").is_between(1e9, 1e10)).then(seconds).alias("time"),
            ),
        )
    if used < len(data) and data[used:].strip(b"\0"):
        what = "the last record is cut off or damaged"
        yield (
            "problem",
            pl.DataFrame({"line_no": [0], "what": [what], "text": [f"{len(data) - used} bytes from {used}"]}),
        )


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """Records as step and values."""
    with open_bytes(file.path) as stream:
        data = stream.read()
    wanted, out = set(numbers), {}
    for number, event in enumerate(records(data), 1):
        if number in wanted:
            _, step, scalars = _event(event)
            out[number] = f"step {step}: " + ", ".join(
                f"{tag.decode(errors='replace')} = {scalar:.7g}" for tag, scalar in scalars
            )
    return out


def _event(event: bytes) -> tuple[float, int, list[tuple[bytes, float]]]:
    """(wall time, step, scalars by tag) of an Event."""
    time, step, summary = 0.0, 0, b""
    for field, value in fields(event):
        if field == 1 and isinstance(value, bytes):
            (time,) = struct.unpack("<d", value)
        elif field == 2 and isinstance(value, int):
            step = value - (1 << 64) if value >> 63 else value
        elif field == 5 and isinstance(value, bytes):
            summary = value
    scalars = []
    for field, value in fields(summary):
        if field == 1 and isinstance(value, bytes):
            tag, scalar = _scalar(value)
            if tag and scalar is not None:
                scalars.append((tag, scalar))
    return time, step, scalars


def _scalar(value: bytes) -> tuple[bytes, float | None]:
    """(tag, number) of a Summary.Value; None where it holds no single number."""
    tag, scalar = b"", None
    for field, content in fields(value):
        if field == 1 and isinstance(content, bytes):
            tag = content
        elif field == 2 and isinstance(content, bytes) and len(content) == 4:
            (scalar,) = struct.unpack("<f", content)
        elif field == 8 and isinstance(content, bytes):
            scalar = _tensor(content)
    return tag, scalar


def _tensor(tensor: bytes) -> float | None:
    dtype, content, numbers, doubles, shaped = 0, b"", b"", b"", 1
    for field, value in fields(tensor):
        if field == 1 and isinstance(value, int):
            dtype = value
        elif field == 2 and isinstance(value, bytes):
            for kind, dim in fields(value):
                if kind == 2 and isinstance(dim, bytes):
                    shaped *= next((size for f, size in fields(dim) if f == 1 and isinstance(size, int)), 1)
        elif field == 4 and isinstance(value, bytes):
            content = value
        elif field == 5 and isinstance(value, bytes):
            numbers = value
        elif field == 6 and isinstance(value, bytes):
            doubles = value
    if shaped != 1:
        return None
    form = {_FLOAT: "<f", _DOUBLE: "<d", _HALF: "<e", **_INTS}.get(dtype, "")
    raw = content or (numbers if dtype == _FLOAT else doubles if dtype == _DOUBLE else b"")
    return float(struct.unpack(form, raw)[0]) if form and len(raw) == struct.calcsize(form) else None
