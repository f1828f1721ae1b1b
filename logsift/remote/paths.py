"""Places in stores as paths, and the few things that `os` does for files by their number."""

from __future__ import annotations

import io
import os
import re
from collections import deque
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PosixPath
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from logsift.errors import StorageError, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from logsift.remote.objects import Folder, Object
    from logsift.remote.store import Store

_URL = re.compile(r"(?P<scheme>s3|gs|az|https?):/{1,2}(?=[^/])", re.IGNORECASE)
"""How a place in a store begins; as a path it has lost one of its slashes."""
_BUFFER_BYTES = 64 << 10
_EXACT_BYTES = 128 << 10
"""A piece of a file that is read by its place alone is no larger: no more of the file is read for it."""
_BLOCKS_AHEAD = 16
"""Blocks of a file that are asked for before they are needed, at most."""
_FILES_AHEAD = 256


def place(text: str | Path) -> Path:
    """What was typed as a path: of a store, where it is a URL of one.

    What a URL holds of a login is kept in memory for the requests and is in no path.

    Raises:
        UserError: it is a URL that cannot be read by ranges.
    """
    if isinstance(text, Path) or not _URL.match(text):
        return RemotePath(text) if isinstance(text, Path) and _URL.match(str(text)) else Path(text)
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(text)
    web = parts.scheme.lower() in ("http", "https")
    if web and (parts.query or parts.fragment):
        raise UserError(
            "a signed URL, or one with a query, cannot be read in parts: download the file, or name the bucket (s3://, gs://, az://)"
        )
    login, _, host = parts.netloc.rpartition("@")
    if login and not web:
        raise UserError("a URL of a bucket holds no login: credentials are taken from the environment")
    base = f"{parts.scheme.lower()}://{host}"
    if login:
        _LOGINS[base] = unquote(login)
    rest = text[len(parts.scheme) + 3 + len(parts.netloc) :]
    return RemotePath(f"{base}{rest}")


_LOGINS: dict[str, str] = {}
"""Of a store: user:password as they were typed."""


class RemotePath(PosixPath):
    """A place in an object store; a folder is what the names of objects begin with.

    What is not defined here would ask the disk. Errors are those of files (OSError), with a text for people.
    """

    def __str__(self) -> str:
        return _URL.sub(lambda m: f"{m['scheme'].lower()}://", super().__str__())

    @property
    def _store(self) -> Store:
        from logsift.remote.store import store_of

        base = "/".join(str(self).split("/", 3)[:3])
        return store_of(base, _LOGINS.get(base))

    @property
    def key(self) -> str:
        """The name within the store."""
        return [*str(self).split("/", 3), ""][3]

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        return self._store.kind(self.key) is not None

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return (found := self._store.kind(self.key)) is not None and found.is_folder

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._store.object(self.key) is not None

    def is_symlink(self) -> bool:
        return False

    def is_char_device(self) -> bool:
        return False

    is_block_device = is_socket = is_fifo = is_char_device

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        found = self._store.kind(self.key)
        if found is None:
            raise FileNotFoundError(f"no such file or directory: {self}")
        return found.status()

    lstat = stat

    def resolve(self, strict: bool = False) -> RemotePath:
        return self

    def absolute(self) -> RemotePath:
        return self

    def as_uri(self) -> str:
        return str(self)

    def open(self, mode: str = "r", buffering: int = -1, *_: Any, **__: Any) -> Any:  # noqa: ANN401 - as pathlib
        if mode != "rb":
            raise UserError(f"{self}: this is written into a file of this machine only")
        found = self._store.object(self.key)
        if found is None:
            raise FileNotFoundError(f"no such file: {self}")
        raw = Reader(found)
        return raw if buffering == 0 else io.BufferedReader(raw, _BUFFER_BYTES)

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: folders of stores need no making."""

    def put(self, made: Path) -> None:
        """Write a file here, or all files below a folder.

        Raises:
            StorageError: that failed.
        """
        files = [made] if made.is_file() else [p for p in sorted(made.rglob("*")) if p.is_file()]
        keys = [f"{self.key}/{p.relative_to(made)}" if p != made else self.key for p in files]
        try:
            for done in [_pool().submit(self._store.put, *each) for each in zip(keys, files, strict=True)]:
                done.result()
        except OSError as e:
            raise StorageError(f"cannot write {self}: {e}") from None

    def fetch(self, to: Path) -> None:
        """Copy the object, or all that are below this folder, to a place on the disk.

        Raises:
            OSError: it cannot be read, or the disk not be written.
        """
        found = self._store.object(self.key)
        each = [(found, to)] if found else [(o, to / name) for name, o in self._store.below(self.key)]
        for done in [_pool().submit(o.copy, target) for o, target in each]:
            done.result()

    def remove(self) -> None:
        """Delete all objects below this folder.

        Raises:
            OSError: that failed.
        """
        self._store.delete([o.key for _, o in self._store.below(self.key)])


def _pool() -> ThreadPoolExecutor:
    from logsift.remote.objects import pool

    return pool()


class _Named(RemotePath):
    """A place that is only named: it is not asked whether it is there."""

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        return False

    is_dir = is_file = exists


def named(text: str) -> Path:
    """A path, or a URL as one, to be shown."""
    return _Named(text) if _URL.match(text) else Path(text)


class Entry(Protocol):
    """What of `os.DirEntry` is asked."""

    @property
    def name(self) -> str: ...

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    of: Object | Folder

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self.of.status()


def scan(folder: Path) -> list[Entry]:
    """What is in a folder, in no order. A store is asked once for all that is below, not again for folders in it.

    Raises:
        OSError: it cannot be listed.
    """
    if isinstance(folder, RemotePath):
        return [_Entry(name, of) for name, of in folder._store.entries(folder.key).items()]
    with os.scandir(folder) as entries:
        return list(entries)


def size_of(file: IO[bytes] | io.RawIOBase) -> int:
    """Bytes of an open file."""
    return file.size if isinstance(file, Reader) else os.fstat(file.fileno()).st_size


def pread(file: IO[bytes] | io.RawIOBase, size: int, at: int) -> bytes:
    """Up to `size` bytes of an open file from `at` on, wherever it is read."""
    return file.pread(size, at) if isinstance(file, Reader) else os.pread(file.fileno(), size, at)


def preads(file: IO[bytes] | io.RawIOBase, pieces: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Several such pieces of (size, place), in this order; of an object many at a time."""
    return (_pool().map if isinstance(file, Reader) else map)(lambda piece: pread(file, *piece), pieces)


