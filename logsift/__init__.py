"""logsift: names the root cause of a failed distributed training run from the files it left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["Analysis", "Catalog", "Incident", "Rows", "Run", "UserError", "__version__", "analyze", "load_catalog"]

if TYPE_CHECKING:
    from logsift.analysis import Analysis
    from logsift.content.incident import Incident
    from logsift.content.load import load_catalog
    from logsift.content.model import Catalog
    from logsift.errors import UserError
    from logsift.job import Rows, Run, analyze

_HOMES = {
    "Analysis": "logsift.analysis",
    "analyze": "logsift.job",
    "Run": "logsift.job",
    "Rows": "logsift.job",
    "UserError": "logsift.errors",
    "Catalog": "logsift.content.model",
    "load_catalog": "logsift.content.load",
    "Incident": "logsift.content.incident",
}


def __getattr__(name: str) -> object:
    # The public names are imported on first use: `logsift --help` must not pay for polars and duckdb.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'logsift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
