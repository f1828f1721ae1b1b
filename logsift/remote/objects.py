"""Objects of a store as they were listed, and their bytes: block by block, many requests at a time."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

from logsift.remote.clients import obstore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from logsift.remote.store import Store

_WHOLE_BYTES = 256 << 10
"""An object of at most this size is read at once."""
_HEAD_BYTES = 64 << 10
"""The first block of a larger one: what tells who reads it."""
_BLOCK_BYTES = 2 << 20
"""The others end at multiples of this."""
_HELD_BYTES = 256 << 20
"""Blocks that are kept in memory."""
_AT_ONCE = 32
"""Requests under way."""


@cache
def pool() -> ThreadPoolExecutor:
    """The threads that wait for stores."""
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="store")


class Folder:
    """What the names of objects have in common up to a slash."""

    is_folder: ClassVar[bool] = True

    def status(self) -> os.stat_result:
        """As that of a directory."""
        return os.stat_result((stat.S_IFDIR | 0o500, 0, 0, 1, os.geteuid(), 0, 0, 0, 0, 0))


FOLDER = Folder()


@dataclass(slots=True, eq=False)
class Object:
    """An object as it was when it was listed; what it became since is not read."""

    is_folder: ClassVar[bool] = False
    store: Store
    key: str
    size: int
    mtime_ns: int
    tag: str | None
    first: bytes = b""
    last: bytes = b""

    def status(self) -> os.stat_result:
        """As that of a file; the number of its inode is made of its tag."""
        mark = int.from_bytes(hashlib.blake2b((self.tag or "").encode(), digest_size=6).digest())
        seconds = self.mtime_ns // 10**9
        numbers = (stat.S_IFREG | 0o400, mark, 0, 1, os.geteuid(), 0, self.size, seconds, seconds, seconds)
        return os.stat_result(numbers, {"st_mtime": self.mtime_ns / 1e9, "st_mtime_ns": self.mtime_ns})

    def index(self, at: int) -> int:
        """The block that byte `at` is in."""
        return 0 if at < self.borders(0)[1] else at // _BLOCK_BYTES + 1

    def borders(self, n: int) -> tuple[int, int]:
        """Where a block begins and ends."""
        if n == 0:
            return 0, self.size if self.size <= _WHOLE_BYTES else _HEAD_BYTES
        return max(_HEAD_BYTES, (n - 1) * _BLOCK_BYTES), min(self.size, n * _BLOCK_BYTES)

    def known(self, at: int, size: int) -> bytes | None:
        """A few bytes at either end, which every file is asked for more than once."""
        if at + size <= len(self.first):
            return self.first[at : at + size]
        return self.last if size == 1 and at == self.size - 1 and self.last else None

    def held(self, at: int, size: int) -> bytes | None:
        """A piece of a block that is in memory."""
        n = self.index(at)
        start, stop = self.borders(n)
        block = _HELD.done((self, n)) if at + size <= stop else None
        return None if block is None else bytes(block[at - start : at - start + size])

    def block(self, n: int) -> Future[memoryview]:
        """A block, in memory or under way."""
        return _HELD.get((self, n), lambda: self._read(n), self.borders(n))

    def _read(self, n: int) -> memoryview:
        start, stop = self.borders(n)
        data = self.range(start, stop)
        if start == 0:
            self.first = bytes(data[:16])
        if stop == self.size:
            self.last = bytes(data[-1:])
        return data

    def range(self, start: int, stop: int) -> memoryview:
        """Bytes of the object, from the store.

        Raises:
            OSError: the object is no longer what it was, or cannot be read.
        """
        if start >= stop:
            return memoryview(b"")
        if self.store.lost:
            raise self.store.lost
        options: dict[str, Any] = {} if (start, stop) == (0, self.size) else {"range": (start, stop)}
        if self.tag and not self.tag.startswith("W/"):
            options["if_match"] = self.tag
        with self.store.asked(self.key):
            found = obstore().get(self.store.client, self.key, options=options)
            data = memoryview(found.bytes())
            meta = found.meta
        if meta["size"] != self.size or meta["e_tag"] != self.tag or len(data) != stop - start:
            raise OSError(f"{self.store.url}/{self.key} was changed while it was read")
        return data

    def copy(self, to: Path) -> None:
        """Write the object into a file, block by block."""
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("xb") as out:
            for at in range(0, self.size, 4 * _BLOCK_BYTES):
                out.write(self.range(at, min(self.size, at + 4 * _BLOCK_BYTES)))


class _Held:
    """Blocks of objects in memory or under way, the last used ones."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[Object, int], tuple[Future[memoryview], int]] = OrderedDict()
        self._bytes, self._lock = 0, Lock()

    def done(self, what: tuple[Object, int]) -> memoryview | None:
        """A block that is there already."""
        held = self._blocks.get(what)
        return held[0].result() if held and held[0].done() and not held[0].exception() else None

    def get(
        self, what: tuple[Object, int], read: Callable[[], memoryview], borders: tuple[int, int]
    ) -> Future[memoryview]:
        with self._lock:
            held = self._blocks.get(what)
            if held and not (held[0].done() and held[0].exception()):
                self._blocks.move_to_end(what)
                return held[0]
            size = borders[1] - borders[0]
            future = pool().submit(read)
            self._blocks[what] = future, size
            self._bytes += 0 if held else size
            while self._bytes > _HELD_BYTES and len(self._blocks) > 1:
                _, (_, gone) = self._blocks.popitem(last=False)
                self._bytes -= gone
        return future


_HELD = _Held()
