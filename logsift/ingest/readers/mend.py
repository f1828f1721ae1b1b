"""Lines that a terminal broke at its width, put together again."""

from __future__ import annotations

import numpy as np

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]

LARGEST_BYTES = 4 << 20
"""What people copy out of a terminal is smaller."""
_WIDTHS = range(60, 400)
_NEARLY = 8
"""Characters by which a line is nearly as long as another."""
_START = 4
"""Bytes by which a line is known to begin like others do: as many as a number of 32 bits has."""
_PIECES = 6
"""A record has no more of them, on the average: rows of a table all have one width."""
_CUTS, _WORDS = 3, 2
"""Different places where a line is cut, and those of them within a word: fewer prove nothing."""
_BYTES = [bytes([n]) for n in range(256)]
_IS_ALPHA, _IS_LOWER = (np.array([test(b) for b in _BYTES]) for test in (bytes.isalpha, bytes.islower))


def mended(data: bytes) -> bytes:
    """The text with lines broken at a fixed width made whole, or `data` itself where none are.

    The line ends that are taken out of a record are behind it, so that every other line keeps its number.
    """
    if not 0 < len(data) <= LARGEST_BYTES:
        return data
    plain = data.replace(b"\r\n", b"\n")  # as Windows ends lines, and what it takes for a terminal
    whole = plain if plain.endswith(b"\n") else plain + b"\n"
    ends = np.flatnonzero(np.frombuffer(whole, np.uint8) == ord("\n")) + 1
    joined = set(broken(whole, ends, np.zeros(1, np.int64)).tolist())
    if not joined:
        return data
    out, begin, open_ends = list[bytes](), 0, 0
    for line, end in enumerate(ends.tolist()):
        out.append(whole[begin : end - 1])
        begin = end
        if line in joined:
            open_ends += 1
        else:
            out.append(b"\n" * (open_ends + 1))
            open_ends = 0
    return b"".join(out)


def broken(data: bytes, ends: Ints, begins: Ints) -> Ints:
    """The lines that go on with the next one, of several texts that are one behind the other.

    A text is taken for broken where no line is longer than some width, more lines are just as long than nearly so, and
    a good part of these are cut at different places, within words too, and followed by a line that begins as no other does.

    Args:
        data: bytes of the texts; every line has its end.
        ends: for each line where it ends, behind its line end.
        begins: for each text which line is its first.
    """
    letters, none = np.frombuffer(data, np.uint8), np.empty(0, np.int64)
    # a byte 10xxxxxx continues a character
    behind = ends if data.isascii() else np.cumsum((letters & 0xC0) != 0x80)[ends - 1]
    lengths, lines = np.diff(behind, prepend=0) - 1, np.diff(begins, append=len(ends))
    of = np.repeat(np.arange(len(begins)), lines)

    def count(those: Ints) -> Ints:
        return np.bincount(of[those], minlength=len(begins))

    width = np.maximum.reduceat(lengths, begins)
    short_by = width[of] - lengths
    widest = np.flatnonzero(short_by == 0)
    near = count(np.flatnonzero(short_by <= _NEARLY)) - count(widest)
    enough = np.maximum(_CUTS, 2 * near)
    full = np.setdiff1d(widest, begins + lines - 1, assume_unique=True)
    may_be = (width >= _WIDTHS.start) & (width < _WIDTHS.stop) & (lines >= 2 * _CUTS) & (count(full) >= enough)
    full = full[may_be[of[full]]]
    padded = (letters[ends[full] - 2] == ord(" ")) & (letters[ends[full] - 3] == ord(" "))
    full = full[~padded]  # to the terminal's width: the record's end
    pieces = count(full)
    may_be &= (pieces <= _PIECES * (lines - pieces)) & (pieces >= enough)
    full = full[may_be[of[full]]]
    if not len(full):
        return none
    # how each line begins, read as a number at its place, beside the number of its text
    heads = np.ndarray(len(data), np.uint32, data + bytes(_START), strides=(1,))[np.append(0, ends[:-1])]
    known = (of << 32) + heads
    others = np.setdiff1d(np.flatnonzero(may_be[of]), full + 1, assume_unique=True)
    cut: Ints = full[(lengths[full + 1] > 0) & ~np.isin(known[full + 1], known[others])]
    words = cut[_IS_ALPHA[letters[ends[cut] - 2]] & _IS_LOWER[letters[ends[cut]]]]
    may_be &= (6 * count(words) >= pieces) & (2 * count(cut) >= pieces)
    for n in np.flatnonzero(may_be).tolist():
        for at, least in ((cut, _CUTS), (words, _WORDS)):
            places = {data[end - 1 - _START : end + _START] for end in ends[at[of[at] == n]].tolist()}
            may_be[n] &= len(places) >= least
    there: Ints = cut[may_be[of[cut]]]
    return there
