"""Restarts, rollbacks, copies and interleaved writers of one series are told apart, in the order the rows were written."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from logsift.judge.series.parameters import DEFAULT, Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

LIVE, DEAD, DOUBLE, AGAIN = 0, 1, 2, 3
STATES = ("live", "dead", "double", "live")
"""AGAIN: the next row writes the same step; the later one counts."""


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


@dataclass(slots=True)
class _Run:
    first: float
    last: float
    interval: float
    pieces: list[tuple[int, int]] = field(default_factory=list)
    known: dict[float, tuple[float, float]] | None = None


def stitch(
    step: Floats, value: Floats, *, time: Floats | None = None, fresh: Bools | None = None, p: Parameters = DEFAULT
) -> Stitched:
    """Tell restarts, rollbacks, copies and interleaved writers apart, in the order the rows were written.

    Args:
        step: where each point stands.
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
    state[:-1][step[1:] == step[:-1]] = AGAIN
    kept = np.flatnonzero(state == LIVE)
    s = step[kept]
    gap = np.diff(s)
    if (gap > 0).all():
        return Stitched(run, state, ())
    usual = float(np.median(gap[gap > 0])) if (gap > 0).any() else 1.0
    before = np.concatenate([[usual], gap[:-1]])
    cut = np.flatnonzero((gap <= 0) | (gap > 3 * np.maximum(np.abs(before), 1e-12))) + 1
    if (gap <= 0).sum() > 0.1 * len(s):
        cut = np.arange(1, len(s))  # writers that take turns: every row decides anew
    if len(cut) > 200_000:
        return Stitched(run, state, (), chaotic=True)
    return _walk(step, value, time, fresh, kept, [0, *cut.tolist(), len(s)], run, state, p)


def _walk(
    step: Floats, value: Floats, time: Floats | None, fresh: Bools | None, kept: Ints, edges: Sequence[int],
    run: Ints, state: NDArray[np.int8], p: Parameters,
) -> Stitched:  # fmt: skip
    s, v = step[kept], value[kept]
    t = time[kept] if time is not None else np.full(len(s), np.nan)
    new = fresh[kept] if fresh is not None else np.zeros(len(s), bool)
    runs: list[_Run] = []
    rollbacks: list[Rollback] = []
    current = -1

    def put(number: int, a: int, b: int) -> None:
        nonlocal current
        r, current = runs[number], number
        r.pieces.append((a, b))
        if b - a > 1:
            r.interval = float(np.median(np.diff(s[max(a, b - 20) : b])))
        elif s[a] > r.last:
            r.interval = max(r.interval, float(s[a] - r.last)) if len(r.pieces) < 4 else r.interval
        r.last = float(s[b - 1])
        if r.known is not None:
            r.known.update(zip(s[a:b].tolist(), zip(v[a:b].tolist(), t[a:b].tolist(), strict=True), strict=True))
        run[kept[a:b]] = number

    def known(r: _Run) -> dict[float, tuple[float, float]]:
        if r.known is None:
            r.known = {}
            for a, b in r.pieces:
                r.known.update(zip(s[a:b].tolist(), zip(v[a:b].tolist(), t[a:b].tolist(), strict=True), strict=True))
        return r.known

    def copied(number: int, a: int, b: int) -> bool:
        if new[a] and s[a] > runs[number].first:
            return False
        old = known(runs[number])
        pairs = [
            (old[x], y, w)
            for x, y, w in zip(s[a:b].tolist(), v[a:b].tolist(), t[a:b].tolist(), strict=True)
            if x in old
        ]
        same = sum((o[0] == y or (o[0] != o[0] and y != y)) and not abs(o[1] - w) > 1e-3 for o, y, w in pairs)
        return len(pairs) >= 2 and same > p.copy * len(pairs)

    def goes_on(number: int, x: float) -> bool:
        return 0 < x - runs[number].last <= p.gap * runs[number].interval

    for a, b in pairwise(edges):
        first = float(s[a])
        if not runs:
            runs.append(_Run(first, first, 1.0))
            put(0, a, b)
            continue
        now = runs[current]
        others = [k for k in range(len(runs) - 1, max(-1, len(runs) - 9), -1) if k != current]
        if first > now.last:
            # Another writer's line: it goes on there far more closely than here.
            close = min((k for k in others if runs[k].last < first), key=lambda k: first - runs[k].last, default=None)
            away = close is not None and goes_on(close, first) and first - runs[close].last < (first - now.last) / 3
            put(close if away and close is not None else current, a, b)
            continue
        twice = next(
            (k for k in (current, *others) if runs[k].first <= first <= runs[k].last and copied(k, a, b)), None
        )
        if twice is not None:
            beyond = a + int(np.searchsorted(s[a:b], runs[twice].last, side="right"))
            state[kept[a:beyond]] = DOUBLE
            run[kept[a:beyond]] = twice
            if beyond < b:
                put(twice, beyond, b)
            continue
        other = next((k for k in others if goes_on(k, first)), None)
        if other is not None:
            put(other, a, b)
        elif first <= now.first + 1.5 * now.interval or first < p.again * now.last:
            runs.append(_Run(first, first, now.interval))
            put(len(runs) - 1, a, b)
        else:
            _go_back(now, current, s, a, b, kept, state, rollbacks)
            from_step = now.last
            put(current, a, b)
            runs[current].last = max(float(s[b - 1]), first) if s[b - 1] >= from_step else float(s[b - 1])
    return Stitched(run, state, tuple(rollbacks), chaotic=len(rollbacks) > 20)


def _go_back(
    now: _Run, number: int, s: Floats, a: int, b: int, kept: Ints, state: NDArray[np.int8], rollbacks: list[Rollback]
) -> None:
    lost, last_row = 0, -1
    for c, d in now.pieces:
        dead = c + np.flatnonzero((s[c:d] >= s[a]) & (state[kept[c:d]] == LIVE))
        state[kept[dead]] = DEAD
        lost += len(dead)
        if len(dead):
            last_row = int(kept[dead[-1]])
    rollbacks.append(Rollback(number, int(kept[a]), last_row, float(s[a]), now.last, lost))
    now.known = None
