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
from logsift.ingest.readers.opening import cut_short, read_whole
from logsift.ingest.readers.points import curves
from logsift.ingest.readers.protobuf import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

HEADER = b":W&B\xe1\xbe\x00"
BLOCK = 32768
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_HISTORY, _STATS = 2, 7
_JSON = b"\x82\x01"
"""What stands before the JSON text of a value, and its length."""
_decode = json.JSONDecoder().raw_decode


def records(data: bytes) -> Iterator[bytes]:
    """Payloads in order. A damaged record ends its block: reading goes on with the next one."""
    at, end = len(HEADER), len(data)
    parts: list[bytes] | None = None  # what is to come may have begun with nothing, at the end of a block
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
            at, parts = at + left, None
            continue
        at += 7 + length
        if kind == _WHOLE:
            yield body
        elif kind == _FIRST:
            parts = [body]
        elif parts is not None:
            parts.append(body)
            if kind == _LAST:
                yield b"".join(parts)
                parts = None


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves; the line number is the record's."""
    data, why = read_whole(file.path)
    points, heads = Points(), dict[bytes, str]()
    number = 0
    for number, record in enumerate(records(data), 1):
        for field, value in fields(record):
            if not isinstance(value, bytes):
                continue
            if field == _HISTORY:
                points.add(number, _history(value, heads))
            elif field == _STATS and (row := _stats(value)):
                points.add(number, row)
    yield from curves(points.frames(file))
    yield from cut_short(why)
    if not number:
        yield (
            "problem",
            pl.DataFrame({"line_no": [0], "what": ["holds no whole record"], "text": [f"{len(data)} bytes"]}),
        )


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """Records as the JSON of their rows."""
    data, _ = read_whole(file.path)
    wanted, out = set(numbers), {}
    for number, record in enumerate(records(data), 1):
        if number in wanted:
            read_row = {_HISTORY: lambda message: _history(message, {}), _STATS: _stats}
            rows = [read_row[f](v) for f, v in fields(record) if f in read_row and isinstance(v, bytes)]
            out[number] = json.dumps(rows[0] if rows else {})
    return out


def _history(message: bytes, heads: dict[bytes, str]) -> dict[str, Any]:
    """One row of history: key -> value. Rows repeat their keys: `heads` keeps what is before a value, and which key that is."""
    row: dict[str, Any] = {}
    for field, value in fields(message):
        if field == 1 and isinstance(value, bytes):
            head, _, said = value.partition(_JSON)
            name = heads.get(head)
            if name is not None and said and said[0] == len(said) - 1 < 0x80:
                said = said[1:]
            else:
                name, said = _item(value)
                if value == head + _JSON + bytes([len(said) & 0x7F]) + said:
                    heads[head] = name
            try:
                row[name] = _decode(said.decode())[0]
            except (ValueError, RecursionError):
                continue
        elif field == 2 and isinstance(value, bytes):
            step = next((n for f, n in fields(value) if f == 1 and isinstance(n, int)), None)
            if step is not None:
                row.setdefault("_step", step)
    return row


def _stats(message: bytes) -> dict[str, Any]:
    """What the client measured of the machine every few seconds: memory alone, with its time; nothing else is asked for."""
    row: dict[str, Any] = {}
    seconds = None
    for field, value in fields(message):
        if field == 2 and isinstance(value, bytes):
            seconds = next((n for f, n in fields(value) if f == 1 and isinstance(n, int)), None)
        elif field == 3 and isinstance(value, bytes):
            name, said = _item(value)
            if "memory" in name:
                try:
                    row[f"system/{name}"] = _decode(said.decode())[0]
                except ValueError:
                    continue
    return row | {"_timestamp": seconds} if row and seconds is not None else {}


def _item(item: bytes) -> tuple[str, bytes]:
    """Key and JSON text of one value; a nested key is joined with "/"."""
    names, said = [], b""
    for part, content in fields(item):
        if part in (1, 2) and isinstance(content, bytes):
            names.append(content.decode(errors="replace"))
        elif part == 16 and isinstance(content, bytes):
            said = content
    return "/".join(names), said
