"""The errors that are for the person who called logsift to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class UserError(Exception):
    """What was asked for is not there, or what was given is wrong; the text is all that people read of it."""


class StorageError(UserError):
    """What logsift makes could not be written, or not read again: the disk is full, or fails."""


def offered(word: str, known: Iterable[str]) -> str:
    """What somebody may have meant by an unknown word, or else all that there is, as the end of a sentence."""
    names = list(known)
    return meant(word, names) or f"; there are: {', '.join(names)}"


def meant(word: str, known: Iterable[str], most: int = 3) -> str:
    """What somebody may have meant by an unknown word, as the end of a sentence; "" where nothing is near."""
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    plain = word.lower()
    found = get_close_matches(plain, list(names), most) or [n for n in names if plain and n.startswith(plain)][:most]
    return f"; did you mean {', '.join(names[f] for f in found)}?" if found else ""
