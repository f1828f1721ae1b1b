"""Pickles of plain values: dicts, lists, tuples, texts, numbers.

A pickle can run code when it is loaded. These unpicklers know no class and no persistent object: anything else in a file
ends its reading.
"""

from __future__ import annotations

import io
import pickle
import re
from typing import NoReturn

_PLAIN = r"[](012Nad}elst)u\x85-\x89\x8f-\x91\x94]"
"""Opcodes (pickletools.opcodes) without an argument."""
_SIZES = {b"h": 1, b"q": 1, b"K": 1, b"M": 2, b"J": 4, b"j": 4, b"r": 4, b"G": 8, b"\x80": 1, b"\x95": 8}
"""Opcodes with an argument of so many bytes."""
_TEXTS = {b"X": 4, b"\x8c": 1, b"\x8d": 8, b"U": 1, b"T": 4, b"B": 4, b"C": 1, b"\x8e": 8}
"""Opcodes of texts and bytes: how many bytes their length takes."""
_LINES = b"ILFgpSV\x8a"
"""Opcodes whose argument tells itself where it ends."""


def _steps(size: int) -> re.Pattern[bytes]:
    """A run of opcodes of plain values but texts, in a pickle of so many bytes.

    The unpickler makes room for as many values as the highest number of its memo says: that is held to what the
    pickle can fill.
    """
    high = size >> 24
    put = r"[\x00-\xff]{2}\x00\x00" if size < 1 << 16 else rf"[\x00-\xff]{{3}}[\x00-\x{min(high, 255):02x}]"
    parts = [
        _PLAIN,
        *(rf"{re.escape(op.decode('latin-1'))}[\x00-\xff]{{{n}}}" for op, n in _SIZES.items() if op != b"r"),
    ]
    parts += [rf"r{put}", *(rf"\x8a\x{n:02x}[\x00-\xff]{{{n}}}" for n in range(33))]
    parts += [
        r"I-?[0-9]{1,20}\n",
        r"L-?[0-9]{1,40}L?\n",
        r"F[-+0-9.a-z]{1,40}\n",
        r"g[0-9]{1,9}\n",
        r"p[0-9]{1,5}\n",
        r"[SV][^\n]*+\n",
    ]
    return re.compile(f"(?:{'|'.join(parts)})*+".encode("latin-1"), re.DOTALL)


class _Refusing:
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it holds {module}.{name}, not only plain values")

    def persistent_load(self, pid: object) -> NoReturn:
        raise pickle.UnpicklingError("it holds persistent objects, not only plain values")


class _Fast(_Refusing, pickle.Unpickler):
    pass


def _fast(data: bytes) -> object:
    # Of a stream that cannot be peeked into the unpickler asks every opcode by itself.
    return _Fast(io.BufferedReader(io.BytesIO(data))).load()


class _Open(_Refusing, pickle._Unpickler):
    """In Python, so that what a torn file holds can be had from its stack."""


def odd_in(data: bytes) -> str:
    """What in a pickle is more than a plain value, or asks for memory that the file does not fill; "" for nothing.

    Only opcodes of plain values pass, before any is run. A pickle that ends early is none of this function's business.
    """
    steps, at, end = _steps(len(data)), 0, len(data)
    while at < end:
        if found := steps.match(data, at):
            at = found.end()
        op = data[at : at + 1]
        if op == b".":
            return ""  # what is behind it is not read
        size = _TEXTS.get(op)
        if size is not None:
            at += 1 + size + int.from_bytes(data[at + 1 : at + 1 + size], "little")
        elif (
            not op
            or end - at <= _SIZES.get(op, 0)
            or (op in _LINES and b"\n" not in data[at : at + 4096] and end - at < 4096)
        ):
            return ""  # it ends early
        else:
            return f"it holds more than plain values (opcode {op!r} at byte {at})"
    return ""


def plain_values(data: bytes) -> object:
    """What a pickle holds.

    Raises:
        ValueError: it is no pickle, is torn, or holds more than plain values.
    """
    if odd := odd_in(data):
        raise ValueError(odd)
    try:
        return _fast(data)
    except Exception as e:  # what a torn or foreign pickle raises is of many kinds
        raise ValueError(f"{type(e).__name__}: {e}") from None


def plain_values_of_torn(data: bytes) -> tuple[object, str]:
    """What a pickle holds, or what it had built where it is torn, and what is wrong with it, "" where nothing is."""
    if odd := odd_in(data):
        return None, f"not a dump: {odd}"
    try:
        return _fast(data), ""
    except (EOFError, pickle.UnpicklingError) as e:
        if "truncated" not in str(e) and not isinstance(e, EOFError):
            return None, f"not a dump: {e}"
        return _rest_of_stack(data), "truncated"
    except Exception as e:
        return None, f"not a dump: {type(e).__name__}: {e}"


def _rest_of_stack(data: bytes) -> object:
    """What a torn pickle built before it ended: open containers are closed where it stops."""
    unpickler = _Open(io.BytesIO(data))
    try:
        return unpickler.load()
    except Exception:
        levels = [*vars(unpickler).get("metastack", []), vars(unpickler).get("stack", [])]
    try:
        for outer, inner in zip(reversed(levels[:-1]), reversed(levels[1:]), strict=True):
            target = outer[-1] if outer else None
            if isinstance(target, dict):
                target.update(dict(zip(inner[::2], inner[1::2], strict=False)))
            elif isinstance(target, list):
                target.extend(inner)
        return levels[0][0] if levels[0] else None
    except (IndexError, TypeError):
        return None
