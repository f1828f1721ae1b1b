"""What people have - folders, files, archives, a stream, a database that was sent - as one folder to read.

Archives are unpacked (logsift.ingest.archives, also those within a folder) and streams kept in private folders of the
user's cache; nothing is written anywhere else.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.ingest.archives import Refused, copied, printable, room, unpacked
from logsift.places import cache_folder, folder_of_this_process, tidy, workplace
from logsift.remote import RemotePath
from logsift.store.sent import is_sent, load

if TYPE_CHECKING:
    from collections.abc import Sequence

STREAM = Path("-")


@dataclass(frozen=True, slots=True)
class Input:
    """What was given, as one thing to read.

    `run` is the folder, file or database; `shown` what people called it; `roots` are the places that links in `run`
    lead to; `refused` the members of archives that are not there.
    """

    run: Path
    shown: str
    roots: tuple[Path, ...] = ()
    refused: Refused = ()
    is_database: bool = False
    is_private: bool = False


def given(paths: Sequence[Path]) -> Input:
    """What these paths are together: several are one job.

    Raises:
        FileNotFoundError: there is no such file or directory.
        UserError: an archive cannot be read, or a database is among several.
    """
    each = [_one(path) for path in dict.fromkeys(paths)]
    if len(each) == 1:
        return each[0]
    if any(one.is_database for one in each):
        raise UserError("a database holds a whole job: give it alone")
    if any(isinstance(one.run, RemotePath) for one in each):
        raise UserError("several places in a store are not one job: name the folder around them, or say --separate")
    names: dict[str, Path] = {}
    for one, path in zip(each, dict.fromkeys(paths), strict=True):
        name = "stdin" if path == STREAM else printable(Path(path.resolve().name)) or "root"
        label, n = name, 1
        while label in names:
            n += 1
            label = f"{name}-{n}"
        names[label] = one.run.resolve()
    key = hashlib.sha256("\0".join(f"{n}\0{printable(p)}" for n, p in sorted(names.items())).encode()).hexdigest()[:24]
    folder = cache_folder() / f"joined-{key}"
    if not folder.is_dir():
        with workplace(folder) as work:
            (work / "joined").mkdir()
            for label, run in names.items():
                (work / "joined" / label).symlink_to(run)
            with suppress(OSError):  # another process was first
                (work / "joined").rename(folder)
        tidy()
    with suppress(OSError):
        os.utime(folder)
    refused = tuple((f"{n}/{name}", why) for n, one in zip(names, each, strict=True) for name, why in one.refused)
    return Input(folder, " ".join(one.shown for one in each), tuple(names.values()), refused, is_private=True)


def _one(path: Path) -> Input:
    if path == STREAM:
        return Input(_stream(), "stdin", is_private=True)
    if not path.exists():
        raise FileNotFoundError(f"no such file or directory: {printable(path)}")
    shown = printable(path)
    if path.is_char_device() or path.is_block_device() or path.is_socket():
        raise UserError(f"{shown} is a device or a socket: give a file, a directory, or - for the standard input")
    if not path.is_file():
        return Input(path, shown)
    try:
        with path.open("rb") as f:
            start = f.read(12)
        if start[8:12] == b"DUCK":
            return Input(_fetched(path) if isinstance(path, RemotePath) else path, shown, is_database=True)
        if made := unpacked(path):
            folder, refused = made
            if is_sent(folder):
                if refused:
                    raise UserError(f"the bundle {shown} cannot be unpacked: {': '.join(refused[0])}")
                return Input(_sent(folder), shown, is_database=True)
            return Input(folder, shown, refused=refused, is_private=True)
    except PermissionError as e:
        raise UserError(f"{shown} cannot be read: {e.strerror}") from None
    return Input(path, shown)


def _sent(unpacked: Path) -> Path:
    """The store of what a bundle unpacked to, made once, beside it."""
    store = unpacked.parent / "sent.duckdb"
    if not store.is_file():
        made = unpacked.parent / f"made-{secrets.token_hex(8)}"
        try:
            load(unpacked, made)
            made.replace(store)
        finally:
            made.unlink(missing_ok=True)
    return store


def _fetched(path: RemotePath) -> Path:
    """A database in a store, as a file that is gone when the process ends: it is read here and there, by its own program."""
    copy = folder_of_this_process("fetched-") / path.name
    path.fetch(copy)
    return copy


def _stream() -> Path:
    """What comes on the standard input, as a file that is gone when the process ends."""
    folder = folder_of_this_process("stream-")
    with (folder / "stdin").open("xb") as out:
        copied(sys.stdin.buffer, out, room())
    return folder / "stdin"
