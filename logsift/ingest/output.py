"""Whether a text is what a program wrote, by its form alone."""

import re
from collections import Counter

_NUMBER = re.compile(rb"[-+]?[0-9][0-9.,eE+-]*")
_LINES = 100
"""Shorter output among notes is an example of it."""


def is_output(head: bytes) -> bool:
    """Whether most lines are lines of many with other numbers; rows of tables are as well, in notes."""
    lines = [_NUMBER.sub(b"0", s) for line in head.splitlines() if (s := line.strip()) and s[:1] not in b"|<"]
    alike = sum(n for n in Counter(lines).values() if n >= _LINES // 10)
    return alike >= max(_LINES, len(lines) // 2)
