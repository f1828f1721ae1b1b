"""What stands out in a series of (step, value) points: excursions, shifts, trends, dips, values that are no numbers.

The engine knows series, not what they measure. Content says in three views which series there are (`series`), their points
(`series_point`) and where something restarted (`series_boundary`); what is found goes into the declared tables `segment` and
`excursion`, and rules in SQL give it a name. Nothing runs where the content has no such views.

The way of a series: `stitch` undoes restarts, rollbacks, copies and interleaved writers; `screen` finds points that stand out of a
trailing median, with array arithmetic only; where it hits, `follow` walks along the excursion with its baseline frozen.
Long windows (`shift_of`, `trend_of`, `dip_of`) see what no single point shows.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, inf, log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from logsift.store import Store

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

NORMAL = 1.4826
"""MAD of a normal distribution x this = its standard deviation."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every number the search depends on, with its reason.

    "Measured" means: on public training curves and on injected faults (tests/benchmarks/series.py prints the tables anew).
    """

    few: int = 25
    """Below this many points no spread can be estimated: only ranks and large jumps are looked at."""
    window_share: float = 1 / 8
    window: tuple[int, int] = (12, 100)
    """Points of the trailing window. Shorter than 12: a median of noise; longer than 100: the trend of the curve gets into it."""
    floor: float = 0.004
    """Spread is never taken for less than this share of the level: logs print 3-4 digits, and a MAD can be 0 then."""
    quiet: float = 0.5
    """... nor for less than this share of what is usual in the curve: the first windows hold few points."""
    autocorrelated: float = 0.5
    """Above this lag-1 correlation a curve is smoothed (printed averages) and differences understate its spread."""
    onset: float = 5.0
    onset_again: float = 3.5
    """An excursion begins with a point above `onset` and two of three above `onset_again`: a lone point is a hard batch.
    Measured: 6 misses a third of the spikes of 16 sigma, 4.5 doubles the false alarms."""
    own_tail: float = 1.3
    """... and the median of three stands this far above the 98 % point of the window's own residuals (heavy tails)."""
    tail_runs: float = 0.02
    tail_cap: float = 6.0
    """... and above what the curve's own 3-medians reach once in 1 / `tail_runs` runs (peaks over threshold), which is
    taken for at most `tail_cap` sigma, or a long spike would hide itself."""
    short_points: int = 4
    short: float = 1.5
    """A short excursion needs this much more than that limit, uncapped: hard batches may stand in a row."""
    lone_onset: float = 8.0
    lone_height: float = 0.5
    lone_ratio: float = 1.8
    """A single point counts only where it stands for many steps, and far above every other lone outlier of the curve."""
    blocks: tuple[int, ...] = (5, 15)
    block_onset: float = 6.0
    block_cap: float = 9.0
    block_height: float = 0.04
    """The same search over medians of so many points: excursions that are long and low (a resume without its optimizer state)."""
    back: float = 0.07
    back_sigma: float = 2.0
    """Over when a running median is back within this share of the peak's height, or this many sigma."""
    fast_points: int = 10
    fast_share: float = 0.01
    """Fast: over within this many points or this share of the planned steps (what practitioners call fast at 300k steps is 500)."""
    least_height: float = 0.04
    """An excursion lower than this (share of the level) harms nobody."""
    linear_factor: float = 1.6
    """Series around zero have no logarithm and no floor of their own; their tails are heavier: thresholds grow by this."""
    shift_window: tuple[int, int] = (20, 100)
    shift_errors: float = 5.0
    shift_typical: float = 2.8
    shift_typical_long: float = 4.0
    shift_height: float = 0.03
    """A level shift: adjacent long medians differ by more than so many standard errors (1.77 sigma / sqrt w for a difference of
    medians) and by more than so many MADs of all such differences of this curve."""
    trend_errors: float = 6.0
    trend_height: float = 0.03
    trend_order: float = 0.5
    """A creeping rise: the last tenth stands so many standard errors and this share above the lowest tenth, and the tenths in
    between mostly rise (Kendall)."""
    few_order: float = 0.7
    few_height: float = 0.08
    few_jump: float = 0.35
    """Rank rules of short series."""
    dip_windows: tuple[int, ...] = (20, 60, 150)
    dip_errors: float = 3.5
    dip_height: float = 0.015
    """A dip after a boundary: the median of so many points lies below the line through the points before it."""
    boundary_points: int = 6
    """An excursion that begins within so many points (or an eighth of the window) after a boundary belongs to it."""
    gap: float = 2.5
    """Points may be missing: a run goes on where the next step is at most so many intervals away."""
    again: float = 0.02
    """A series that goes back to below this share of its last step began anew."""
    copy: float = 0.8
    """More than this share of the repeated steps with equal values: the text stands there twice."""
    lost: int = 2
    """A way back over fewer points than this is the rounding of a logging interval."""
    big: int = 20_000
    """From here on baseline and spread are taken per block of `big_block` points: 20 times faster, the same to 1 %."""
    big_block: int = 16


DEFAULT = Parameters()


# --- stitching --------------------------------------------------------------------------------------------------------

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


