"""Who reads what: the files of a run, laid end to end and cut into shares of equal weight, the same ones on every machine."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.ingest.discover import Found

RANGE_BYTES = 256 << 20
"""A file is cut at multiples of this many bytes, which is a multiple of the window's: windows are then those of the whole file."""
_FILE_BYTES = 64 << 10
"""What a file weighs beside its bytes: to open it, to look at its head and to cast its rows takes as long as to read about these."""

Range = tuple[int, int | None]
"""(first byte, byte behind the last); None is the end of the file."""


def shares(sizes: Sequence[int], shard: int, of: int) -> dict[int, Range]:
    """What one shard of 1..`of` reads: position of the file -> bytes of it.

    Every file that is to be looked into as a whole is in the share that has its first byte.
    """
    size = np.asarray(sizes, np.int64)
    pieces = np.maximum(1, -(-size // RANGE_BYTES))
    file = np.repeat(np.arange(len(size)), pieces)
    piece = np.arange(len(file)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    weight = np.minimum(size[file] - piece * RANGE_BYTES, RANGE_BYTES) + _FILE_BYTES * (piece == 0)
    middle = np.cumsum(weight) - weight / 2
    mine = np.flatnonzero((middle * of / max(weight.sum(), 1)).astype(np.int64) == shard - 1)
    out: dict[int, Range] = {}
    for f, p in zip(file[mine].tolist(), piece[mine].tolist(), strict=True):
        begin = out[f][0] if f in out else p * RANGE_BYTES
        out[f] = begin, (p + 1) * RANGE_BYTES if p + 1 < pieces[f] else None
    return out


def digest(found: Sequence[Found]) -> str:
    """Of the names and sizes of all files: shares are parts of one whole where this is the same."""
    told = hashlib.blake2b(digest_size=12)
    for f in found:
        told.update(f"{f.name}\0{f.size}\0".encode(errors="surrogateescape"))
    return told.hexdigest()
