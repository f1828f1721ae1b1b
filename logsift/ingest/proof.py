"""That the beginning of a file is what it was: a hash of samples of it, for logs that grow at their end."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from logsift.remote import preads

if TYPE_CHECKING:
    from pathlib import Path

_ENDS_BYTES = 64 << 10
_SAMPLES, _SAMPLE_BYTES = 62, 4 << 10


def proof(path: Path, size: int) -> str:
    """A hash of the first `size` bytes of a file: of both ends of them and of samples at equal distances; of few bytes all.

    The inode is not asked: a copy that rsync brings up to date has another each time, and a log that was rotated or
    written anew begins and goes on with other times.

    Raises:
        OSError: the file cannot be read.
        EOFError: it is shorter.
    """
    distance = size // (_SAMPLES + 1)
    pieces = [(n * distance, _SAMPLE_BYTES) for n in range(1, _SAMPLES + 1)]
    if distance <= _SAMPLE_BYTES:
        pieces = [(at, _ENDS_BYTES) for at in range(0, size, _ENDS_BYTES)]
    told = hashlib.blake2b(digest_size=16)
    each = ((0, _ENDS_BYTES), *pieces, (max(0, size - _ENDS_BYTES), _ENDS_BYTES))
    wanted = [(min(count, size - at), at) for at, count in each]
    with path.open("rb", buffering=0) as f:
        for (count, at), piece in zip(wanted, preads(f, wanted), strict=True):
            if len(piece) < count:
                raise EOFError(f"{path} ends before {at + count} bytes")
            told.update(piece)
    return told.hexdigest()
