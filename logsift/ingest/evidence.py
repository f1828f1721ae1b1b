"""The text of single lines, fetched again from the files they are in."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from itertools import groupby, islice
from typing import TYPE_CHECKING

from logsift.ingest.readers import texts
from logsift.ingest.readers.lines import valid
from logsift.ingest.readers.opening import is_plain, open_bytes
from logsift.remote import upcoming

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from logsift.ingest.discover import SourceFile
    from logsift.ingest.spelling import Spelling

TEXT_CHARACTERS = 1000
_BAR = re.compile(rb"[^|]{0,200}[0-9]+%\|[^|]*\|[^\[]*\[[^\]]*\]\s*")
"""A progress bar of tqdm and nothing behind it."""
_STYLE = re.compile(rb"\x1b\[[0-9;:]*[mK]")
"""What sets a colour, or clears the rest of a line."""
_DRAWN_BYTES = 1 << 16
"""How much of the end of a line is looked at for what was drawn last."""


def fetch(
    wanted: set[tuple[int, int]],
    files: Mapping[int, SourceFile],
    starts: Sequence[tuple[int, int, int]],
    spelling: Spelling,
) -> dict[tuple[int, int], str]:
    """Lines of text files by (file_id, line_no), at most TEXT_CHARACTERS long.

    Args:
        wanted: the lines to fetch; records of binary files are given as their reader tells them, or not at all.
        files: source files by number.
        starts: (file_id, first line, byte offset) of the windows the files were read in, in order.
        spelling: how texts written as numbers are shown.
    """
    by_file: dict[int, list[int]] = {}
    for file_id, line_no in sorted(wanted):
        by_file.setdefault(file_id, []).append(line_no)
    windows = by_id(starts)
    return {
        (file.file_id, number): text
        for file in upcoming([files[i] for i in by_file if i in files])
        for number, text in fetch_of(file, by_file[file.file_id], windows.get(file.file_id, ()), spelling).items()
    }


def by_id(starts: Iterable[tuple[int, int, int]]) -> dict[int, list[tuple[int, int]]]:
    """The (first line, byte offset) of windows by the file they are of."""
    out: dict[int, list[tuple[int, int]]] = {}
    for file_id, line, offset in starts:
        out.setdefault(file_id, []).append((line, offset))
    return out


def fetch_of(
    file: SourceFile, numbers: Sequence[int], windows: Sequence[tuple[int, int]], spelling: Spelling
) -> dict[int, str]:
    """Lines of one file by their numbers, which come in order, as a terminal shows them; see `fetch`."""
    out: dict[int, bytes] = {}
    with suppress(Exception):  # what could not be read twice is shown without its text
        if not file.reader:
            return {}
        if records := texts(file.reader):
            return {n: text[:TEXT_CHARACTERS] for n, text in records(file, numbers).items()}
        with open_bytes(file.path) as stream:
            known = windows if is_plain(file.path) else ()
            at = 1
            if known:  # what was read may begin behind the file's first line
                at, offset = known[0]
                stream.seek(offset)
            for first, last in _runs(numbers):
                if first < at:
                    continue
                place = bisect_right(known, (first, 1 << 62)) - 1
                if place >= 0 and known[place][0] > at:
                    at, offset = known[place]
                    stream.seek(offset)
                found = islice(stream, first - at, last - at + 1)
                # With zeros in it, it is a dump.
                out |= {n: raw for n, raw in enumerate(found, first) if file.reader == "lines" or b"\0" not in raw}
                at = last + 1
    said = zip(out, spelling.lines(list(out.values())), strict=True)
    return {
        n: valid(_STYLE.sub(b"", _last_drawn(raw))[: 8 * TEXT_CHARACTERS]).decode().strip("\r\n")[:TEXT_CHARACTERS]
        for n, raw in said
    }


def _last_drawn(raw: bytes) -> bytes:
    """What a terminal shows of a line that was drawn again and again: what came last, and is more than a bar."""
    end = raw[-_DRAWN_BYTES:].strip(b"\r\n")
    if b"\r" not in end:
        return raw
    drawn = [part for part in end.split(b"\r") if part.strip()] or [raw]
    return next((part for part in reversed(drawn) if not _BAR.fullmatch(part)), drawn[-1])


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of numbers that follow each other."""
    for _, run in groupby(enumerate(numbers), lambda placed: placed[1] - placed[0]):
        following = [n for _, n in run]
        yield following[0], following[-1]
