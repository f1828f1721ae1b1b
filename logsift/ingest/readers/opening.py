"""Opening a file whatever it is packed in and however its text is encoded, within its budget."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
from itertools import chain
from typing import IO, TYPE_CHECKING

from logsift.ingest import budget
from logsift.remote import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zst"}
# The mark of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_UNMARKED = {"utf-16-le": re.compile(rb"(?:[\t\r\n -~]\0){3}"), "utf-16-be": re.compile(rb"(?:\0[\t\r\n -~]){3}")}
"""How text in UTF-16 begins that somebody wrote without its mark."""
_BLOCK = 1 << 20
_ZSTD_BLOCK = 4 << 10
"""Bytes of Zstandard unpacked at once: each may become 32 kB."""


class CutShort(Exception):
    """A file was not read to its end; the text says why. What came before it was given."""


class Opened(io.BufferedReader):
    """The bytes of a file, unpacked and as UTF-8. What a torn one holds comes whole, `why` then says where it ends."""

    @property
    def why(self) -> str:
        """Why the stream ended before the file did; "" where it did not, or before the end was reached."""
        return getattr(self.raw, "why", "")


def compression_of(path: Path) -> str:
    """Gz | xz | bz2 | zst by the file's first bytes, "" for none. The name is not asked: people rename files.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as f:
        return _packer(f.read(6))


def is_plain(path: Path) -> bool:
    """True where the file's own bytes are the text, so that its places can be read again at once.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as f:
        return plain_start(f) is not None


def plain_start(file: io.FileIO) -> bytes | None:
    """The first bytes of a file that was just opened, None where its own bytes are not the text."""
    start = file.read(6)
    return start if begins_plain(start) else None


def begins_plain(data: bytes) -> bool:
    """True where a file that begins so is not packed, nor text in UTF-16 or UTF-32."""
    return not data.startswith((*_MAGIC, *_MARKS)) and not _encoding(data[:6])


def open_bytes(path: Path) -> Opened:
    """The unpacked bytes of a file as a stream; text in UTF-16, or in UTF-32 that says so by its mark, is given as UTF-8.

    Raises:
        OSError: the file cannot be read.
    """
    raw = path.open("rb", buffering=0)
    try:
        start = raw.read(6)
        raw.seek(0)
        kind = _packer(start)
        if not kind and not _encoding(start):
            return Opened(raw)
        allowed = max(budget.UNPACKED_FREE_BYTES, budget.UNPACKED_RATIO * size_of(raw))
        blocks = _BLOCKS[kind](raw)
    except BaseException:
        raw.close()
        raise
    return Opened(_Unpacked(raw, blocks, allowed), _BLOCK)


def read_whole(path: Path, limit: int | None = None) -> tuple[bytes, str]:
    """The unpacked bytes of a file, at most `limit` of them (by default the budget), and why they are not all.

    Raises:
        OSError: the file cannot be read.
    """
    limit = budget.WHOLE_BYTES if limit is None else limit
    blocks, size = list[bytes](), 0
    with open_bytes(path) as stream:
        while size <= limit and (block := stream.read(_BLOCK)):
            blocks.append(block)
            size += len(block)
        data, why = b"".join(blocks), stream.why
    return (data, why) if size <= limit else (data[:limit], f"larger than {limit} bytes: read up to there")


class _Unpacked(io.RawIOBase):
    """Blocks as a file. The error that ends them ends the stream and is kept as `why`."""

    def __init__(self, file: IO[bytes] | io.RawIOBase, blocks: Iterator[bytes], allowed: int) -> None:
        self._file, self._allowed = file, allowed
        self._blocks = _as_utf8(blocks)
        self._rest, self.why = memoryview(b""), ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            try:
                block = next(self._blocks, b"")
            except Exception as e:  # each packer has errors of its own
                block, self.why = b"", f"{type(e).__name__}: {e}"
            self._allowed -= len(block)
            if self._allowed < 0:
                block = block[: max(0, self._allowed + len(block))]
                self._blocks, self._allowed = iter(()), 0
                self.why = "it unpacks to far more than a log does: read up to there"
            if not block:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def _packer(start: bytes) -> str:
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def _encoding(start: bytes) -> str:
    marked = (name for mark, name in _MARKS.items() if start.startswith(mark))
    return next(marked, "") or next((name for name, begin in _UNMARKED.items() if begin.match(start)), "")


def _as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks; those of a text that begins as UTF-16 or UTF-32 does as UTF-8."""
    first = next(blocks, b"")
    encoding = _encoding(first)
    if not encoding:
        yield first
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for n, block in enumerate(chain([first], blocks, [b""])):
        text = decoder.decode(block, final=not block)
        yield (text if n else text.removeprefix("\ufeff")).encode(errors="replace")


def _of_stream(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(_BLOCK):
        yield block


def _of_packer(opened: Callable[..., gzip.GzipFile | lzma.LZMAFile | bz2.BZ2File]) -> Callable[..., Iterator[bytes]]:
    def blocks(file: IO[bytes]) -> Iterator[bytes]:
        stream = opened(file)
        while block := stream.read1(_BLOCK):  # what a torn file holds, block by block
            yield block

    return blocks


def _of_zstd(file: IO[bytes]) -> Iterator[bytes]:
    import zstandard

    frame, rest = None, b""
    while True:
        packed = rest or file.read(_ZSTD_BLOCK)
        if not packed or (frame is None and not packed.strip(b"\0")):
            break
        frame = frame or zstandard.ZstdDecompressor().decompressobj()
        if block := frame.decompress(packed):
            yield block
        frame, rest = (None, frame.unused_data) if frame.eof else (frame, b"")
    if frame is not None:
        raise EOFError("the file ends before its last frame does")


_BLOCKS: dict[str, Callable[..., Iterator[bytes]]] = {
    "": _of_stream,
    "gz": _of_packer(lambda file: gzip.GzipFile(fileobj=file)),
    "xz": _of_packer(lzma.LZMAFile),
    "bz2": _of_packer(bz2.BZ2File),
    "zst": _of_zstd,
}


def cut_short(why: str) -> Iterable[tuple[str, list[dict[str, object]]]]:
    """The problem of a file that was not read to its end; nothing where it was."""
    return [("problem", [{"line_no": 0, "what": "cannot be read further", "text": why}])] if why else []
