"""The wire format of protobuf, as far as reading needs it: (field number, value) in order, no schema."""

from __future__ import annotations

from collections.abc import Iterator


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Fields of a message: varints as int, fixed and length-delimited ones as bytes. Stops where the bytes make no sense."""
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key > 0x7F:
            key, at = _varint(data, at - 1)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire == 2:
            length, at = (data[at], at + 1) if at < end and data[at] < 0x80 else _varint(data, at)
            if at + length > end:
                return
            yield number, data[at : at + length]
            at += length
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if at + size > end:
                return
            yield number, data[at : at + size]
            at += size
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the place behind it; behind the data where it is cut off or longer than one of 64 bits can be."""
    value = shift = 0
    end = len(data)
    while at < end and shift < 70:
        b = data[at]
        at += 1
        value |= (b & 0x7F) << shift
        if b < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
    return 0, end
