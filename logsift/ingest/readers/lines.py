"""Text files in blocks: bytes -> windows of whole lines -> (line_no, text). Bounded memory for any size."""

from __future__ import annotations

import io
import os
import re
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logsift.ingest.budget import LINE_BYTES, MARGIN_BYTES, OVERLONG_BYTES
from logsift.ingest.readers.opening import CutShort, Opened, begins_plain, open_bytes, plain_start
from logsift.remote import pread, pread_into, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Places = tuple[Ints, Ints]
"""(files, numbers of lines)"""

WINDOW_BYTES = 8 << 20


_SPARED_BYTES = 1 << 20
"""Smaller buffers are made anew."""
_FOUND_BYTES = 64 << 10
"""Bytes among which the beginning of a line is looked for at once."""


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of one file, with the lines around them that blocks may reach into; or several whole files.

    The lines are `buffer[start:stop]`, the first of them is number `first_line`, each ends before its entry of `ends`
    (positions in the buffer, the last is `stop`); rows count only if their line is in core_first..core_last, which are
    `buffer[core_start:core_stop]`. `offset` is the position of `start` in the unpacked file, in bytes.

    The n-th of several files, `file_ids[n]`, begins with the line at `begins[n]` of all; core_last is how many these are.
    """

    file_ids: Ints
    begins: Ints
    buffer: bytes | memoryview
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
    def file_id(self) -> int:
        """The file, or the first of several."""
        return int(self.file_ids[0])

    @property
    def size(self) -> int:
        """Bytes of the window."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """True where no lines of its file are around the core: it is all of it, if a margin was asked for."""
        return self.offset == self.core_start == 0 and self.core_stop == self.stop

    @property
    def cores(self) -> list[tuple[int, int, int]]:
        """(file_id, first line, last line) of the core, of each file."""
        core = np.array([self.core_first, self.core_last + 1]) - self.first_line
        first = np.maximum(self.begins, core[0]) - self.begins
        behind = np.append(self.begins[1:], core[1]) - self.begins
        numbers = (first + self.first_line, behind + self.first_line - 1)
        return list(zip(self.file_ids.tolist(), *(n.tolist() for n in numbers), strict=True))

    def which(self, lines: Ints) -> Ints:
        """In the how manieth file lines are, by their position in the window."""
        return np.searchsorted(self.begins, lines, side="right") - 1

    def places(self, lines: Ints) -> Places:
        """Where lines are, by their position in the window."""
        which = self.which(lines)
        return self.file_ids[which], lines - self.begins[which] + self.first_line

    def view(self) -> memoryview:
        """The bytes of the window, not copied."""
        return memoryview(self.buffer)[self.start : self.stop]

    def spared(self) -> bytearray | None:
        """The buffer, to be filled again once nobody looks into it any more; None where it cannot be."""
        owner = self.buffer.obj if isinstance(self.buffer, memoryview) else None
        return owner if isinstance(owner, bytearray) else None

    def emptied(self) -> Window:
        """Which lines it was, without them."""
        return replace(self, buffer=b"", ends=self.ends[:0])


def windows(
    file_id: int,
    path: Path,
    margin_lines: int,
    size: int = WINDOW_BYTES,
    spare: list[bytearray] | None = None,
    start: tuple[int, int] = (0, 1),
    stop: int | None = None,
) -> Iterator[Window]:
    """Cut a file into windows of about `size` bytes, each with up to `margin_lines` lines before and after.

    Windows are independent of each other: matching one needs nothing of its neighbours, so they run in parallel and
    the size of a window never shows in the rows. Of a file that is not packed the core of the n-th holds the lines that
    begin in its n-th `size` bytes, wherever the reading begins.

    Args:
        file_id: the file's number.
        path: where it is.
        margin_lines: how far blocks may reach.
        size: bytes of a window.
        spare: buffers that nobody looks into any more, to be filled again: new memory costs more than reading into it.
        start: byte offset and number of the line to begin with, of a file that is not packed.
        stop: lines of such a file that begin here or behind are left out; a multiple of `size`.

    Raises:
        OSError: the file cannot be read (further).
        CutShort: it ends before its end: what there was has been given.
    """
    with path.open("rb", buffering=0) as f:
        if plain_start(f) and size_of(f):  # a file of the kernel has no size
            yield from _placed(file_id, f, margin_lines, size, [] if spare is None else spare, start, stop)
            return
    with open_bytes(path) as stream:
        yield from _streamed(file_id, stream, margin_lines, size)
        if stream.why:
            raise CutShort(stream.why)


def whole(path: Path, limit: int) -> bytes | None:
    """The bytes of a small file; None where they are more than that, or the file is torn.

    What was packed is whole by itself, so its last line has its end.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as f:
        data = pread(f, limit + 1, 0)
    if begins_plain(data):
        return data if len(data) <= limit else None
    with open_bytes(path) as stream:
        data = stream.read(limit + 1)
        if len(data) > limit or stream.why:
            return None
    return data if not data or data.endswith(b"\n") else data + b"\n"


