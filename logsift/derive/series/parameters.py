"""Every number the search over series depends on, with its reason.

"Measured" means: on public training curves and on injected faults (tests/benchmarks/series.py prints the tables anew).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameters:
    """Lengths are in points, heights in standard deviations of the noise (sigma) or in shares of the level."""

    few: int = 25
    """Below this many points no spread can be estimated: only ranks and large jumps are looked at."""
    linear_factor: float = 1.6
    """Series around zero have no logarithm and no floor of their own; their tails are heavier: thresholds grow by this."""

    near_zero: float = 0.05
    exploded: float = 1e5
    """A loss whose median is below `near_zero` is next to nothing, and its noise is no share of it - unless it rises by more than `exploded`
    times the median: the way down from there looks like the way back on any other scale."""

    # --- level and noise
    window_share: float = 1 / 8
    window: tuple[int, int] = (12, 100)
    """Points of the trailing window. Shorter than 12: a median of noise; longer than 100: the trend of the curve gets into it."""
    floor: float = 0.004
    """Spread is never taken for less than this share of the level: logs print 3-4 digits, and a MAD can be 0 then."""
    quiet: float = 0.5
    quiet_smoothed: float = 0.9
    """... nor for less than this share of what is usual in the curve: the first windows hold few points, and windows of averages or medians hardly any
    that are independent."""
    autocorrelated: float = 0.5
    """Above this lag-1 correlation a curve is smoothed (printed averages) and differences understate its spread."""
    big: int = 20_000
    big_block: int = 16
    """From `big` points on level and noise are taken per block of so many: 20 times faster, the same to 1 %."""

    # --- excursions
    onset: float = 5.0
    onset_again: float = 3.5
    """An excursion begins with a point above `onset` and two of three above `onset_again`: a lone point is a hard batch."""
    chance: float = 0.00005
    """How often the curve's own noise may bring forth such an excursion, per curve."""
    step_chance: float = 1.5
    """... and where neighbours hang together (averages, medians of blocks) at least one step of it no more than so often."""
    hard: tuple[float, float] = (0.0001, 0.0015)
    """Some batches are hard, however hard they be: they are taken to come as often as one in all the points there are, within this range."""
    judged: int = 10
    """So many points of an excursion are weighed against the noise: were it all of them, any slow drift would become certain."""
    rise: int = 5
    rise_sigma: float = 2.0
    """Up to so many points before it, each adding so much to the one before, are its way up and no noise that it is measured by."""
    own: int = 4
    """Excursions of no more points belong to the noise that others are measured by: hard batches come in pairs."""
    least_height: float = 0.04
    """An excursion lower than this (share of the level) harms nobody."""
    back: float = 0.07
    back_sigma: float = 2.0
    """Over when a running median is back within this share of the peak's height, or this many sigma."""
    blocks: tuple[int, ...] = (5, 15)
    block_onset: float = 6.0
    """The same search over medians of so many points: excursions that are long and low (a resume without its optimizer state)."""
    lone_onset: float = 8.0
    lone_height: float = 0.5
    lone_ratio: float = 1.8
    lone_chance: float = 0.01
    """A single point counts only where it stands for many steps, and far above every other lone outlier of the curve."""
    outlier_onset: float = 10.0
    outlier_height: float = 0.15
    outliers: int = 5
    """So many of the highest lone points are named, where they are worth a remark."""

    # --- new levels
    shift_window: tuple[int, int] = (20, 100)
    shift_errors: float = 5.0
    shift_typical: float = 2.8
    shift_typical_long: float = 4.0
    shift_height: float = 0.03
    """A level shift: adjacent long medians differ by more than so many standard errors and by more than so many MADs of all such
    differences of this curve."""
    off_trend_step: float = 4.5
    off_trend_typical: float = 2.0
    off_trend_errors: float = 5.5
    off_trend_height: float = 0.06
    """... or by a little less, where the curve keeps this distance to the line through the points before, to its end."""
    trend_errors: float = 6.0
    trend_height: float = 0.03
    trend_order: float = 0.5
    """A creeping rise: the last tenth stands so many standard errors and this share above the lowest tenth, and the tenths in
    between mostly rise (Kendall)."""
    few_order: float = 0.7
    few_chance: float = 0.005
    few_height: float = 0.08
    few_jump: float = 0.35
    """Rank rules of short series: a rise is one where noise would bring forth its order no more than this often. The lowest point does not
    count as lower than all that follow: it was chosen for that."""
    short: int = 150
    short_before: int = 16
    short_jump: float = 0.4
    short_times: float = 6.0
    """Below so many points a steep start and a single excursion spoil every estimate of the noise: two neighbours half as high again as
    all of the last sixteen points, and by six times half their range, need none."""
    fewest: int = 6
    fewest_blown: int = 4
    blown: float = 3.0
    blown_at_once: float = 7.0
    """Shorter logs tell nothing - but that all of the rest, two points at least, is twenty times as high as all the points before; or, where
    there is one only, a thousand times."""
    few_gap: float = 0.65
    """Below eight points before a jump: nearly twice as high, and by four times what the points before differ among themselves."""
    last_before: int = 6
    last_gap: float = 3.0
    last_clear: tuple[float, float] = (0.9, 8.0)
    """A jump at the very last point, which may be a hard batch: twenty times as high as all before; or two and a half times, and by eight times
    what all before differ among themselves."""
    early_burst: tuple[int, float] = (6, 3.0)
    """Before there is a level to compare with: two neighbours, both twenty times as high as each of the six points before them."""
    early_before: int = 3
    early_after: int = 30
    early_gap: float = 0.9
    early_dead: float = 0.15
    early_flat: float = 0.01
    """A beginning that is left for good within the first quarter, from one point to the next: all of the rest is two and a half times as high as
    all before; or the rest is a flat line, which a model gives that has died, and all of it an eighth above the last three points before."""

    end_climb: float = 0.2
    end_climbed: float = 1.0
    end_height: float = 0.4
    end_times: float = 1.2
    end_gap: float = 0.12
    """The end of a short series: three points or more, each a fifth above the one before it, to nearly three times the highest of the eight
    before them; or four or more, half as high again as those eight, by more than these differ. Both end an eighth above everything before."""
    end_before: int = 5
    end_clear: float = 40.0
    """... or three behind five that hardly differ: by so many times what those do."""

    # --- restarts
    dip_windows: tuple[int, ...] = (20, 60, 150)
    dip_errors: float = 3.5
    dip_height: float = 0.015
    dip_back_errors: float = 3.5
    """A dip after a boundary: the median of so many points lies below the line through the points before it; where it ends the curve jumps
    up by so many standard errors."""
    dip_bends: float = 3.0
    """... and by so many times what the curve had left that line by before the boundary."""
    boundary_points: int = 6
    """An excursion that begins within so many points (or an eighth of the window) after a boundary belongs to it."""
    gap: float = 2.5
    """Points may be missing: a run goes on where the next step is at most so many intervals away."""
    again: float = 0.02
    """A series that goes back to below this share of its last step began anew."""
    astray: float = 0.02
    """Up to this share of the rows may bear a spoilt step number (a broken line, two writers in one); more are another writer's."""
    twin_rows: int = 64
    twin_apart: float = 0.25
    twin_steps: float = 0.5
    twin_share: float = 0.01
    twin_noise: float = 0.1
    """Two writers of one run (the first ranks of two hosts) repeat half of the steps and more within so many rows, most of them within this share of
    all steps, with values that differ by no more than this share of the value, or of what usually lies between two steps."""
    copy: float = 0.8
    """More than this share of the repeated steps with equal values: the text is there twice."""


DEFAULT = Parameters()
