"""Where stores lie: the user's cache, the private folder of one that is being made, and how it gets to its place whole.

Other people may write where logsift does (a shared /tmp, a run that was sent): every name is random and made with O_EXCL,
no link is followed for writing, and only what this user wrote is built upon.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
import time
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from logsift import __version__
from logsift.errors import StorageError
from logsift.remote import RemotePath

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

WORKPLACE = re.compile(r".*\.logsift-(?P<host>[0-9a-f]{8})-(?P<pid>[0-9a-f]+)-[0-9a-f]{16}")
"""The name of a folder that logsift works in."""
HISTORY = "history.duckdb"
"""The database in the cache that `logsift history` fills."""
CACHE_BYTES = 4 << 30
"""What the cache may take of a disk, beside what is in use."""
_LOCK = "lock"
_NOTES = "written"
_TIDIED = "tidied"
_HOUR = 3600
_WEEK = 168 * _HOUR


def on_disk(path: Path, most_bytes: int | None = None) -> AbstractContextManager[Path]:
    """The file or folder itself, where it is on the disk; of one in a store a copy that is gone behind the block.

    A file of more than `most_bytes` is not copied.

    Raises:
        OSError: it cannot be read, or there is no room for it.
    """
    return _copied(path, most_bytes) if isinstance(path, RemotePath) else nullcontext(path)


@contextmanager
def _copied(path: RemotePath, most_bytes: int | None) -> Iterator[Path]:
    if most_bytes is not None and path.stat().st_size > most_bytes:
        raise OSError(f"larger than {most_bytes} bytes: it is not copied to be read")
    with workplace(cache_folder() / path.name) as work:
        path.fetch(work / "copy")
        yield work / "copy"


def cache_folder() -> Path:
    """Where logsift keeps what can be made again: the user's cache (XDG), else a folder of their own in /tmp, else one for this process.

    What lies there is trusted: a folder that somebody else could write into is none.
    """
    for folder in _cache_folders():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat(follow_symlinks=False)
            own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
            if own and os.access(folder, os.W_OK):
                return folder
    return _of_this_process()


@cache
def _of_this_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="logsift-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def folder_of_this_process(prefix: str) -> Path:
    """A new folder in the cache that is gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=cache_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cache_folders() -> Iterator[Path]:
    with suppress(RuntimeError):  # no HOME, and no entry in passwd either
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "logsift"
    yield Path(tempfile.gettempdir()) / f"logsift-{os.geteuid()}"


def state_folder() -> Path | None:
    """Where logsift keeps what people typed (XDG), for their eyes only; None where that can't be written."""
    with suppress(RuntimeError, OSError):
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "logsift"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return None


@cache
def engine_digest() -> str:
    """Of the version, and of when each file of the engine was written: what an edited engine makes is made anew."""
    package = Path(__file__).resolve().parent
    written = sorted((p.name, p.stat().st_mtime_ns) for p in package.rglob("*.py"))
    return hashlib.sha256(f"{__version__} {written}".encode()).hexdigest()[:24]


@cache
def engine_sources() -> str:
    """Of the engine's sources, the same on every machine that has the same ones."""
    package = Path(__file__).resolve().parent
    told = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        told.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes())
    return told.hexdigest()[:24]


def keep(kept: Path, content: bytes) -> None:
    """Put what was made into the cache, whole or not at all."""
    with suppress(OSError, StorageError), workplace(kept) as work:
        (work / "made").write_bytes(content)
        publish(work / "made", kept)
        tidy()


def tidy() -> None:
    """Delete from the cache what nobody used for a week and, of more than `CACHE_BYTES`, what was used longest ago.

    That is looked at once an hour, and what was used within the last hour stays.
    """
    folder, now = cache_folder(), time.time()
    stamp = folder / _TIDIED
    with suppress(OSError):
        if stamp.exists() and 0 <= now - stamp.stat().st_mtime < _HOUR:
            return
        stamp.touch(mode=0o600)
        size = 0
        for used, path in sorted(_entries(folder), reverse=True):
            size += sum(_sizes(path))
            if now - used > _WEEK or (size > CACHE_BYTES and now - used > _HOUR):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[tuple[float, Path]]:
    """What can be made again, with the time of its last use."""
    for path in folder.iterdir():
        if path.name not in {_NOTES, _TIDIED, HISTORY}:
            status = path.lstat()
            # A folder's is set by who uses it: to look into it for its size is to read it as well.
            used = status.st_mtime if stat.S_ISDIR(status.st_mode) else max(status.st_mtime, status.st_atime)
            yield used, path


