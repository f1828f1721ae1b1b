"""The search over series: each statistic against numpy, scipy or brute force; each pattern found; clean curves silent."""

from __future__ import annotations

import numpy as np
import pytest
from builders.curves import FAULTS, NOISE, clean, faulty
from scipy import stats

from logsift.derive.series import curve_of, dense_start, search, stitch
from logsift.derive.series.excursions import early_jump
from logsift.derive.series.robust import (
    MEDIAN_ERROR,
    Tail,
    block_medians,
    chance_of_order,
    correlation,
    innovations,
    kendall,
    line,
    rolling_median,
    spread,
    step_place,
    together,
)
from logsift.derive.series.rows import not_numbers
from logsift.derive.series.stitch import AGAIN, ASTRAY, DEAD, DOUBLE, LIVE


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- statistics -----------------------------------------------------------------------------------------------------


def test_spread_is_the_standard_deviation_of_normal_noise_whatever_the_trend() -> None:
    y = rng().normal(0, 0.3, 20_000) + np.linspace(50, 0, 20_000)
    assert spread(y) == pytest.approx(0.3, rel=0.03)
    by_hand = stats.median_abs_deviation(np.diff(y), scale="normal") / np.sqrt(2)
    assert spread(y) == pytest.approx(by_hand, rel=1e-3)


def test_rolling_median_is_the_median_of_the_last_values() -> None:
    y = rng().normal(size=300)
    want = [np.median(y[max(0, i - 10) : i + 1]) for i in range(300)]
    assert np.allclose(rolling_median(y, 11), want)


def test_block_medians_are_the_medians_of_blocks() -> None:
    y = rng().normal(size=103)
    assert np.allclose(block_medians(y, 10), [np.median(y[i : i + 10]) for i in range(0, 100, 10)])


def test_the_error_of_a_median() -> None:
    medians = np.median(rng().normal(0, 2.0, (4000, 101)), axis=1)
    assert medians.std() == pytest.approx(MEDIAN_ERROR * 2.0 / np.sqrt(101), rel=0.05)


def test_the_chance_of_an_order_agrees_with_scipy() -> None:
    for n in (5, 9, 20):
        y = rng(n).normal(size=n) + np.arange(n) * 0.2
        exact = stats.kendalltau(np.arange(n), y, method="exact", alternative="greater")
        assert chance_of_order(y) == pytest.approx(exact.pvalue)


def test_kendall_agrees_with_scipy() -> None:
    for seed in range(5):
        y = rng(seed).normal(size=40) + np.arange(40) * 0.05
        assert kendall(y) == pytest.approx(stats.kendalltau(np.arange(40), y).statistic, abs=1e-9)


def test_line_is_theil_sen() -> None:
    x = np.arange(30.0)
    y = 3 - 0.5 * x + rng().standard_t(2, 30)
    slope, intercept = line(x, y)
    assert slope == pytest.approx(stats.theilslopes(y, x).slope)
    assert intercept == pytest.approx(np.median(y - slope * x))


def test_correlation_of_averages() -> None:
    e = rng().normal(size=20_000)
    assert correlation(e) == pytest.approx(0.0, abs=0.03)
    y = np.zeros(20_000)
    for i in range(1, len(y)):
        y[i] = 0.8 * y[i - 1] + e[i]
    assert correlation(y) == pytest.approx(np.corrcoef(y[1:], y[:-1])[0, 1], abs=0.03)
    fresh = innovations(y, 0.8)
    assert np.corrcoef(fresh[1:], fresh[:-1])[0, 1] == pytest.approx(0.0, abs=0.03)
    assert fresh.std() == pytest.approx(y.std(), rel=0.03)


def test_step_place_is_where_two_means_fit_best() -> None:
    y = np.where(np.arange(60) < 23, 0.0, 1.0) + rng().normal(0, 0.3, 60)
    cost = [y[:k].var() * k + y[k:].var() * (60 - k) for k in range(1, 60)]
    assert step_place(y) == 1 + int(np.argmin(cost)) == 23


def test_chances_are_frequencies_within_the_sample_and_a_power_law_beyond() -> None:
    y = stats.pareto.rvs(3, size=20_000, random_state=1)
    tail = Tail.of(y)
    assert tail.chance(np.array([2.0, 4.0])) == pytest.approx([(y >= 2).mean(), (y >= 4).mean()], abs=1e-4)
    assert tail.index == pytest.approx(1 / 3, rel=0.15)
    top = y.max()
    beyond = tail.chance(np.array([top, 10 * top]))
    assert beyond[0] / beyond[1] == pytest.approx(10 ** (1 / tail.index)), "ten times as high, a thousand times as rare"
    assert Tail.of(rng().normal(size=20_000)).chance(np.array([10.0]))[0] < 1e-6