def together(texts: Mapping[int, bytes]) -> Window:
    """Whole files by their numbers, none of them empty, one behind the other in one window."""
    each = [data if data.endswith(b"\n") else data + b"\n" for data in texts.values()]
    buffer = b"".join(each)
    ends = line_ends(buffer)
    begins = np.searchsorted(ends, np.cumsum([0, *map(len, each[:-1])]), side="right")
    return Window(
        np.array(list(texts)), begins, buffer, 0, 0, len(buffer), len(buffer), ends, 1, 1,
        len(ends), 0,
    )  # fmt: skip


def unended(path: Path) -> bool:
    """True for a plain file whose last line has no line end; what is packed tells by itself whether it is whole."""
    try:
        with path.open("rb", buffering=0) as f:
            if not plain_start(f):
                return False
            f.seek(-1, os.SEEK_END)
            return f.read() != b"\n"
    except OSError:
        return False


def line_from(path: Path, at: int) -> int | None:
    """Where the first line begins that does so at byte `at` of a file or behind it; None where none does.

    Raises:
        OSError: the file cannot be read.
        CutShort: the line before is longer than any that is kept whole.
    """
    with path.open("rb", buffering=0) as f:
        for begin in range(max(0, at - 1), at + OVERLONG_BYTES, _FOUND_BYTES):
            piece = pread(f, _FOUND_BYTES, begin)
            if (end := piece.find(b"\n")) >= 0:
                first = begin + end + 1
                return first if pread(f, 1, first) else None
            if len(piece) < _FOUND_BYTES:
                return None
    raise CutShort(f"no line begins within {OVERLONG_BYTES >> 20} MB behind byte {at}")


