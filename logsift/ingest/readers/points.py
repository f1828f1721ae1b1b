"""Wide rows (one per step, a column per metric) -> long rows of `metric_point`, one per value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

TABLE = "metric_point"
STEPS = (
    "trainer/global_step", "train/global_step", "global_step", "step", "_step", "iteration", "iter", "iters", "it", "num_updates",
    "update", "updates", "train_step", "current_steps", "steps", "opt_step", "time/batch", "batch", "n_iter", "global_step/max_steps",
)  # fmt: skip
"""Names of the step, the surest first. Case and blanks around them do not count."""
EPOCHS = ("epoch", "epochs", "train/epoch", "trainer/epoch")
TIMES = ("time", "timestamp", "_timestamp", "wall_time", "wall time", "datetime", "date", "created_at", "ts")
PHASES = ("phase", "split", "mode", "stage", "subset")
RUNS = ("run", "run_id", "run_name", "experiment", "exp")
RANKS = ("rank", "global_rank")
PLANNED = ("total_steps", "max_steps", "num_steps", "total_iters", "max_iters")


def first_of(wanted: Sequence[str], columns: Sequence[str]) -> str | None:
    """The column that bears the first of the wanted names, in any case."""
    plain = {c.strip().lower(): c for c in reversed(columns)}
    return next((plain[w] for w in wanted if w in plain), None)


def long_rows(
    wide: pl.DataFrame, line_no: pl.Series, *, keep_null: frozenset[str] = frozenset()
) -> Iterator[tuple[str, pl.DataFrame]]:
    """One frame of `metric_point` per column that holds numbers.

    Args:
        wide: numbers as Float64; other columns are text and say step, time, phase or run, or are left out.
        line_no: record number of each row, from 1.
        keep_null: columns whose null means NaN where the row has a step.
    """
    columns = wide.columns
    step = first_of(STEPS, [c for c in columns if wide[c].dtype.is_numeric()])
    epoch = first_of(EPOCHS, [c for c in columns if wide[c].dtype.is_numeric()])
    time, run, phase = (first_of(names, columns) for names in (TIMES, RUNS, PHASES))
    rank, planned = first_of(RANKS, columns), first_of(PLANNED, columns)
    shared = [line_no.cast(pl.Int64).alias("line_no")]
    shared += [
        wide[c].cast(pl.Float64, strict=False).alias(n)
        for c, n in ((step, "at_step"), (epoch, "epoch_no"), (planned, "planned"))
        if c
    ]
    if time:
        shared.append(_time_text(wide[time]).alias("time"))
    shared += [wide[c].alias(n) for c, n in ((run, "run_name"), (phase, "phase")) if c and wide[c].dtype == pl.String]
    if rank:
        shared.append(wide[rank].cast(pl.Int64, strict=False).alias("rank"))
    context = pl.DataFrame(shared)
    for c in columns:
        values = wide[c]
        if not values.dtype.is_numeric() or c in (step, time, rank, planned):
            continue
        rows = context.with_columns(pl.lit(c.strip()).alias("name"), values.cast(pl.Float64).alias("metric_value"))
        if c in keep_null:
            rows = rows.with_columns(pl.col("metric_value").fill_null(float("nan")))
        rows = rows.filter(pl.col("metric_value").is_not_null())
        if rows.height:
            yield TABLE, rows


def _time_text(times: pl.Series) -> pl.Series:
    """Times as text that the clock reads: epoch seconds keep six digits behind the point, small numbers are no times."""
    if times.dtype.is_numeric():
        seconds = times.cast(pl.Float64)
        text = seconds.cast(pl.Decimal(20, 6)).cast(pl.String)
        return pl.select(pl.when(pl.lit(seconds).is_between(1e9, 1e10)).then(pl.lit(text))).to_series()
    return times.cast(pl.String)
