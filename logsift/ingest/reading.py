"""Files -> Parquet parts and, beside them, the rows of the engine's own tables: all that is ever needed of the files."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logsift.ingest.parse import Parser
from logsift.ingest.proof import proof
from logsift.ingest.readers.lines import unended

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from logsift.content.model import Catalog
    from logsift.ingest.discover import SourceFile

FileRow = tuple[
    int, str, int, int, str | None, int | None, str | None, str, int, str, int, bool
]  # as the table `file` has its columns


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of files, beside the rows that are in parts: rows of the tables file, file_window and file_settled."""

    files: list[FileRow]
    windows: list[tuple[int, int, int]]
    settled: list[tuple[int, int, int, str]]


def read(
    catalog: Catalog,
    files: Sequence[SourceFile],
    parts: Path,
    progress: Callable[[int], None] | None = None,
    found: int = 0,
) -> Reading:
    """Read files into Parquet parts below `parts`; the arguments are those of `Parser.parse`."""
    parsed = Parser(catalog).parse(files, parts, progress, found)
    settled = []
    for f in files:
        if f.file_id in parsed.settled:
            offset, line = parsed.settled[f.file_id]
            with suppress(OSError, EOFError):
                settled.append((f.file_id, line, offset, proof(f.path, offset)))
    rows: list[FileRow] = [
        (f.file_id, f.name, f.size, parsed.lines.get(f.file_id, 0), f.host, f.rank, f.grammar, f.reader,
         parsed.not_understood.get(f.file_id, 0), f.why, 0 if f.file_id in parsed.unfinished else f.mtime_ns, f.reader == "lines" and (parsed.unended[f.file_id] if f.file_id in parsed.unended else unended(f.path)))
        for f in files
    ]  # fmt: skip
    return Reading(rows, parsed.windows, settled)