def test_together_is_fishers_method() -> None:
    for chances in ([0.01, 0.02, 0.3], [0.5], [1e-6, 0.9, 0.9, 0.9], [1.0, 1.0]):
        assert together(np.array(chances)) == pytest.approx(stats.combine_pvalues(chances).pvalue)


def test_together_takes_no_event_to_be_rarer_than_the_least() -> None:
    assert together(np.full(3, 1e-9), 0.01) == pytest.approx(1e-6), "all as rare as can be"
    drawn = -np.log(np.maximum(rng().random((200_000, 3)), 0.1)).sum(axis=1)
    for chances in ([0.1, 0.1, 0.5], [0.1, 0.3, 0.3], [0.6, 0.7, 0.9]):
        often = float((drawn >= -np.log(chances).sum() - 1e-9).mean())
        assert together(np.array(chances), 0.1) == pytest.approx(often, rel=0.03)


def test_dense_start_counts_the_ten_steps_before_the_intervals() -> None:
    assert dense_start(np.array([*range(1, 11), *range(200, 8000, 200)], dtype=float)) == 9
    assert dense_start(np.arange(1.0, 500)) == 0


def test_stretches_without_numbers() -> None:
    nan = np.nan
    assert list(not_numbers(np.array([1, nan, nan, 2, 3, 4, 5, np.inf, 1]))) == [(1, 2), (7, 7)]
    assert list(not_numbers(np.array([1.0, 2.0]))) == []


# --- stitching ------------------------------------------------------------------------------------------------------


def steps(*parts: range) -> np.ndarray:
    return np.concatenate([np.array(p, dtype=float) for p in parts])


def test_one_run_stays_whole() -> None:
    x = steps(range(0, 1000, 10))
    s = stitch(x, rng().normal(size=len(x)))
    assert s.runs == 1
    assert (s.state == LIVE).all()


def test_a_rollback_kills_the_old_branch() -> None:
    x = steps(range(0, 700, 10), range(500, 1000, 10))
    s = stitch(x, rng().normal(size=len(x)))
    (back,) = s.rollbacks
    assert (back.step, back.from_step, back.lost) == (500, 690, 20)
    assert (s.state[50:70] == DEAD).all()
    assert list(x[s.rows(0)]) == list(range(0, 1000, 10))


def test_two_rollbacks_one_behind_the_other() -> None:
    x = steps(range(0, 700, 10), range(500, 800, 10), range(300, 1000, 10))
    s = stitch(x, rng().normal(size=len(x)))
    assert [(b.step, b.from_step) for b in s.rollbacks] == [(500, 690), (300, 790)]
    assert list(x[s.rows(0)]) == list(range(0, 1000, 10))


def test_runs_one_after_the_other_are_no_rollbacks() -> None:
    x = steps(*[range(0, 4000, 25)] * 4)
    s = stitch(x, rng().normal(size=len(x)))
    assert (s.runs, s.rollbacks) == (4, ())


def test_experiments_in_files_of_their_own_are_runs_however_often_they_log() -> None:
    x = steps(range(49, 1000, 50), range(9, 200, 10), range(249, 5000, 250))
    fresh = np.zeros(len(x), bool)
    fresh[[20, 40]] = True
    found = stitch(x, rng().normal(size=len(x)), fresh=fresh)
    assert (found.runs, found.rollbacks) == (3, ())


def test_a_resume_in_a_file_of_its_own_goes_on_or_back() -> None:
    x = steps(range(49, 1000, 50), range(1049, 2000, 50), range(1549, 3000, 50))
    fresh = np.zeros(len(x), bool)
    fresh[[20, 40]] = True
    found = stitch(x, rng().normal(size=len(x)), fresh=fresh)
    assert found.runs == 1
    assert [(r.from_step, r.step) for r in found.rollbacks] == [(1999.0, 1549.0)]


def test_interleaved_writers_are_told_apart() -> None:
    a, b = list(range(400)), list(range(3000, 3400))
    x = np.array([v for pair in zip(a, b, strict=True) for v in pair], dtype=float)
    s = stitch(x, rng().normal(size=len(x)))
    assert (s.runs, s.rollbacks) in {(2, ()), (1, ())}


