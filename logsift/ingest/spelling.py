"""Texts that a log writes as the list of their bytes, spelled out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.model import Envelope


class Spelling:
    """The envelopes whose body is a list of byte values."""

    def __init__(self, envelopes: Sequence[Envelope] = ()) -> None:
        each = [e for e in envelopes if e.byte_values]
        self._each = [(tuple(n.encode() for n in e.needles), e.regex) for e in each]
        self.needles = frozenset(n for e in each for n in e.needles)

    def lines(self, raw: Sequence[bytes]) -> list[bytes]:
        """Lines with the text in quotes where its bytes were; any other line as it is."""
        out = list(raw)
        together = b"".join(raw)
        for needles, regex in self._each:
            # Most runs have no such line: all are looked through at once before each is.
            if not any(needle in together for needle in needles):
                continue
            if there := [n for n, line in enumerate(raw) if any(needle in line for needle in needles)]:
                import polars as pl  # runs that did not change need none of it

                from logsift.ingest.capture import capture

                plain = pl.Series([raw[n].rstrip(b"\r\n").decode("latin-1") for n in there])
                fits, groups = capture(plain, regex)
                said = iter(groups["body"])
                for n in (n for n, fit in zip(there, fits, strict=True) if fit):
                    out[n] = _spelled(raw[n], max(raw[n].rfind(needle) for needle in needles), next(said).encode())
        return out


def _spelled(raw: bytes, needle: int, values: bytes) -> bytes:
    """A line with the text that the values behind its last needle are."""
    begin = raw.find(values, needle)
    if begin < 0:
        return raw
    said = bytes(int(n) & 255 for n in values.split(b",")).strip()
    said = said.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\r", b"\\r").replace(b"\n", b"\\n")
    return raw[:begin].rstrip(b"[ ") + b'"' + said + b'"' + raw[begin + len(values) :].lstrip(b"] ")
