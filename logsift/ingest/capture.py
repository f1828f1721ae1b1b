"""The named groups of a regex, from many texts at once."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

_WHOLE, _LEAD = "whole__", "lead__"
_TAIL = re.compile(
    r"(?P<optional>\(\?:(?P<lead>[^()|]*))?\(\?P<(?P<name>\w+)>(?P<first>\[(?:\\.|[^\]\\])+\])?\.\*\)(?(optional)\)\?)\$\Z"
)


def capture(texts: pl.Series, regex: str) -> tuple[pl.Series, pl.DataFrame]:
    """For every text whether the regex matches it, and of those that it does the named groups.

    Capturing takes time for every byte. So where the last group is the rest of the text (`(?P<x>.*)$`, `(?P<x>[^ ].*)$`,
    `(?:, (?P<x>.*))?$`), the regex is matched without it, which gives the same match, and the rest is what follows.
    That takes a third of the time for the lines of a log.
    """
    head, rest, optional = _split(regex)
    groups = texts.str.extract_groups(f"(?P<{_WHOLE}>{head})").struct.unnest()
    fits = groups[_WHOLE].is_not_null()
    if not fits.all():
        groups = groups.filter(fits)
    if rest:
        behind = texts.filter(fits).str.strip_prefix(groups[_WHOLE])
        if optional:
            there = groups[_LEAD].is_not_null()
            if (~there & (behind != "")).any():
                return capture(texts, f"(?:{regex})")
            behind = pl.select(pl.when(there).then(behind)).to_series()
        if rest in groups.columns:  # its first character was matched
            behind = groups[rest] + behind
        groups = groups.with_columns(behind.alias(rest))
    return fits, groups.drop(_WHOLE, _LEAD, strict=False)


def contains_any(texts: pl.Series, literals: Iterable[str]) -> pl.Series:
    """For every text whether one of the literals is in it."""
    return texts.str.contains("|".join(re.sub(r"\\(\s)", r"\1", re.escape(text)) for text in sorted(literals)))


@cache
def _split(regex: str) -> tuple[str, str, bool]:
    """A regex up to its last group if that is the rest of the text, the group's name, and whether it may be missing."""
    tail = _TAIL.search(regex)
    if tail is None or (tail["optional"] and tail["first"]) or _alternatives(head := regex[: tail.start()]):
        return regex, "", False
    if tail["optional"]:
        head += f"(?P<{_LEAD}>{tail['lead']})?"
    elif tail["first"]:
        head += f"(?P<{tail['name']}>{tail['first']})"
    return head if head.startswith("^") else f"^.*?{head}", tail["name"], tail["optional"] is not None


def _alternatives(regex: str) -> bool:
    """True where a regex is a choice between several, outside all groups."""
    outside, before = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", regex), ""
    while outside != before:
        outside, before = re.sub(r"\([^()]*\)", "", outside), outside
    return "|" in outside
