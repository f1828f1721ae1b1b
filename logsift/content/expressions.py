"""Regexes as content writes them -> as the engines read them: verbose ones made plain, shared pieces put in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE = re.compile(r"\(\?&([a-z_][a-z0-9_]*)\)")
_VERBOSE = re.compile(r"\s*\(\?x\)")
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<comment>#[^\n]*)|(?P<space>\s+)", re.DOTALL
)


def plain(regex: str, pieces: Mapping[str, str]) -> str:
    """A regex without verbose mode's spaces and comments, its pieces in place.

    Raises:
        KeyError: there is no such piece.
    """
    if verbose := _VERBOSE.match(regex):
        regex = _TOKEN.sub(_compact, regex[verbose.end() :])
    return _PIECE.sub(lambda m: f"(?:{plain(pieces[m[1]], pieces)})", regex)


def _compact(token: re.Match[str]) -> str:
    if token["comment"] or token["space"]:
        return ""
    # Outside of verbose mode a space or # needs no backslash; the Rust engine refuses one before them.
    return token["escaped"] if token["escaped"] in (" ", "#") else token[0]
