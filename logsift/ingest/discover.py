"""A run directory becomes a list of source files: who reads each, and what its path says of host and rank."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logsift.ingest.readers.opening import compression_of, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from logsift.content.model import Catalog, Grammar

HEAD_BYTES = 65536
_OWN_TEXT = re.compile(rb'<!-- logsift report -->|\{\s*"schema": [0-9]+,\s*"run":')
"""How the reports begin that logsift itself writes."""

# Editors' and version control's leavings, and what never is a log.
_SKIPPED_FOLDERS = frozenset({".git", ".svn", "__pycache__", "node_modules", ".ipynb_checkpoints"})
# Notes and source code quote errors that never happened; a single file that somebody points at is read whatever it is.
_NOT_LOGS = frozenset(
    {".md", ".rst", ".html", ".ipynb", ".py", ".pyc", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".rs", ".go"}
)
_OWN_NAME = re.compile(r"logsift\.duckdb(\.|\Z)|.*\.logsift-[0-9a-f]+\Z|duckdb_temp_.*")
_RANK = re.compile(r"(?:^|[^a-z])(?:global)?_?rank[-_.=]?([0-9]{1,6})(?![0-9])", re.IGNORECASE)
_HOST_IN_NAME = re.compile(
    r"(?:^|[-_./])((?:node|host|worker|gpu|ip|n|dgx|h100|a100|cn|nid|x[0-9]+c[0-9]+s)[-_]?[0-9][0-9A-Za-z-]*)(?=[._/]|\Z)",
    re.IGNORECASE,
)
# KIND.HOST.txt, as the report's own advice names what it asks for. A host's name holds a letter and a digit.
_HOST_AFTER_KIND = re.compile(
    r"(?:^|/)[a-z-]+\.((?=[a-z0-9-]*[0-9])(?!rank|pid|step|run|v[0-9])[a-z][a-z0-9-]*)\.txt(?:\.[a-z0-9]+)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the run directory.

    `grammar` names the grammar that owns the file, None where every ordinary grammar looks into it; `reader` is ""
    where nobody can read it, `why` then says so. Sizes in bytes, times in nanoseconds since the epoch.
    """

    file_id: int
    path: Path
    name: str
    reader: str
    grammar: str | None
    host: str | None
    rank: int | None
    size: int
    mtime_ns: int
    why: str = ""


def discover(run: Path, catalog: Catalog) -> list[SourceFile]:
    """Every file below `run` (or `run` itself), in sorted order.

    Raises:
        FileNotFoundError: `run` does not exist.
    """
    if not run.exists():
        raise FileNotFoundError(f"no such file or directory: {run}")
    paths = [run] if run.is_file() else sorted(_walk(run))
    base = run.parent if run.is_file() else run
    owners = [(g, re.compile(g.head, re.MULTILINE)) for g in catalog.grammars if g.head]
    owners.sort(key=lambda o: o[0].name)
    out: list[SourceFile] = []
    for path in paths:
        name = path.relative_to(base).as_posix()
        if _OWN_NAME.fullmatch(path.name):
            continue
        stat = path.stat()
        reader, grammar, why = _who_reads(path, name, stat.st_size, catalog, owners)
        if why == "own":
            continue
        if run.is_dir() and path.suffix in _NOT_LOGS:
            reader, grammar, why = "", None, "source code or notes, no log"
        host, rank = hints(name)
        out.append(
            SourceFile(len(out) + 1, path, name, reader, grammar, host, rank, stat.st_size, stat.st_mtime_ns, why)
        )
    return out


def hints(name: str) -> tuple[str | None, int | None]:
    """What a path relative to the run directory says of host and global rank."""
    rank = None
    for part in reversed(Path(name).parts):
        if found := _RANK.search(part):
            rank = int(found[1])
            break
    hosts = _HOST_IN_NAME.findall(name) or _HOST_AFTER_KIND.findall(name)
    return (hosts[-1] if hosts else None), rank


def known_files(run: Path, rows: Iterable[Mapping[str, Any]]) -> dict[int, SourceFile]:
    """The source files a store was made of, by number, from the rows of its table `file`."""
    base = run if run.is_dir() else run.parent
    return {
        r["file_id"]: SourceFile(
            r["file_id"], base / r["path"], r["path"], r["reader"], r["grammar"], r["host"], r["rank"], r["bytes"],
            r["mtime_ns"], r["why"],
        )
        for r in rows
    }  # fmt: skip


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for entry in folder.iterdir():
        if entry.is_symlink() and not entry.exists():
            continue
        if entry.is_dir():
            if entry.name not in _SKIPPED_FOLDERS and not entry.is_symlink():
                found += _walk(entry)
        elif entry.is_file():
            found.append(entry)
    return found


def _who_reads(
    path: Path, name: str, size: int, catalog: Catalog, owners: list[tuple[Grammar, re.Pattern[str]]]
) -> tuple[str, str | None, str]:
    """(reader, owning grammar, why nobody reads it)."""
    if size == 0:
        return "lines", None, ""
    try:
        with open_bytes(path) as f:
            head = f.read(HEAD_BYTES)
    except Exception as e:  # a torn archive raises its packer's own errors
        return "", None, f"cannot be opened: {e}"
    if _OWN_TEXT.match(head):
        return "", None, "own"
    plain = Path(name).name
    if compression_of(path):
        plain = Path(plain).stem
    for grammar in catalog.grammars:
        if any(fnmatch.fnmatch(plain, g) or fnmatch.fnmatch(name, g) for g in grammar.names):
            return grammar.reader, grammar.name, ""
    text = head.decode("latin-1") if b"\0" in head[:4096] else head.decode("utf-8", errors="replace")
    for grammar, pattern in owners:
        if pattern.search(text):
            return grammar.reader, grammar.name, ""
    if _binary(head):
        return "", None, "binary, and no reader knows it"
    return "lines", None, ""


def _binary(head: bytes) -> bool:
    """True where control bytes are too many for a log (a log may hold NULs of a torn write, or UTF-16)."""
    control = sum(head.count(bytes([b])) for b in (*range(1, 8), *range(14, 27), 28, 29, 30, 31))
    return control + head.count(0) // 8 > len(head) // 20
