"""Archives as the directories they are: members are streamed into a private folder of the user's cache.

No name in an archive leads out of its folder, no link is made or followed, and nothing is written anywhere else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import tarfile
import zipfile
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, cast

from logsift.errors import StorageError, UserError
from logsift.ingest import budget
from logsift.ingest.readers.opening import open_bytes
from logsift.places import cache_folder, folder_of_this_process, tidy, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

BUNDLE = "logsift-bundle"
"""The folder in an archive that logsift's own files for an issue lie in: they are no logs."""
_BLOCK = 1 << 20
_KEPT_FREE = 1 << 30
"""Bytes of a disk that unpacking leaves to others."""
_NO_ROOM = "more than there is room for"
_NAMES = re.compile(r".*\.(?:zip|tar|tgz|tbz2?|txz|tzst|tar\.(?:gz|bz2|xz|zstd?))", re.IGNORECASE)

Refused = tuple[tuple[str, str], ...]
"""Members of archives that were not unpacked, by name, and why."""

_cut_short: dict[str, Path] = {}
"""What the disk had no room for: the next process, which may find more, unpacks it anew."""


def is_named_so(name: str) -> bool:
    """True where a file's name is one of an archive: within a run only these are looked into."""
    return _NAMES.fullmatch(name) is not None


def unpacked(path: Path, *, within: bool = False) -> tuple[Path, Refused] | None:
    """The folder that holds an archive's files, made once for as long as the archive is not changed; None for other files.

    Args:
        path: a file.
        within: it lies within a run: no more than budget.ARCHIVE_BYTES are unpacked, and no archive in it.

    Raises:
        OSError: it cannot be read.
        UserError: it cannot be unpacked.
    """
    with path.open("rb") as f:
        is_zip = f.read(2) == b"PK" and zipfile.is_zipfile(f)
    if not is_zip and not _is_tar(path):
        return None
    status = path.stat()
    about = (
        f"{printable(path.resolve())}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}" + "\0within" * within
    )
    named = f"unpacked-{hashlib.sha256(about.encode()).hexdigest()[:24]}"
    folder = _cut_short.get(named) or cache_folder() / named
    if not folder.is_dir():
        with workplace(folder) as work:
            tree = work / "made" / "run"
            tree.mkdir(parents=True)
            members = _of_zip(path) if is_zip else _of_tar(path)
            free = room()
            most = min(free, budget.ARCHIVE_BYTES) if within else free
            refused = list(_written(members, tree, most))
            if most == free and any(_NO_ROOM in why for _, why in refused):
                folder = _cut_short[named] = folder_of_this_process("cut-") / "made"
            if within:
                refused += list(_without_archives(tree))
            (work / "made" / "refused.json").write_text(json.dumps(refused))
            with suppress(OSError):  # another process was first
                (work / "made").rename(folder)
        tidy()
    with suppress(OSError):
        os.utime(folder)
    return folder / "run", tuple((name, why) for name, why in json.loads((folder / "refused.json").read_text()))


def printable(path: Path) -> str:
    r"""A path as text: names are bytes, and those that are no UTF-8 are written as \xNN."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def _without_archives(tree: Path) -> Iterator[tuple[str, str]]:
    """Delete what would be unpacked again, and say so."""
    for path in sorted(tree.rglob("*")):
        if path.is_file() and is_named_so(path.name):
            path.unlink()
            yield printable(path.relative_to(tree)), "an archive within an archive within a run: give it by itself"


def _is_tar(path: Path) -> bool:
    with suppress(tarfile.TarError, OSError), open_bytes(path) as stream:
        tarfile.TarInfo.frombuf(stream.read(512), "utf-8", "surrogateescape")
        return True
    return False


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an archive; `why` says what speaks against unpacking it."""

    name: str
    mtime: float
    stream: IO[bytes] | None
    why: str = ""


