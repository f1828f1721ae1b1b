"""Stores that are known by name and cannot be read: the report says what they are and what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """One problem that names the store, in the words of its grammar."""
    yield "problem", pl.DataFrame({"line_no": [0], "what": [f"not read: {grammar.title}"], "text": [grammar.about]})