# --- one curve ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Excursion:
    """A stretch that stands out. Indices are points of the curve; heights are shares of the level (logarithms) or sigma."""

    kind: str
    start: int
    peak: int
    end: int | None
    base: float
    top: float
    after: float
    sigmas: float
    height: float
    rise_points: int = 0
    """Points from 10 % to 60 % of the final height: a spike needs few, a creeping rise many."""
    climbed: float = 0.0
    """How far the baseline itself had already risen from its minimum, as a share of the final height."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The finite points of a run, ready to be searched."""

    x: Floats
    y: Floats
    """Logarithms where the values allow it."""
    logarithmic: bool
    skip: int
    """Points at the start that are not looked at."""
    p: Parameters

    @property
    def window(self) -> int:
        """Points of the trailing window."""
        return int(min(max(len(self.y) * self.p.window_share, self.p.window[0]), self.p.window[1]))

    @property
    def factor(self) -> float:
        """What the thresholds grow by."""
        return 1.0 if self.logarithmic else self.p.linear_factor

    def value(self, y: float) -> float:
        """Back from the scale of `y` to that of the values."""
        return float(np.exp(y)) if self.logarithmic else float(y)

    def relative(self, height: float, base: float) -> float:
        """A height as a share of the level; on the logarithmic scale it is one already."""
        return height if self.logarithmic else height / max(abs(base), float(np.median(np.abs(self.y))), 1e-12)


def curve_of(x: Floats, values: Floats, *, driver: Floats | None = None, p: Parameters = DEFAULT) -> Curve:
    """A curve of finite values; `driver` is a series that rises while the curve warms up (a learning rate)."""
    logarithmic = bool(len(values)) and bool((values > 0).all()) and float(np.median(values)) > 0.05
    y = np.log(values) if logarithmic else values.astype(np.float64)
    return Curve(x, y, logarithmic, warm_up(x, driver, p), p)


