"""Lines that a terminal broke at its width, put together again."""

from __future__ import annotations

import numpy as np

LARGEST_BYTES = 4 << 20
"""What people copy out of a terminal is smaller."""
_WIDTHS = range(60, 400)
_START = 4
"""Bytes by which a line is known to begin like others do: as many as a number of 32 bits has."""
_PIECES = 6
"""A record has no more of them, on the average: rows of a table all have one width."""
_CUTS, _WORDS = 3, 2
"""Different places where a line is cut, and those of them within a word: fewer prove nothing."""


def mended(data: bytes) -> bytes:
    """The text with lines broken at a fixed width made whole, or `data` itself where none are.

    The line ends that are taken out of a record are behind it, so that every other line keeps its number.

    A text is taken for broken where no line is longer than some width, more lines are just as long than nearly so, and
    a good part of these are cut at different places, within words too, and followed by a line that begins as no other does.
    """
    if len(data) > LARGEST_BYTES or data.count(b"\n") < 2 * _CUTS:
        return data
    whole = data if data.endswith(b"\n") else data + b"\n"
    letters = np.frombuffer(whole, np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    # a byte 10xxxxxx continues a character
    characters = ends + 1 if whole.isascii() else np.cumsum((letters & 0xC0) != 0x80)[ends]
    lengths = characters - 1
    lengths[1:] -= characters[:-1]
    width = int(lengths.max())
    if width not in _WIDTHS:
        return data
    widest = lengths == width
    full = np.flatnonzero(widest[:-1])
    near = int(np.count_nonzero(lengths >= width - 8)) - int(np.count_nonzero(widest))
    if len(full) < max(_CUTS, 2 * near):
        return data
    padded = (letters[ends[full] - 1] == ord(" ")) & (letters[ends[full] - 2] == ord(" "))
    full = full[~padded]  # to the terminal's width: the record's end
    if len(full) > _PIECES * (len(ends) - len(full)) or len(full) < max(_CUTS, 2 * near):
        return data
    begins = np.concatenate(([0], ends[:-1] + 1))
    # how each line begins, read as a number at its place
    heads = np.ndarray(len(whole), np.uint32, whole + bytes(_START), strides=(1,))[begins]
    is_after = np.zeros(len(ends), bool)
    is_after[full + 1] = True
    others = set(heads[~is_after].tolist())
    behind = zip(full.tolist(), heads[full + 1].tolist(), lengths[full + 1].tolist(), strict=True)
    broken = [line for line, head, length in behind if length > 0 and head not in others]
    cuts = [whole[ends[line] - _START : ends[line] + _START + 1] for line in broken]
    words = [cut for cut in cuts if cut[_START - 1 : _START].isalpha() and cut[_START + 1 : _START + 2].islower()]
    if len(set(cuts)) < _CUTS or len(set(words)) < _WORDS or 6 * len(words) < len(full) or 2 * len(broken) < len(full):
        return data
    out, open_ends = list[bytes](), 0
    joined = set(broken)
    for line in range(len(ends)):
        out.append(whole[begins[line] : ends[line]])
        if line in joined:
            open_ends += 1
        else:
            out.append(b"\n" * (open_ends + 1))
            open_ends = 0
    return b"".join(out)
