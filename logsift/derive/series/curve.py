"""A curve ready to be searched, its level and noise at every point, and what is found in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from logsift.derive.series.parameters import DEFAULT, Parameters
from logsift.derive.series.robust import NORMAL, block_medians, correlation, rolling_median

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Excursion:
    """A stretch that stands out. Indices are points of the curve; heights are shares of the level (logarithms) or values."""

    kind: str
    start: int
    peak: int
    end: int | None
    """First point behind it; None where it lasts to the end of the curve."""
    base: float
    top: float
    after: float
    """Level behind it, or at the end of the curve."""
    sigmas: float
    height: float
    grain: int = 1
    """It was found in medians of so many points."""

    def length(self, c: Curve) -> int:
        """How many points it lasts."""
        return (len(c.y) if self.end is None else self.end) - self.start

    def reaches(self, place: int, slack: int = 0) -> bool:
        """Whether a place lies within it, or nearly."""
        return self.start - slack <= place and (self.end is None or place <= self.end + slack)


@dataclass(frozen=True)
class Curve:
    """The finite points of a run."""

    x: Floats
    y: Floats
    """Logarithms where the values allow it."""
    logarithmic: bool
    skip: int
    """Points at the start that are not looked at."""
    p: Parameters
    grain: int = 1
    """How many logged points a point of this curve is the median of."""

    @property
    def window(self) -> int:
        """Points of the trailing window."""
        return int(min(max(len(self.y) * self.p.window_share, self.p.window[0]), self.p.window[1]))

    @property
    def factor(self) -> float:
        """What the thresholds grow by."""
        return 1.0 if self.logarithmic else self.p.linear_factor

    @cached_property
    def scale(self) -> float:
        """What a share of the level refers to; on the logarithmic scale heights are shares already."""
        return 1.0 if self.logarithmic else float(np.median(np.abs(self.y)))

    @cached_property
    def correlation(self) -> float:
        """How much neighbouring points hang together."""
        return correlation(self.y[self.skip :][:20_000])

    @cached_property
    def learning(self) -> Floats:
        """The logarithm of the step, along which a loss falls nearly straight: a line over it does not promise too much."""
        return np.asarray(np.log(np.maximum(self.x - self.x[0] + self.x[1] - self.x[0], 1e-9)))

    @cached_property
    def noise(self) -> tuple[Floats, Floats]:
        """Level and spread at every point, from the points before it only: trailing median, MAD of differences or of residuals."""
        size = self.p.big_block if len(self.y) >= self.p.big else 1
        middle, w = block_medians(self.y, size), max(self.window // size, 6)
        if size == 1:
            level = _before(rolling_median(self.y, max(w // 2, 4)))
            steps, away = np.abs(np.diff(self.y, prepend=self.y[:1])), np.abs(self.y - level)
        else:
            level = _before(rolling_median(middle, w // 2))
            whole = self.y[: len(middle) * size].reshape(-1, size)
            steps, away = np.median(np.abs(np.diff(whole)), axis=1), np.median(np.abs(whole - level[:, None]), axis=1)
        w *= 4 if size > 1 else 1  # medians of medians are rough
        wide = _before(rolling_median(away, w)) * NORMAL
        steps = wide if self.smoothed else _before(rolling_median(steps, w)) * NORMAL / sqrt(2)
        sigma = np.maximum(np.minimum(steps, wide), wide / 2)
        # The first windows hold few points and a run of equal ones none at all: nothing is quieter than half the usual.
        usual = float(np.median(sigma[self.skip // size :]))
        floor = self.p.floor * (1.0 if self.logarithmic else np.maximum(np.abs(level), self.scale))
        sigma = np.maximum(
            np.maximum(sigma, (self.p.quiet_smoothed if self.smoothed or self.grain > 1 else self.p.quiet) * usual),
            np.maximum(floor, 1e-12),
        )
        at = np.minimum(np.arange(len(self.y)) // size, len(level) - 1) if size > 1 else slice(None)
        return level[at], sigma[at]

    @property
    def smoothed(self) -> bool:
        """True where the points are printed averages."""
        return self.correlation > self.p.autocorrelated

    def value(self, y: float) -> float:
        """Back from the scale of `y` to that of the values."""
        return float(np.exp(y)) if self.logarithmic else float(y)

    def relative(self, height: float, base: float) -> float:
        """A height as a share of the level."""
        return height if self.logarithmic else height / max(abs(base), self.scale, 1e-12)


def _has_orders(values: Floats, p: Parameters) -> bool:
    """Whether a curve is read on the logarithmic scale: not near zero, or far above all of itself behind its beginning."""
    level = float(np.median(values))
    return level > p.near_zero or float(values[len(values) // 10 :].max()) > p.exploded * level


def curve_of(x: Floats, values: Floats, *, driver: Floats | None = None, p: Parameters = DEFAULT) -> Curve:
    """A curve of finite values; `driver` is a series that rises while the curve warms up (a learning rate)."""
    logarithmic = bool(len(values)) and bool((values > 0).all()) and _has_orders(values, p)
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


def _before(y: Floats) -> Floats:
    return np.concatenate([y[:1], y[:-1]])
