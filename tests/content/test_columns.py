"""What captured text becomes in a column of each type."""

from __future__ import annotations

import polars as pl
import pytest

from logsift.content.columns import TYPES


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [
        ("12", 12.0),
        ("5 ms", 0.005),
        ("2.5s", 2.5),
        ("29m", 1740.0),
        ("02:03", 123.0),
        ("1:02:03", 3723.0),
        ("9m15s", 555.0),
        ("1h2m3.5s", 3723.5),
        ("3d4h", 273600.0),
        ("soon", None),
        (None, None),
    ],
)
def test_a_duration_is_read_in_seconds_however_it_is_printed(printed: str | None, seconds: float | None) -> None:
    kind = TYPES["duration"]
    several = pl.Series([printed, None, printed], dtype=pl.String)
    read = pl.select(kind.cast(pl.lit(several)).cast(kind.dtype)).to_series().to_list()
    assert read == [seconds, None, seconds]
