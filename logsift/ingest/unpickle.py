"""Pickles of plain values: dicts, lists, tuples, texts, numbers.

A pickle can run code when it is loaded. These unpicklers know no class and no persistent object: anything else in a file
ends its reading.
"""

from __future__ import annotations

import io
import pickle
from typing import NoReturn


class _Refusing:
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it holds {module}.{name}, not only plain values")

    def persistent_load(self, pid: object) -> NoReturn:
        raise pickle.UnpicklingError("it holds persistent objects, not only plain values")


class _Fast(_Refusing, pickle.Unpickler):
    pass


class _Open(_Refusing, pickle._Unpickler):
    """In Python, so that what a torn file holds can be had from its stack."""


def plain_values(data: bytes) -> object:
    """What a pickle holds.

    Raises:
        ValueError: it is no pickle, is torn, or holds more than plain values.
    """
    try:
        return _Fast(io.BytesIO(data)).load()
    except Exception as e:  # what a torn or foreign pickle raises is of many kinds
        raise ValueError(f"{type(e).__name__}: {e}") from None


def plain_values_of_torn(data: bytes) -> tuple[object, str]:
    """What a pickle holds, or what it had built where it is torn, and what is wrong with it, "" where nothing is."""
    try:
        return _Fast(io.BytesIO(data)).load(), ""
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
