"""Stretches that stand out of a trailing median: screened with array arithmetic, followed to their end, weighed against the noise."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from logsift.derive.series.curve import Curve, Excursion
from logsift.derive.series.robust import Tail, block_medians, innovations, rolling_median, spread, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def excursions(c: Curve) -> list[Excursion]:
    """Stretches above the level that are no noise, at every resolution."""
    found = of_points(c)
    for size in c.p.blocks:
        found = merged(found, of_blocks(c, size))
    found = joined(found)
    found += [e for e in lone(c) if not any(o.reaches(e.start, 3) for o in found)]
    return sorted(found, key=lambda e: e.start)


def joined(found: Sequence[Excursion]) -> list[Excursion]:
    """Excursions that begin where another ends are one: it only seemed to be over, beside so high a peak."""
    out: list[Excursion] = []
    for e in sorted(found, key=lambda e: e.start):
        last = out[-1] if out else None
        if last is not None and last.end is not None and e.start <= last.end + 1:
            high, low = (last, e) if last.top >= e.top else (e, last)
            out[-1] = replace(
                high, start=last.start, end=e.end, base=last.base, after=e.after, sigmas=max(high.sigmas, low.sigmas)
            )
        else:
            out.append(e)
    return out


def of_points(c: Curve) -> list[Excursion]:
    """Excursions of a curve as it is."""
    candidates = list(_candidates(c))
    if not candidates:
        return []
    level, sigma = c.noise
    fresh = np.concatenate([[0.0], innovations((c.y - level) / sigma, c.correlation)])
    noise = np.ones(len(fresh), bool)
    noise[: c.skip] = False
    rises = [_foot(c, e, fresh) for e in candidates]
    for e, foot in zip(candidates, rises, strict=True):
        if e.length(c) * c.grain > c.p.own:
            noise[foot : e.end] = False
    every = Tail.of(fresh[noise])
    out = []
    for e, foot in zip(candidates, rises, strict=True):
        others = every.without(fresh[foot : e.end]) if noise[foot] else every
        if _stands_out(c, e, foot, others):
            out.append(e)
    return out


def _foot(c: Curve, e: Excursion, fresh: Floats) -> int:
    """Where the way up begins: an average is on it before it stands out."""
    foot = e.start
    while foot > max(e.start - c.p.rise, c.skip, 1) and fresh[foot - 1] > c.p.rise_sigma:
        foot -= 1
    return foot


def _stands_out(c: Curve, e: Excursion, foot: int, others: Tail) -> bool:
    """Whether the noise of the curve would hardly ever bring forth the first points of an excursion; of an average, its way up."""
    (level, sigma), n = c.noise, len(c.y)
    first, stop = (foot, max(e.peak + 1, foot + 3)) if c.smoothed else (e.start, e.end)
    before = (c.y[first - 1] - level[first - 1]) / sigma[e.start]
    heights = (c.y[first:stop][: c.p.judged] - e.base) / sigma[e.start]
    chances = others.chance(innovations(np.concatenate([[before], heights]), c.correlation))
    if (c.smoothed or c.grain > 1) and chances.min() * n > c.p.step_chance:
        return False
    return together(chances, min(max(c.p.hard[0], 1 / n), c.p.hard[1])) * n < c.p.chance


def _candidates(c: Curve) -> Iterator[Excursion]:
    """High enough and long enough, whatever the noise may be."""
    level, sigma = c.noise
    free = c.skip
    for i in screen(c).tolist():
        if i < free:
            continue
        e = follow(c, i, float(level[i]), float(sigma[i]))
        if c.relative(e.height, e.base) < c.p.least_height * c.factor:
            continue
        yield e
        if e.end is None:
            return
        free = e.end


def screen(c: Curve) -> Ints:
    """Points where an excursion may begin; medians of blocks may stand alone."""
    level, sigma = c.noise
    z = (c.y - level) / sigma
    high = z > c.p.onset_again * c.factor
    if not high.any():
        return np.empty(0, np.int64)
    followed = np.concatenate([high[1:], [False]]) | np.concatenate([high[2:], [False, False]])
    onset = c.p.onset if c.grain == 1 else c.p.block_onset
    hit = (z > onset * c.factor) & (followed | (c.grain > 1))
    hit[: c.skip] = False
    return np.flatnonzero(hit)


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
    peak = start + int(stretch.argmax())
    behind = y[start:][-max(min(n - start, c.window // 2), 1) :] if end is None else y[stop : stop + c.window]
    after = float(np.median(behind)) if len(behind) else base
    height = float(y[peak]) - base
    end = None if end is None else stop
    return Excursion("rise", start, peak, end, base, float(y[peak]), after, height / sigma, height, c.grain)


def _end(c: Curve, part: Floats, base: float, sigma: float) -> int | None:
    """Index of the first point behind the peak where a running median has come back."""
    k = min(max(c.window // 10, 3), 9) | 1
    limit = base + np.maximum(c.p.back_sigma * sigma, c.p.back * (np.maximum.accumulate(part) - base))
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


def wears_off(c: Curve, e: Excursion) -> int | None:
    """Where nothing of a rise is left: the first long median at the level before it. It is over (`end`) long before."""
    if e.kind != "rise" or e.end is None:
        return None
    k = max(c.window // 3, 3) | 1
    rest = rolling_median(c.y[e.peak :], k)[k - 1 :]
    at = np.flatnonzero(rest <= e.base)
    return max(e.peak + k - 1 + int(at[0]), e.end) if len(at) else None


def of_blocks(c: Curve, size: int) -> list[Excursion]:
    """Excursions of the medians of `size` points, in the points of the curve."""
    n = len(c.y)
    if n < 30 * size:
        return []
    y = block_medians(c.y, size)
    coarse = replace(c, x=c.x[: len(y) * size : size], y=y, skip=ceil(c.skip / size), grain=size)
    out = []
    for e in of_points(coarse):
        start = max(e.start - 1, 0) * size
        end = None if e.end is None else min(e.end * size, n - 1)
        stretch = c.y[start:end]
        above = stretch > e.base + 0.5 * e.height
        two = np.flatnonzero(above[:-1] & above[1:])
        first = start + (int(two[0]) if len(two) else size)
        peak = max(start + int(stretch.argmax()), first)
        out.append(replace(e, start=first, peak=peak, end=end, top=max(float(stretch.max()), e.top)))
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
            (inf if o.end is None else o.end - o.start) * 2 < end - e.start and e.height > 0.5 * o.height for o in over
        ):
            out = [o for o in out if o not in over]
            first = min(over, key=lambda o: o.start)
            out.append(replace(e, start=min(first.start, e.start), sigmas=max(first.sigmas, e.sigmas)))
    return sorted(out, key=lambda e: e.start)


def _heights(c: Curve) -> Floats:
    level, sigma = c.noise
    return (c.y - level) / np.minimum(sigma, max(spread(c.y[c.skip :]), c.p.floor))


def _alone(c: Curve, heights: Floats) -> Ints:
    """Points at least twice as high as both their neighbours."""
    inner = np.arange(max(c.skip, 1), len(c.y) - 1)
    return inner[heights[inner] > 2 * np.maximum(np.maximum(heights[inner - 1], heights[inner + 1]), 0)]


def _point(c: Curve, kind: str, i: int, sigmas: float) -> Excursion:
    base, top, after = float(c.noise[0][i]), float(c.y[i]), float(c.y[i + 1])
    return Excursion(kind, i, i, i + 1, base, top, after, sigmas, top - base)


def outliers(c: Curve) -> list[Excursion]:
    """The highest lone points: hard batches, worth a remark at most."""
    if len(c.y) < c.p.few:
        return []
    heights = _heights(c)
    alone = _alone(c, heights)
    far = heights[alone] > c.p.outlier_onset * c.factor
    high = np.asarray([c.relative(float(c.y[i] - c.noise[0][i]), float(c.noise[0][i])) for i in alone[far]])
    found = alone[far][high > c.p.outlier_height * c.factor] if far.any() else alone[far]
    highest = np.sort(found[np.argsort(-heights[found])][: c.p.outliers])
    return [_point(c, "outlier", i, float(heights[i])) for i in highest.tolist()]


def lone(c: Curve) -> list[Excursion]:
    """Single points that stand for many steps and out of everything else the curve does."""
    n = len(c.y)
    if n < c.p.few or float(np.median(np.diff(c.x))) <= 1:
        return []
    level, _ = c.noise
    heights = _heights(c)
    alone = _alone(c, heights)
    third = float(np.sort(heights[alone])[-3]) if len(alone) > 2 else 0.0
    out = []
    for i in alone[heights[alone] > max(c.p.lone_onset * c.factor, c.p.lone_ratio * third)].tolist():
        height = float(c.y[i] - level[i])
        rare = Tail.of(np.delete(heights, i)[c.skip :]).chance(heights[i : i + 1])[0] * n < c.p.lone_chance
        if rare and c.relative(height, float(level[i])) > c.p.lone_height * c.factor:
            out.append(_point(c, "lone", i, float(heights[i])))
    return out if len(out) <= 2 else []


def two_above(c: Curve, earlier: int, jump: float, times: float) -> Excursion | None:
    """The first two neighbours that are far above everything of the last points before them, by so many times half its range."""
    for i in range(max(earlier, c.skip), len(c.y) - 1):
        before = c.y[i - earlier : i]
        base, ceiling = float(np.median(before)), float(before.max())
        both = min(float(c.y[i]), float(c.y[i + 1]))
        high = c.relative(both - ceiling, base) > jump * c.factor
        if high and both - base > times * max(float(before.max() - before.min()) / 2, c.p.floor):
            return follow(c, i, base, max(spread(before), c.p.floor))
    return None


def of_few(c: Curve) -> list[Excursion]:
    """A short series: neighbours far above everything of the last eight points before them, or all the rest far above all before.

    Where it was falling steeply: above all before, and far above the last three.
    """
    sudden = two_above(c, 8, c.p.few_jump, 4)
    if sudden is not None:
        return [sudden]
    for i in range(2, len(c.y) - 3):
        before, after = c.y[max(i - 8, 0) : i], c.y[i:]
        base, gap = float(np.median(before)), float(after.min() - before.max())
        far = c.relative(gap, base) > c.p.few_gap * c.factor
        near = c.y[max(i - 3, 0) : i]
        step = float(after.min() - near.max())
        falls = (
            gap > 0
            and i > 3
            and c.relative(step, base) > c.p.few_gap * c.factor
            and step > 4 * float(near.max() - near.min())
        )
        if c.logarithmic and (falls or (far and gap > 4 * float(before.max() - before.min()))):
            return [follow(c, i, base, max(spread(before), c.p.floor))]
    return last_jump(c) or end_apart(c)


def end_apart(c: Curve) -> list[Excursion]:
    """The end of a short series, where it climbs with every point to above all before, or keeps above all before from a point on."""
    if not (c.logarithmic or bool((c.y > 0).all())):
        return []
    y, p = c.y if c.logarithmic else np.log(c.y), c.p
    for i in range(p.end_before, len(y) - 2):
        before, near, after = y[:i], y[max(i - 8, 0) : i], y[i:]
        base, apart = float(np.median(near)), float(near.max() - near.min())
        high, long = float(np.median(after)) - base, c.logarithmic and i >= 8
        climbs = (
            long and float(np.diff(y[i - 1 :]).min()) > p.end_climb and float(after[-1] - near.max()) > p.end_climbed
        )
        stays = long and len(after) > 3 and high > max(p.end_height, p.end_times * apart)
        stays = stays or high > max(p.end_height, p.end_clear * max(apart, p.floor))
        if (climbs or stays) and float((after[-1] if climbs else after.min()) - before.max()) > p.end_gap:
            level = c.y[max(i - 8, 0) : i]
            e = follow(c, i, float(np.median(level)), max(spread(level), p.floor * c.scale))
            return [replace(e, kind="trend", after=float(c.y[-1])) if climbs else e]
    return []


def blown_up(c: Curve) -> list[Excursion]:
    """Of a handful of points: the first that, with all behind it, is out of all proportion to those before."""
    if not c.logarithmic or len(c.y) < c.p.fewest_blown:
        return []
    for i in range(1, len(c.y) - 1):
        before, after = c.y[:i], c.y[i:]
        least = c.p.blown if i > 1 else c.p.blown_at_once
        if float(after.min() - before.max()) > max(least, 2 * float(before.max() - before.min())):
            return [follow(c, i, float(np.median(before)), max(spread(before), c.p.floor))]
    return []


def early_burst(c: Curve) -> list[Excursion]:
    """In what is otherwise left out at the start: two neighbours out of all proportion to the points before them, above even the first."""
    k, least = c.p.early_burst
    y = c.y[: c.skip + 1]
    if not c.logarithmic or len(y) < k + 2:
        return []
    both, ceiling = np.minimum(y[k:-1], y[k + 1 :]), sliding_window_view(y[:-2], k).max(axis=1)
    for i in (k + np.flatnonzero(both - ceiling > least)).tolist():
        e = follow(c, i, float(np.median(y[i - k : i])), max(spread(y[i - k : i]), c.p.floor))
        if e.top > float(y[:3].max()):
            return [e]
    return []


def early_jump(c: Curve) -> list[Excursion]:
    """Where the curve leaves its beginning for good, before there is a level to compare with: for one far above it, or a flat line."""
    n, k = len(c.y), c.p.early_before
    stop = min(n // 4, n - c.p.early_after)
    if not c.logarithmic or stop <= k:
        return []
    lowest, highest = np.minimum.accumulate(c.y[::-1])[::-1][k:stop], np.maximum.accumulate(c.y[: stop - 1])[k - 1 :]
    near = sliding_window_view(c.y[: stop - 1], k).max(axis=1)
    for i in (k + np.flatnonzero(lowest - near > c.p.early_dead)).tolist():
        rest = c.y[i + 1 :]
        low, high = np.quantile(rest, (0.05, 0.95))
        if high - low < 2 * c.p.early_flat or lowest[i - k] - highest[i - k] > c.p.early_gap:
            return [follow(c, i, float(np.median(c.y[i - k : i])), max(spread(c.y[:i]), c.p.floor))]
    return []


def last_jump(c: Curve) -> list[Excursion]:
    """The very last points, up to three, where they are out of all proportion to everything before: little behind it can confirm it."""
    if not (c.logarithmic or bool((c.y > 0).all())):
        return []
    y = c.y if c.logarithmic else np.log(c.y)
    least, times = c.p.last_clear
    for i in range(max(len(y) - 3, c.p.last_before), len(y)):
        before = y[:i][-50:]
        gap, apart = float(y[i:].min() - before.max()), float(before.max() - before.min())
        if gap < max(c.p.last_gap, 2 * apart) and gap < max(least, times * apart):
            continue
        base, top = float(np.median(c.y[:i][-50:])), float(c.y[i:].max())
        sigmas = (top - base) / max(spread(c.y[:i][-50:]), c.p.floor * (1.0 if c.logarithmic else base))
        peak = i + int(c.y[i:].argmax())
        return [Excursion("rise", i, peak, None, base, top, float(c.y[-1]), sigmas, top - base)]
    return []
