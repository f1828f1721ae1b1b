"""The first and last bytes of a file, and whether these are text."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from logsift.ingest import budget
from logsift.ingest.readers.opening import begins_plain, compression_of, open_bytes
from logsift.remote import RemotePath

if TYPE_CHECKING:
    from pathlib import Path

_CONTROL = bytes((*range(1, 8), *range(14, 27), 28, 29, 30, 31))
_LARGE_BYTES = 1 << 20
_HOLE = re.compile(rb"\0{512,}")
_BLANK = re.compile(rb"\n(?:[ \t]*\n)+")


def head_of(path: Path) -> bytes:
    """The first bytes of a file. Blocks of zeros are left out: file systems leave them after a crash, before good lines.

    Raises:
        OSError, EOFError: the file cannot be read, or unpacked.
    """
    with open_bytes(path) as f:
        head = f.read(budget.HEAD_BYTES)
        passed = len(head)
        while head and not head.strip(b"\0") and passed < budget.HOLE_BYTES:
            head = f.read(1 << 20)
            passed += len(head)
        if not head and f.why:
            raise EOFError(f.why)
    return _HOLE.sub(b"", head)[: budget.HEAD_BYTES] if b"\0" in head else head[: budget.HEAD_BYTES]


def tail_of(path: Path, size: int) -> bytes:
    """The last bytes of a file of which the head is not all; nothing of one that has to be unpacked or fetched for it."""
    if size <= budget.HEAD_BYTES or isinstance(path, RemotePath) or compression_of(path):
        return b""
    with suppress(OSError), path.open("rb") as f:
        f.seek(-budget.END_BYTES, os.SEEK_END)
        return f.read(budget.END_BYTES)
    return b""


def in_utf8(head: bytes) -> bytes:
    """The head in UTF-8, what is binary taken for Latin-1."""
    if head.isascii():
        return head
    return (head.decode("latin-1") if b"\0" in head[:4096] else head.decode(errors="replace")).encode()


def with_plain_ends(head: bytes) -> bytes:
    """The head with line feeds alone, and without the blank lines that a copy has between all of its lines."""
    head = head.replace(b"\r\n", b"\n") if b"\r" in head else head
    return _BLANK.sub(b"\n", head) if 5 * head.count(b"\n\n") >= 2 * head.count(b"\n") > 0 else head


def is_binary(head: bytes) -> bool:
    """True where control bytes are too many for a log (a log may hold NULs of a torn write)."""
    control = len(head) - len(head.translate(None, _CONTROL))
    return control + head.count(0) // 8 > len(head) // 20


def is_binary_behind(path: Path, size: int) -> bool:
    """True where a large file begins as text and goes on as none, as weights do behind a header that describes them."""
    if size < _LARGE_BYTES or isinstance(path, RemotePath):
        return False
    samples = list[bytes]()
    with suppress(OSError), path.open("rb") as f:
        for part in range(4):
            f.seek(size * part // 4)
            samples.append(f.read(budget.HEAD_BYTES))
    return bool(samples) and begins_plain(samples[0]) and all(map(_no_text, samples[1:]))


def _no_text(sample: bytes) -> bool:
    """True where control bytes, and bytes that are no UTF-8, are more than a text in any encoding has."""
    said = sample.replace(b"\0", b"")
    control = len(said) - len(said.translate(None, _CONTROL))
    return control > len(said) // 50 and said.decode(errors="replace").count("\ufffd") > len(said) // 10
