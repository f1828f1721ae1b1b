"""Everything that stands out of one curve, told apart by its shape."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from logsift.derive.series.excursions import blown_up, early_burst, early_jump, excursions, last_jump, of_few, two_above
from logsift.derive.series.levels import dip_of, keeps_level, shift_of, trend_of
from logsift.derive.series.robust import MEDIAN_ERROR, rolling_median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.derive.series.curve import Curve, Excursion


def search(c: Curve, boundaries: Sequence[int] = ()) -> list[Excursion]:
    """Everything that stands out of a curve; `boundaries` are points that come first after a restart."""
    n = len(c.y)
    if n < c.p.fewest:
        return blown_up(c)
    if n < c.p.few:
        few, trend = of_few(c), trend_of(c) if n >= 8 else None
        return few or [e for e in [trend] if e is not None] or blown_up(c)
    dips = [d for b in boundaries if (d := dip_of(c, b)) is not None]
    found = [_named(c, e) for e in excursions(c)]
    if not found and n < c.p.short and (sudden := two_above(c, c.p.short_before, c.p.short_jump, c.p.short_times)):
        found = [_named(c, sudden)]
    if not found and (burst := early_burst(c)):
        found = burst
    if not any(e.end is None for e in found) and (early := early_jump(c)):
        found = early
    if not any(e.end is None for e in found):
        shift, trend = shift_of(c), trend_of(c)
        if shift is not None and any(e.reaches(shift.start, c.window) for e in found):
            shift = None
        if shift is not None and trend is not None:
            # A step explains the whole rise, or it is the steepest part of a long one.
            shift, trend = (shift, None) if trend.height < 1.5 * shift.height else (None, trend)
        found += [e for e in (shift, trend) if e is not None]
    if not any(e.end is None for e in found):
        found += last_jump(c)
    return [*dips, *sorted(found, key=lambda e: e.start)]


def _named(c: Curve, e: Excursion) -> Excursion:
    """Tell by its shape what a rise is: a creeping one, a new level, or a spike."""
    if e.kind != "rise":
        return e
    if e.end is None and _creeps(c, e):
        return replace(e, kind="trend")
    if not keeps_level(c, e):
        return e
    return replace(e, kind="shift", end=None, after=float(np.median(c.y[e.start :][: c.window])))


def _creeps(c: Curve, e: Excursion) -> bool:
    """A spike rises within a few points; a creeping rise takes many, or was on its way before it stood out."""
    final = e.after - e.base
    if final <= 0.05 * e.height:
        return False
    smooth = rolling_median(c.y[e.start :], 5 * e.grain)
    low, high = (np.flatnonzero(smooth > e.base + share * final) for share in (0.1, 0.6))
    points = int(high[0] - low[0]) if len(high) and len(low) else 0
    few = max(
        5.0, 2 / (1 - c.correlation) if c.smoothed else 0.0, 0.08 * e.length(c)
    )  # an average needs its time to rise
    w = max(c.window // 2, 5)
    earlier = rolling_median(c.y[c.skip : e.start], w)[w - 1 :]
    climbed = e.base - float(earlier.min()) if len(earlier) else 0.0
    error = MEDIAN_ERROR * e.height / e.sigmas / sqrt(w)
    return points >= few or climbed > max(0.25 * (final + climbed), 4 * error)