def _written(members: Iterator[_Member], tree: Path, room: int) -> Iterator[tuple[str, str]]:
    """Write members below a folder, in so many bytes; gives those that are not there, or not whole, and why."""
    count = 0
    for member in members:
        name = printable(Path(member.name))
        parts = PurePosixPath(member.name).parts
        if member.why or member.stream is None:
            yield name, member.why
            continue
        if not parts or parts[0] == "/" or ".." in parts or "\0" in member.name:
            yield name, "its name leads out of the archive"
            continue
        count += 1
        if count > budget.FILES:
            yield name, f"more than {budget.FILES} files: the others are not read"
            return
        target = tree.joinpath(*parts)
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with target.open("xb") as out:
                size, why = copied(member.stream, out, room)
            os.utime(target, (member.mtime, member.mtime))
        except OSError as e:
            yield name, f"cannot be unpacked: {e.strerror or e}"
            continue
        room -= size
        if why:
            yield name, why
        if room <= 0:
            yield name, f"the archive unpacks to {_NO_ROOM}: what follows is not read"
            return


def copied(source: IO[bytes], out: IO[bytes], room: int) -> tuple[int, str]:
    """Copy a stream, up to the room there is; gives its size and why it is not whole."""
    size = 0
    while True:
        try:
            block = source.read(_BLOCK)
        except Exception as e:  # each packer has errors of its own
            return size, f"cannot be read further: {e}"
        if not block:
            return size, ""
        if size + len(block) > room:
            return size, _NO_ROOM
        try:
            out.write(block)
        except OSError as e:
            raise StorageError(f"cannot write into {cache_folder()}: {e.strerror}") from None
        size += len(block)


def room() -> int:
    """Bytes that may be unpacked on the disk of the cache."""
    return max(0, shutil.disk_usage(cache_folder()).free - _KEPT_FREE)


class _Header(tarfile.TarInfo):
    """A header whose names are no longer than names are: they are read into memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        # No public method is asked in every version of Python: 3.14 passes `frombuf` by.
        if self.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
                         tarfile.GNUTYPE_LONGLINK) and self.size > 1 << 20:  # fmt: skip
            raise tarfile.ReadError("a name of megabytes")
        return cast("tarfile.TarInfo", super()._proc_member(archive))  # type: ignore[misc]


def _of_tar(path: Path) -> Iterator[_Member]:
    with open_bytes(path) as packed:
        try:
            with tarfile.open(
                fileobj=packed, mode="r|", tarinfo=_Header, encoding="utf-8", errors="surrogateescape"
            ) as tar:
                for member in tar:
                    tar.members = []  # type: ignore[attr-defined]  # they are kept for a second look, which nobody takes
                    if member.isreg():
                        yield _Member(member.name, min(max(member.mtime, 0), 1 << 33), tar.extractfile(member))
                    elif not member.isdir():
                        kind = "a link" if member.issym() or member.islnk() else "a device"
                        yield _Member(member.name, 0, None, f"{kind}, no file")
        except (tarfile.TarError, OSError, EOFError, ValueError) as e:
            yield _Member(path.name, 0, None, f"the archive cannot be read further: {packed.why or e}")
        else:
            if packed.why:
                yield _Member(path.name, 0, None, f"the archive cannot be read further: {packed.why}")


def _of_zip(path: Path) -> Iterator[_Member]:
    allowed = max(budget.UNPACKED_FREE_BYTES, budget.UNPACKED_RATIO * path.stat().st_size)
    try:
        with path.open("rb") as f, zipfile.ZipFile(f) as archive:
            for info in archive.infolist():
                allowed -= info.file_size
                if info.is_dir():
                    continue
                if stat.S_ISLNK(info.external_attr >> 16):
                    yield _Member(info.filename, 0, None, "a link, no file")
                elif info.flag_bits & 1:
                    yield _Member(info.filename, 0, None, "it is encrypted")
                elif allowed < 0:
                    yield _Member(info.filename, 0, None, "the archive unpacks to far more than logs do")
                else:
                    try:
                        with closing(archive.open(info)) as stream:
                            yield _Member(info.filename, _time_of(info), stream)
                    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as e:
                        yield _Member(info.filename, 0, None, f"cannot be unpacked: {e}")
    except (zipfile.BadZipFile, OSError) as e:
        raise UserError(f"{printable(path)} cannot be read: {e}") from None


def _time_of(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
