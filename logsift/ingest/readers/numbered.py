"""Lines that a viewer or a tool numbered, read as they were before."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Numbered = dict[int, re.Match[bytes]]
"""The lines that have a number, by their place."""

LARGEST_BYTES = 4 << 20
"""What people copy out of a viewer is smaller."""
_NONE, _TAB, _COLON, _BARS = b"", b"\t", b":", (b"|", "│".encode())
_BEHIND = {_TAB: rb"\t", _COLON: rb"[:-]", **{bar: rb"[ ]{0,4}" + re.escape(bar) for bar in _BARS}, _NONE: rb"(?=[ ])"}
_LINES = {
    sign: re.compile(rb"(?P<lead>[ ]*)L?(?P<number>[0-9]{1,7})(?:" + behind + rb"|[ \r]*\Z)(?P<text>.*)", re.DOTALL)
    for sign, behind in _BEHIND.items()
}
"""Numbered lines, by what is behind the number: `cat -n` and `nl`, `12: text` and `12-text` of grep, `12 | text`, `bat`, `12  text` and `L12 text`."""
_FIRST = b" \n\r0123456789L"
_BEGINS = np.isin(np.arange(256), list(_FIRST))
"""What numbered lines begin with, and empty ones."""
_VALUE = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|(?i:nan|inf)(?![A-Za-z])")
_COUNT = re.compile(
    rb"(?<![0-9.])(?<![0-9][:,-])[0-9]+(?![0-9A-Za-z.,%-]|:[0-9])|(?P<fraction>(?<![0-9:.])[0-9]+\.[0-9])"
)
"""Whole numbers, and where a value has a fraction; parts of times are neither."""
_LOOKED_AT = 60
"""Lines that are enough to tell that their numbers do not count them."""
_LEAST, _LEAST_OF_TASKS = 4, 8
"""Numbered lines that prove it, and where a launcher may have put the number of a task before a colon."""
_SHAPES, _MANY_SHAPES = 4, 12
"""Different lines, values aside: a table has fewer. Where they are not many, most lines of one have the same."""
_BETWEEN = b"--"
"""What grep puts between lines that do not follow each other."""


def may_be(data: bytes | memoryview, ends: Ints, begins: Ints) -> Ints:
    """Which of several texts have lines most of which begin as numbered ones do.

    Args:
        data: bytes of the texts, one behind the other.
        ends: for each line where it ends, behind its line end.
        begins: for each text which line is its first.
    """
    begin_so = _BEGINS[np.frombuffer(data, np.uint8)[np.append(0, ends[:-1])]]
    lines = np.diff(begins, append=len(ends))
    return np.flatnonzero(4 * np.add.reduceat(begin_so, begins, dtype=np.int64) >= 3 * lines)


def unnumbered(data: bytes) -> bytes:
    """The text without the numbers that count its lines, or `data` itself where none do.

    They do where nearly every line has one, each is one more than that before, and what is behind them is no table: the
    first column of one may count its rows, steps or jobs.
    """
    some = data[: _LOOKED_AT << 10].split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    if len(data) > LARGEST_BYTES or 4 * sum(line[:1] in _FIRST for line in some) < 3 * len(some):
        return data
    signs = [sign for sign in _LINES if _counted(some, sign)]
    lines = data.split(b"\n") if signs else []
    for sign in signs:
        found = _counted(lines, sign)
        texts = [m["text"] for m in found.values() if m["text"].strip()]
        if _has_titles(lines[: min(found, default=0)], texts):
            continue
        if _is_text(texts, sign) or (len(texts) >= _LEAST and _is_of_cat(found, sign)):
            blanks = min(len(text) - len(text.lstrip(b" ")) for text in texts)
            behind = {_NONE: blanks, _TAB: 0}.get(sign, min(blanks, 1))
            for place, line in found.items():
                lines[place] = line["text"][behind:]
            return b"\n".join(lines)
    return data


def _counted(lines: Sequence[bytes], sign: bytes) -> Numbered:
    """The lines that have a number with this behind it, where they follow each other and nearly all lines have one."""
    found = {n: m for n, line in enumerate(lines) if (m := _LINES[sign].match(line))}
    others = [line for n, line in enumerate(lines) if n not in found and line.strip()]
    cuts = others.count(_BETWEEN)
    if not found or 4 * (len(others) - cuts) > len(found):
        return {}
    numbers = [int(m["number"]) for m in found.values()]
    turns = sum(b != a + 1 for a, b in pairwise(numbers))
    # An excerpt begins anywhere, a table at 1, or it has no empty rows.
    begins = numbers[0] == 1 or cuts or any(not m["text"].strip() for m in found.values())
    return found if begins and turns <= cuts + len(numbers) // 20 and _in_a_column(found) else {}


def _in_a_column(found: Numbered) -> bool:
    """Whether the numbers begin at one place, or end at one but for those that are too long for it."""
    leads = {len(m["lead"]) for m in found.values()}
    places = [(len(m["lead"]) + len(m["number"]), len(m["number"])) for m in found.values()]
    width = min(end for end, _ in places)
    return len(leads) == 1 or all(end == max(width, digits) for end, digits in places)


def _has_titles(before: Sequence[bytes], texts: Sequence[bytes]) -> bool:
    """Whether the line before the first number has a word for each column, that of the number included."""
    columns = Counter(len(text.split()) for text in texts)
    said = [line for line in before if line.strip()]
    return bool(said) and 2 * columns[len(said[-1].split()) - 1] >= len(texts)


def _is_of_cat(found: Numbered, sign: bytes) -> bool:
    """Whether this is how `cat -n` and `nl` write numbers."""
    return sign == _TAB and all(len(m["lead"]) + len(m["number"]) == max(6, len(m["number"])) for m in found.values())


def _is_text(texts: Sequence[bytes], sign: bytes) -> bool:
    """Whether this is what a program wrote line by line, and neither rows of a table nor metrics."""
    if len(texts) < (_LEAST_OF_TASKS if sign == _COLON else _LEAST):
        return False
    shapes = [_VALUE.sub(b"0", text) for text in texts]
    different = Counter(shapes)
    (usual, times), *_ = different.most_common(1)
    values = sum(_VALUE.fullmatch(text.split(None, 1)[0].strip(b",;|%")) is not None for text in texts)
    cells = sum(sign in text if sign in (_TAB, *_BARS) else text.lstrip().startswith(_BARS) for text in texts)
    varied = len(different) >= _MANY_SHAPES or (len(different) >= _SHAPES and 2 * times <= len(texts))
    if 2 * values >= len(texts) or 4 * cells >= 3 * len(texts):
        return False
    return varied or _count_themselves([t for t, shape in zip(texts, shapes, strict=True) if shape == usual])


def _count_themselves(texts: Sequence[bytes]) -> bool:
    """Whether lines of one shape have a number of their own that rises, before any with a fraction: the one before them is no step."""
    counts = []
    for text in texts:
        found = list(_COUNT.finditer(text))
        fraction = next((n for n, m in enumerate(found) if m["fraction"]), len(found))
        counts.append([int(m[0]) for m in found[:fraction]])
    if len(counts) < _LEAST or len({len(each) for each in counts}) != 1:
        return False
    return any(all(a < b for a, b in pairwise(column)) for column in zip(*counts, strict=True))
