"""Work on one store in several threads, each with a connection of its own.

Most of what a statement of the content takes is DuckDB's planning, which is done on one core, however many there are.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from time import sleep
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from logsift.store.database import Store

T = TypeVar("T")
_MOST = 4
"""Statements asked at once: each may need memory of its own."""
_STOP_SECONDS = 0.05
"""How often statements are told to end: one that has not begun yet does not hear it."""


class SideBySide:
    """As many connections as there are cores to run on, handed to whatever is to be done.

    At the end of the block all of it is done; where the block is left by an exception, what is being done is stopped.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._most = store, min(_cores(), _MOST)
        self._open: list[Store] = []
        self._free: SimpleQueue[Store] = SimpleQueue()

    def __enter__(self) -> Self:
        self._pool = ThreadPoolExecutor(self._most)
        return self

    def submit(self, work: Callable[[Store], T]) -> Future[T]:
        """Do it on a connection, as soon as one is free."""
        if len(self._open) < self._most and self._free.empty():
            self._open.append(self._store.beside())
            self._free.put(self._open[-1])
        return self._pool.submit(self._do, work)

    def _do(self, work: Callable[[Store], T]) -> T:
        store = self._free.get()
        try:
            return work(store)
        finally:
            self._free.put(store)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        while self._free.qsize() < len(self._open):
            for store in self._open:
                store.con.interrupt()
            sleep(_STOP_SECONDS)
        for store in self._open:
            store.close()


def _cores() -> int:
    """The cores that the process may use, which a scheduler's cpuset or `taskset` may make fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
