"""Text files in blocks: bytes -> windows of whole lines -> (line_no, text). Bounded memory for any size."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import polars as pl

WINDOW_BYTES = 8 << 20
LINE_BYTES = 64 << 10
"""A longer line is cut for matching; no record of interest is that long, a torn binary write is."""
_OVERLONG_BYTES = 64 << 20
"""A line that does not end within this many bytes is dropped to its head, and said to be."""


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of one file, with the lines around them that blocks may reach into.

    `data` begins at line `first_line`; rows count only if their line is in core_first..core_last. `offset` is the
    position of `data` in the unpacked file, in bytes.
    """

    file_id: int
    data: bytes
    first_line: int
    core_first: int
    core_last: int
    offset: int


def windows(file_id: int, stream: IO[bytes], margin_lines: int, size: int = WINDOW_BYTES) -> Iterator[Window]:
    """Cut a stream into windows of about `size` bytes, each with up to `margin_lines` lines before and after.

    Windows are independent of each other: matching one needs nothing of its neighbours, so they run in parallel and
    the size of a window never shows in the rows.
    """
    before, core_first, core_offset = b"", 1, 0
    ahead = deque([_take(stream, size)])
    while core := ahead.popleft():
        while (not ahead or ahead[-1]) and sum(a.count(b"\n") for a in ahead) < max(margin_lines, 1):
            ahead.append(_take(stream, size))
        lines = core.count(b"\n") + (not core.endswith(b"\n"))
        tail = _first_lines(b"".join(ahead), margin_lines)
        yield Window(
            file_id, before + core + tail, core_first - before.count(b"\n"), core_first, core_first + lines - 1,
            core_offset - len(before),
        )  # fmt: skip
        before = _last_lines(core if core.count(b"\n") >= margin_lines else before + core, margin_lines)
        core_first, core_offset = core_first + lines, core_offset + len(core)


def _take(stream: IO[bytes], size: int) -> bytes:
    """About `size` bytes that end with a line end, or with the file."""
    data = stream.read(size)
    if not data or data.endswith(b"\n"):
        return data
    rest = stream.readline(_OVERLONG_BYTES)
    if rest and not rest.endswith(b"\n"):
        kept = rest
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(_OVERLONG_BYTES)
        return data + kept[:LINE_BYTES] + b"\n"
    return data + rest


def _last_lines(data: bytes, count: int) -> bytes:
    if not count:
        return b""
    at = len(data)
    for _ in range(count + 1):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            return data
    return data[at + 1 :]


def _first_lines(data: bytes, count: int) -> bytes:
    if not count:
        return b""
    at = -1
    for _ in range(count):
        at = data.find(b"\n", at + 1)
        if at < 0:
            return data
    return data[: at + 1]


def frame(pieces: Sequence[tuple[int, int, bytes]]) -> pl.DataFrame:
    """Pieces of whole lines as (file_id, first_line, bytes) -> file_id, line_no, raw; one row per line.

    Bytes that are no UTF-8 become U+FFFD; NULs and terminal colours are taken out; a line that was overwritten with
    carriage returns gives one row per writing, all with the same line number.
    """
    parts = []
    for file_id, first_line, data in pieces:
        text = clean(data)
        lines = pl.read_lines(io.BytesIO(text.encode()), name="raw") if text else pl.DataFrame({"raw": [""] * bool(data)}, {"raw": pl.String})
        parts.append(
            lines.select(
                pl.lit(file_id, pl.Int64).alias("file_id"),
                (pl.int_range(pl.len(), dtype=pl.Int64) + first_line).alias("line_no"),
                pl.col("raw"),
            )
        )
    out = pl.concat(parts) if parts else pl.DataFrame(schema={"file_id": pl.Int64, "line_no": pl.Int64, "raw": pl.String})
    return tidy(out)


def clean(data: bytes) -> str:
    """Bytes as text: repaired UTF-8, without NULs."""
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    return data.decode("utf-8", errors="replace")


def tidy(lines: pl.DataFrame) -> pl.DataFrame:
    """Take out terminal colours, split at carriage returns, cut over-long lines."""
    raw = pl.col("raw")
    # CSI sequences (ECMA-48 5.4) and the OSC titles that `script` records.
    if lines["raw"].str.contains("\x1b", literal=True).any():
        lines = lines.with_columns(raw.str.replace_all(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", ""))
    if lines["raw"].str.contains("\r", literal=True).any():
        lines = lines.with_columns(raw.str.strip_chars_end("\r").str.split("\r")).explode("raw", empty_as_null=False)
        lines = lines.with_columns(raw.fill_null(""))
    if lines["raw"].str.len_bytes().max() or 0:
        lines = lines.with_columns(pl.when(raw.str.len_bytes() > LINE_BYTES).then(raw.str.head(LINE_BYTES)).otherwise(raw))
    return lines
