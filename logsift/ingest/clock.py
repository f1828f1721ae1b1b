"""Printed times -> UTC, each with a mark of how far it can be trusted."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from logsift.content.model import DAYTIME, EXACT, YEARLESS, ZONELESS

_LATEST = datetime(9000, 1, 1, tzinfo=UTC).timestamp()
_CLOCKS = (datetime(1970, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001  # as the tables keep them
"""What the clock of a machine can say: other years are damaged, and no time."""
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_LEAST_NANOSECONDS = 10**18
"""Ten digits of seconds, as in the next: less is a time since something else."""
_EPOCH = r"^[0-9]{10}(?:\.[0-9]+)?$|^[0-9]{13}$|^[0-9]{16}$"  # seconds, milliseconds, microseconds
_PLAIN, _ISO = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} {_CLOCK}$", "%Y-%m-%d %H:%M:%S%.f"
_FRACTIONS = {19: "", 23: ".%3f", 26: ".%6f", 29: ".%9f"}
"""Length of a time as above, by how its fraction is read."""
# (quality, shape, chrono format); a comma before the fraction, T and a glued Z are made plain before.
_FORMATS: tuple[tuple[str, str, str], ...] = (
    (ZONELESS, _PLAIN, _ISO),
    (EXACT, rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} {_CLOCK} ?[+-][0-9]{{2}}:?[0-9]{{2}}$", "%Y-%m-%d %H:%M:%S%.f%#z"),
    (ZONELESS, rf"^(?:{_DAYS}) (?:{_MONTHS}) +[0-9]{{1,2}} {_CLOCK} [0-9]{{4}}$", "%a %b %e %H:%M:%S%.f %Y"),
    (ZONELESS, rf"^(?:{_MONTHS}) +[0-9]{{1,2}} [0-9]{{4}} {_CLOCK}$", "%b %e %Y %H:%M:%S%.f"),
    (ZONELESS, rf"^[0-9]{{8}} {_CLOCK}$", "%Y%m%d %H:%M:%S%.f"),
)
_YEARLESS: tuple[tuple[str, str], ...] = (
    (rf"^(?:{_MONTHS}) +[0-9]{{1,2}} {_CLOCK}$", "%Y %b %e %H:%M:%S%.f"),
    (rf"^[0-9]{{4}} {_CLOCK}$", "%Y %m%d %H:%M:%S%.f"),
    (rf"^[0-9]{{2}}/[0-9]{{2}} {_CLOCK}$", "%Y %m/%d %H:%M:%S%.f"),
    (rf"^[0-9]{{2}}-[0-9]{{2}} {_CLOCK}$", "%Y %m-%d %H:%M:%S%.f"),
)


def read_times(text: pl.Series, written: pl.Series) -> pl.DataFrame:
    """Printed times as UTC.

    Args:
        text: the times as printed (String, null where a line has none).
        written: when each line's file was last written (Datetime, UTC): gives the year, or the day, where none is printed.

    Returns:
        Columns `time` (Datetime us, UTC without a zone) and `time_quality`: exact (zone or epoch), zoneless (taken as
        UTC), yearless, daytime (the day is the file's); null where a text is no time.
    """
    plain = text.str.strip_chars("[] ").str.replace(",", ".", literal=True)
    if not plain.str.contains(_PLAIN).all():
        plain = _respelled(plain)
    frame = pl.DataFrame({"text": plain, "written": written})
    time, quality = pl.lit(None, pl.Datetime("us")), pl.lit(None, pl.String)
    said, unread = pl.col("text"), len(plain) - plain.null_count()

    def those(shape: str) -> pl.Series | None:
        """Which texts have a shape; None where none has. No text has two."""
        nonlocal unread
        fits = plain.str.contains(shape) if unread else None
        if fits is None or not (count := int(fits.sum())):
            return None
        unread -= count
        return fits

    for mark, shape, form in _FORMATS:
        if (fits := those(shape)) is not None:
            if form == _ISO:
                parsed = pl.lit(_read_iso(plain, fits))
            else:
                parsed = said.str.to_datetime(form, time_unit="us", strict=False)
            if mark == EXACT:
                parsed = parsed.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
            time = pl.when(fits).then(parsed).otherwise(time)
            quality = pl.when(fits).then(pl.lit(mark)).otherwise(quality)
    for shape, form in _YEARLESS:
        if (fits := those(shape)) is not None:
            for back in (1, 0):  # the latest year that does not put the line after its file's last writing
                year = (pl.col("written").dt.year() - back).cast(pl.String)
                parsed = pl.concat_str([year, said], separator=" ").str.to_datetime(form, time_unit="us", strict=False)
                good = pl.lit(fits) & (pl.lit(back == 1) | (parsed <= pl.col("written").dt.offset_by("1d")))
                time = pl.when(good).then(parsed).otherwise(time)
            quality = pl.when(fits).then(pl.lit(YEARLESS)).otherwise(quality)
    if (fits := those(_EPOCH)) is not None:
        number = said.cast(pl.Float64, strict=False)
        seconds = pl.when(number > 1e14).then(number / 1e6).when(number > 1e11).then(number / 1000).otherwise(number)
        time = pl.when(fits).then((seconds * 1e6).cast(pl.Int64, strict=False).cast(pl.Datetime("us"))).otherwise(time)
        quality = pl.when(fits).then(pl.lit(EXACT)).otherwise(quality)
    if (fits := those(rf"^{_CLOCK}$")) is not None:
        day = pl.col("written").dt.strftime("%Y-%m-%d")
        parsed = pl.concat_str([day, said], separator=" ").str.to_datetime(_ISO, time_unit="us", strict=False)
        time = pl.when(fits).then(parsed).otherwise(time)
        quality = pl.when(fits).then(pl.lit(DAYTIME)).otherwise(quality)
    out = frame.with_columns(time.alias("time"), quality.alias("time_quality")).select("time", "time_quality")
    return out.select(pl.when(pl.col("time").is_between(*_CLOCKS)).then(pl.col(c)).alias(c) for c in out.columns)


def _respelled(text: pl.Series) -> pl.Series:
    """Other spellings of times, as those of _FORMATS."""
    plain = text.str.replace(r"^([0-9-]{10})[T_]", "${1} ")
    plain = plain.str.replace_all("/", "-", literal=True) if plain.str.contains(r"^[0-9]{4}/").any() else plain
    plain = plain.str.replace(r"^([0-9]{2})/([0-9]{2})/([0-9]{4}) ", "${3}-${1}-${2} ")  # 06/12/2026: 12 June
    plain = plain.str.replace(r"(?:Z| UTC)$", "+00:00")
    # c10d prints the month without a leading zero: 321 is 21 March
    return plain.str.replace(r"^([0-9]{3} [0-9]{2}:)", "0${1}")


def _read_iso(text: pl.Series, fits: pl.Series) -> pl.Series:
    """Times without a zone as UTC, of those that have this shape."""
    lengths = text.str.len_bytes().filter(fits)
    # With a fraction of known length polars reads them in a quarter of the time.
    if (fraction := _FRACTIONS.get(int(lengths[0]))) is not None and (lengths == lengths[0]).all():
        times = text.str.to_datetime(f"%Y-%m-%d %H:%M:%S{fraction}", time_unit="us", strict=False)
        if not (times.is_null() & fits).any():
            return times
    return text.str.to_datetime(_ISO, time_unit="us", strict=False)


def from_nanoseconds(since: pl.Series) -> pl.Series:
    """Nanoseconds since the epoch (Int64) as Datetime us, UTC without a zone; null for what is no time, as above."""
    time = (since // 1000).cast(pl.Datetime("us"))
    fits = (since >= _LEAST_NANOSECONDS) & (time <= _CLOCKS[1])
    return time.set(~fits, None) if not fits.all() else time


def utc(nanoseconds: int) -> datetime:
    """A file time as a naive UTC datetime, as the tables keep times; one that no file can have is the nearest it can."""
    return datetime.fromtimestamp(min(max(nanoseconds / 1e9, 0.0), _LATEST), UTC).replace(tzinfo=None)
