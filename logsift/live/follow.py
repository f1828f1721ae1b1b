"""The files of a run that is still being written: which of them grew, and from where on they are to be read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING

from logsift.ingest.discover import SourceFile, discover
from logsift.ingest.readers.opening import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsift.content.model import Catalog

AGAIN_LINES = 200
"""So many lines at the end of a file are read again when it has grown: a block that was being written may reach back so far."""
_LOOK_SECONDS = 3.0
"""How often new files are looked for."""
_WHOLE_SECONDS = 20.0
"""A file that can only be read whole is read again after so long."""
_REMOTE = frozenset({"nfs", "nfs4", "lustre", "ceph", "gpfs", "beegfs", "cifs", "smb3", "fuse", "9p", "wekafs"})
"""File systems that tell no watcher what other machines write."""


@dataclass
class Followed:
    """A file as it was read last. `read_at` and `grew` are moments of the monotonic clock, `settled` is where reading goes on."""

    file: SourceFile
    inode: int = -1
    size: int = -1
    mtime_ns: int = -1
    read_at: float = 0.0
    settled: tuple[int, int] = (0, 1)
    grew: float = 0.0
    gone: bool = False
    tried: bool = False

    @property
    def by_line(self) -> bool:
        """True where only what was added has to be read."""
        return self.file.reader == "lines" and is_plain(self.file.path)


@dataclass(frozen=True, slots=True)
class Change:
    """A file to be read, from its `start` on; `how` is new, again (a first time was broken off), grown, rotated, truncated or rewritten."""

    file: SourceFile
    how: str
    inode: int


class Follower:
    """Follows the files below a folder. Nothing is kept open: rotating and deleting them is nobody's trouble."""

    def __init__(self, run: Path, catalog: Catalog) -> None:
        self._run, self._catalog = run, catalog
        self.files: dict[str, Followed] = {}
        self._names: frozenset[str] = frozenset()
        self._looked = float("-inf")

    def changes(self) -> Iterator[Change]:
        """What has to be read since the last call, file by file; `read` is to be called for each that was."""
        now = monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._look()
        for followed in self.files.values():
            if change := self._change(followed, now):
                yield change

    def vanished(self) -> list[str]:
        """Names of files that are not there any more, each told once."""
        out = []
        for name, f in self.files.items():
            there = f.file.path.exists() if f.file.reader else True
            if f.gone == there:
                f.gone = not there
                out += [] if there else [name]
        return out

    def read(self, changes: Sequence[Change]) -> None:
        """These changes were read up to the sizes they say: what was not is told again."""
        for change in changes:
            followed = self.files[change.file.name]
            if followed.by_line:
                followed.settled = _settled(change.file)
            if followed.inode >= 0:
                followed.grew = monotonic()
            followed.read_at = monotonic()
            followed.file = replace(change.file, start=(0, 1))
            followed.inode, followed.size, followed.mtime_ns = change.inode, change.file.size, change.file.mtime_ns

    def _look(self) -> None:
        """Find files that are new."""
        names = frozenset(_names(self._run))
        if names <= self._names:
            return
        self._names |= names
        highest = max((f.file.file_id for f in self.files.values()), default=0)
        for file in discover(self._run, self._catalog):
            known = self.files.get(file.name)
            if known is None:
                highest += 1
                self.files[file.name] = Followed(replace(file, file_id=highest), grew=_since(file.mtime_ns))
            elif known.size <= 0 or known.gone:  # it was empty: who reads it shows with its first bytes
                known.file = replace(file, file_id=known.file.file_id)

    def _change(self, followed: Followed, now: float) -> Change | None:
        file = followed.file
        if not file.reader:
            return None
        try:
            status = file.path.stat()
        except OSError:
            return None
        if (status.st_ino, status.st_size, status.st_mtime_ns) == (followed.inode, followed.size, followed.mtime_ns):
            return None
        how, start = "again" if followed.tried else "new", (0, 1)
        followed.tried = True
        if followed.inode >= 0:
            if status.st_ino != followed.inode:
                how = "rotated"
            elif status.st_size < followed.size:
                how = "truncated"
            elif followed.by_line:
                how, start = "grown", followed.settled
            elif now - followed.read_at < _WHOLE_SECONDS:
                return None
            else:
                how = "rewritten"
        read = replace(file, size=status.st_size, mtime_ns=status.st_mtime_ns, start=start)
        return Change(read, how, status.st_ino)


def _names(run: Path) -> Iterator[str]:
    if not run.is_dir():
        yield str(run)
        return
    for folder, _, files in os.walk(run):
        yield from (f"{folder}/{name}" for name in files)


def _since(mtime_ns: int) -> float:
    """The moment of the monotonic clock when a file was written."""
    return monotonic() - max(0.0, time() - mtime_ns / 1e9)


def _settled(file: SourceFile) -> tuple[int, int]:
    """Where the last AGAIN_LINES lines of what was read begin: byte offset, and number of the line."""
    offset, line = file.start
    ends: list[int] = []  # of the last lines; the first of them ends the line `line`
    try:
        with file.path.open("rb") as f:
            f.seek(offset)
            left = file.size - offset
            while left > 0 and (block := f.read(min(1 << 20, left))):
                left -= len(block)
                at = -1
                while (at := block.find(b"\n", at + 1)) >= 0:
                    ends.append(offset + at + 1)
                offset += len(block)
                line += max(0, len(ends) - AGAIN_LINES)
                ends = ends[-AGAIN_LINES:]
    except OSError:
        return file.start
    return (ends[0], line + 1) if len(ends) == AGAIN_LINES else file.start


def is_remote(path: Path) -> bool:
    """True where a file system is another machine's: only looking tells what happened there."""
    best, kind = "", ""
    try:
        for row in Path("/proc/mounts").read_text(errors="replace").splitlines():
            _, place, name, *_ = row.split()
            if str(path.resolve()).startswith(place) and len(place) >= len(best):
                best, kind = place, name
    except (OSError, ValueError):
        return True
    return kind.partition(".")[0] in _REMOTE