def warm_up(x: Floats, driver: Floats | None = None, p: Parameters = DEFAULT) -> int:
    """Points to leave out: the first 3 %, and until the driver is up."""
    n = len(x)
    if n < p.few:
        return 0
    skip = max(10, int(0.03 * n))
    if driver is not None and np.isfinite(driver).any():
        early = driver[: max(n // 4, 1)]
        top = float(np.nanmax(early)) if np.isfinite(early).any() else 0.0
        if top > 0:
            skip = max(skip, int(np.argmax(np.nan_to_num(early) >= 0.98 * top)))
    return min(skip, n // 3)


def dense_start(x: Floats) -> int:
    """How many points at the start are logged more densely than the rest: ten steps, not ten intervals."""
    if len(x) < 12:
        return 0
    gap = np.diff(x)
    sparse = gap >= 0.5 * np.median(gap)
    return min(int(np.argmax(sparse)), len(x) // 3) if sparse.any() else 0


def spread(y: Floats) -> float:
    """Standard deviation of the noise of a trending series: MAD of its differences / sqrt 2 (Gasser et al. 1986, simplified)."""
    if len(y) < 3:
        return 0.0
    d = np.diff(y)
    return float(np.median(np.abs(d - np.median(d)))) * NORMAL / sqrt(2)


def rolling_median(y: Floats, window: int) -> Floats:
    """Median of the last `window` values, of as many as there are at the start."""
    return pl.Series(y).rolling_median(window, min_samples=1).to_numpy()


def median3(y: Floats) -> Floats:
    """Median of a point and the two after it; at the end of the smaller of the two last."""
    if len(y) < 3:
        return np.full(len(y), y.min() if len(y) else 0.0)
    a, b, c = y[:-2], y[1:-1], y[2:]
    middle = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    tail = min(float(y[-2]), float(y[-1]))
    return np.concatenate([middle, [tail, tail]])


def baseline(c: Curve) -> tuple[Floats, Floats]:
    """Trailing median and spread at every point, from the points before it only."""
    y, n, w = c.y, len(c.y), c.window
    if n >= c.p.big:
        return _blockwise(c)
    base = _before(rolling_median(y, max(w // 2, 4)))
    steps = _before(rolling_median(np.abs(np.diff(y, prepend=y[:1])), w)) * NORMAL / sqrt(2)
    wide = _before(rolling_median(np.abs(y - base), w)) * NORMAL
    return base, _sigma(c, base, steps, wide)


def _before(y: Floats) -> Floats:
    return np.concatenate([y[:1], y[:-1]])


def _sigma(c: Curve, base: Floats, steps: Floats, wide: Floats) -> Floats:
    if smoothed(c):
        steps = wide
    floor = c.p.floor if c.logarithmic else c.p.floor * np.maximum(np.abs(base), float(np.median(np.abs(c.y))))
    sigma = np.maximum(np.minimum(steps, wide), wide / 2)
    # The first windows hold few points and a run of equal ones none at all: nothing is quieter than half the usual.
    usual = float(np.median(sigma[c.skip :]))
    return np.asarray(np.maximum(np.maximum(sigma, c.p.quiet * usual), np.maximum(floor, 1e-12)), np.float64)


def _blockwise(c: Curve) -> tuple[Floats, Floats]:
    size = c.p.big_block
    n = len(c.y)
    whole = c.y[: n // size * size].reshape(-1, size)
    middle = np.median(whole, axis=1)
    k = max(c.window // 2 // size, 3)
    base = _before(rolling_median(middle, k))
    steps = _before(rolling_median(np.median(np.abs(np.diff(whole, axis=1)), axis=1), 2 * k)) * NORMAL / sqrt(2)
    wide = _before(rolling_median(np.median(np.abs(whole - base[:, None]), axis=1), 2 * k)) * NORMAL
    sigma = _sigma(c, base, steps, wide)
    at = np.minimum(np.arange(n) // size, len(base) - 1)
    return base[at], sigma[at]


def smoothed(c: Curve) -> bool:
    """True where neighbouring points of the curve hang together: printed averages."""
    y = c.y[c.skip :][:20_000]
    if len(y) < 50:
        return False
    r = y - pl.Series(y).rolling_median(25, min_samples=1, center=True).to_numpy()
    limit = 4 * NORMAL * float(np.median(np.abs(r)))
    r = np.clip(r, -limit, limit)
    power = float((r * r).sum())
    return power > 0 and float((r[1:] * r[:-1]).sum()) / power > c.p.autocorrelated


def around(c: Curve) -> Floats:
    """Each point against the median of its 25 neighbours (of its block, where there are many)."""
    n, size = len(c.y), c.p.big_block
    if n < c.p.big:
        smooth: Floats = pl.Series(c.y).rolling_median(25, min_samples=1, center=True).to_numpy()
        return c.y - smooth
    middle = np.median(c.y[: n // size * size].reshape(-1, size), axis=1)
    return c.y - middle[np.minimum(np.arange(n) // size, len(middle) - 1)]


def tail_limit(y: Floats, runs: float) -> float:
    """The height residuals reach once in 1 / `runs` such curves: peaks over threshold with an exponential tail.

    Coles (2001), An Introduction to Statistical Modeling of Extreme Values, ch. 4; the slope is the median excess / ln 2, so that a
    few true excursions do not lift their own limit.
    """
    r = y[np.isfinite(y)]
    if len(r) < 20:
        return 0.0
    u = float(np.quantile(r, 0.95))
    over = r[r > u] - u
    if not len(over):
        return u
    return u + float(np.median(over)) / log(2) * log(len(over) / runs)


def screen(c: Curve, base: Floats, sigma: Floats, onset: float, *, alone: bool = False) -> Ints:
    """Points where an excursion may begin."""
    p, f = c.p, c.factor
    z = (c.y - base) / sigma
    high = z > p.onset_again * f
    if not high.any():
        return np.empty(0, np.int64)
    after = np.concatenate([high[1:], [False]])
    second = np.concatenate([high[2:], [False, False]])
    hit = (z > onset * f) & (after | second | alone)
    hit[: c.skip] = False
    return np.flatnonzero(hit)


def excursions(c: Curve, *, coarse: bool = False) -> list[Excursion]:
    """Stretches above the baseline, each followed until it is over; `coarse`: the points are medians of blocks."""
    p = c.p
    least = p.block_height if coarse else p.least_height
    base, sigma = baseline(c)
    hits = screen(c, base, sigma, p.block_onset if coarse else p.onset, alone=coarse)
    if not len(hits):
        return []
    residual = c.y - base
    centred = around(c)
    tail = tail_limit((centred if coarse else median3(centred))[c.skip :], p.tail_runs)
    three = residual if coarse else median3(residual)
    out: list[Excursion] = []
    free = c.skip
    for i in hits.tolist():
        if i < free:
            continue
        lo = max(free if out else 0, i - c.window)
        own = float(np.quantile(residual[lo:i], 0.98)) if i - lo >= 8 else 0.0
        if three[i] < max(p.own_tail * own, min(tail, (p.block_cap if coarse else p.tail_cap) * sigma[i])):
            continue
        found = follow(c, i, float(base[i]), float(sigma[i]))
        if c.relative(found.height, found.base) < least * c.factor:
            continue
        if not coarse and found.end is not None and found.end - i <= p.short_points:
            # How many pairs of lone outliers as high as this would stand together by chance.
            as_high = int((centred > 0.6 * three[i]).sum()) - (found.end - i)
            alone = np.delete(centred, slice(i, found.end))[c.skip :] if len(c.y) < p.big else centred
            if (
                three[i] < p.short * min(tail, tail_limit(median3(alone), p.tail_runs))
                or 2 * as_high**2 / len(c.y) > p.tail_runs
            ):
                continue
        out.append(found)
        if found.end is None:
            break
        free = found.end + 3
    return out


def follow(c: Curve, start: int, base: float, sigma: float) -> Excursion:
    """Walk along an excursion with its baseline frozen until a running median is back."""
    y, n = c.y, len(c.y)
    length, end = 1024, None
    while end is None:
        end = _end(c, y[start : start + length], base, sigma)
        if start + length >= n:
            break
        length *= 4
    stop = n if end is None else start + end
    stretch = y[start:stop]
    top, peak = float(stretch.max()), start + int(stretch.argmax())
    rest = y[start:][-max(min(n - start, c.window // 2), 1) :] if end is None else y[stop : stop + c.window]
    after = float(np.median(rest))
    rise, climbed = _rise(c, start, base, after) if end is None else (0, 0.0)
    height = top - base
    return Excursion(
        "rise", start, peak, None if end is None else stop, base, top, after, height / sigma, height, rise, climbed
    )


def _end(c: Curve, part: Floats, base: float, sigma: float) -> int | None:
    """Index of the first point behind the peak where a running median has come back."""
    p = c.p
    k = min(max(c.window // 10, 3), 9) | 1
    top = np.maximum.accumulate(part)
    limit = base + np.maximum(p.back_sigma * sigma, p.back * (top - base))
    if len(part) > k:
        back = np.flatnonzero((rolling_median(part, k) <= limit)[k - 1 :])
        if len(back):
            last = int(back[0]) + k - 1
            peak = int(part[: last + 1].argmax())
            below = np.flatnonzero(part[peak : last + 1] <= limit[last])
            return max(peak + int(below[0]) if len(below) else last, 1)
    peak = int(part.argmax())
    if peak < len(part) - 1 <= peak + k and float(np.median(part[peak + 1 :])) <= limit[-1]:
        return peak + 1
    return None


def _rise(c: Curve, start: int, base: float, after: float) -> tuple[int, float]:
    height = after - base
    if height <= 0:
        return 0, 0.0
    smooth = rolling_median(c.y[start:], 5)
    low = np.flatnonzero(smooth > base + 0.1 * height)
    high = np.flatnonzero(smooth > base + 0.6 * height)
    points = int(high[0] - low[0]) if len(high) and len(low) else 0
    earlier = rolling_median(c.y[c.skip : start], max(c.window // 2, 5))[max(c.window // 2, 5) - 1 :]
    minimum = float(earlier.min()) if len(earlier) else base
    return points, (base - minimum) / (after - minimum) if after > minimum else 0.0


def lone(c: Curve) -> list[Excursion]:
    """Single points that stand for many steps and out of everything else the curve does."""
    p = c.p
    n = len(c.y)
    if n < p.few or float(np.median(np.diff(c.x))) <= 1:
        return []
    base, sigma = baseline(c)
    sigma = np.minimum(sigma, max(spread(c.y[c.skip :]), p.floor))
    residual = c.y - base
    centred = around(c)
    inner = np.arange(1, n - 1)
    alone = inner[(centred[1:-1] > np.maximum(centred[:-2], centred[2:]) * 2) & (inner >= c.skip)]
    if not len(alone):
        return []
    sizes = np.sort(centred[alone])[::-1]
    third = float(sizes[2]) if len(sizes) > 2 else 0.0
    out = []
    for i in alone.tolist():
        height = float(residual[i])
        enough = c.relative(height, float(base[i])) > p.lone_height * c.factor
        limit = tail_limit(np.delete(centred, i)[c.skip :], p.tail_runs / 2) if enough else inf
        if height > p.lone_onset * c.factor * sigma[i] and centred[i] > max(p.lone_ratio * third, limit):
            out.append(
                Excursion(
                    "lone",
                    i,
                    i,
                    i + 1,
                    float(base[i]),
                    float(c.y[i]),
                    float(c.y[i + 1]),
                    height / float(sigma[i]),
                    height,
                )
            )
    return out if len(out) <= 2 else []


def blocks(c: Curve, size: int) -> list[Excursion]:
    """The same search over medians of `size` points, in the points of the curve."""
    n = len(c.y)
    if n < 30 * size:
        return []
    y = np.median(c.y[: n // size * size].reshape(-1, size), axis=1)
    coarse = replace(c, x=c.x[: len(y) * size : size], y=y, skip=ceil(c.skip / size))
    out = []
    for e in excursions(coarse, coarse=True):
        start = max(e.start - 1, 0) * size
        end = None if e.end is None else min(e.end * size, n - 1)
        stretch = c.y[start : end if end is not None else n]
        above = stretch > e.base + 0.5 * e.height
        two = np.flatnonzero(above[:-1] & above[1:])
        first = start + (int(two[0]) if len(two) else size)
        peak = max(start + int(stretch.argmax()), first)
        top = max(float(stretch.max()), e.top)
        out.append(replace(e, start=first, peak=peak, end=end, top=top, rise_points=e.rise_points * size))
    return out


def merged(points: Sequence[Excursion], coarse: Sequence[Excursion]) -> list[Excursion]:
    """Excursions of both resolutions: the finer one wins where they overlap, unless it saw only a tip of the coarser."""
    out = list(points)
    for e in coarse:
        end = inf if e.end is None else e.end
        over = [o for o in out if o.start <= end + 10 and (inf if o.end is None else o.end) >= e.start - 10]
        if not over:
            out.append(e)
        elif all(
            (inf if o.end is None else o.end - o.start) * 3 < end - e.start and e.height > 0.5 * o.height for o in over
        ):
            out = [o for o in out if o not in over]
            first = min(over, key=lambda o: o.start)
            out.append(replace(e, start=min(first.start, e.start), sigmas=max(first.sigmas, e.sigmas)))
    return sorted(out, key=lambda e: e.start)


def shift_of(c: Curve) -> Excursion | None:
    """The largest step between adjacent long medians, where it is out of proportion and stays."""
    p, n = c.p, len(c.y)
    w = int(min(max(n // 12, p.shift_window[0]), p.shift_window[1]))
    if n - c.skip < 5 * w:
        return None
    size = max(w // 10, 1)
    y = c.y[c.skip : c.skip + (n - c.skip) // size * size].reshape(-1, size)
    fine = np.median(y, axis=1)
    k = w // size
    run = rolling_median(fine, k)
    differ = run[2 * k - 1 :] - run[k - 1 : -k]
    if len(differ) < 3:
        return None
    best = int(differ.argmax())
    size_of = float(differ[best])
    at = c.skip + (best + k) * size
    sigma = max(spread(c.y[max(at - 3 * w, 0) : at]), c.p.floor if c.logarithmic else 0.0, 1e-12)
    if smoothed(c):
        sigma = max(sigma, NORMAL * float(np.median(np.abs(c.y[at - w : at] - np.median(c.y[at - w : at])))))
    typical = NORMAL * float(np.median(np.abs(differ - np.median(differ))))
    times = p.shift_typical_long if n > 1000 else p.shift_typical
    before, later = float(run[best + k - 1]), c.y[at : at + 3 * w]
    stays = len(later) >= w and float(np.median(later[-w:])) - before > 0.5 * size_of
    enough = c.relative(size_of, before) > p.shift_height * c.factor
    if not (
        enough and stays and size_of > p.shift_errors * 1.77 * sigma / sqrt(w) * c.factor and size_of > times * typical
    ):
        return None
    # An exact place: where the two sides differ most (least squares over the neighbourhood).
    lo, hi = max(at - w, c.skip), min(at + w, n)
    part = c.y[lo:hi]
    total, m = np.cumsum(part), np.arange(1, len(part) + 1)
    gain = (total - m * total[-1] / len(part)) ** 2 / np.maximum(m * (len(part) - m), 1)
    at = lo + int(gain[5:-5].argmax()) + 6 if len(part) > 20 else at
    top = at + int(c.y[at:].argmax())
    after = float(np.median(c.y[at : at + 3 * w]))
    return Excursion("shift", at, top, None, before, float(c.y[top]), after, size_of / sigma, after - before)


def kendall(y: Floats) -> float:
    """Kendall's S over its maximum: +1 where every later value is higher."""
    if len(y) < 2:
        return 0.0
    s = np.sign(y[None, :] - y[:, None])
    return float(np.triu(s, 1).sum()) / (len(y) * (len(y) - 1) / 2)


def trend_of(c: Curve) -> Excursion | None:
    """A creeping rise to the end of the curve, without anything that stands out."""
    p, n = c.p, len(c.y)
    if n < p.few:
        return _trend_of_few(c)
    y = c.y[c.skip :]
    w = max(n // 10, 5)
    if len(y) < 3 * w:
        return None
    size = max(w // 10, 1)
    fine = np.median(y[: len(y) // size * size].reshape(-1, size), axis=1)
    k = max(w // size, 1)
    run = rolling_median(fine, k)[k - 1 :]
    low = int(run.argmin())
    rise = float(run[-1] - run[low])
    start = c.skip + min((low + k) * size, len(y) - 1)
    sigma = max(spread(y), p.floor if c.logarithmic else 0.0, 1e-12)
    if (
        rise < p.trend_errors * 1.77 * sigma / sqrt(w) * c.factor
        or c.relative(rise, float(run[low])) < p.trend_height * c.factor
    ):
        return None
    if (len(run) - 1 - low) * size < 0.08 * n or rise < 0.6 * float(run[low:].max() - run[low]):
        return None
    tenths = run[low :: max((len(run) - low) // 12, 1)]
    if kendall(tenths) < p.trend_order:
        return None
    top = c.skip + low * size + int(c.y[c.skip + low * size :].argmax())
    return Excursion("trend", start, top, None, float(run[low]), float(c.y[top]), float(run[-1]), rise / sigma, rise)


def _trend_of_few(c: Curve) -> Excursion | None:
    n = len(c.y)
    low = int(c.y.argmin())
    rest = c.y[low:]
    if len(rest) < 6 or kendall(rest) < c.p.few_order:
        return None
    last = float(np.median(rest[-3:]))
    if c.relative(last - float(rest[0]), float(rest[0])) < c.p.few_height * c.factor:
        return None
    top = low + int(rest.argmax())
    sigma = max(spread(c.y), c.p.floor)
    return Excursion(
        "trend",
        min(low + 1, n - 1),
        top,
        None,
        float(rest[0]),
        float(rest.max()),
        last,
        (last - float(rest[0])) / sigma,
        last - float(rest[0]),
    )


def _jumps_of_few(c: Curve) -> list[Excursion]:
    """A short series: two neighbours far above everything of the last eight points before them."""
    n = len(c.y)
    for i in range(8, n - 1):
        before = c.y[i - 8 : i]
        base, ceiling = float(np.median(before)), float(before.max())
        both = min(float(c.y[i]), float(c.y[i + 1]))
        high = c.relative(both - ceiling, base) > c.p.few_jump * c.factor
        if high and both - base > 4 * max(float(before.max() - before.min()) / 2, c.p.floor):
            found = follow(c, i, base, max(spread(before), c.p.floor))
            return [found]
    return []


def dip_of(c: Curve, boundary: int) -> Excursion | None:
    """After a boundary the curve lies below its own trend, and later comes back up to it.

    A restart that reads data the model has seen: falsely low, until the new data begins. `end` is where it came back, None where it
    has not yet.
    """
    p, y, n = c.p, c.y, len(c.y)
    for m in p.dip_windows:
        before = y[max(c.skip, boundary - 4 * m) : boundary]
        if len(before) < max(m, 15) or boundary + m > n:
            continue
        sigma = max(spread(before), p.floor / 2 if c.logarithmic else 0.0, 1e-12)
        # Learning slows down: a straight line over the logarithm of the step does not promise too much, one over the step does.
        x = np.log(np.maximum(c.x - c.x[0] + c.x[1] - c.x[0], 1e-9))
        slope, level = line(x[boundary - len(before) : boundary], before)
        slope = min(slope, 0.0)
        error = 1.77 * sigma / sqrt(m)
        expected = level + slope * float(np.median(x[boundary : boundary + m]))
        drop = expected - float(np.median(y[boundary : boundary + m]))
        if drop < p.dip_errors * error * c.factor or c.relative(drop, expected) < p.dip_height * c.factor:
            continue
        around = level + slope * float(x[boundary])
        if around - float(np.median(y[boundary : boundary + max(m // 2, 5)])) < 0.4 * drop:
            continue
        back = _way_back(y, boundary, m, drop, around, error)
        low = float(np.median(y[boundary : back if back is not None else boundary + m]))
        after = float(np.median(y[back : back + m])) if back is not None else low
        return Excursion("dip", boundary, boundary, back, around, around, after, drop / sigma, drop)
    return None


def _way_back(y: Floats, boundary: int, m: int, drop: float, level: float, error: float) -> int | None:
    """Where the curve jumps up by more than half the drop and ends at or below the level before the boundary."""
    w = max(min(m, 40), 8)
    rest = y[boundary:]
    if len(rest) < 2 * w + 5:
        return None
    run = rolling_median(rest, w)
    jump = run[2 * w - 1 :] - run[w - 1 : -w]
    best = int(jump.argmax())
    at = best + w
    after = float(run[best + 2 * w - 1])
    if jump[best] < 0.5 * drop or after > level + 2 * error + 0.02 * max(abs(level), 1.0):
        return None
    lo, hi = max(at - w, 0), min(at + w, len(rest))
    part = rest[lo:hi]
    total, k = np.cumsum(part), np.arange(1, len(part) + 1)
    gain = np.abs(total - k * total[-1] / len(part)) / np.sqrt(np.maximum(k * (len(part) - k), 1))
    return boundary + lo + int(gain[:-1].argmax()) + 1


def line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept of a robust line: Theil-Sen over medians of up to 30 blocks (Sen 1968)."""
    size = max(len(y) // 30, 1)
    n = len(y) // size * size
    a, b = np.median(x[:n].reshape(-1, size), axis=1), np.median(y[:n].reshape(-1, size), axis=1)
    i, j = np.triu_indices(len(b), 1)
    slope = float(np.median((b[j] - b[i]) / (a[j] - a[i]))) if len(b) > 1 else 0.0
    return slope, float(np.median(b - slope * a))


def not_numbers(values: Floats) -> Iterator[tuple[int, int]]:
    """First and last index of every stretch without finite values; two stretches with fewer than 3 numbers between are one."""
    bad = np.flatnonzero(~np.isfinite(values))
    if not len(bad):
        return
    cut = np.flatnonzero(np.diff(bad) > 3)
    for a, b in zip([0, *(cut + 1).tolist()], [*cut.tolist(), len(bad) - 1], strict=True):
        yield int(bad[a]), int(bad[b])


def search(c: Curve, boundaries: Sequence[int] = ()) -> list[Excursion]:
    """Everything that stands out of a curve; `boundaries` are points that come first after a restart."""
    n = len(c.y)
    if n < 8:
        return []
    if n < c.p.few:
        few = _jumps_of_few(c)
        trend = trend_of(c) if not few else None
        return [*few, *([trend] if trend else [])]
    dips = [d for b in boundaries if (d := dip_of(c, b)) is not None]
    found = excursions(c)
    for size in c.p.blocks:
        found = merged(found, blocks(c, size))
    found += [e for e in lone(c) if all(not (o.start - 3 <= e.start <= (o.end or n) + 3) for o in found)]
    if not any(e.end is None for e in found):
        shift, trend = shift_of(c), trend_of(c)
        if shift is not None and any(e.start - c.window <= shift.start <= (e.end or n) + c.window for e in found):
            shift = None
        if shift is not None and trend is not None:
            # A step explains the whole rise, or it is the steepest part of a long one.
            shift, trend = (shift, None) if trend.height < 1.5 * shift.height else (None, trend)
        found += [e for e in (shift, trend) if e is not None]
    return [*dips, *sorted((_named(c, e) for e in found), key=lambda e: e.start)]


def _named(c: Curve, e: Excursion) -> Excursion:
    """Tell by its shape what a rise is: a creeping one, a new level, or a spike."""
    if e.kind != "rise":
        return e
    final, length = e.after - e.base, len(c.y) - e.start
    if e.end is None and final > 0.05 * e.height and (e.rise_points >= max(5, 0.08 * length) or e.climbed > 0.25):
        return replace(e, kind="trend")
    stays = _level_of(c, e)
    return e if stays is None else replace(e, kind="shift", end=None, after=e.base + stays)


def _level_of(c: Curve, e: Excursion) -> float | None:
    """Height of a step that keeps its distance to the trend before it; None where it has a peak or wears off."""
    stop = len(c.y) if e.end is None else e.end
    w = min((stop - e.start) // 4, 100)
    before = slice(max(c.skip, e.start - 400), e.start)
    if w < 8 or e.start - before.start < 15:
        return None
    x = np.log(np.maximum(c.x - c.x[0] + c.x[1] - c.x[0], 1e-9))
    slope, level = line(x[before], c.y[before])
    over = c.y[e.start : stop] - level - min(slope, 0.0) * x[e.start : stop]
    first, last = float(np.median(over[3 : 3 + w])), float(np.median(over[-w:]))
    noise = NORMAL * float(np.median(np.abs(over - np.median(over))))
    peaked = float(median3(over[:w]).max()) > 1.5 * first + 2 * noise
    return first if 0.8 * first < last < 1.6 * first and not peaked and c.relative(first, e.base) < 0.4 else None


# --- the store ----------------------------------------------------------------------------------------------------------

BATCH = 2_000_000
"""Points that are held at a time."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The points of one series, as written."""

    series: int
    step: Floats
    value: Floats
    time: Floats
    file: Ints
    line: Ints
    planned: float


def run(store: Store, p: Parameters = DEFAULT) -> None:
    """Search every series the content names and fill the tables `segment` and `excursion`."""
    views = {
        r["view_name"]
        for r in store.rows("SELECT view_name FROM duckdb_views() UNION SELECT table_name FROM duckdb_tables()")
    }
    if not {"series", "series_point", "series_boundary", "segment", "excursion"} <= views:
        return
    store.con.execute("DELETE FROM segment; DELETE FROM excursion")
    listed = store.rows("SELECT series_id, driver_id, searched, planned, points FROM series ORDER BY series_id")
    drivers = {int(r["driver_id"]) for r in listed if r["driver_id"] is not None}
    driving = {
        rows.series: (rows.step, rows.value) for rows in _read(store, [r for r in listed if r["series_id"] in drivers])
    }
    marks: dict[tuple[int, int], list[tuple[int | None, float | None]]] = {}
    for r in store.rows("SELECT DISTINCT series_id, file_id, line_no, step FROM series_boundary"):
        marks.setdefault((r["series_id"], r["file_id"]), []).append((r["line_no"], r["step"]))
    driver_of = {int(r["series_id"]): driving.get(int(r["driver_id"])) for r in listed if r["driver_id"] is not None}
    segments: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for rows in _read(store, [r for r in listed if r["searched"]]):
        stitched = stitch(rows.step, rows.value, time=rows.time, fresh=_fresh(rows, marks), p=p)
        segments += _segments(rows, stitched)
        if not stitched.chaotic:
            found += _search_series(rows, stitched, _fresh(rows, marks), driver_of.get(rows.series), p)
    with tempfile.TemporaryDirectory(prefix="logsift-series-") as parts:
        for table, made in (("segment", segments), ("excursion", found)):
            if made:
                (Path(parts) / table).mkdir()
                pl.DataFrame(made, infer_schema_length=None).write_parquet(Path(parts) / table / "0.parquet")
        store.append_parts(Path(parts))


def _read(store: Store, listed: Sequence[Mapping[str, Any]]) -> Iterator[_Rows]:
    """The points of the listed series, a batch of series at a time."""
    planned = {int(r["series_id"]): float(r["planned"] or 0) for r in listed}
    batch: list[int] = []
    size = 0
    batches: list[list[int]] = []
    for r in listed:
        if batch and size + r["points"] > BATCH:
            batches.append(batch)
            batch, size = [], 0
        batch.append(int(r["series_id"]))
        size += r["points"]
    for ids in [*batches, batch] if batch else batches:
        got = store.con.execute(
            f"SELECT series_id, step, value, epoch(time) AS time, file_id, line_no FROM series_point WHERE series_id IN ({', '.join(map(str, ids))}) "
            "AND value IS NOT NULL ORDER BY series_id, turn, ordinal, line_no"
        ).fetchnumpy()
        number = _whole(got["series_id"])
        numbers = {k: _real(got[k]) for k in ("step", "value", "time")}
        file, line = _whole(got["file_id"]), _whole(got["line_no"])
        edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)] if len(number) else []
        for a, b in pairwise(edges):
            step = numbers["step"][a:b]
            known = np.isfinite(step)
            if not known.any():
                step, known = np.arange(1.0, b - a + 1), np.ones(b - a, bool)
            value, time = numbers["value"][a:b][known], numbers["time"][a:b][known]
            n = int(number[a])
            yield _Rows(n, step[known], value, time, file[a:b][known], line[a:b][known], planned[n])


def _real(column: Any) -> Floats:  # noqa: ANN401 - an array, masked where it has NULLs
    return np.asarray(np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan), np.float64)


def _whole(column: Any) -> Ints:  # noqa: ANN401
    return np.asarray(np.ma.filled(np.ma.asarray(column, dtype=np.int64), 0), np.int64)


def _fresh(rows: _Rows, marks: Mapping[tuple[int, int], Sequence[tuple[int | None, float | None]]]) -> Bools:
    """Rows that come first after a restart: at the head of a further file, or behind a line that says so."""
    fresh = np.zeros(len(rows.step), bool)
    heads = [0, *(np.flatnonzero(np.diff(rows.file)) + 1).tolist()]
    fresh[heads[1:]] = True
    for a, b in pairwise([*heads, len(rows.file)]):
        for line_no, step in marks.get((rows.series, int(rows.file[a])), ()):
            if line_no is not None:
                later = np.flatnonzero(rows.line[a:b] > line_no)
            else:
                later = np.flatnonzero(rows.step[a:b] > (step or 0.0))
            if len(later) and (a or later[0]):
                fresh[a + int(later[0])] = True
    return fresh


def _segments(rows: _Rows, stitched: Stitched) -> list[dict[str, Any]]:
    """Stretches of rows of one run and state, as written."""
    state = np.where(stitched.state == AGAIN, LIVE, stitched.state)
    edges = [
        0,
        *(
            np.flatnonzero((np.diff(stitched.run) != 0) | (np.diff(state) != 0) | (np.diff(rows.file) != 0)) + 1
        ).tolist(),
    ]
    went = {r.row: r for r in stitched.rollbacks}
    out = []
    for a, b in pairwise([*edges, len(rows.step)]):
        back = next((went[k] for k in went if a <= k < b), None)
        out.append({
            "file_id": int(rows.file[a]), "line_no": int(rows.line[a]), "series_id": rows.series, "run": int(stitched.run[a]),
            "state": "chaotic" if stitched.chaotic else STATES[int(state[a])], "last_line": int(rows.line[b - 1]),
            "first_step": float(rows.step[a]), "last_step": float(rows.step[b - 1]), "points": b - a,
            "from_step": back.from_step if back else None, "to_step": back.step if back else None, "lost": back.lost if back else None,
            "from_file": int(rows.file[back.from_row]) if back and back.lost else None,
            "from_line": int(rows.line[back.from_row]) if back and back.lost else None,
        })  # fmt: skip
    return out if len(out) <= 2000 else []


def _search_series(
    rows: _Rows, stitched: Stitched, fresh: Bools, driver: tuple[Floats, Floats] | None, p: Parameters
) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for number in range(min(stitched.runs, 500)):
        live = stitched.rows(number)
        first = np.flatnonzero(fresh & (stitched.run == number)).tolist()
        back = [r for r in stitched.rollbacks if r.run == number]
        starts = [*first, *(r.row for r in back)]
        out += _search_run(rows, live, number, "live", starts, driver, p)
        for r in back:
            if r.lost < 2:
                continue
            was = np.flatnonzero((stitched.run == number) & (stitched.state < DOUBLE))
            was = was[(was < r.row) & (rows.step[was] <= r.from_step)]
            order = np.lexsort((was, rows.step[was]))
            was = was[order]
            was = was[np.concatenate([np.diff(rows.step[was]) > 0, [True]])]
            earlier = [s for s in starts if s < r.row]
            dead = _search_run(rows, was, number, "dead", earlier, driver, p)
            kept = float(rows.step[was[max(int(np.searchsorted(rows.step[was], r.step)) - 5, 0)]])
            known = {(e["kind"], e["start_step"]) for e in out}
            out += [
                e
                for e in dead
                if (e["start_step"] >= kept or e["end_step"] is None) and (e["kind"], e["start_step"]) not in known
            ]
    return out


def _search_run(
    rows: _Rows, live: Ints, number: int, branch: str, starts: Sequence[int], driver: tuple[Floats, Floats] | None, p: Parameters
) -> list[dict[str, Any]]:  # fmt: skip
    if not len(live):
        return []
    out: list[dict[str, Any]] = []
    values = rows.value[live]
    interval = float(np.median(np.diff(rows.step[live]))) if len(live) > 1 else 1.0
    common = {
        "series_id": rows.series,
        "run": number,
        "branch": branch,
        "interval": interval,
        "series_points": len(live),
    }
    for a, b in not_numbers(values):
        out.append(common | _places(rows, live, a, a, b + 1 if b + 1 < len(live) else None) | {
            "kind": "nonfinite", "points": int((~np.isfinite(values[a : b + 1])).sum()),
            "base": float(values[a - 1]) if a else None,
            "after": float(values[b + 1]) if b + 1 < len(live) else None,
        })  # fmt: skip
    finite = live[np.isfinite(values)]
    if len(finite) < 8:
        return out
    finite = finite[dense_start(rows.step[finite]) :]
    x = rows.step[finite]
    rate = _along(driver, x)
    c = curve_of(x, rows.value[finite], driver=rate, p=p)
    order = (
        np.searchsorted(finite, np.asarray(sorted(starts), np.int64))
        if (np.diff(finite) > 0).all()
        else _after(finite, starts)
    )
    boundaries = sorted({int(b) for b in order if 0 < b < len(finite)})
    found = search(c, boundaries)
    dips = [e for e in found if e.kind == "dip"]
    near = max(p.boundary_points, c.window // 8)
    for e in found:
        end = len(finite) if e.end is None else e.end
        before = [b for b in boundaries if b - 2 <= e.start <= b + near]
        within = [
            d
            for d in dips
            if e is not d and d.start - 2 <= e.start <= (len(finite) if d.end is None else d.end) + c.window
        ]
        h = max(c.window // 2, 5)
        ratio = None
        if rate is not None:
            low, high = rate[max(e.start - h, 0) : e.start + 1], rate[e.start : min(e.start + h, len(rate))]
            high = rate[-1:] if e.kind == "trend" else high
            if len(low) and len(high) and float(low.min()) > 0:
                ratio = float(high.max()) / float(low.min())
        out.append(common | _places(rows, finite, e.start, e.peak, e.end) | {
            "kind": e.kind, "points": end - e.start, "base": c.value(e.base), "peak": c.value(e.top), "after": c.value(e.after),
            "sigmas": e.sigmas, "height": c.relative(e.height, e.base), "planned": max(rows.planned, float(x[-1] - x[0])),
            "boundary_step": float(x[before[-1]]) if before else None, "in_dip": bool(within), "driver_ratio": ratio,
            "boundary_file": int(rows.file[finite[before[-1]]]) if before else None,
            "boundary_line": int(rows.line[finite[before[-1]]]) if before else None,
            "boundary_steps": ",".join(f"{x[b - 1]:.15g}" for b in boundaries if e.kind == "dip" and e.start <= b < end) or None,
            "logarithmic": c.logarithmic,
        })  # fmt: skip
    return out


def _after(finite: Ints, starts: Sequence[int]) -> Ints:
    """Where in rows that are not in the order of writing the first one written at or after each start stands."""
    out = [int(np.flatnonzero(finite >= s)[0]) for s in starts if (finite >= s).any()]
    return np.asarray(out, np.int64)


def _along(driver: tuple[Floats, Floats] | None, x: Floats) -> Floats | None:
    """The driver's values at the steps of a curve."""
    if driver is None:
        return None
    step, value = driver
    ok = np.isfinite(step) & np.isfinite(value)
    if ok.sum() < 2:
        return None
    order = np.argsort(step[ok], kind="stable")
    return np.interp(x, step[ok][order], value[ok][order])


def _places(rows: _Rows, at: Ints, start: int, peak: int, end: int | None) -> dict[str, Any]:
    """Steps and lines of the points of an excursion."""
    before = int(at[start - 1]) if start else None
    stop = int(at[end]) if end is not None and end < len(at) else None
    last = int(at[-1])

    def place(name: str, k: int | None) -> dict[str, Any]:
        if k is None:
            return {f"{name}_step": None, f"{name}_file": None, f"{name}_line": None}
        return {
            f"{name}_step": float(rows.step[k]),
            f"{name}_file": int(rows.file[k]),
            f"{name}_line": int(rows.line[k]),
        }

    s = int(at[start])
    time = rows.time[s]
    return {
        "file_id": int(rows.file[s]), "line_no": int(rows.line[s]), "start_step": float(rows.step[s]),
        "start_seconds": None if np.isnan(time) else float(time),
        **place("before", before), **place("peak", int(at[peak])), **place("end", stop), **place("last", last),
    }  # fmt: skip
