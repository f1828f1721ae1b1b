"""Restarts, rollbacks, copies and interleaved writers of one series are told apart, in the order the rows were written."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from logsift.derive.series.parameters import DEFAULT, Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

LIVE, DEAD, DOUBLE, AGAIN, ASTRAY = 0, 1, 2, 3, 4
STATES = ("live", "dead", "double", "live", "astray")
"""AGAIN: the next row writes the same step, and the later one counts; or a second writer of the run wrote it just before.
ASTRAY: its step was spoilt on the way to the log."""
WRITERS = 8
"""So many runs at the end of the list may still be written to."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """A run went back: rows from `row` on repeat steps up to `from_step`; `lost` points of the old branch are dead."""

    run: int
    row: int
    from_row: int
    step: float
    from_step: float
    lost: int


@dataclass(frozen=True, slots=True)
class Stitched:
    """Which run each row belongs to and whether it still counts; `rows` orders the live rows of a run by step."""

    run: Ints
    state: NDArray[np.int8]
    rollbacks: tuple[Rollback, ...]
    chaotic: bool = False

    def rows(self, run: int) -> Ints:
        """Rows of the run that were not written again later, in the order of their steps."""
        return np.flatnonzero((self.run == run) & (self.state == LIVE))

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return int(self.run.max()) + 1 if len(self.run) else 0


@dataclass(frozen=True, slots=True)
class _Written:
    """The rows that are dealt out, in the order of writing."""

    row: Ints
    step: Floats
    value: Floats
    time: Floats
    fresh: Bools

    @classmethod
    def of(cls, step: Floats, value: Floats, time: Floats | None, fresh: Bools | None, kept: Ints) -> _Written:
        nothing = np.full(len(kept), np.nan)
        announced = fresh[kept] if fresh is not None else np.zeros(len(kept), bool)
        return cls(kept, step[kept], value[kept], time[kept] if time is not None else nothing, announced)

    def points(self, a: int, b: int, before: float) -> Iterator[tuple[float, tuple[float, float, float]]]:
        """Step, and value, time and step before it, of every row of a piece."""
        steps = self.step[a:b].tolist()
        seen = zip(self.value[a:b].tolist(), self.time[a:b].tolist(), [before, *steps[:-1]], strict=True)
        return zip(steps, seen, strict=True)


@dataclass(slots=True)
class _Run:
    """What was dealt to one run so far."""

    number: int
    first: float
    last: float
    interval: float
    p: Parameters
    opening: float = 0.0
    """The interval of its first rows: some trainers look more often towards the end."""
    gap: float = inf
    """Between the last two rows, where they came one by one: twice as wide is an interval, once is a hole."""
    pieces: list[tuple[int, int]] = field(default_factory=list)
    alive: list[tuple[int, int]] = field(default_factory=list)
    """What of the pieces was not written again."""
    rising: bool = True
    """Whether that is in the order of its steps, as it is but for writers who mislead."""
    points: dict[float, tuple[float, float, float]] | None = None
    """Value, time and step before by step; kept only from when it was first asked for."""

    def add(self, w: _Written, a: int, b: int) -> None:
        """A piece more."""
        self.pieces.append((a, b))
        self.rising &= not self.alive or bool(w.step[a] > w.step[self.alive[-1][1] - 1])
        self.alive.append((a, b))
        if b - a > 1:
            self.interval = median(np.diff(w.step[max(a, b - 20) : b]).tolist())
            self.opening = self.opening or median(np.diff(w.step[a : min(b, a + 20)]).tolist())
        elif w.step[a] > self.last:
            gap = float(w.step[a] - self.last)
            self.interval, self.gap = min(gap, self.gap), gap
        if self.points is not None:
            self.points.update(w.points(a, b, self.last))
        self.last = float(w.step[b - 1])

    def known(self, w: _Written) -> dict[float, tuple[float, float, float]]:
        if self.points is None:
            self.points, last = {}, -inf
            for a, b in self.pieces:
                self.points.update(w.points(a, b, last))
                last = float(w.step[b - 1])
        return self.points

    def goes_on_at(self, step: float) -> bool:
        """Whether a step is the next one, or one of the next where some were not written."""
        return 0 < step - self.last <= self.p.gap * self.interval

    def begins_again_at(self, step: float) -> bool:
        """Whether a step is so near its beginning that nothing of it is kept: another run."""
        return step <= self.first + 1.5 * max(self.interval, self.opening) or step < self.p.again * self.last

    def holds(self, w: _Written, a: int, b: int) -> bool:
        """Whether a piece repeats what is in it already: the same steps with the same values, written at the same times."""
        if not self.first <= w.step[a] <= self.last or (w.fresh[a] and w.step[a] > self.first):
            return False
        known = self.known(w)
        again = [(known[step], point) for step, point in w.points(a, b, -inf) if step in known]
        return len(again) >= 2 and sum(_equal(old, new) for old, new in again) > self.p.copy * len(again)


def _equal(old: tuple[float, float, float], new: tuple[float, float, float]) -> bool:
    """The same value (or none in both) at the same time, as far as times are known."""
    same = old[0] == new[0] or (old[0] != old[0] and new[0] != new[0])
    return same and not abs(old[1] - new[1]) > 1e-3


@dataclass(slots=True)
class _Dealer:
    """Deals out pieces, stretches of rising steps without a gap, to the runs that may have written them."""

    w: _Written
    run: Ints
    state: NDArray[np.int8]
    p: Parameters
    runs: list[_Run] = field(default_factory=list)
    rollbacks: list[Rollback] = field(default_factory=list)
    now: _Run | None = None
    """The run that wrote last."""

    def deal(self, a: int, b: int) -> None:
        """Find out whose the rows from a to b are."""
        first, now = float(self.w.step[a]), self.now
        if now is None:
            self._put(self._another(first, 1.0), a, b)
        elif first > now.last and self.w.fresh[a] and self._begins(a):
            self._put(self._another(first, now.interval), a, b)
        elif first > now.last:
            self._put(self._closer(now, first) or now, a, b)
        elif (twice := next((r for r in (now, *self._others(now)) if r.holds(self.w, a, b)), None)) is not None:
            self._copy(twice, a, b)
        elif (other := next((r for r in self._others(now) if self._goes_on(r, first)), None)) is not None:
            self._put(other, a, b)
        elif now.begins_again_at(first) or self._begins(a):
            self._put(self._another(first, now.interval), a, b)
        else:
            self._go_back(now, a)
            self._put(now, a, b)

    def _begins(self, a: int) -> bool:
        """Whether a row is the first that its writer could write: one interval behind nothing."""
        gaps = [gap for gap in np.diff(self.w.step[a : a + 20]).tolist() if gap > 0]
        return bool(gaps) and float(self.w.step[a]) <= 1.5 * median(gaps)

    def _others(self, now: _Run) -> list[_Run]:
        """The latest runs besides the one that wrote last."""
        return [r for r in self.runs[: -WRITERS - 1 : -1] if r is not now]

    def _another(self, first: float, interval: float) -> _Run:
        self.runs.append(_Run(len(self.runs), first, first, interval, self.p))
        return self.runs[-1]

    def _goes_on(self, r: _Run, first: float) -> bool:
        """Whether a step is the next one of a run, by its own interval or because another run wrote it next at that place."""
        alike = (o.known(self.w).get(first) for o in self.runs[-WRITERS:] if o is not r and o.first <= first <= o.last)
        return r.goes_on_at(first) or any(point is not None and point[2] == r.last for point in alike)

    def _closer(self, now: _Run, first: float) -> _Run | None:
        """Another writer, where a step goes on there far more closely than in the run that wrote last."""
        behind = [r for r in self._others(now) if r.last < first]
        other = max(behind, key=lambda r: r.last, default=None)
        if other is None or not other.goes_on_at(first):
            return None
        there, here = first - other.last, first - now.last
        return other if there <= here / 3 or here > 4 * self.p.gap * now.interval else None

    def _put(self, r: _Run, a: int, b: int) -> None:
        self.now = r
        r.add(self.w, a, b)
        self.run[self.w.row[a:b]] = r.number

    def _copy(self, r: _Run, a: int, b: int) -> None:
        """What is there already is a double; what goes on behind it is new."""
        beyond = a + int(np.searchsorted(self.w.step[a:b], r.last, side="right"))
        self.state[self.w.row[a:beyond]] = DOUBLE
        self.run[self.w.row[a:beyond]] = r.number
        if beyond < b:
            self._put(r, beyond, b)

    def _go_back(self, r: _Run, a: int) -> None:
        """Steps from that of row a on are written again: what was there is dead."""
        w, lost, last_row, kept = self.w, 0, -1, list[tuple[int, int]]()
        while r.alive and not (r.rising and w.step[r.alive[-1][1] - 1] < w.step[a]):
            c, d = r.alive.pop()
            dead = c + int(np.searchsorted(w.step[c:d], w.step[a]))
            if dead < d:
                self.state[w.row[dead:d]] = DEAD
                lost, last_row = lost + d - dead, max(last_row, int(w.row[d - 1]))
            if dead > c:
                kept.append((c, dead))
        r.alive += reversed(kept)
        self.rollbacks.append(Rollback(r.number, int(w.row[a]), last_row, float(w.step[a]), r.last, lost))


def stitch(
    step: Floats, value: Floats, *, time: Floats | None = None, fresh: Bools | None = None, p: Parameters = DEFAULT
) -> Stitched:
    """Tell restarts, rollbacks, copies and interleaved writers apart, in the order the rows were written.

    Args:
        step: where each point is.
        value: what was written.
        time: when, where known: a copy of the text repeats the times, a repeated training does not.
        fresh: rows that come first after a restart that somebody announced: these are never a copy.
        p: parameters.
    """
    n = len(step)
    run = np.zeros(n, np.int64)
    state = np.zeros(n, np.int8)
    if n < 2:
        return Stitched(run, state, ())
    twins = _twins(step, value, p)
    state[twins] = AGAIN
    told = np.flatnonzero(state == LIVE)
    state[told[_astray(step[told], p)]] = ASTRAY
    told = np.flatnonzero(state == LIVE)
    state[told[:-1][step[told[1:]] == step[told[:-1]]]] = AGAIN
    kept = np.flatnonzero(state == LIVE)
    s = step[kept]
    gap = np.diff(s)
    if (gap > 0).all():
        return Stitched(run, state, ())
    usual = float(np.median(gap[gap > 0])) if (gap > 0).any() else 1.0
    before = np.concatenate([[usual], gap[:-1]])
    cut = np.flatnonzero((gap <= 0) | (gap > 3 * np.where(before > 0, before, usual))) + 1
    if (gap <= 0).sum() > 0.1 * len(s):
        cut = np.arange(1, len(s))  # writers that take turns: every row decides anew
    if len(cut) > 200_000:
        return Stitched(run, state, (), chaotic=True)
    dealer = _Dealer(_Written.of(step, value, time, fresh, kept), run, state, p)
    for a, b in pairwise([0, *cut.tolist(), len(s)]):
        dealer.deal(a, b)
    run[twins] = run[kept[np.maximum(np.searchsorted(kept, twins) - 1, 0)]]
    return Stitched(run, state, tuple(dealer.rollbacks), chaotic=len(dealer.rollbacks) > 20)


def _twins(step: Floats, value: Floats, p: Parameters) -> Ints:
    """Rows in which a further writer of the same run repeats what the first one wrote a few rows before, where that is so of most steps."""
    n = len(step)
    if n < p.few or (np.diff(step) > 0).all() or (steps := len(np.unique(step))) > 0.6 * n:
        return np.empty(0, np.int64)
    order = np.lexsort((np.arange(n), step))
    s, v = step[order], value[order]
    noise = np.abs(np.diff(v[np.concatenate([[True], np.diff(s) > 0])]))
    noise = noise[np.isfinite(noise)]
    near = np.maximum(p.twin_share * np.abs(v[:-1]), p.twin_noise * float(np.median(noise)) if len(noise) else 0.0)
    alike = (np.abs(np.diff(v)) <= near) | (v[1:] == v[:-1]) | (np.isnan(v[1:]) & np.isnan(v[:-1]))
    apart = np.diff(order)
    follows = (s[1:] == s[:-1]) & (apart <= p.twin_rows) & alike
    heads = np.flatnonzero(np.concatenate([[True], ~follows]))
    times = np.diff(np.append(heads, n))
    writers = int(np.bincount(times).argmax())
    if writers < 2 or (times >= 2).sum() < p.twin_steps * len(heads):
        return np.empty(0, np.int64)
    # What is trained again, or counted anew in each epoch, returns after as many rows as there are steps in it.
    if float(np.median(apart[follows])) > p.twin_apart * steps:
        return np.empty(0, np.int64)
    place = np.arange(n) - np.repeat(heads, times)
    return np.sort(order[place % writers != 0])


def _astray(step: Floats, p: Parameters) -> Ints:
    """Rows whose step fits neither neighbour while the neighbours follow each other, where these are so few that nobody else wrote them."""
    rising = np.diff(step)
    if len(step) < p.few or (rising >= 0).all():
        return np.empty(0, np.int64)
    usual = float(np.median(rising[rising > 0])) if (rising > 0).any() else 1.0
    across = step[2:] - step[:-2]
    alone = np.flatnonzero((across > 0) & (across <= 3 * usual) & ((rising[:-1] < 0) | (rising[1:] < 0))) + 1
    return alone if len(alone) <= max(1, p.astray * len(step)) else alone[:0]
