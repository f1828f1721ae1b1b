"""Databases of several runs beside each other."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.analysis import Analysis


def opened(analyses: Sequence[Analysis]) -> tuple[Store, dict[str, str]]:
    """One store for all, and its databases by the runs' names: run alone, or a, b, c. Names without one are of the first.

    Raises:
        UserError: these are more runs than letters.
    """
    if len(analyses) == 1:
        return analyses[0].store, {"run": str(analyses[0].run)}
    if len(analyses) > len(ascii_lowercase):
        raise UserError(f"{len(analyses)} runs: at most {len(ascii_lowercase)} can be beside each other")
    paths = {}
    for letter, analysis in zip(ascii_lowercase, analyses, strict=False):
        if analysis.store.path is None:
            raise UserError(f"{analysis.run} is kept in memory: it cannot be beside others")
        paths[letter] = analysis.store.path
        analysis.store.close()
    return Store.attached(paths), {letter: str(a.run) for letter, a in zip(paths, analyses, strict=True)}