def _sizes(path: Path) -> Iterator[int]:
    yield path.lstat().st_size
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                yield Path(folder, name).lstat().st_size


@contextmanager
def workplace(path: Path) -> Iterator[Path]:
    """A private folder beside `path`, on the same file system, that is gone behind the block whatever happens in it.

    For a place in a store it is in the user's cache.

    Raises:
        StorageError: it cannot be made.
    """
    # DuckDB takes what follows a question mark in a path for options.
    elsewhere = isinstance(path, RemotePath) or "?" in str(path.parent.absolute())
    parent = cache_folder() if elsewhere else path.parent
    sweep(parent)
    name = path.name.replace("?", "_")[:100]
    folder = parent / f"{name}.logsift-{_host()}-{os.getpid():x}-{secrets.token_hex(8)}"
    lock = None
    try:  # made within: whatever asks this process to end may come right behind it
        try:
            folder.mkdir(mode=0o700)
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as e:
            raise StorageError(f"cannot write into {parent}: {e.strerror}; say --db PATH for another place") from None
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep(parent: Path) -> None:
    """Delete the folders in `parent` that processes of this host and user were working in when they were killed."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = WORKPLACE.fullmatch(entry.name)
            if (
                found
                and found["host"] == _host()
                and entry.is_dir(follow_symlinks=False)
                and _dead(entry, found["pid"])
            ):
                shutil.rmtree(entry.path, ignore_errors=True)


def _dead(entry: os.DirEntry[str], pid: str) -> bool:
    if entry.stat(follow_symlinks=False).st_uid != os.geteuid():
        return False
    with suppress(OSError):
        os.kill(int(pid, 16), 0)
        return False
    try:
        lock = os.open(Path(entry.path) / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return True
    try:  # a process of another container may have a number that is none here
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def publish(made: Path, path: Path) -> None:
    """Put a file or a folder in its place: whole on the disk first, then renamed over what was there, or sent to a store.

    Raises:
        StorageError: it cannot be written.
    """
    if isinstance(path, RemotePath):
        path.put(made)
        return
    try:
        _flush(made)
        try:
            made.replace(path)
        except OSError as e:
            if e.errno != errno.EXDEV:
                raise
            with workplace(path) as near:
                shutil.copyfile(made, near / "store")
                _flush(near / "store")
                (near / "store").replace(path)
        _flush(path.parent)
    except OSError as e:
        raise StorageError(f"cannot write {path}: {e.strerror}; the last database stays as it was") from None


def remove(folder: Path) -> None:
    """Delete a folder with all that is in it, as far as that can be done."""
    with suppress(OSError):
        if isinstance(folder, RemotePath):
            folder.remove()
        else:
            shutil.rmtree(folder)


def remember(path: Path) -> None:
    """Note that this user's logsift wrote a file."""
    with suppress(OSError):
        noted = _note_of(path)
        noted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        noted.write_text(_mark(path))
        for old in noted.parent.iterdir():
            if time.time() - old.lstat().st_mtime > 26 * _WEEK:
                old.unlink()


def written_here(path: Path) -> bool:
    """True where this user's logsift wrote the file, and nobody touched it since. What was sent is not built upon."""
    try:
        return _note_of(path).read_text() == _mark(path)
    except (OSError, ValueError, StorageError):
        return False


def _note_of(path: Path) -> Path:
    """In one of 256 folders: a note that is written looks for old ones beside it, and there may be a hundred thousand."""
    name = hashlib.sha256(os.fsencode(path.parent.resolve() / path.name)).hexdigest()
    return cache_folder() / _NOTES / name[:2] / name[2:32]


def _mark(path: Path) -> str:
    """What nobody can give another file: the time of its last change is the kernel's."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path} is no file")
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _flush(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
