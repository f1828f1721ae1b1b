"""Core files: what an ELF core says in its notes of the process that died. Its memory is left to a debugger.

Structures as in Linux (include/linux/elfcore.h, 64 bit, little-endian: x86-64 and AArch64 alike): NT_PRSTATUS, one per
thread, the one that died first; NT_PRPSINFO, one per process.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from logsift.ingest.readers.opening import open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

NOTES_BYTES = 64 << 20
"""More is not read: notes of ten thousand threads need less."""
_HEADERS_BYTES = 4 << 20
_PT_NOTE = 4
_PRSTATUS, _PRPSINFO = 1, 3


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """One row: signal, pid, program, arguments, number of threads."""
    row = _died(file)
    if row:
        yield "core_file", [{"line_no": 1} | row]
    else:
        yield "problem", [{"line_no": 0, "what": "a core file without notes", "text": f"{file.size} bytes"}]


def texts(file: SourceFile, numbers: Sequence[int]) -> dict[int, str]:
    """The one record, in words."""
    row = _died(file)
    said = ", ".join(f"{key} {value}" for key, value in row.items())
    return {number: said for number in numbers if number == 1 and row}


def _died(file: SourceFile) -> dict[str, int | str]:
    row: dict[str, int | str] = {}
    threads = 0
    for kind, note in _notes(file):
        if kind == _PRSTATUS and len(note) >= 36:
            threads += 1
            if threads == 1:
                (row["signal"],) = struct.unpack_from("<h", note, 12)
        elif kind == _PRPSINFO and len(note) >= 136:
            (row["pid"],) = struct.unpack_from("<i", note, 24)
            row["process"] = _text(note[40:56])
            row["cmdline"] = _text(note[56:136])
    return row | {"threads": threads} if threads else row


def _notes(file: SourceFile) -> Iterator[tuple[int, bytes]]:
    """Kind and content of every note. What a file that was cut off lacks is left out."""
    with open_bytes(file.path) as stream:
        data = stream.read(_HEADERS_BYTES)
        if len(data) < 64:
            return
        (table_at,), (size, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
        places = []
        for n in range(count):
            at = table_at + n * size
            if size < 56 or at + 56 > len(data):
                break
            kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", data, at)
            if kind == _PT_NOTE:
                places.append((start, min(length, NOTES_BYTES)))
        for start, length in places:
            if start + length > len(data) and start + length <= NOTES_BYTES:
                data += stream.read(start + length - len(data))
            yield from _of_segment(data[start : start + length])


def _of_segment(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 12 <= len(data):
        name, length, kind = struct.unpack_from("<III", data, at)
        at += 12 + (name + 3 & ~3)
        if at + length <= len(data) and data[at - (name + 3 & ~3) : at].startswith(b"CORE\0"):
            yield kind, data[at : at + length]
        at += length + 3 & ~3


def _text(said: bytes) -> str:
    return said.split(b"\0")[0].decode(errors="replace").strip()
