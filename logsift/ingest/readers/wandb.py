"""Weights & Biases run files (.wandb): the framing of a LevelDB log, protobuf records inside, values as JSON text.

Seven bytes of header, then blocks of 32 KiB counted from the start of the file; a record is crc32 (zlib's, of type and
data), length, type (whole, first, middle, last), data. What is cut off at the end is left out.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.ingest.readers.json_metrics import Points
from logsift.ingest.readers.opening import open_bytes
from logsift.ingest.readers.protobuf import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.catalog import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

HEADER = b":W&B\xe1\xbe\x00"
BLOCK = 32768
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_HISTORY = 2


def records(data: bytes) -> Iterator[bytes]:
    """Payloads in order. A damaged record ends its block: reading goes on with the next one."""
    at, end, parts = len(HEADER), len(data), b""
    while at + 7 <= end:
        left = BLOCK - at % BLOCK
        if left < 7:
            at += left
            continue
        crc, length, kind = (
            int.from_bytes(data[at : at + 4], "little"),
            int.from_bytes(data[at + 4 : at + 6], "little"),
            data[at + 6],
        )
        body = data[at + 7 : at + 7 + length]
        if (
            kind not in (_WHOLE, _FIRST, _MIDDLE, _LAST)
            or len(body) < length
            or length > left - 7
            or zlib.crc32(data[at + 6 : at + 7 + length]) != crc
        ):
            at, parts = at + left, b""
            continue
        at += 7 + length
        if kind == _WHOLE:
            yield body
        elif kind == _FIRST:
            parts = body
        elif parts:
            parts += body
            if kind == _LAST:
                yield parts
                parts = b""


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Rows of `metric_point`; the line number is the record's."""
    with open_bytes(file.path) as stream:
        data = stream.read()
    points = Points()
    number = 0
    for number, record in enumerate(records(data), 1):
        for field, value in fields(record):
            if field == _HISTORY and isinstance(value, bytes):
                points.add(number, _history(value))
    yield from points.frames()
    if not number:
        yield (
            "problem",
            pl.DataFrame({"line_no": [0], "what": ["holds no whole record"], "text": [f"{len(data)} bytes"]}),
        )


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """Records as the JSON of their rows."""
    with open_bytes(file.path) as stream:
        data = stream.read()
    wanted, out = set(numbers), {}
    for number, record in enumerate(records(data), 1):
        if number in wanted:
            rows = [_history(v) for f, v in fields(record) if f == _HISTORY and isinstance(v, bytes)]
            out[number] = json.dumps(rows[0] if rows else {})
    return out


def _history(message: bytes) -> dict[str, Any]:
    """One row of history: key -> value."""
    row: dict[str, Any] = {}
    for field, value in fields(message):
        if field == 1 and isinstance(value, bytes):
            names, said = [], b""
            for part, content in fields(value):
                if part in (1, 2) and isinstance(content, bytes):
                    names.append(content.decode(errors="replace"))
                elif part == 16 and isinstance(content, bytes):
                    said = content
            try:
                row["/".join(names)] = json.loads(said)
            except ValueError:
                continue
        elif field == 2 and isinstance(value, bytes):
            step = next((n for f, n in fields(value) if f == 1 and isinstance(n, int)), None)
            if step is not None:
                row.setdefault("_step", step)
    return row
