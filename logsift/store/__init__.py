"""The one place where state lives: a DuckDB file with every declared table, what was made of them, what was concluded."""

from logsift.store.database import Store

__all__ = ["Store"]
