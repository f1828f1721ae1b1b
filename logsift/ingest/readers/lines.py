"""Text files in blocks: bytes -> windows of whole lines -> (line_no, text). Bounded memory for any size."""

from __future__ import annotations

import io
import mmap
import os
from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.ingest.readers.opening import compression_of, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WINDOW_BYTES = 8 << 20
LINE_BYTES = 64 << 10
"""A longer line is cut for matching; no record of interest is that long, a torn binary write is."""
_OVERLONG_BYTES = 64 << 20
"""A line that does not end within this many bytes is dropped to its head, and said to be."""


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of one file, with the lines around them that blocks may reach into.

    The lines are `buffer[start:stop]`, the first of them is number `first_line`; rows count only if their line is in
    core_first..core_last, which are `buffer[core_start:core_stop]`. `offset` is the position of `start` in the
    unpacked file, in bytes.
    """

    file_id: int
    buffer: bytes | mmap.mmap
    start: int
    core_start: int
    core_stop: int
    stop: int
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
                stop = buffer.find(b"\n", min(core + size, length) - low - 1) + 1
                whole = stop > 0 or high == length
                stop = stop or len(buffer)
                before = _lines_back(buffer, core - low, margin_lines)
                after = lines_on(buffer, stop, margin_lines)
                if whole and (before is not None or low == 0) and (after is not None or high == length):
                    break
                if ahead > _OVERLONG_BYTES:  # a line without an end: it is cut here, and the rest of it becomes a line
                    break
                ahead *= 4
            start = before if before is not None else 0
            count = newlines(buffer, core - low, stop)
            count += stop == len(buffer) and high == length and buffer[stop - 1] != 10
            above = newlines(buffer, start, core - low)
            yield Window(
                file_id, buffer, start, core - low, stop, len(buffer) if after is None else after, line - above, line,
                line + max(count, 1) - 1, low + start,
            )  # fmt: skip
            core, line = low + stop, line + count


def _streamed(file_id: int, stream: IO[bytes], margin_lines: int, size: int) -> Iterator[Window]:
    before, core_first, core_offset = b"", 1, 0
    ahead = deque([_take(stream, size)])
    while core := ahead.popleft():
        while (not ahead or ahead[-1]) and sum(a.count(b"\n") for a in ahead) < max(margin_lines, 1):
            ahead.append(_take(stream, size))
        lines = core.count(b"\n") + (not core.endswith(b"\n"))
        following = b"".join(ahead)
        data = before + core + following[: lines_on(following, 0, margin_lines)]
        yield Window(
            file_id, data, 0, len(before), len(before) + len(core), len(data), core_first - before.count(b"\n"), core_first, core_first + lines - 1,
            core_offset - len(before),
        )  # fmt: skip
        seen = before + core
        before = seen[_lines_back(seen, len(seen), margin_lines) or 0 :]
        core_first, core_offset = core_first + lines, core_offset + len(core)


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


def _line_ends(buffer: bytes | mmap.mmap, start: int, stop: int) -> NDArray[np.intp]:
    return (
        np.flatnonzero(np.frombuffer(buffer, np.uint8, stop - start, start) == 10) + start
        if stop > start
        else np.empty(0, np.intp)
    )


def newlines(buffer: bytes | mmap.mmap, start: int, stop: int) -> int:
    """How many line ends stand in `buffer[start:stop]`."""
    return int(np.count_nonzero(np.frombuffer(buffer, np.uint8, stop - start, start) == 10)) if stop > start else 0


def _lines_back(buffer: bytes | mmap.mmap, at: int, count: int) -> int | None:
    """Where the `count` lines before `at` (the start of a line) begin; None if there are not that many."""
    if not count:
        return at
    step = count * 128
    while True:
        low = max(0, at - step)
        ends = _line_ends(buffer, low, at)
        if len(ends) > count:
            return int(ends[-count - 1]) + 1
        if low == 0:
            return None
        step *= 4


def lines_on(buffer: bytes | mmap.mmap, at: int, count: int) -> int | None:
    """Where the `count` lines from `at` on end; None if there are not that many."""
    if not count:
        return at
    step = count * 128
    while True:
        high = min(len(buffer), at + step)
        ends = _line_ends(buffer, at, high)
        if len(ends) >= count:
            return int(ends[count - 1]) + 1
        if high == len(buffer):
            return None
        step *= 4


def frame(pieces: Sequence[tuple[int, int, bytes]]) -> pl.DataFrame:
    """Pieces of whole lines as (file_id, first_line, bytes) -> file_id, line_no, raw; one row per line.

    Bytes that are no UTF-8 become U+FFFD; NULs and terminal colours are taken out; a line that was overwritten with
    carriage returns gives one row per writing, all with the same line number.
    """
    whole = [data if data.endswith(b"\n") else data + b"\n" for _, _, data in pieces if data]
    if not whole:
        return pl.DataFrame(schema={"file_id": pl.Int64, "line_no": pl.Int64, "raw": pl.String})
    counts = [data.count(b"\n") for data in whole]
    heads = [(file_id, first) for file_id, first, data in pieces if data]
    numbers = [np.arange(first, first + n) for (_, first), n in zip(heads, counts, strict=True)]
    data = valid(b"".join(whole))
    lines = pl.read_lines(io.BytesIO(data), name="raw").select(
        pl.Series("file_id", np.repeat([file_id for file_id, _ in heads], counts), pl.Int64),
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
    if b"\r" in data:
        lines = lines.with_columns(raw.str.strip_chars_end("\r").str.split("\r")).explode("raw", empty_as_null=False)
        lines = lines.with_columns(raw.fill_null(""))
    if len(data) > LINE_BYTES and (lines["raw"].str.len_bytes() > LINE_BYTES).any():
        lines = lines.with_columns(
            pl.when(raw.str.len_bytes() > LINE_BYTES).then(raw.str.head(LINE_BYTES)).otherwise(raw)
        )
    return lines