def _placed(
    file_id: int, file: io.FileIO, margin_lines: int, size: int, spare: list[bytearray], start: tuple[int, int],
    stop: int | None,
) -> Iterator[Window]:  # fmt: skip
    # Read, not mapped: a mapped file that somebody truncates (logrotate's copytruncate does) ends the process.
    length = promised = size_of(file)
    (core, line), reach = start, margin_lines * 128 + 4096
    while core < length and (stop is None or core < stop):
        ahead, until = reach, (core // size + 1) * size
        while True:
            low = max(0, core - min(ahead, MARGIN_BYTES))
            high = min(length, until + min(2 * ahead, OVERLONG_BYTES))
            buffer = _filled(file, high - low, low, spare)
            if len(buffer) < high - low:
                length = high = low + len(buffer)
            if core >= length:
                break
            ends = line_ends(buffer)
            ended = len(ends) - (buffer[-1] != 10)
            first, last = np.searchsorted(ends, [core - low + 1, min(until, length) - low]).tolist()
            far = ahead >= MARGIN_BYTES
            behind = high == length or last + margin_lines < ended or (far and last < ended)
            if behind and (low == 0 or first > margin_lines or far):
                break
            if ahead > OVERLONG_BYTES:  # a line without an end: it is cut here, and the rest of it becomes a line
                break
            ahead *= 4
        if core < length:
            yield _window(file_id, buffer, ends, (first, last), margin_lines, line, low)
            core, line = low + int(ends[last]), line + last - first + (last < ended)
    if length < promised:
        raise CutShort(f"somebody cut it from {promised} to {length} bytes while it was read")


def _filled(file: io.FileIO, size: int, at: int, spare: list[bytearray]) -> bytes | memoryview:
    """Up to `size` bytes of a file from `at` on."""
    if size < _SPARED_BYTES:
        return pread(file, size, at)
    try:
        buffer = spare.pop()
    except IndexError:
        buffer = bytearray()
    if len(buffer) < size:
        buffer = bytearray(size)
    view = memoryview(buffer)
    return view[: pread_into(file, view[:size], at)].toreadonly()


def _streamed(file_id: int, stream: Opened, margin_lines: int, size: int) -> Iterator[Window]:
    before, line, offset = b"", 1, 0
    ahead = deque([_take(stream, size)])
    while core := ahead.popleft():
        while (not ahead or ahead[-1]) and _wanting(ahead, margin_lines):
            ahead.append(_take(stream, size))
        data = b"".join((before, core, *ahead))
        ends = line_ends(data)
        stop = len(before) + len(core)
        first, last = np.searchsorted(ends, [len(before) + 1, stop]).tolist()
        yield _window(file_id, data, ends, (first, last), margin_lines, line, offset)
        at = max(last - margin_lines, int(np.searchsorted(ends, stop - MARGIN_BYTES)))
        kept = int(ends[at]) if last >= margin_lines or stop > MARGIN_BYTES else 0
        before, line, offset = data[kept:stop], line + last - first + 1, offset + kept


def _wanting(ahead: Sequence[bytes], margin_lines: int) -> bool:
    """True where more lines are needed ahead, and what there is of them is not too much already."""
    return not ahead or (
        sum(a.count(b"\n") for a in ahead) < margin_lines and sum(len(a) for a in ahead) < MARGIN_BYTES
    )


def _window(
    file_id: int, buffer: bytes | memoryview, ends: Ints, core: tuple[int, int], margin: int, line: int, offset: int
) -> Window:
    """The window whose core are the lines core[0]..core[1] of a buffer; they are numbered from `line` on."""
    first, last = core
    top, bottom = max(first - margin, 0), min(last + margin, len(ends) - 1)
    start = int(ends[top - 1]) if top else 0
    return Window(
        np.array([file_id]), np.zeros(1, np.int64), buffer, start, int(ends[first - 1]) if first else 0, int(ends[last]), int(ends[bottom]),
        ends[top : bottom + 1], line - (first - top), line, line + last - first, offset + start,
    )  # fmt: skip


def _take(stream: Opened, size: int) -> bytes:
    """About `size` bytes that end with a line end, or with the file."""
    data = stream.read(size)
    if not data or data.endswith(b"\n"):
        return data
    rest = stream.readline(OVERLONG_BYTES)
    if len(rest) >= OVERLONG_BYTES and not rest.endswith(b"\n"):
        kept = rest
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(OVERLONG_BYTES)
        return data + kept[:LINE_BYTES] + b"\n"
    return data + rest


def line_ends(buffer: bytes | memoryview) -> Ints:
    """Where the lines of a buffer end, each behind its line end; what follows the last line end is a line too."""
    ends = np.flatnonzero(np.frombuffer(buffer, np.uint8) == 10) + 1
    return ends if len(buffer) and buffer[-1] == 10 else np.append(ends, len(buffer))


def frame(pieces: Sequence[tuple[Ints | int, Ints, bytes]]) -> pl.DataFrame:
    """Pieces of whole lines as (file_id of all or of each, line numbers, bytes) -> file_id, line_no, raw; one row per line.

    Bytes that are no UTF-8 become U+FFFD; NULs and terminal colours are taken out, signs that a web page spells are read; a line that was overwritten with
    carriage returns gives one row per writing, all with the same line number.
    """
    some = [piece for piece in pieces if piece[2]]
    if not some:
        return pl.DataFrame(schema={"file_id": pl.Int64, "line_no": pl.Int64, "raw": pl.String})
    files, numbers, texts = zip(*some, strict=True)
    data = valid(b"".join(data if data.endswith(b"\n") else data + b"\n" for data in texts))
    lines = pl.read_lines(io.BytesIO(data), name="raw").select(
        pl.Series(
            "file_id",
            np.concatenate([np.broadcast_to(f, n.shape) for f, n in zip(files, numbers, strict=True)]),
            pl.Int64,
        ),
        pl.Series("line_no", np.concatenate(numbers), pl.Int64),
        pl.col("raw"),
    )
    return _tidy(lines, data)


_MARK = "\ufeff".encode()
ESCAPE = b"\x1b"
_COLOUR = re.compile(rb"\x1b\[[0-9;:]*m")
_SIGNS = {
    # https://html.spec.whatwg.org/#named-character-references
    "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'", "&nbsp;": " ", "&#34;": '"', "&#39;": "'",
    "&#x22;": '"', "&#x27;": "'", "&#x2F;": "/", "&#x3D;": "=", "&#x60;": "`",
    # spaces that hold words together or have no width, and the quotes that word processors put for straight ones
    "\u00a0": " ", "\u202f": " ", "\u200b": "", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
}  # fmt: skip
"""What pages, mailers and word processors make of a sign when a log is pasted into them, and the sign."""
_SIGN = re.compile("|".join(_SIGNS).encode())
_DASH = re.compile(
    rb"(?<![^\s\"'(\[=`])\xe2\x80[\x93\x94](?=[A-Za-z])|\xe2\x80\x94(?=-|\xe2\x80\x94)|(?<=\xe2\x80\x94)\xe2\x80\x94"
)
"""What they put for two hyphens, before an option and in a ruler; with blanks around it, it is a dash."""
_SIGN_BEGINS = sorted({sign.encode()[:1] for sign in _SIGNS})
"""Their first bytes: a text without any of these has none of them, and a single byte is found in no time."""


def _has_signs(data: bytes | memoryview) -> bool:
    return any(begin in data for begin in _SIGN_BEGINS)


def is_dressed(data: bytes | memoryview) -> bool:
    """Whether there are terminal colours in a text, or signs as they come out of a page."""
    return ESCAPE in data or (_has_signs(data) and (_SIGN.search(data) or _DASH.search(data)) is not None)


def undressed(data: bytes) -> bytes:
    """The bytes without terminal colours (ECMA-48 8.3.117) and with the signs that were there before it was pasted: within a phrase both hide it."""
    data = _COLOUR.sub(b"", data) if ESCAPE in data else data
    if not _has_signs(data):
        return data
    data = _DASH.sub(b"--", _SIGN.sub(_sign, data))
    return _SIGN.sub(_sign, data) if b"&" in data else data  # a page may have quoted another


def _sign(found: re.Match[bytes]) -> bytes:
    return _SIGNS[found[0].decode()].encode()


def valid(data: bytes) -> bytes:
    """The bytes as UTF-8 without NULs and byte order marks; what is none becomes U+FFFD. Valid bytes are not copied."""
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    if data.isascii():
        return data
    if _MARK in data:
        data = data.replace(_MARK, b"")
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _tidy(lines: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Take out terminal colours and blanks at the end, split at carriage returns, cut over-long lines; `data` is their bytes."""
    raw = pl.col("raw")
    # CSI sequences (ECMA-48 5.4) and the OSC titles that `script` records.
    if b"\x1b" in data:
        lines = lines.with_columns(
            raw.str.replace_all(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "")
        )
    # The same where the line was put into JSON. Python's own search for more than one byte takes ten times as long as
    # that of polars, and lets no other thread work.
    if b"\\" in data and lines["raw"].str.contains("\\u001b[", literal=True).any():
        lines = lines.with_columns(raw.str.replace_all(r"\\u001b\[[0-9;:?]*[ -/]*[@-~]", ""))
    if _has_signs(data) and lines["raw"].str.contains(_SIGN.pattern.decode()).any():
        lines = lines.with_columns(raw.str.replace_many(_SIGNS))
    if b"\r" in data:
        lines = lines.with_columns(raw.str.strip_chars_end("\r").str.split("\r")).explode("raw", empty_as_null=False)
        lines = lines.with_columns(raw.fill_null(""))
    if lines.select((raw.str.ends_with(" ") | raw.str.ends_with("\t")).any()).item():
        lines = lines.with_columns(raw.str.strip_chars_end(" \t"))
    if len(data) > LINE_BYTES and (lines["raw"].str.len_bytes() > LINE_BYTES).any():
        lines = lines.with_columns(
            pl.when(raw.str.len_bytes() > LINE_BYTES).then(raw.str.head(LINE_BYTES)).otherwise(raw)
        )
    return lines
