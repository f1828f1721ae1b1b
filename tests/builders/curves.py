"""Training curves to order: a trend, a kind of noise, and a fault of a given size at a given place.

Sizes are in standard deviations of the noise of one point (robust), heights of creeping rises in percent. Values are losses (not logarithms).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NOISE = ("normal", "heavy", "hard batches", "smoothed", "wandering", "skewed")
FAULTS = ("fast spike", "slow spike", "unrecovered spike", "resume spike", "repeated data", "level shift", "divergence")


@dataclass(frozen=True)
class Made:
    """A curve, where its fault begins and ends, and where it was restarted."""

    x: Floats
    y: Floats
    start: int | None = None
    end: int | None = None
    boundary: int | None = None


def noise(kind: str, n: int, sigma: float, rng: np.random.Generator) -> Floats:
    e = rng.normal(0, sigma, n)
    if kind == "heavy":
        return rng.standard_t(4, n) * sigma
    if kind == "hard batches":
        hard = rng.random(n) < 0.003
        return e + np.where(hard, rng.exponential(12 * sigma, n), 0)
    if kind == "smoothed":
        return _filtered(e * 3, 0.9)
    if kind == "wandering":
        slow = _filtered(rng.normal(0, sigma, n), 0.98)
        return e + slow / max(float(slow.std()), 1e-9) * sigma * 0.5
    if kind == "skewed":
        return rng.gumbel(0, sigma * 0.8, n)
    return e


def _filtered(e: Floats, keep: float) -> Floats:
    """An exponential moving average."""
    k = min(len(e), 400)
    weights = (1 - keep) * keep ** np.arange(k)
    return np.convolve(e, weights)[: len(e)]


def clean(
    n: int,
    kind: str,
    rng: np.random.Generator,
    *,
    sigma: float = 0.02,
    interval: int = 1,
    drop: bool = False,
    start: float = 5.0,
) -> Made:
    """A power law with noise; `drop`: the rate falls to a tenth at 60 % and the loss with it."""
    x = np.arange(1, n + 1, dtype=np.float64) * interval
    trend = 2.0 + start * (1 + np.arange(n) / max(n / 200, 1)) ** -0.5
    if drop:
        trend[int(0.6 * n) :] *= 0.93
    return Made(x, trend * np.exp(noise(kind, n, sigma, rng)))


def faulty(
    n: int, kind: str, fault: str, size: float, rng: np.random.Generator, *, sigma: float = 0.02, interval: int = 1
) -> Made:
    """A clean curve with one fault between 30 % and 70 % of its length."""
    made = clean(n, kind, rng, sigma=sigma, interval=interval)
    base = clean(n, "normal", rng, sigma=0.0, interval=interval).y
    at = int(rng.integers(int(0.3 * n), int(0.7 * n)))
    height = size * sigma
    bump, end, boundary = np.zeros(n), None, None
    if fault == "fast spike":
        length = int(rng.integers(3, 10))
        bump[at : at + length] = height * np.linspace(1, 0.4, length)
        end = at + length
    elif fault == "slow spike":
        bump[at:] = height * np.exp(-np.arange(n - at) / (0.05 * n))
        end = at + int(0.05 * n * np.log(height / 0.02)) if height > 0.02 else at
    elif fault == "unrecovered spike":
        bump[at:] = height * (0.35 + 0.65 * np.exp(-np.arange(n - at) / (0.02 * n)))
    elif fault == "resume spike":
        bump[at:] = height * np.exp(-np.arange(n - at) / (0.03 * n))
        boundary = at
    elif fault == "repeated data":
        end = min(at + int(0.2 * n), n)
        bump[at:end] = -height
        boundary = at
    elif fault == "level shift":
        bump[at:] = height
    elif fault == "divergence":
        bump[at:] = np.log(1 + size / 100) * np.linspace(0, 1, n - at)
        bump[at:] += np.log(base[at] / base[at:])
    else:
        raise ValueError(fault)
    if kind == "smoothed":  # who prints averages averages the fault as well; its size is what can be seen of it
        seen = _filtered(bump, 0.9)
        bump = seen * (float(np.abs(bump).max()) / float(np.abs(seen).max()))
    return Made(made.x, made.y * np.exp(bump), at, end, boundary)
