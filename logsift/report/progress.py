"""A progress bar with its stage on standard error; nothing where that is no terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def reading() -> Iterator[Callable[[str, int, int], None] | None]:
    """A function to be called with (stage, done, in all; 0 where that is not known), None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:8}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(stage: str, done: int, total: int) -> None:
            bar.tasks[0].total = total or None  # the bar moves to and fro where nobody knows how much is left
            bar.update(task, description=stage, completed=done)

        yield show
