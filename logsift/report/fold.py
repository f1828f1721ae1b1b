"""Long lines folded for a screen, where words and commands stay whole; or shortened."""

from __future__ import annotations

import re
import textwrap

NARROWEST = 60
"""A screen that is narrower gets lines of this many characters."""
_COLUMN = re.compile(r"(?<=\S) {2,}(?=\S)")
_COMMAND = re.compile(r" *(?:\$ |logsift )")


def folded(text: str, width: int) -> str:
    """A text with lines of at most `width` characters, but for words that are longer, and commands: those are copied.

    What does not fit goes on below its column where that begins in the left half, else set in.
    """
    return "\n".join(part for line in text.split("\n") for part in lines(line, max(width, NARROWEST)))


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def lines(line: str, width: int) -> list[str]:
    """The lines of one line."""
    if len(line) <= width or _COMMAND.match(line):
        return [line]
    set_in = len(line) - len(line.lstrip()) + 2
    below = max((gap.end() for gap in _COLUMN.finditer(line, 0, width // 2)), default=set_in)
    if max(map(len, line[below:].split()), default=0) > width - below:
        below = set_in
    return textwrap.wrap(line, width, subsequent_indent=" " * below, break_long_words=False, break_on_hyphens=False)
