"""The gate: which needles stand in a window of raw bytes, and which of its lines are worth making.

All needles are searched at once, before anything is decoded. Where hits are few, lines are cut out around them; where
they are many (more than one per DENSE_BYTES, measured: a call per hit then costs more than decoding every line), the
window passes whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from logsift.content.catalog import BLOCK_LINES, Grammar
from logsift.ingest.readers.lines import Window

DENSE_BYTES = 2048
_GAP_BYTES = 4096
"""Hits nearer than this are cut out as one piece: fewer, larger pieces are cheaper than many small ones."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What of a window passes: pieces (first line, bytes) of whole lines, and the needles that stand in it."""

    pieces: tuple[tuple[int, bytes], ...]
    needles: frozenset[str]


class _Scanner(Protocol):
    def present(self, data: bytes) -> set[int]: ...

    def hits(self, data: bytes, limit: int) -> list[tuple[int, int]] | None:
        """(end offset, needle number) of every hit in order; None where there are more than `limit`."""
        ...


class Gate:
    """All needles of the grammars that look into every text file."""

    def __init__(self, grammars: Sequence[Grammar]) -> None:
        after: dict[str, int] = {}
        for grammar in grammars:
            for pattern in grammar.patterns:
                if pattern.inside and not pattern.needles:
                    continue
                for needle in pattern.needles:
                    lines = BLOCK_LINES if pattern.opens else 0
                    after[needle] = max(after.get(needle, 0), lines)
        # What only helps to read a passing line (envelopes) is looked for in it, but lets no line pass.
        helping = {n for g in grammars if g.envelope for n in g.envelope.needles} - set(after)
        self._needles = [*after, *sorted(helping)]
        self._after = [*after.values(), *(-1 for _ in helping)]
        self._scanner = _scanner([n.encode() for n in self._needles])

    def pass_through(self, window: Window) -> Passed:
        """Cut out of a window what may hold something known."""
        data = window.data
        hits = self._scanner.hits(data, len(data) // DENSE_BYTES + 64)
        if hits is None:
            present = frozenset(self._needles[n] for n in self._scanner.present(data))
            return Passed(((window.first_line, data),), present)
        spans: list[list[int]] = []
        for end, number in hits:
            lines_after = self._after[number]
            if lines_after < 0:
                continue
            if spans and end <= spans[-1][1] and not lines_after:
                continue
            start = data.rfind(b"\n", 0, end - 1) + 1
            stop = _skip_lines(data, end - 1, lines_after)
            if spans and start <= spans[-1][1] + _GAP_BYTES:
                spans[-1][1] = max(spans[-1][1], stop)
            else:
                spans.append([start, stop])
        pieces, line, at = [], window.first_line, 0
        for start, stop in spans:
            if stop < len(data):  # a span that was merged over a gap ends within a line
                stop = (data.find(b"\n", stop - 1) + 1) or len(data)
            line += data.count(b"\n", at, start)
            pieces.append((line, data[start:stop]))
            at = start
        return Passed(tuple(pieces), frozenset(self._needles[n] for _, n in hits))


def _skip_lines(data: bytes, at: int, lines: int) -> int:
    """The offset behind the line that holds `at`, and `lines` more."""
    for _ in range(lines + 1):
        at = data.find(b"\n", at) + 1
        if not at:
            return len(data)
    return at


class _Hyperscan:
    def __init__(self, needles: Sequence[bytes]) -> None:
        import hyperscan

        numbers = list(range(len(needles)))
        self._all, self._once = hyperscan.Database(), hyperscan.Database()
        for database, flag in ((self._all, 0), (self._once, hyperscan.HS_FLAG_SINGLEMATCH)):
            database.compile(expressions=list(needles), ids=numbers, elements=len(needles), flags=flag, literal=True)
        self._scratch = hyperscan.Scratch
        self._error = hyperscan.ScanTerminated

    def present(self, data: bytes) -> set[int]:
        found: set[int] = set()
        self._once.scan(data, match_event_handler=lambda n, start, end, flags, ctx: found.add(n), scratch=self._scratch(self._once))
        return found

    def hits(self, data: bytes, limit: int) -> list[tuple[int, int]] | None:
        found: list[tuple[int, int]] = []

        def note(number: int, start: int, end: int, flags: int, context: object) -> bool:
            found.append((end, number))
            return len(found) > limit

        try:
            self._all.scan(data, match_event_handler=note, scratch=self._scratch(self._all))
        except self._error:
            return None
        return found


class _Plain:
    """Without hyperscan: which needles are there at all, and the whole window if any is."""

    def __init__(self, needles: Sequence[bytes]) -> None:
        self._needles = needles

    def present(self, data: bytes) -> set[int]:
        return {n for n, needle in enumerate(self._needles) if needle in data}

    def hits(self, data: bytes, limit: int) -> list[tuple[int, int]] | None:
        found: list[tuple[int, int]] = []
        for number, needle in enumerate(self._needles):
            at = data.find(needle)
            while at >= 0:
                found.append((at + len(needle), number))
                if len(found) > limit:
                    return None
                at = data.find(needle, at + 1)
        return sorted(found)


def _scanner(needles: Sequence[bytes]) -> _Scanner:
    if not needles:
        return _Plain(needles)
    try:
        return _Hyperscan(needles)
    except ImportError:
        return _Plain(needles)
