"""Points of curves: wide rows (one per step, a column per metric) or long ones -> a row of `metric_curve` per curve, its points in `metric_point`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from logsift.content.model import EXACT
from logsift.ingest.clock import read_times, utc

if TYPE_CHECKING:
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

STEPS = (
    "trainer/global_step", "train/global_step", "global_step", "step", "_step", "iteration", "iter", "iters", "it", "num_updates",
    "update", "updates", "train_step", "current_steps", "steps", "opt_step", "time/batch", "batch", "n_iter", "global_step/max_steps",
    "timesteps_total", "time/total_timesteps", "total_timesteps", "total timesteps", "timesteps", "timestep", "training_iteration", "progress/kimg",
    "i", "generation", "generations",
)  # fmt: skip
"""Names of the step, the surest first. Case and blanks around them do not count."""
EPISODES = (
    "episode", "episodes", "ep", "episode_num", "episode_number", "episode_idx", "episode_index", "episode_count", "n_episode",
    "n_episodes", "num_episodes",
)  # fmt: skip
EPOCHS = ("epoch", "epochs", "train/epoch", "trainer/epoch")
TIMES = ("time", "timestamp", "_timestamp", "wall_time", "wall time", "datetime", "date", "created_at", "ts")
PHASES = ("phase", "split", "mode", "stage", "subset")
RUNS = ("run", "run_id", "run_name", "experiment", "exp")
RANKS = ("rank", "global_rank", "process_index")
PLANNED = ("total_steps", "max_steps", "num_steps", "total_iters", "max_iters")


_CURVE = {
    "curve": pl.Int64(), "name": pl.String(), "run_name": pl.String(), "phase": pl.String(), "rank": pl.Int64(), "planned": pl.Float64(),
    "points": pl.Int64(), "line_no": pl.Int64(), "last_line": pl.Int64(), "time": pl.Datetime("us"), "time_quality": pl.String(),
}  # fmt: skip
_POINT = ("line_no", "time", "time_quality", "step", "metric_value")
_TELLS_APART = ("name", "run_name", "phase", "rank")

Long = tuple[str | None, pl.DataFrame]
"""The name of a metric, None where the column `name` has it; rows with `line_no`, `step`, `metric_value` and what else of a curve or point is known."""


def curves(frames: Iterable[Long]) -> Rows:
    """Number the curves, and keep what all points of one share once: a store may hold tens of millions of points."""
    said: list[dict[str, object]] = []
    for name, rows in frames:
        keys = [k for k in _TELLS_APART if k in rows.columns]
        for points in rows.partition_by(keys, maintain_order=True) if keys else [rows]:
            if points.is_empty():
                continue
            said.append({
                "curve": len(said) + 1, "name": name, "planned": points["planned"].max() if "planned" in points.columns else None, "points": points.height,
                "line_no": points["line_no"].min(), "last_line": points["line_no"].max(),
                **{c: points[c][0] for c in (*keys, "time", "time_quality") if c in points.columns},
            })  # fmt: skip
            yield (
                "metric_point",
                points.select(pl.lit(len(said)).alias("curve"), *(c for c in _POINT if c in points.columns)),
            )
    if said:
        yield "metric_curve", pl.DataFrame(said, _CURVE)


def first_of(wanted: Sequence[str], columns: Sequence[str]) -> str | None:
    """The column that bears the first of the wanted names, in any case."""
    plain = {c.strip().lower(): c for c in reversed(columns)}
    return next((plain[w] for w in wanted if w in plain), None)


def counters_of(columns: Sequence[str]) -> list[str | None]:
    """The columns of step, episode and epoch; where none has such a name alone, those whose last part is one (total/epochs)."""
    found = [first_of(names, columns) for names in (STEPS, EPISODES, EPOCHS)]
    if any(found):
        return found
    last = {c.rpartition("/")[2]: c for c in reversed(columns) if "/" in c}
    return [last[c] if (c := first_of(names, list(last))) else None for names in (STEPS, EPISODES, EPOCHS)]


def counters_in(wide: pl.DataFrame, columns: Sequence[str]) -> list[str | None]:
    """Of these columns of a table those of step, episode and epoch that may count what they are called."""
    while misnamed := [c for c in counters_of(columns) if c and not _may_count(wide[c])]:
        columns = [c for c in columns if c not in misnamed]
    return counters_of(columns)


def _may_count(column: pl.Series) -> bool:
    """Whether a column may count what its name says: fractions that go up and down are what a step took, say."""
    if not column.dtype.is_numeric():
        return True
    numbers = column.cast(pl.Float64).drop_nulls()
    if numbers.is_empty() or (numbers == numbers.round()).any():
        return True
    moved = numbers.diff().drop_nulls()
    return not 5 * (moved < 0).sum() > len(moved)


def long_rows(file: SourceFile, wide: pl.DataFrame, line_no: pl.Series, name: str | None = None) -> Iterator[Long]:
    """The numbers of a table, column by column.

    Args:
        file: where the table is from.
        wide: numbers as Float64; other columns are text and say step, time, phase or run, or are left out.
        line_no: record number of each row, from 1.
        name: the column that names the metric, where each row has one value only.
    """
    numeric = [c for c in wide.columns if wide[c].dtype.is_numeric()]
    step, episode, epoch = counters_in(wide, numeric)
    time, run, phase, rank, planned = (first_of(names, wide.columns) for names in (TIMES, RUNS, PHASES, RANKS, PLANNED))
    apart = [wide[c] for c in (run, phase, rank, name) if c]
    place, counted = places(
        [wide[c].cast(pl.Float64) if c else None for c in (step, episode, epoch)], apart, wide.height
    )
    context = wide.select(
        line_no.cast(pl.Int64).alias("line_no"), place.alias("step"),
        *(pl.col(c).cast(t, strict=False).alias(n) for c, n, t in ((planned, "planned", pl.Float64), (rank, "rank", pl.Int64)) if c),
        *(pl.col(c).alias(n) for c, n in ((name, "name"), (run, "run_name"), (phase, "phase")) if c and wide[c].dtype == pl.String),
    )  # fmt: skip
    if time:
        context = context.hstack(read := times(file, wide[time]))
        if read["time"].null_count() == read.height:
            time = None  # seconds since the start, say: a curve like others
    for c in numeric:
        if c not in (step if counted else None, time, rank, planned) and (name is None or c.strip().lower() == "value"):
            rows = context.with_columns(wide[c].cast(pl.Float64).alias("metric_value"))
            yield None if name else c.strip(), rows.drop_nulls(["metric_value", *(["name"] if name else [])])


def places(counters: Sequence[pl.Series | None], apart: Sequence[pl.Series], height: int) -> tuple[pl.Series, bool]:
    """The place of each row on the curve, and whether what is called the step counts it.

    A step that begins anew whenever the epoch or the episode goes on is one within it. One that stands still or jumps while
    those go on is a value of theirs, such as the length of an episode.

    Args:
        counters: step, episode and epoch of each row, as far as there are such columns.
        apart: what tells rows of different curves apart.
        height: the number of rows.
    """
    step, *outer = counters
    known = [c for c in counters if c is not None]
    if not known:
        return pl.repeat(None, height, dtype=pl.Float64, eager=True), True
    place = pl.select(pl.coalesce(known)).to_series()
    for whole in outer:
        if step is None or whole is None:
            continue
        both = pl.DataFrame(
            [step.alias("step"), whole.alias("whole"), *(k.alias(f"key{n}") for n, k in enumerate(apart))]
        )
        both = both.drop_nulls(["step", "whole"])
        keys = [c for c in both.columns if c.startswith("key")]
        moved = both.select(
            pl.col(c).diff().over(keys) if keys else pl.col(c).diff() for c in ("step", "whole")
        ).drop_nulls()
        on, back = moved["whole"] > 0, moved["step"] < 0
        further = moved["step"].filter(moved["step"] > 0)
        if on.any() and (moved["whole"] >= 0).all() and (on == back).all() and not further.is_empty():
            length = both["step"].max() - both["step"].min() + further.min()  # type: ignore[operator]
            return pl.select(pl.coalesce((whole - whole.min()) * length + step, place)).to_series(), True
        if 5 * (moved["whole"] <= 0).sum() < (moved["step"] <= 0).sum():
            return pl.select(pl.coalesce(whole, place)).to_series(), False
    return place, True


def times(file: SourceFile, said: pl.Series) -> pl.DataFrame:
    """Columns `time` and `time_quality`: numbers are seconds since 1970, where they are large enough to be."""
    if said.dtype.is_numeric():
        seconds = pl.lit(said).cast(pl.Float64)
        time = pl.when(seconds.is_between(1e9, 1e10)).then(
            (seconds * 1e6).round().cast(pl.Int64, strict=False).cast(pl.Datetime("us"))
        )
        return pl.select(time.alias("time")).with_columns(
            pl.when(pl.col("time").is_not_null()).then(pl.lit(EXACT)).alias("time_quality")
        )
    written = pl.select(pl.repeat(utc(file.mtime_ns), len(said), dtype=pl.Datetime("us"))).to_series()
    return read_times(said.cast(pl.String), written)
