"""Texts that a log writes as the list of their bytes, spelled out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.content.model import Envelope


class Spelling:
    """The envelopes whose body is a list of byte values."""

    def __init__(self, envelopes: Sequence[Envelope] = ()) -> None:
        each = [e for e in envelopes if e.byte_values]
        self._each = [(tuple(n.encode() for n in e.needles), re.compile(e.regex.encode())) for e in each]
        self.needles = frozenset(n for e in each for n in e.needles)

    def line(self, raw: bytes) -> bytes:
        """The line with the text in quotes where its bytes were; any other line as it is."""
        for needles, regex in self._each:
            if any(n in raw for n in needles) and (m := regex.match(raw.rstrip(b"\r\n"))):
                said = bytes(int(n) & 255 for n in m["body"].split(b",")).strip()
                said = said.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\r", b"\\r").replace(b"\n", b"\\n")
                return raw[: m.start("body")].rstrip(b"[ ") + b'"' + said + b'"' + raw[m.end("body") :].lstrip(b"] ")
        return raw