def test_a_second_writer_whose_first_steps_are_dense_goes_on_where_the_first_one_did() -> None:
    dense = list(range(1, 11))
    x = np.array([*dense, 200, 400, *dense, 600, 200, 800, 400, 600, *dense, *range(200, 2000, 200)], dtype=float)
    s = stitch(x, rng().normal(size=len(x)))
    assert (s.runs, s.rollbacks) == (3, ())
    assert [list(x[s.rows(k)][10:]) for k in (0, 1)] == [[200, 400, 600, 800], [200, 400, 600]]


def test_the_same_text_twice_is_a_copy_but_training_again_is_not() -> None:
    x = steps(range(100, 900, 10), range(400, 900, 10))
    y = rng().normal(size=80)
    y = np.concatenate([y, y[30:]])
    s = stitch(x, y)
    assert s.rollbacks == ()
    assert (s.state[80:] == DOUBLE).all()
    assert len(stitch(x, y, time=np.arange(len(x)) * 2.0).rollbacks) == 1, (
        "other times: a replay that gave the same numbers"
    )
    fresh = np.zeros(len(x), bool)
    fresh[80] = True
    assert len(stitch(x, y, fresh=fresh).rollbacks) == 1, "a resume is announced there"


def test_runs_that_look_more_often_at_their_end_are_told_apart_by_how_they_began() -> None:
    x = steps(range(0, 3750, 125), range(3750, 4175, 25), range(125, 3750, 125), range(3750, 4175, 25))
    s = stitch(x, rng().normal(size=len(x)))
    assert (s.runs, s.rollbacks) == (2, ())


@pytest.mark.parametrize(
    "spoilt", [49.0, 4.0, 49700.0], ids=["a digit lost", "another run's beginning", "a digit more"]
)
def test_a_step_number_that_was_spoilt_is_no_rollback(spoilt: float) -> None:
    x = steps(range(0, 1000, 10))
    x[[49, 70]] = spoilt, 7000.0
    s = stitch(x, rng().normal(size=len(x)))
    assert (s.runs, s.rollbacks) == (1, ())
    assert list(np.flatnonzero(s.state == ASTRAY)) == [49, 70]


def test_a_second_writer_of_few_rows_is_not_taken_for_spoilt_ones() -> None:
    x = steps(*(part for k in range(20) for part in (range(1000 + 10 * k, 1010 + 10 * k), range(k, k + 1))))
    s = stitch(x, rng().normal(size=len(x)))
    assert not (s.state == ASTRAY).any()


def test_what_a_second_writer_of_a_run_repeats_a_few_rows_later_counts_once() -> None:
    y = rng().normal(size=300) + 9
    slip = rng().integers(1, 6, 200)
    lines = [*((k, 0, k) for k in range(200)), *((k + slip[k], 1, k) for k in range(195))]
    first = [k for _, _, k in sorted(lines)]
    x, v = np.array([*first, *range(150, 300)], float), np.array([*y[first], *rng(3).normal(size=150)])
    s = stitch(x, v)
    assert [(b.step, b.from_step) for b in s.rollbacks] == [(150.0, 199.0)]
    assert list(x[s.rows(0)]) == list(range(300))
    alone = stitch(np.array(first, float), v[: len(first)])
    assert (alone.rollbacks, alone.chaotic) == ((), False)


def test_steps_that_each_epoch_counts_anew_are_no_second_writer() -> None:
    x = steps(*[range(1, 9)] * 40)
    s = stitch(x, np.full(len(x), 0.69))
    assert not (s.state == AGAIN).any()


def test_a_step_written_twice_counts_once() -> None:
    s = stitch(np.array([1.0, 2, 2, 3]), np.array([5.0, 4, 4, 3]))
    assert list(s.state) == [LIVE, AGAIN, LIVE, LIVE]


# --- patterns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize("n", [120, 1000, 10_000])
def test_clean_curves_are_silent(kind: str, n: int) -> None:
    loud = []
    for seed in range(30 if n < 5000 else 12):
        made = clean(n, kind, rng(seed), drop=seed % 3 == 0, interval=1 + 9 * (seed % 2))
        loud += [e for e in search(curve_of(made.x, made.y)) if e.kind != "lone"]
    assert len(loud) <= 1


@pytest.mark.parametrize("fault", FAULTS)
def test_large_faults_are_found(fault: str) -> None:
    size = {"divergence": 30, "repeated data": 4}.get(fault, 16)
    right = {"repeated data": {"dip"}, "level shift": {"shift"}, "divergence": {"trend", "shift", "rise"}}.get(
        fault, {"rise"}
    )
    hit = 0
    for seed in range(20):
        made = faulty(1000, "normal", fault, size, rng(seed))
        found = search(curve_of(made.x, made.y), [made.boundary] if made.boundary else [])
        near = 300 if fault == "divergence" else 12
        hit += any(e.kind in right and abs(e.start - (made.start or 0)) <= near for e in found)
    assert hit >= (15 if fault == "divergence" else 18)


