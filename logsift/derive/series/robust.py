"""Statistics that outliers cannot bend, each with its source. Tested against numpy, scipy and brute force in tests/test_series.py."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, exp, lgamma, log, sqrt
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NORMAL = 1.4826
"""MAD of a normal distribution x this = its standard deviation."""
MEDIAN_ERROR = 1.2533
"""Standard error of the median of w normal values = this x sigma / sqrt(w)."""


def spread(y: Floats) -> float:
    """Standard deviation of the noise of a trending series: MAD of its differences / sqrt 2 (Gasser et al. 1986, simplified)."""
    if len(y) < 3:
        return 0.0
    d = np.diff(y)
    return float(np.median(np.abs(d - np.median(d)))) * NORMAL / sqrt(2)


def rolling_median(y: Floats, window: int, *, centred: bool = False) -> Floats:
    """Median of the last `window` values (or of those around), of as many as there are at the ends."""
    return pl.Series(y).rolling_median(window, min_samples=1, center=centred).to_numpy()


def block_medians(y: Floats, size: int) -> Floats:
    """Medians of successive blocks of `size` values; what is left over at the end stays out."""
    return y if size == 1 else np.median(y[: len(y) // size * size].reshape(-1, size), axis=1)


def kendall(y: Floats) -> float:
    """Kendall's S over its maximum: +1 where every later value is higher (Mann 1945)."""
    if len(y) < 2:
        return 0.0
    s = np.sign(y[None, :] - y[:, None])
    return float(np.triu(s, 1).sum()) / (len(y) * (len(y) - 1) / 2)


def chance_of_order(y: Floats) -> float:
    """How often values in random order rise as consistently as these: the exact distribution of Kendall's S (Kendall 1938).

    Meant for some tens of values; equal neighbours count as half a step down.
    """
    n = len(y)
    falls = int(np.ceil((n * (n - 1) / 2) * (1 - kendall(y)) / 2))
    ways = np.ones(1)  # of n values in all orders, by the number of pairs that fall
    for k in range(2, n + 1):
        ways = np.convolve(ways, np.full(k, 1 / k))
    return float(ways[: falls + 1].sum())


def line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept of a robust line: Theil-Sen over medians of up to 30 blocks (Sen 1968)."""
    size = max(len(y) // 30, 1)
    a, b = block_medians(x, size), block_medians(y, size)
    i, j = np.triu_indices(len(b), 1)
    slope = float(np.median((b[j] - b[i]) / (a[j] - a[i]))) if len(b) > 1 else 0.0
    return slope, float(np.median(b - slope * a))


def correlation(y: Floats) -> float:
    """Lag-1 autocorrelation of the noise: residuals from a running median, without those beyond 4 sigma and what is next to them.

    A short running median takes the slow part of the noise for trend (0.9 reads as 0.72 with 25 points), a long one the trend for noise.
    A spike that wears off hangs together whatever the noise does: in a short curve it would make itself look like noise.
    """
    if len(y) < 50:
        return 0.0
    r = y - rolling_median(y, min(max(len(y) // 25, 25), 101), centred=True)
    inside = np.abs(r) <= 4 * NORMAL * float(np.median(np.abs(r)))
    both = inside[1:] & inside[:-1]
    power = float((r * r)[inside].sum())
    return float((r[1:] * r[:-1])[both].sum()) / power if power > 0 else 0.0


def step_place(y: Floats, margin: int = 1) -> int:
    """First index behind the largest step of a stretch: least squares with one change point (Hinkley 1970)."""
    total, k = np.cumsum(y), np.arange(1, len(y) + 1)
    gain = (total - k * total[-1] / len(y)) ** 2 / np.maximum(k * (len(y) - k), 1)
    return margin + int(gain[margin - 1 : -margin].argmax())


@dataclass(frozen=True, slots=True)
class Tail:
    """How rare a height is among the others of its curve: their own frequencies, and a Pareto tail beyond the highest.

    The index of the tail is Hill's (1975) with the median in place of the mean, so that a few excursions among the others do not
    make everything look common.
    """

    ordered: Floats
    index: float

    @classmethod
    def of(cls, heights: Floats) -> Tail:
        """Of heights in units of the noise, without those that are judged."""
        return cls._of(np.sort(heights))

    def without(self, heights: Floats) -> Tail:
        """The same without some of its own."""
        return self._of(np.delete(self.ordered, np.searchsorted(self.ordered, heights)))

    @classmethod
    def _of(cls, ordered: Floats) -> Tail:
        k = min(max(len(ordered) // 20, 10), max(len(ordered) // 100, 50))
        top = np.maximum(ordered[-k - 1 :], 0.5)
        return cls(ordered, max(log(float(np.median(top)) / float(top[0])) / log(2), 0.12) if len(top) > 1 else 1.0)

    def chance(self, heights: Floats) -> Floats:
        """Probability of a value at least as high, for each."""
        n = len(self.ordered)
        top = max(float(self.ordered[-1]), 1.0) if n else 1.0
        beyond = (np.maximum(heights, top) / top) ** (-1 / self.index)
        return (n - np.searchsorted(self.ordered, np.minimum(heights, top)) + 1) / (n + 1) * beyond


def together(chances: Floats, least: float = 1e-300) -> float:
    """Probability that independent events this rare meet: Fisher's method (1925), where none is taken to be rarer than `least`.

    The surprise of each, -ln p, is exponential and cut off at -ln least: the tail of their sum by inclusion and exclusion.
    """
    m, most = len(chances), -log(least)
    total = -float(np.log(np.maximum(chances, least)).sum()) * (1 - 1e-12)
    if total <= 0:
        return 1.0

    def below(r: int, t: float) -> float:
        """So many of them reach a sum, none being cut off."""
        if r == 0:
            return float(t <= 0)
        return sum((1 - k % 2 * 2) * comb(r, k) * _gamma_tail(r, t - k * most, k * most) for k in range(r + 1))

    return min(max(sum(comb(m, j) * least**j * below(m - j, total - j * most) for j in range(m + 1)), 0.0), 1.0)


def _gamma_tail(r: int, t: float, more: float) -> float:
    """exp(-more) x the probability that r exponential values sum up to t."""
    if t <= 0:
        return exp(-more)
    return sum(exp(i * log(t) - t - more - lgamma(i + 1)) for i in range(r))


def innovations(heights: Floats, correlation: float) -> Floats:
    """What each value adds to what the one before it let expect, in its own units: independent where values are averages (AR(1))."""
    r = min(max(correlation, 0.0), 0.95)
    return (heights[1:] - r * heights[:-1]) / sqrt(1 - r * r)
