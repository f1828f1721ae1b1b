"""What no single point shows: new levels, creeping rises, and dips behind a restart."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from logsift.derive.series.curve import Curve, Excursion
from logsift.derive.series.robust import (
    MEDIAN_ERROR,
    NORMAL,
    block_medians,
    chance_of_order,
    kendall,
    line,
    rolling_median,
    spread,
    step_place,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_TWO_MEDIANS = sqrt(2) * MEDIAN_ERROR
"""Standard error of a difference of medians of w values = this x sigma / sqrt(w)."""


def shift_of(c: Curve) -> Excursion | None:
    """The largest step between adjacent long medians, where it is out of proportion and stays."""
    p, n = c.p, len(c.y)
    w = int(min(max(n // 12, p.shift_window[0]), p.shift_window[1]))
    if n - c.skip < 5 * w:
        return None
    size = max(w // 10, 1)
    k = w // size
    run = rolling_median(block_medians(c.y[c.skip :], size), k)
    differ = run[2 * k - 1 :] - run[k - 1 : -k]
    if len(differ) < 3:
        return None
    best = int(differ.argmax())
    step, before, at = float(differ[best]), float(run[best + k - 1]), c.skip + (best + k) * size
    sigma = max(spread(c.y[max(at - 3 * w, 0) : at]), p.floor if c.logarithmic else 0.0, 1e-12)
    if c.smoothed:
        sigma = max(sigma, NORMAL * float(np.median(np.abs(c.y[at - w : at] - np.median(c.y[at - w : at])))))
    typical = NORMAL * float(np.median(np.abs(differ - np.median(differ))))
    later = c.y[at : at + 3 * w]
    few = max(w // 4, 5)
    stays = len(later) >= 2 * w and float(np.median(later[-w:])) - before > 0.5 * step
    # A level that is left and taken again is one of two that take turns.
    stays = stays and float(rolling_median(later, few)[few - 1 :].min()) - before > 0.2 * step
    large = (
        c.relative(step, before) > p.shift_height * c.factor
        and step > p.shift_errors * _TWO_MEDIANS * sigma / sqrt(w) * c.factor
        and step > (p.shift_typical_long if n > 1000 else p.shift_typical) * typical
    )
    around = slice(max(at - w, c.skip), min(at + w, n))
    exact = around.start + step_place(c.y[around], 6) if around.stop - around.start > 20 else at
    error = _TWO_MEDIANS * sigma / sqrt(w) * c.factor
    if not (large and stays) and not (step > p.off_trend_typical * typical and _leaves_trend(c, exact, w, step, error)):
        return None
    at = exact
    top = at + int(c.y[at:].argmax())
    after = float(np.median(c.y[at : at + 3 * w]))
    return Excursion("shift", at, top, None, before, float(c.y[top]), after, step / sigma, after - before)


def _leaves_trend(c: Curve, at: int, w: int, step: float, error: float) -> bool:
    """Whether a curve stands above the line through the points before by the same distance from a place to its end.

    In a curve that still falls a step hides: the level comes down again, the distance to where it would be does not.
    """
    p, before = c.p, slice(max(c.skip, at - 400), at)
    if c.smoothed or not c.logarithmic or at - before.start < 3 * w or len(c.y) - at < 3 * w:
        return False
    slope, level = line(c.learning[before], c.y[before])
    slope = min(slope, 0.0)
    above = c.y - level - slope * c.learning
    first = float(np.median(above[at : at + w]))
    later = [float(np.median(part)) for part in np.array_split(above[at:], 4)]
    off = max(abs(float(np.median(part))) for part in np.array_split(above[before], 4))
    turns = float(rolling_median(above[at:], w // 2)[w // 2 - 1 :].min()) < 0.2 * first
    return (
        step > p.off_trend_step * error
        and first > max(p.off_trend_errors * error, p.off_trend_height)
        and min(later) > 0.7 * first
        and max(later) < 1.6 * first
        and off < 0.25 * first
        and not turns
    )


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
    k = max(w // size, 1)
    run = rolling_median(block_medians(y, size), k)[k - 1 :]
    low = int(run.argmin())
    rise, lowest = float(run[-1] - run[low]), float(run[low])
    sigma = max(spread(y), p.floor if c.logarithmic else 0.0, 1e-12)
    large = (
        rise > p.trend_errors * _TWO_MEDIANS * sigma / sqrt(w) * c.factor
        and c.relative(rise, lowest) > p.trend_height * c.factor
        and rise > 0.6 * float(run[low:].max() - lowest)
    )
    lasts = (len(run) - 1 - low) * size > 0.08 * n
    if not (large and lasts) or kendall(run[low :: max((len(run) - low) // 12, 1)]) < p.trend_order:
        return None
    start = c.skip + min((low + k) * size, len(y) - 1)
    top = c.skip + low * size + int(y[low * size :].argmax())
    return Excursion("trend", start, top, None, lowest, float(c.y[top]), float(run[-1]), rise / sigma, rise)


def _trend_of_few(c: Curve) -> Excursion | None:
    low = int(c.y.argmin())
    rest = c.y[low:]
    if len(rest) < 6 or kendall(rest) < c.p.few_order or chance_of_order(rest[1:]) > c.p.few_chance:
        return None
    base, last = float(rest[0]), float(np.median(rest[-3:]))
    if c.relative(last - base, base) < c.p.few_height * c.factor:
        return None
    top, sigma = low + int(rest.argmax()), max(spread(c.y), c.p.floor)
    return Excursion("trend", low + 1, top, None, base, float(c.y[top]), last, (last - base) / sigma, last - base)


def dip_of(c: Curve, boundary: int) -> Excursion | None:
    """After a boundary the curve lies below its own trend, and later comes back up to it.

    A restart that reads data the model has seen: falsely low, until the new data begins. `end` is where it came back, None where it
    has not yet.
    """
    p, y, n, x = c.p, c.y, len(c.y), c.learning
    for m in p.dip_windows:
        before = slice(max(c.skip, boundary - 4 * m), boundary)
        if boundary - before.start < max(m, 15) or boundary + m > n:
            continue
        sigma = max(spread(y[before]), p.floor / 2 if c.logarithmic else 0.0, 1e-12)
        error = _TWO_MEDIANS * sigma / sqrt(m)
        slope, level = line(x[before], y[before])
        slope = min(slope, 0.0)
        # What is compared is the branch that goes on: a curve that bends down has left its line before the boundary.
        last = slice((before.start + boundary) // 2, boundary)
        bend = max(-float(np.median((y[last] - level - slope * x[last])[-(m // 2) :])), 0.0)
        if bend > error:
            slope = min(slope, line(x[last], y[last])[0])
            level = float(np.median((y[last] - slope * x[last])[-(m // 2) :]))
        expected = level + slope * float(np.median(x[boundary : boundary + m]))
        drop = expected - float(np.median(y[boundary : boundary + m]))
        if drop < p.dip_errors * error * c.factor or c.relative(drop, expected) < p.dip_height * c.factor:
            continue
        if drop < p.dip_bends * bend:
            continue
        there = level + slope * float(x[boundary])
        if there - float(np.median(y[boundary : boundary + max(m // 2, 5)])) < 0.4 * drop:
            continue
        back = _way_back(c, boundary, m, drop, there, error)
        after = float(np.median(y[boundary : boundary + m] if back is None else y[back : back + m]))
        return Excursion("dip", boundary, boundary, back, there, there, after, drop / sigma, drop)
    return None


def _way_back(c: Curve, boundary: int, m: int, drop: float, level: float, error: float) -> int | None:
    """Where the curve jumps up by more than half the drop, and than noise does, and ends at or below the level before the boundary."""
    w = max(min(m, 40), 8)
    rest = c.y[boundary:]
    if len(rest) < 2 * w + 5:
        return None
    run = rolling_median(rest, w)
    jump = run[2 * w - 1 :] - run[w - 1 : -w]
    best = int(jump.argmax())
    further = run[best + 2 * w - 1 : best + 3 * w]
    if len(further) > w // 2 and float(further[-1] - further[0]) > 0.5 * float(jump[best]) * len(further) / w:
        return None  # it goes on rising as it did: no way back to a trend
    noise = c.p.dip_back_errors * _TWO_MEDIANS * spread(rest) / sqrt(w) * c.factor
    if jump[best] < max(0.5 * drop, noise) or run[best + 2 * w - 1] > level + 2 * error + 0.02 * max(abs(level), 1.0):
        return None
    return boundary + best + step_place(rest[best : best + 2 * w])


def keeps_level(c: Curve, e: Excursion) -> bool:
    """Whether a rise is a step that keeps its distance to the trend before it: it has no peak and does not wear off."""
    stop = len(c.y) if e.end is None else e.end
    w = min((stop - e.start) // 4, 100)
    before = slice(max(c.skip, e.start - 400), e.start)
    if w < 8 or e.start - before.start < 15:
        return False
    slope, level = line(c.learning[before], c.y[before])
    onward = slice(e.start, stop + 2 * (stop - e.start))
    above = c.y[onward] - level - min(slope, 0.0) * c.learning[onward]
    over, behind = np.split(above, [stop - e.start])
    first, last = float(np.median(over[3 : 3 + w])), float(np.median(over[-w:]))
    noise = NORMAL * float(np.median(np.abs(over - np.median(over))))
    peaked = float(rolling_median(over[:w], 3)[2:].max()) > max(1.5 * first, first + 3 * noise)
    fades = len(behind) >= w and (
        float(np.median(behind[-w:])) < 0.6 * first or float(rolling_median(behind, w)[w - 1 :].min()) < 0.3 * first
    )
    return 0.8 * first < last < 1.6 * first and not peaked and not fades and c.relative(first, e.base) < 0.6