def test_a_spike_is_followed_to_its_end() -> None:
    x = np.arange(1000.0)
    y = 2.5 + rng().normal(0, 0.02, 1000)
    y[400:460] += np.linspace(2, 0, 60)
    (e,) = search(curve_of(x, y))
    assert (e.kind, e.start) == ("rise", 400)
    assert e.end is not None
    assert 445 <= e.end <= 462
    assert e.top - e.base == pytest.approx(np.log(4.5 / 2.5), rel=0.05)


def test_a_high_peak_and_what_is_left_of_it_are_one_excursion() -> None:
    y = 0.02 * np.exp(rng().normal(0, 0.1, 800))
    y[550:556] *= 700
    y[556:] *= np.linspace(60, 7, 244)
    (e,) = (e for e in search(curve_of(np.arange(800.0), y)) if e.kind == "rise")
    assert (e.start, e.end) == (550, None)
    assert 550 <= e.peak < 556


def test_one_hard_batch_is_no_spike() -> None:
    y = 3.5 + rng().normal(0, 0.05, 2000)
    y[[700, 1300]] = 5.2
    assert search(curve_of(np.arange(2000.0), y)) == []


def test_values_around_zero_need_no_logarithm_and_no_fall() -> None:
    y = rng().normal(0, 0.05, 1000)
    assert search(curve_of(np.arange(1000.0), y)) == []
    assert search(curve_of(np.arange(1000.0), np.cumsum(y) * 0.02)) == []


def test_a_sudden_improvement_is_welcome() -> None:
    y = np.where(np.arange(1000) < 600, 2.0, 0.2) * np.exp(rng().normal(0, 0.03, 1000))
    assert search(curve_of(np.arange(1000.0), y)) == []


def test_a_warm_up_that_first_goes_up_is_silent() -> None:
    y = np.concatenate([[6.9, 9.7, 15.9, 12.0, 8.0], 2 + 5 * np.arange(1, 400) ** -0.5]) * np.exp(
        rng().normal(0, 0.01, 404)
    )
    assert search(curve_of(np.arange(404.0), y)) == []


@pytest.mark.parametrize(
    ("rest", "is_left"),
    [
        pytest.param(70 + rng(1).normal(0, 0.5, 200), True, id="far above all of it"),
        pytest.param(np.full(200, 10.83), True, id="a flat line"),
        pytest.param(6.5 * np.arange(1, 201) ** -0.1, False, id="it goes on"),
        pytest.param(np.concatenate([[70.0, 40, 20, 9], np.linspace(8, 4, 196)]), False, id="it comes back"),
        pytest.param(11 + rng(2).normal(0, 0.5, 200), False, id="a noisy level not far above it"),
    ],
)
def test_a_beginning_that_is_left_for_good(rest: np.ndarray, is_left: bool) -> None:
    y = np.concatenate([[10.9, 9.8, 9.1, 8.4, 7.9, 7.2], rest])
    found = [(e.start, e.end) for e in early_jump(curve_of(np.arange(float(len(y))), y))]
    assert found == ([(6, None)] if is_left else [])
    assert [(e.start, e.end) for e in search(curve_of(np.arange(float(len(y))), y)) if is_left] == found


