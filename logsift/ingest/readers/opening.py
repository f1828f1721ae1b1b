"""Opening a file whatever it is packed in."""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zst"}


def compression_of(path: Path) -> str:
    """Gz | xz | bz2 | zst by the file's first bytes, "" for none. The name is not asked: people rename files.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as f:
        start = f.read(6)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def open_bytes(path: Path) -> IO[bytes]:
    """The unpacked bytes of a file as a stream.

    Raises:
        OSError: the file cannot be read.
    """
    kind = compression_of(path)
    if kind == "gz":
        return cast("IO[bytes]", gzip.open(path))
    if kind == "xz":
        return lzma.open(path)
    if kind == "bz2":
        return bz2.open(path)
    if kind == "zst":
        import zstandard

        return cast("IO[bytes]", zstandard.open(path, "rb"))
    return path.open("rb")
