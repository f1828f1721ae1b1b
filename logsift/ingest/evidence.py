"""The text of single lines, fetched again from the files they are in."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING

from logsift.ingest.readers import texts
from logsift.ingest.readers.lines import valid
from logsift.ingest.readers.opening import is_plain, open_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsift.ingest.discover import SourceFile
    from logsift.ingest.spelling import Spelling

TEXT_CHARACTERS = 1000


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
    windows: dict[int, list[tuple[int, int]]] = {}
    for file_id, line, offset in starts:
        windows.setdefault(file_id, []).append((line, offset))
    out: dict[tuple[int, int], str] = {}
    for file_id, numbers in by_file.items():
        file = files.get(file_id)
        if file is None or not file.reader:
            continue
        try:
            if records := texts(file.reader):
                said = records(file, numbers)
                out |= {(file_id, number): text[:TEXT_CHARACTERS] for number, text in said.items()}
                continue
            with open_bytes(file.path) as stream:
                seekable = is_plain(file.path)
                at = 1
                for number in numbers:
                    known = windows.get(file_id, [])
                    place = bisect_right(known, (number, 1 << 62)) - 1
                    if seekable and place >= 0 and known[place][0] > at:
                        at, offset = known[place]
                        stream.seek(offset)
                    for raw in islice(stream, number - at, number - at + 1):
                        if b"\0" in raw and file.reader != "lines":
                            continue  # a dump
                        text = valid(spelling.lines([raw])[0][: 8 * TEXT_CHARACTERS]).decode()
                        out[file_id, number] = text.strip("\r\n")[:TEXT_CHARACTERS]
                    at = number + 1
        except Exception:  # what could not be read twice is shown without its text
            continue
    return out
