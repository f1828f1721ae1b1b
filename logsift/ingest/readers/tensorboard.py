"""TensorBoard event files: every scalar, none left out. Record framing and the few protobuf fields that hold scalars.

A record is: length (u64), masked crc32c of the length, payload, crc32c of the payload. After a crash the last record is
cut off, or the file ends in zeros: reading stops there. The checksum of the payload is not looked at: in Python it would
cost more than all the rest.
"""

from __future__ import annotations

import re
import struct
from array import array
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.ingest.readers.opening import cut_short, read_whole
from logsift.ingest.readers.points import curves, times
from logsift.ingest.readers.protobuf import fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

    Ints = NDArray[np.int64]

_SHAPES = 200
"""Tags of one length that are looked for before the rest is read record by record."""
_ROWS = 50_000
_ALIKE_BYTES = 512
"""Longer records hold more than one value, or pictures: they are read one by one."""
_POINT = {"line_no": pl.Int64(), "time": pl.Float64(), "step": pl.Float64(), "metric_value": pl.Float64()}
_SIMPLE = re.compile(
    rb"\x09(?P<time>.{8})\x10(?P<step>[\x80-\xff]{0,6}[\x00-\x7f])\x2a[\x00-\x7f]\x0a[\x00-\x7f]\x0a[\x00-\x7f](?P<tag>.+)\x15(?P<value>.{4})",
    re.DOTALL,
)
"""An Event of one simple value: wall time, step, Summary{Value{tag, simple_value}}, as torch and tensorboardX write it."""
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
    starts, sizes = _frames(data)
    return (data[at : at + size] for at, size in zip(starts, sizes, strict=True))


def _frames(data: bytes) -> tuple[array[int], array[int]]:
    """Where payloads begin, and their lengths, up to the first record that is not whole."""
    starts, sizes = array("q"), array("q")
    at, end = 0, len(data)
    good: dict[bytes, int] = {}  # lengths repeat, their checksums need not be counted again
    while at + 12 <= end:
        head = data[at : at + 12]
        length = good.get(head, -1)
        if length < 0:
            if masked_crc(head[:8]) != int.from_bytes(head[8:], "little"):
                break
            length = good[head] = int.from_bytes(head[:8], "little")
        if at + 16 + length > end:
            break
        starts.append(at + 12)
        sizes.append(length)
        at += 16 + length
    return starts, sizes


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves, tag by tag; the line number is the record's."""
    data, why = read_whole(file.path)
    starts, sizes = (np.frombuffer(column, np.int64) for column in _frames(data))
    tags: dict[bytes, list[pl.DataFrame]] = {}
    odd = [
        _alike(data, starts, rows[first : first + _ROWS], size, tags)
        for size in np.unique(sizes[sizes <= _ALIKE_BYTES]).tolist()
        for rows in [np.flatnonzero(sizes == size)]
        for first in range(0, len(rows), _ROWS)
    ] + [np.flatnonzero(sizes > _ALIKE_BYTES)]
    single: dict[bytes, list[tuple[int, float, float, float]]] = {}
    for k in np.sort(np.concatenate(odd)).tolist() if odd else ():
        time, step, scalars = _event(data[starts[k] : starts[k] + sizes[k]])
        for tag, scalar in scalars:
            single.setdefault(tag, []).append((k + 1, time, step, scalar))
    for tag, rows in single.items():
        tags.setdefault(tag, []).append(pl.DataFrame(rows, _POINT, orient="row"))
    whole = (
        (tag.decode(errors="replace"), pl.concat(frames).sort("line_no", maintain_order=True))
        for tag, frames in tags.items()
    )
    yield from curves((tag, rows.with_columns(*times(file, rows["time"]))) for tag, rows in whole)
    yield from cut_short(why)
    used = int(starts[-1] + sizes[-1]) + 4 if len(starts) else 0
    if used < len(data) and data[used:].strip(b"\0"):
        what = "the last record is cut off or damaged"
        yield (
            "problem",
            pl.DataFrame({"line_no": [0], "what": [what], "text": [f"{len(data) - used} bytes from {used}"]}),
        )


@np.errstate(invalid="ignore")  # a NaN of a kind that says so when it is widened
def _alike(data: bytes, starts: Ints, rows: Ints, size: int, tags: dict[bytes, list[pl.DataFrame]]) -> Ints:
    """Take the records of one length that hold one simple value, all of a tag at a time; gives those that do not.

    Writers repeat themselves: of records of one length and tag only time, step and value differ.
    """
    raw, odd = np.frombuffer(data, np.uint8), []
    whole = raw[starts[rows][:, None] + np.arange(size)]
    for _ in range(_SHAPES):
        if not len(rows):
            break
        shape = _SIMPLE.fullmatch(whole[0].tobytes())
        if shape is None:
            odd.append(rows[:1])
            rows, whole = rows[1:], whole[1:]
            continue
        time, step, value = (slice(*shape.span(k)) for k in ("time", "step", "value"))
        same = np.full(size, 0xFF, np.uint8)
        same[time] = same[value] = 0
        same[step] = 0x80  # only where a step goes on and where it ends
        fits = np.ones(len(rows), bool)
        for column in np.flatnonzero(same)[::-1]:  # tags differ at their ends
            fits &= (whole[:, column] ^ whole[0, column]) & same[column] == 0
        found = whole[fits]
        sevens = (found[:, step] & 0x7F).astype(np.int64)
        tags.setdefault(shape["tag"], []).append(pl.DataFrame({
            "line_no": rows[fits] + 1, "time": np.ascontiguousarray(found[:, time]).view("<f8")[:, 0],
            "step": (sevens << 7 * np.arange(sevens.shape[1])).sum(axis=1).astype(np.float64),
            "metric_value": np.ascontiguousarray(found[:, value]).view("<f4")[:, 0].astype(np.float64),
        }, _POINT))  # fmt: skip
        rows, whole = rows[~fits], whole[~fits]
    return np.concatenate([*odd, rows])


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """Records as step and values."""
    data, _ = read_whole(file.path)
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
        if field == 1 and isinstance(value, bytes) and len(value) == 8:
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
                    if shaped != 1:
                        return None
        elif field == 4 and isinstance(value, bytes):
            content = value
        elif field == 5 and isinstance(value, bytes):
            numbers = value
        elif field == 6 and isinstance(value, bytes):
            doubles = value
    form = {_FLOAT: "<f", _DOUBLE: "<d", _HALF: "<e", **_INTS}.get(dtype, "")
    raw = content or (numbers if dtype == _FLOAT else doubles if dtype == _DOUBLE else b"")
    return float(struct.unpack(form, raw)[0]) if form and len(raw) == struct.calcsize(form) else None
