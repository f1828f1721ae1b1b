"""Rows as tests compare them."""

from __future__ import annotations

from typing import Any


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the columns that are empty."""
    return [{k: v for k, v in row.items() if v is not None} for row in rows]
