"""Where the rows of a table stand on its curves."""

from __future__ import annotations

import polars as pl
import pytest

from logsift.ingest.readers.points import counters_of, places


def column(*values: float | None) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64)


@pytest.mark.parametrize(
    ("step", "episode", "epoch", "expected", "counted"),
    [
        pytest.param(column(5, 10, 15), None, column(0, 0, 1), [5, 10, 15], True, id="steps of the run"),
        pytest.param(column(1, 2, 1, 2), None, column(3, 3, 4, 4), [1, 2, 3, 4], True, id="steps of each epoch"),
        pytest.param(
            column(0, 9, 0, 9, 18), column(0, 0, 1, 1, 1), None, [0, 9, 27, 36, 45], True, id="steps of each episode"
        ),
        pytest.param(column(70, 31, 44), column(1, 2, 3), None, [1, 2, 3], False, id="how long an episode is"),
        pytest.param(column(64, 64, 64), None, column(1, 2, 3), [1, 2, 3], False, id="a step that stands still"),
        pytest.param(column(7, None, 8), None, column(0, 0.5, 1), [7, 0.5, 8], True, id="a row without a step"),
        pytest.param(column(10, 20, 10, 20), None, column(1, 2, 1, 2), [10, 20, 10, 20], True, id="a second run"),
        pytest.param(None, column(4, 5), None, [4, 5], True, id="episodes alone"),
        pytest.param(None, None, None, [None, None], True, id="nothing that counts"),
    ],
)
def test_the_place_of_a_row(
    step: pl.Series | None,
    episode: pl.Series | None,
    epoch: pl.Series | None,
    expected: list[float | None],
    counted: bool,
) -> None:
    place, of_step = places([step, episode, epoch], [], len(expected))
    assert (place.to_list(), of_step) == (expected, counted)


def test_steps_of_each_epoch_where_phases_alternate() -> None:
    phase = pl.Series(["train", "val", "train", "val", "train", "val", "train", "val"])
    step, epoch = column(0, 0, 5, 5, 0, 0, 5, 5), column(1, 1, 1, 1, 2, 2, 2, 2)
    place, _ = places([step, None, epoch], [phase], 8)
    assert place.to_list() == [0, 0, 5, 5, 10, 10, 15, 15]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param(["loss", "step", "total/epochs"], ["step", None, None], id="a name alone is surer"),
        pytest.param(["total/epochs", "rollout/return"], [None, None, "total/epochs"], id="the last part of a name"),
        pytest.param(["loss", "val_loss"], [None, None, None], id="nothing that counts"),
    ],
)
def test_the_columns_that_count(columns: list[str], expected: list[str | None]) -> None:
    assert counters_of(columns) == expected