def pread_into(file: IO[bytes] | io.RawIOBase, buffer: memoryview, at: int) -> int:
    """Fill a buffer from `at` on; gives how many bytes there were."""
    return file.pread_into(buffer, at) if isinstance(file, Reader) else os.preadv(file.fileno(), [buffer], at)


class _Placed(Protocol):
    @property
    def path(self) -> Path: ...


F = TypeVar("F", bound=_Placed)


def upcoming(files: Sequence[F]) -> Iterator[F]:
    """The same files, in this order; of those in a store the beginnings of the following ones are under way meanwhile."""
    if not any(isinstance(f.path, RemotePath) for f in files):
        yield from files
        return
    asked = iter(files)
    ahead: deque[F] = deque()
    while True:
        for f in islice(asked, _FILES_AHEAD - len(ahead)):
            ahead.append(f)
            if isinstance(f.path, RemotePath):
                f.path._store.prefetch(f.path.key)
        if not ahead:
            return
        yield ahead.popleft()


class Reader(io.RawIOBase):
    """The bytes of an object as an open file."""

    def __init__(self, of: Object) -> None:
        self._of, self._at = of, 0
        self.size = of.size
        self._next, self._ahead = 0, 1

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - whatever holds bytes
        view = memoryview(buffer).cast("B")
        short = self._of.known(self._at, len(view))
        if short is not None:
            view[: len(short)] = short
            self._at += len(short)
            return len(short)
        done = self.pread_into(view, self._at)
        self._at += done
        return done

    def pread(self, size: int, at: int) -> bytes:
        """Bytes by their place: no more of the object is read for a small piece."""
        size = max(0, min(size, self.size - at))
        known = self._of.known(at, size)
        if known is not None:
            return known
        if size <= _EXACT_BYTES:
            held = self._of.held(at, size)
            return bytes(self._of.range(at, at + size)) if held is None else held
        out = bytearray(size)
        self.pread_into(memoryview(out), at)
        return bytes(out)

    def pread_into(self, view: memoryview, at: int) -> int:
        """Bytes into a buffer; what follows is asked for too where the object is read from its beginning to its end."""
        stop = min(at + len(view), self.size)
        if at >= stop:
            return 0
        first, last = self._of.index(at), self._of.index(stop - 1)
        self._ahead = min(2 * self._ahead, _BLOCKS_AHEAD) if first in (self._next, self._next - 1) else 1
        self._next = last + 1
        wanted = [self._of.block(n) for n in range(first, last + 1)]
        if last:  # whoever looks at the first block alone looks at what the file is
            for n in range(last + 1, min(last + self._ahead, self._of.index(self.size - 1)) + 1):
                self._of.block(n)
        done = at
        for n, block in zip(range(first, last + 1), wanted, strict=True):
            start, _ = self._of.borders(n)
            piece = block.result()[done - start : stop - start]
            view[done - at : done - at + len(piece)] = piece
            done += len(piece)
        return done - at