def test_two_levels_that_take_turns_are_no_new_level() -> None:
    turns = np.where(np.arange(960) // 45 % 2 == 1, 10.5, 8.0)
    y = np.where(np.arange(960) < 440, 8.0, turns) * np.exp(rng().normal(0, 0.04, 960))
    assert [e.kind for e in search(curve_of(np.arange(960.0), y)) if e.kind == "shift"] == []


def test_what_ends_a_dip_behind_a_restart_is_a_jump_and_no_noise() -> None:
    at = np.arange(700)
    trend = np.where(
        at < 120, 0.18, 0.165 * np.exp(-np.maximum(at - 120, 0) / 1800)
    )  # the rate was lowered at the restart
    for seed in range(10):
        y = trend * np.exp(rng(seed).normal(0, 0.045, 700))
        assert [e for e in search(curve_of(at * 50.0, y), [120]) if e.kind == "dip" and e.end is not None] == []


def test_few_points_that_noise_would_put_so_are_no_creeping_rise() -> None:
    low = [
        1.3,
        1.1,
        1.25,
        1.27,
        1.35,
        1.12,
        1.5,
        1.9,
        2.1,
    ]  # three pairs of the seven after the lowest fall: 1.5 % of all orders
    assert search(curve_of(np.arange(9.0), np.array(low))) == []


def test_a_short_curve_that_ends_in_a_climb_or_on_another_level() -> None:
    """Its steep beginning hides the end from every comparison with the whole curve."""
    falling = 4 + 5 * np.exp(-np.arange(16) / 4) + rng(3).normal(0, 0.2, 16)
    (climb,) = search(curve_of(np.arange(20), np.concatenate([falling, [6.3, 10.4, 17.3, 28.0]])))
    assert (climb.kind, climb.start) == ("trend", 16)
    (level,) = search(curve_of(np.arange(21), np.concatenate([falling, [10.2, 10.4, 9.9, 10.8, 10.1]])))
    assert (level.kind, level.start, level.end) == ("rise", 16, None)
    for end in ([4.6, 5.2, 5.9], [7.1, 4.2, 7.4, 4.1], [5.2, 5.3, 5.1, 5.2]):
        assert search(curve_of(np.arange(16 + len(end)), np.concatenate([falling, end]))) == []


def test_a_few_points_that_creep_up() -> None:
    y = np.array([1.46, 1.40, 1.41, 1.44, 1.45, 1.47, 1.50, 1.52, 1.55, 1.57, 1.60, 1.62])
    (e,) = search(curve_of(np.arange(12.0), y))
    assert e.kind == "trend"
    assert search(curve_of(np.arange(12.0), y[::-1])) == []


@pytest.mark.parametrize(
    ("values", "at"),
    [([11.7, 8.8, 8712.6, 15806.4], 2), ([2.4, 2.2, 2.1, 95.0, 310.0], 3), ([2.4, 2.2, 8.1, 7.9], None), ([2.4, 2.2, 900.0], None), ([2.4, 2.2, 2.0, 900.0], None), ([60.0, 2.2, 900.0, 870.0], None)],
)  # fmt: skip
def test_of_a_handful_of_points_only_what_blows_up_counts(values: list[float], at: int | None) -> None:
    found = search(curve_of(np.arange(1.0, len(values) + 1), np.array(values)))
    assert [(e.kind, e.start, e.end) for e in found] == ([("rise", at, None)] if at else [])


def test_a_loss_next_to_nothing_that_explodes_is_not_back_a_hundredth_below_its_peak() -> None:
    rng = np.random.default_rng(3)
    y = 0.01 * rng.uniform(0.8, 1.2, 80)
    y[50:] = 1e20 * np.exp(-np.minimum(np.arange(30) / 3, 5)) * rng.uniform(0.8, 1.2, 30)
    (e,) = search(curve_of(np.arange(1.0, 81.0), y))
    assert (e.kind, e.start, e.end) == ("rise", 50, None)


def test_printed_digits_make_no_alarm() -> None:
    for digits in (2, 3):
        for seed in range(10):
            made = clean(1500, "normal", rng(seed), sigma=0.004)
            assert search(curve_of(made.x, made.y.round(digits))) == []


def test_a_logging_interval_that_changes_and_gaps_make_no_alarm() -> None:
    for seed in range(10):
        made = clean(3000, "normal", rng(seed))
        at = np.concatenate([np.arange(0, 1000), np.arange(1000, 1400, 10), np.arange(2000, 3000, 2)])
        assert search(curve_of(made.x[at], made.y[at])) == []


def test_two_hard_batches_in_a_row_are_no_spike_three_may_be() -> None:
    y = 3.5 + rng().normal(0, 0.05, 400)
    y[[200, 201]] = 5.2
    assert search(curve_of(np.arange(400.0), y)) == []
    y[[202, 203]] = 4.9
    (e,) = search(curve_of(np.arange(400.0), y))
    assert (e.kind, e.start, e.end) == ("rise", 200, 204)


def test_many_spikes_do_not_hide_each_other() -> None:
    y = 2.5 + rng().normal(0, 0.02, 1000)
    places = range(100, 1000, 150)
    for at in places:
        y[at : at + 12] += np.linspace(1.0, 0.3, 12)
    assert [e.start for e in search(curve_of(np.arange(1000.0), y))] == list(places)


def test_nothing_and_next_to_nothing() -> None:
    for n in (0, 1, 2, 7):
        assert search(curve_of(np.arange(float(n)), np.ones(n))) == []
    assert search(curve_of(np.arange(500.0), np.ones(500))) == [], "a constant"
