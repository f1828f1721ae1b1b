"""Text files in blocks: bytes -> windows of whole lines -> (line_no, text). Bounded memory for any size."""

from __future__ import annotations

import io
import mmap
import os
from collections import deque
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.ingest.readers.opening import compression_of, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]

WINDOW_BYTES = 8 << 20
LINE_BYTES = 64 << 10
"""A longer line is cut for matching; no record of interest is that long, a torn binary write is."""
_OVERLONG_BYTES = 64 << 20
"""A line that does not end within this many bytes is dropped to its head, and said to be."""


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of one file, with the lines around them that blocks may reach into.

    The lines are `buffer[start:stop]`, the first of them is number `first_line`, each ends before its entry of `ends`
    (positions in the buffer, the last is `stop`); rows count only if their line is in core_first..core_last, which are
    `buffer[core_start:core_stop]`. `offset` is the position of `start` in the unpacked file, in bytes.
    """

    file_id: int
    buffer: bytes | mmap.mmap
    start: int
    core_start: int
    core_stop: int
    stop: int
    ends: Ints
    first_line: int
    core_first: int
    core_last: int
    offset: int

    @property
    def size(self) -> int:
        """Bytes of the window."""
        return self.stop - self.start

    def view(self) -> memoryview:
        """The bytes of the window, not copied."""
        return memoryview(self.buffer)[self.start : self.stop]

    def emptied(self) -> Window:
        """Which lines it was, without them."""
        return replace(self, buffer=b"", ends=self.ends[:0])


def windows(file_id: int, path: Path, margin_lines: int, size: int = WINDOW_BYTES) -> Iterator[Window]:
    """Cut a file into windows of about `size` bytes, each with up to `margin_lines` lines before and after.

    Windows are independent of each other: matching one needs nothing of its neighbours, so they run in parallel and
    the size of a window never shows in the rows. Plain files are mapped, a window at a time; packed ones are read.

    Raises:
        OSError: the file cannot be read (further). EOFError, ValueError and the packers' errors likewise.
    """
    if compression_of(path):
        with open_bytes(path) as stream:
            yield from _streamed(file_id, stream, margin_lines, size)
    else:
        yield from _mapped(file_id, path, margin_lines, size)


def unended(path: Path) -> bool:
    """True for a plain file whose last line has no line end; what is packed tells by itself whether it is whole."""
    try:
        if compression_of(path):
            return False
        with path.open("rb") as f:
            if not f.seek(0, os.SEEK_END):
                return False
            f.seek(-1, os.SEEK_END)
            return f.read() != b"\n"
    except OSError:
        return False


def _mapped(file_id: int, path: Path, margin_lines: int, size: int) -> Iterator[Window]:
    with path.open("rb") as f:
        length = os.fstat(f.fileno()).st_size
        core, line, reach = 0, 1, margin_lines * 128 + 4096
        while core < length:
            ahead = reach
            while True:
                low = max(0, core - ahead) // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
                high = min(length, core + size + 2 * ahead)
                buffer = mmap.mmap(f.fileno(), high - low, offset=low, access=mmap.ACCESS_READ)
                ends = line_ends(buffer)
                ended = len(ends) - (buffer[-1] != 10)
                first, last = np.searchsorted(ends, [core - low + 1, min(core + size, length) - low]).tolist()
                if (low == 0 or first > margin_lines) and (high == length or last + margin_lines < ended):
                    break
                if ahead > _OVERLONG_BYTES:  # a line without an end: it is cut here, and the rest of it becomes a line
                    break
                ahead *= 4
            yield _window(file_id, buffer, ends, (first, last), margin_lines, line, low)
            core, line = low + int(ends[last]), line + last - first + (last < ended)


def _streamed(file_id: int, stream: IO[bytes], margin_lines: int, size: int) -> Iterator[Window]:
    before, line, offset = b"", 1, 0
    ahead = deque([_take(stream, size)])
    while core := ahead.popleft():
        while (not ahead or ahead[-1]) and sum(a.count(b"\n") for a in ahead) < max(margin_lines, 1):
            ahead.append(_take(stream, size))
        data = b"".join((before, core, *ahead))
        ends = line_ends(data)
        stop = len(before) + len(core)
        first, last = np.searchsorted(ends, [len(before) + 1, stop]).tolist()
        yield _window(file_id, data, ends, (first, last), margin_lines, line, offset)
        kept = int(ends[last - margin_lines]) if last >= margin_lines else 0
        before, line, offset = data[kept:stop], line + last - first + 1, offset + kept


def _window(
    file_id: int, buffer: bytes | mmap.mmap, ends: Ints, core: tuple[int, int], margin: int, line: int, offset: int
) -> Window:
    """The window whose core are the lines core[0]..core[1] of a buffer; they are numbered from `line` on."""
    first, last = core
    top, bottom = max(first - margin, 0), min(last + margin, len(ends) - 1)
    start = int(ends[top - 1]) if top else 0
    return Window(
        file_id, buffer, start, int(ends[first - 1]) if first else 0, int(ends[last]), int(ends[bottom]),
        ends[top : bottom + 1], line - (first - top), line, line + last - first, offset + start,
    )  # fmt: skip


def _take(stream: IO[bytes], size: int) -> bytes:
    """About `size` bytes that end with a line end, or with the file."""
    data = stream.read(size)
    if not data or data.endswith(b"\n"):
        return data
    rest = stream.readline(_OVERLONG_BYTES)
    if len(rest) >= _OVERLONG_BYTES and not rest.endswith(b"\n"):
        kept = rest
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(_OVERLONG_BYTES)
        return data + kept[:LINE_BYTES] + b"\n"
    return data + rest


def line_ends(buffer: bytes | mmap.mmap) -> Ints:
    """Where the lines of a buffer end, each behind its line end; what follows the last line end is a line too."""
    ends = np.flatnonzero(np.frombuffer(buffer, np.uint8) == 10) + 1
    return ends if len(buffer) and buffer[-1] == 10 else np.append(ends, len(buffer))


def frame(pieces: Sequence[tuple[int, Ints, bytes]]) -> pl.DataFrame:
    """Pieces of whole lines as (file_id, line numbers, bytes) -> file_id, line_no, raw; one row per line.

    Bytes that are no UTF-8 become U+FFFD; NULs and terminal colours are taken out; a line that was overwritten with
    carriage returns gives one row per writing, all with the same line number.
    """
    some = [piece for piece in pieces if piece[2]]
    if not some:
        return pl.DataFrame(schema={"file_id": pl.Int64, "line_no": pl.Int64, "raw": pl.String})
    files, numbers, whole = zip(*some, strict=True)
    data = valid(b"".join(data if data.endswith(b"\n") else data + b"\n" for data in whole))
    lines = pl.read_lines(io.BytesIO(data), name="raw").select(
        pl.Series("file_id", np.repeat(files, [len(n) for n in numbers]), pl.Int64),
        pl.Series("line_no", np.concatenate(numbers), pl.Int64),
        pl.col("raw"),
    )
    return _tidy(lines, data)


def valid(data: bytes) -> bytes:
    """The bytes as UTF-8 without NULs; what is none becomes U+FFFD. Valid bytes are not copied."""
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _tidy(lines: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Take out terminal colours, split at carriage returns, cut over-long lines; `data` is what the lines were made of."""
    raw = pl.col("raw")
    # CSI sequences (ECMA-48 5.4) and the OSC titles that `script` records.
    if b"\x1b" in data:
        lines = lines.with_columns(
            raw.str.replace_all(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "")
        )
    # The same where the line was put into JSON.
    if b"\\u001b[" in data:
        lines = lines.with_columns(raw.str.replace_all(r"\\u001b\[[0-9;:?]*[ -/]*[@-~]", ""))
    if b"\r" in data:
        lines = lines.with_columns(raw.str.strip_chars_end("\r").str.split("\r")).explode("raw", empty_as_null=False)
        lines = lines.with_columns(raw.fill_null(""))
    if len(data) > LINE_BYTES and (lines["raw"].str.len_bytes() > LINE_BYTES).any():
        lines = lines.with_columns(
            pl.when(raw.str.len_bytes() > LINE_BYTES).then(raw.str.head(LINE_BYTES)).otherwise(raw)
        )
    return lines
