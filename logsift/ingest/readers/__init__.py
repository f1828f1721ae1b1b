"""Readers: a name in a grammar -> how its files become rows. The only place where a format may be Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile

Rows = Iterator[tuple[str, "pl.DataFrame | Sequence[Mapping[str, Any]]"]]
"""(table, rows): columns by name as text or in their type, with `line_no`; table "problem" has `what` and `text`.

Which columns there are and of what type the grammar says that names the reader; rows may leave some out.
"""

Reader = Callable[["SourceFile", "Grammar"], Rows]


_MODULES: dict[str, str] = {
    # name of the reader: the module that has `read(file, grammar) -> Rows`, imported when a file asks for it
    "py_spy": "logsift.ingest.readers.py_spy",
    "flight_recorder": "logsift.ingest.readers.flight_recorder",
    "delimited": "logsift.ingest.readers.delimited",
    "bare_numbers": "logsift.ingest.readers.bare_numbers",
    "json_metrics": "logsift.ingest.readers.json_metrics",
    "tensorboard": "logsift.ingest.readers.tensorboard",
    "wandb": "logsift.ingest.readers.wandb",
    "mlflow": "logsift.ingest.readers.mlflow",
    "core_file": "logsift.ingest.readers.core_file",
    "torch_snapshot": "logsift.ingest.readers.torch_snapshot",
    "unread": "logsift.ingest.readers.unread",
}
NAMES = frozenset({"lines", *_MODULES})


def reader(name: str) -> Reader:
    """The structured reader of that name; text files (reader "lines") have none.

    Raises:
        KeyError: no such reader.
    """
    from importlib import import_module

    read: Reader = import_module(_MODULES[name]).read
    return read


def texts(name: str) -> Callable[[SourceFile, Sequence[int]], dict[int, str]] | None:
    """What gives records of a binary store as text, by number, for people to read as evidence; None for text formats."""
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), "texts", None) if name in _MODULES else None
