"""The gate: which needles are in a window of raw bytes, and which of its lines are worth making.

All needles are searched at once, before anything is decoded. Where hits are few, lines are cut out around them; where
they are many (more than one per DENSE_BYTES, measured: a call per hit then costs more than decoding every line), the
window passes whole.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import local
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from logsift.content.model import BLOCK_LINES, Grammar
from logsift.ingest.readers.lines import Ints, Places, Window
from logsift.ingest.spelling import Spelling
from logsift.places import cache_folder, keep

if TYPE_CHECKING:
    from collections.abc import Sequence

    import hyperscan

Buffer = bytes | memoryview

DENSE_BYTES = 256
_SPARSE_BYTES = 8192
"""A window with at most one hit for so many bytes is looked through once, for the needles of leftovers too."""
_PROBES, _PROBED_BYTES = 8, 16 << 10
"""In how many places of a window hits are counted first, and in how many bytes of each."""
_HITS_OF_A_LINE = 3
"""How many needles of leftovers a line has that has one."""
_TAIL_BYTES = 1 << 16
_NONE: Ints = np.empty(0, np.int64)


Hits = tuple[Ints, Ints]
"""(where they end, the numbers of their needles)"""
Lines = tuple[Ints, Ints, bytes]
"""(their files, their numbers, whole lines)"""


@dataclass(frozen=True, slots=True)
class Passed:
    """What of a window passes, before, in and after its core, and the needles that are in it.

    `marked` are the lines of the core that grammars of leftovers look at.
    """

    window: Window
    before: Lines
    core: Lines
    after: Lines
    needles: frozenset[str]
    marked: Places

    @property
    def size(self) -> int:
        """Bytes that passed."""
        return sum(len(data) for _, _, data in (self.before, self.core, self.after))

    @classmethod
    def of(cls, window: Window, kept: Ints, needles: frozenset[str], marked: Ints = _NONE) -> Passed:
        """Some lines of a window, by their position in it, in order."""
        core = [window.core_first - window.first_line, window.core_last + 1 - window.first_line]
        first, stop = np.searchsorted(kept, core).tolist()
        before, inside, after = (_cut(window, lines) for lines in (kept[:first], kept[first:stop], kept[stop:]))
        return cls(window.emptied(), before, inside, after, needles, window.places(marked))

    @classmethod
    def whole(cls, window: Window, needles: frozenset[str], marked: Ints = _NONE, *, around: bool = True) -> Passed:
        """Every line of a window; `around` False leaves out what is not its core."""
        first = 0 if around else window.core_first - window.first_line
        stop = len(window.ends) if around else window.core_last + 1 - window.first_line
        return cls.of(window, np.arange(first, stop), needles, marked)


def _cut(window: Window, kept: Ints) -> Lines:
    """Lines of a window, by their position in it; those that follow each other are copied at once."""
    if not len(kept):
        return kept, kept, b""
    apart = np.flatnonzero(np.diff(kept) > 1)
    first, last = kept[np.concatenate(([0], apart + 1))], kept[np.append(apart, -1)]
    starts = np.where(first > 0, window.ends[first - 1], window.start)
    data = b"".join(window.buffer[a:b] for a, b in zip(starts.tolist(), window.ends[last].tolist(), strict=True))
    return *window.places(kept), data


def _first_and_last(window: Window, found: Ints, limit: int) -> Ints:
    """The lines of some of the hits in the core: about the first `limit` of each file and as many of its last ones, near its end."""
    found = found[(found > window.core_start) & (found <= window.core_stop)] if limit else _NONE
    if not len(found):
        return _NONE
    lines = np.searchsorted(window.ends, found)
    which, nth = window.which(lines), np.arange(len(lines))
    begins = np.searchsorted(which, np.arange(len(window.begins) + 1))
    stops = np.append(window.ends[window.begins[1:] - 1], window.core_stop)
    last = (begins[which + 1] - nth <= limit) & (stops[which] - found <= _TAIL_BYTES)
    chosen: Ints = np.unique(lines[(nth - begins[which] <= limit) | last])
    return chosen


class Scanner(Protocol):
    """Finds literal needles, by their number."""

    def present(self, data: Buffer) -> set[int]:
        """The needles that are in `data`."""
        ...

    def hits(self, data: Buffer, limit: int) -> Hits:
        """Every hit in order, one more than `limit` where there are more."""
        ...


class Gate:
    """All needles of the grammars that look into every text file; those of leftovers are looked for apart."""

    def __init__(self, everywhere: Sequence[Grammar], spelling: Spelling | None = None) -> None:
        grammars = [g for g in everywhere if not g.leftovers]
        faint = {n for g in everywhere if g.leftovers for p in g.patterns for n in p.needles}
        self._faint_needles = tuple(n.encode() for n in sorted(faint))
        self._spelling = spelling or Spelling()
        after: dict[str, int] = dict.fromkeys(sorted(self._spelling.needles), 0)
        for grammar in grammars:
            for pattern in grammar.patterns:
                if pattern.inside and not pattern.needles:
                    continue
                for needle in pattern.needles:
                    lines = BLOCK_LINES if pattern.opens else 0
                    after[needle] = max(after.get(needle, 0), lines)
        self._openers = frozenset(n for n, lines in after.items() if lines)
        # What only helps to read a passing line (envelopes) is looked for in it, but lets no line pass.
        helping = ({n for g in grammars if g.envelope for n in g.envelope.needles} | faint) - set(after)
        self._needles = [*after, *sorted(helping)]
        self._scanner = scanner(tuple(n.encode() for n in self._needles))
        placed = _placed(tuple(after.items()))
        self._after = np.array([after[n] for n in placed], np.int64)
        self._placed_needles = tuple(n.encode() for n in placed)
        self._every = scanner((*self._placed_needles, *self._faint_needles), places=True)

    # Windows with few hits are looked through once; these two are made where one has many.
    @cached_property
    def _places(self) -> Scanner:
        return scanner(self._placed_needles, places=True)

    @cached_property
    def _faint(self) -> Scanner:
        return scanner(self._faint_needles, places=True)

    def standing(self, data: bytes) -> frozenset[str]:
        """The needles that are in `data`."""
        return frozenset(self._needles[n] for n in self._scanner.present(data))

    def marked(self, window: Window, lines: int) -> Ints:
        """Which lines of the core have a needle of leftovers, by their position in the window: about the first and the last `lines` of a file."""
        limit, inside = lines * _HITS_OF_A_LINE, memoryview(window.buffer)[window.core_start : window.core_stop]
        if len(window.begins) > 1:
            return _first_and_last(window, self._faint.hits(inside, len(inside))[0] if lines else _NONE, limit)
        begin = window.core_start
        found = begin + self._faint.hits(inside, limit)[0] if lines else _NONE
        if len(found) > limit:
            begin = max(window.core_stop - _TAIL_BYTES, int(found[-1]))
            last, _ = self._faint.hits(inside[begin - window.core_start :], _TAIL_BYTES)
            found = np.concatenate((found, begin + last[-limit:]))
        return np.unique(np.searchsorted(window.ends, found)) if len(found) else _NONE

    def pass_through(self, window: Window, leftovers: int = 0) -> Passed:
        """Cut out of a window what may hold something known, and up to twice so many lines that leftovers are read from."""
        view, few, limit = window.view(), window.size // _SPARSE_BYTES + 64, window.size // DENSE_BYTES + 64
        ends, numbers = self._every.hits(view, few)
        if len(ends) <= few:
            is_faint = numbers >= len(self._placed_needles)
            marked = _first_and_last(window, window.start + ends[is_faint], leftovers * _HITS_OF_A_LINE)
            ends, numbers = ends[~is_faint], numbers[~is_faint]
        else:
            marked = self.marked(window, leftovers)
            is_dense = self._is_dense_throughout(view)
            if not is_dense:
                ends, numbers = self._places.hits(view, limit)
            if is_dense or len(ends) > limit:
                present = frozenset(self._needles[n] for n in self._scanner.present(view))
                # Where nothing opens a block the lines around the core can add nothing to it.
                return self._spell(Passed.whole(window, present, marked, around=bool(present & self._openers)))
        if not len(ends) and not len(marked):
            return Passed.of(window, _NONE, frozenset())
        lines = np.searchsorted(window.ends, window.start + ends)
        count = len(window.ends)
        behind = np.append(window.begins[1:], count)[window.which(lines)]
        begin = np.bincount(lines, minlength=count + 1)
        over = np.bincount(np.minimum(lines + self._after[numbers] + 1, behind), minlength=count + 1)
        begin[marked] += 1
        over[marked + 1] += 1
        passed = Passed.of(window, np.flatnonzero(np.cumsum(begin - over)[:count]), frozenset(), marked)
        standing = self.standing(b"".join(data for _, _, data in (passed.before, passed.core, passed.after)))
        return self._spell(replace(passed, needles=standing))

    def _is_dense_throughout(self, view: memoryview) -> bool:
        """Whether hits are many in each of some places of a window: then nobody needs to collect them all."""
        limit, step = _PROBED_BYTES // DENSE_BYTES, len(view) // _PROBES
        return step > _PROBED_BYTES and all(
            len(self._places.hits(view[at : at + _PROBED_BYTES], limit)[0]) > limit
            for at in range(0, step * _PROBES, step)
        )

    def _spell(self, passed: Passed) -> Passed:
        """Texts that are written as lists of byte values, as text in quotes."""
        if not passed.needles & self._spelling.needles:
            return passed
        found: set[str] = set()

        def part(lines: Lines) -> Lines:
            raw = lines[2].splitlines(keepends=True)
            said = self._spelling.lines(raw)
            found.update(*(self.standing(s) for s, line in zip(said, raw, strict=True) if s is not line))
            return lines[0], lines[1], b"".join(said)

        before, core, after = part(passed.before), part(passed.core), part(passed.after)
        return replace(passed, before=before, core=core, after=after, needles=passed.needles | found)


class _Hyperscan:
    # python-hyperscan's stubs know bytes alone; any buffer is scanned, without a copy.
    def __init__(self, needles: Sequence[bytes], *, places: bool = False) -> None:
        import hyperscan

        # Compiled once for each list of needles: that takes as long as all else that is done with a small file.
        named = hashlib.sha256(repr((places, needles)).encode()).hexdigest()
        kept = cache_folder() / f"gate-{named[:24]}.hyperscan"
        try:
            self._database = hyperscan.loadb(kept.read_bytes(), hyperscan.HS_MODE_BLOCK)
        except (OSError, hyperscan.error):  # not there, or of another version or processor
            self._database, numbers = hyperscan.Database(), list(range(len(needles)))
            flags = 0 if places else hyperscan.HS_FLAG_SINGLEMATCH
            self._database.compile(list(needles), numbers, len(needles), flags, literal=True)
            keep(kept, hyperscan.dumpb(self._database))
        self._scratch, self._of_thread = hyperscan.Scratch, local()
        self._error = hyperscan.ScanTerminated

    def _own_scratch(self) -> hyperscan.Scratch:
        """What a scan keeps its state in: one for each thread, for to make it takes longer than to scan a small file."""
        made: hyperscan.Scratch | None = getattr(self._of_thread, "scratch", None)
        if made is None:
            made = self._of_thread.scratch = self._scratch(self._database)
        return made

    def present(self, data: Buffer) -> set[int]:
        found: set[int] = set()
        self._database.scan(
            cast("bytes", data),
            match_event_handler=lambda n, start, end, flags, ctx: found.add(n),
            scratch=self._own_scratch(),
        )
        return found

    def hits(self, data: Buffer, limit: int) -> Hits:
        ends, numbers = list[int](), list[int]()

        def note(number: int, start: int, end: int, flags: int, context: object) -> bool:
            ends.append(end)
            numbers.append(number)
            return len(ends) > limit

        with suppress(self._error):  # it was told to stop
            self._database.scan(cast("bytes", data), match_event_handler=note, scratch=self._own_scratch())
        return np.array(ends, np.int64), np.array(numbers, np.int64)


class _Plain:
    """Without hyperscan: which needles are there at all, and the whole window if any is."""

    def __init__(self, needles: Sequence[bytes]) -> None:
        self._needles = needles

    def present(self, data: Buffer) -> set[int]:
        whole = bytes(data)
        return {n for n, needle in enumerate(self._needles) if needle in whole}

    def hits(self, data: Buffer, limit: int) -> Hits:
        found: list[tuple[int, int]] = []
        whole = bytes(data)
        for number, needle in enumerate(self._needles):
            at, times = whole.find(needle), 0
            while at >= 0 and times <= limit:
                found.append((at + len(needle), number))
                at, times = whole.find(needle, at + 1), times + 1
        ends, numbers = np.array(sorted(found)[: limit + 1], np.int64).reshape(-1, 2).T
        return ends, numbers


@lru_cache(maxsize=8)
def _placed(after: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """The needles, of those given with the lines that they let pass, that need a place: none within them lets as much pass."""
    encoded = tuple(needle.encode() for needle, _ in after)
    ends = np.cumsum([len(n) + 1 for n in encoded])
    # All are searched at once in all of them, one on a line.
    within, held = scanner(encoded, places=True).hits(b"\n".join(encoded), len(ends) * 1000)
    within = np.searchsorted(ends, within)
    lines = np.array([lines for _, lines in after], np.int64)
    spared = set(within[(within != held) & (lines[held] >= lines[within])].tolist())
    return tuple(needle for n, (needle, _) in enumerate(after) if n not in spared)


@lru_cache(maxsize=8)
def scanner(needles: tuple[bytes, ...], *, places: bool = False) -> Scanner:
    """The fastest scanner this machine has; `places` where `hits` will be asked for, not only what is present."""
    if not needles:
        return _Plain(needles)
    try:
        return _Hyperscan(needles, places=places)
    except ImportError:
        return _Plain(needles)
