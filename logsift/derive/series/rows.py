"""From the store and back: points of series in, segments and excursions out."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logsift.derive.series.curve import curve_of, dense_start
from logsift.derive.series.excursions import outliers, wears_off
from logsift.derive.series.parameters import DEFAULT, Parameters
from logsift.derive.series.search import search
from logsift.derive.series.stitch import AGAIN, DOUBLE, LIVE, STATES, Stitched, stitch
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from logsift.store import Store

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]
    _Made = tuple[list[dict[str, Any]], list[dict[str, Any]]]

FOUND = ("segment", "excursion")
"""The tables in which the search writes."""
BATCH = 1_000_000
"""Points that are read at a time."""
_PACES = 20
"""So many rows tell how often one is written."""
_SEGMENTS = 2000
"""A series of more pieces tells nothing by them."""
WORKERS = 2
"""Series that are searched at a time: arrays of millions of points, whose arithmetic leaves the interpreter free."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The points of one series, as written."""

    series: int
    step: Floats
    value: Floats
    time: Floats
    file: Ints
    line: Ints
    planned: float


@timed("stage", "search of series")
def run(store: Store, p: Parameters = DEFAULT) -> None:
    """Search every series the content names and fill the tables `segment` and `excursion`."""
    store.con.execute("DELETE FROM segment; DELETE FROM excursion")
    listed = store.rows("SELECT series_id, driver_id, searched, planned, points FROM series ORDER BY series_id")
    if not listed:
        return
    drivers = {int(r["driver_id"]) for r in listed if r["driver_id"] is not None}
    driving = {
        rows.series: (rows.step, rows.value)
        for rows in _read(store, [r for r in listed if r["series_id"] in drivers], {})
    }
    marks: dict[tuple[int, int], list[tuple[int | None, float | None]]] = {}
    anew: dict[int, list[tuple[int, int]]] = {}
    for r in store.rows("SELECT DISTINCT series_id, file_id, line_no, step, anew FROM series_boundary"):
        if r["anew"]:
            anew.setdefault(r["series_id"], []).append((r["file_id"], r["line_no"]))
        else:
            marks.setdefault((r["series_id"], r["file_id"]), []).append((r["line_no"], r["step"]))
    driver_of = {int(r["series_id"]): driving.get(int(r["driver_id"])) for r in listed if r["driver_id"] is not None}
    segments: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []

    @np.errstate(over="ignore", invalid="ignore")  # numbers at the end of floats are no finding, and no warning
    def searched(rows: _Rows) -> _Made:
        fresh = _fresh(rows, marks)
        stitched = stitch(rows.step, rows.value, time=rows.time, fresh=fresh, p=p)
        driver = driver_of.get(rows.series)
        return _segments(rows, stitched), [] if stitched.chaotic else _search_series(rows, stitched, fresh, driver, p)

    def take(done: Future[_Made]) -> None:
        for made, more in zip((segments, found), done.result(), strict=True):
            made += more

    with ThreadPoolExecutor(WORKERS) as pool:
        pending: deque[Future[_Made]] = deque()
        for rows in _read(store, [r for r in listed if r["searched"]], anew):
            pending.append(pool.submit(searched, rows))
            if len(pending) > WORKERS:
                take(pending.popleft())
        for left in pending:
            take(left)
    with store.scratch() as parts:
        for table, made in zip(FOUND, (segments, found), strict=True):
            if made:
                (Path(parts) / table).mkdir()
                pl.DataFrame(made, infer_schema_length=None).write_parquet(Path(parts) / table / "0.parquet")
        store.append_parts(Path(parts))


def _read(
    store: Store, listed: Sequence[Mapping[str, Any]], anew: Mapping[int, Sequence[tuple[int, int]]]
) -> Iterator[_Rows]:
    """The points of the listed series, a batch of series at a time; those without steps are counted, behind the lines of `anew` from 1."""
    planned = {int(r["series_id"]): float(r["planned"] or 0) for r in listed}
    batch: list[int] = []
    size = 0
    batches: list[list[int]] = []
    for r in listed:
        if batch and size + r["points"] > BATCH:
            batches.append(batch)
            batch, size = [], 0
        batch.append(int(r["series_id"]))
        size += r["points"]
    for ids in [*batches, batch] if batch else batches:
        got = store.con.execute(
            "SELECT series_id, turn, ordinal, line_no, file_id, step, value, epoch(time) AS time FROM series_point "
            f"WHERE series_id IN ({', '.join(map(str, ids))}) AND value IS NOT NULL"
        ).fetchnumpy()
        keys = [_whole(got[k]) for k in ("series_id", "turn", "ordinal", "line_no")]
        order: slice | Ints = slice(None) if _in_order(keys) else np.lexsort(keys[::-1])
        number, line, file = keys[0][order], keys[3][order], _whole(got["file_id"])[order]
        numbers = {k: real(got[k])[order] for k in ("step", "value", "time")}
        edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)] if len(number) else []
        for a, b in pairwise(edges):
            n = int(number[a])
            step = numbers["step"][a:b]
            known = np.isfinite(step)
            if not known.any():
                step, known = _counted(file[a:b], line[a:b], anew.get(n, ())), np.ones(b - a, bool)
            value, time = numbers["value"][a:b][known], numbers["time"][a:b][known]
            yield _Rows(n, step[known], value, time, file[a:b][known], line[a:b][known], planned[n])


def _counted(file: Ints, line: Ints, anew: Sequence[tuple[int, int]]) -> Floats:
    """The place of each row, from 1, among those behind the same lines."""
    starts = np.zeros(len(line), bool)
    for file_id, line_no in anew:
        behind = np.flatnonzero((file == file_id) & (line > line_no))
        starts[behind[:1]] = True
    place = np.arange(len(line))
    return real(place - np.maximum.accumulate(np.where(starts, place, 0)) + 1)


def _in_order(keys: Sequence[Ints]) -> bool:
    """Whether rows are in the order of their keys already: as good as always, and sorting them in SQL costs more than the search."""
    before = np.ones(len(keys[0]) - 1 if len(keys[0]) else 0, bool)
    for k in reversed(keys):
        before = (k[1:] > k[:-1]) | (k[1:] == k[:-1]) & before
    return bool(before.all())


def real(column: Any) -> Floats:  # noqa: ANN401 - an array, masked where it has NULLs
    """A column of a result as numbers, NaN where it has NULL."""
    return np.asarray(np.ma.filled(column, np.nan), np.float64)


def _whole(column: Any) -> Ints:  # noqa: ANN401
    return np.asarray(np.ma.filled(column, 0), np.int64)


def _fresh(rows: _Rows, marks: Mapping[tuple[int, int], Sequence[tuple[int | None, float | None]]]) -> Bools:
    """Rows that come first after a restart: at the head of a further file, or behind a line that says so."""
    fresh = np.zeros(len(rows.step), bool)
    heads = [0, *(np.flatnonzero(np.diff(rows.file)) + 1).tolist()]
    fresh[[at for at in heads[1:] if not _only_rotated(rows, at)]] = True
    for a, b in pairwise([*heads, len(rows.file)]):
        for line_no, step in marks.get((rows.series, int(rows.file[a])), ()):
            if line_no is not None:
                later = np.flatnonzero(rows.line[a:b] > line_no)
            else:
                later = np.flatnonzero(rows.step[a:b] > (step or 0.0))
            if len(later) and (a or later[0]):
                fresh[a + int(later[0])] = True
    return fresh


def _only_rotated(rows: _Rows, head: int) -> bool:
    """Whether a file goes on where the one before it ends, at its pace and from the first line on: no program began there."""
    paces = np.diff(rows.time[max(head - _PACES, 0) : head + 1])
    usual = float(np.median(paces[:-1])) if len(paces) > 1 else 0.0
    return bool(rows.line[head] <= 2 and 0 <= paces[-1] <= 2 * usual and rows.step[head] > rows.step[head - 1])


def _segments(rows: _Rows, stitched: Stitched) -> list[dict[str, Any]]:
    """Stretches of rows of one run and state, as written."""
    state = np.where(stitched.state == AGAIN, LIVE, stitched.state)
    edges = [
        0,
        *(
            np.flatnonzero((np.diff(stitched.run) != 0) | (np.diff(state) != 0) | (np.diff(rows.file) != 0)) + 1
        ).tolist(),
    ]
    if len(edges) > _SEGMENTS:
        return []
    went = {r.row: r for r in stitched.rollbacks}
    out = []
    for a, b in pairwise([*edges, len(rows.step)]):
        back = next((went[k] for k in went if a <= k < b), None)
        out.append({
            "file_id": int(rows.file[a]), "line_no": int(rows.line[a]), "series_id": rows.series, "run": int(stitched.run[a]),
            "state": "chaotic" if stitched.chaotic else STATES[int(state[a])], "last_line": int(rows.line[b - 1]),
            "first_step": float(rows.step[a]), "last_step": float(rows.step[b - 1]), "points": b - a,
            "from_step": back.from_step if back else None, "to_step": back.step if back else None, "lost": back.lost if back else None,
            "from_file": int(rows.file[back.from_row]) if back and back.lost else None,
            "from_line": int(rows.line[back.from_row]) if back and back.lost else None,
            "rotated": a > 0 and bool(rows.file[a] != rows.file[a - 1]) and _only_rotated(rows, a),
        })  # fmt: skip
    return out


def _search_series(
    rows: _Rows, stitched: Stitched, fresh: Bools, driver: tuple[Floats, Floats] | None, p: Parameters
) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for number in range(min(stitched.runs, 500)):
        live = stitched.rows(number)
        first = np.flatnonzero(fresh & (stitched.run == number)).tolist()
        back = [r for r in stitched.rollbacks if r.run == number]
        starts = [*first, *(r.row for r in back)]
        out += _search_run(rows, live, number, "live", starts, driver, p)
        for r in back:
            if r.lost < 2:
                continue
            was = np.flatnonzero((stitched.run == number) & (stitched.state < DOUBLE))
            was = was[(was < r.row) & (rows.step[was] <= r.from_step)]
            order = np.lexsort((was, rows.step[was]))
            was = was[order]
            was = was[np.concatenate([np.diff(rows.step[was]) > 0, [True]])]
            earlier = [s for s in starts if s < r.row]
            dead = _search_run(rows, was, number, "dead", earlier, driver, p)
            kept = float(rows.step[was[max(int(np.searchsorted(rows.step[was], r.step)) - 5, 0)]])
            known = {(e["kind"], e["start_step"]) for e in out}
            out += [
                e
                for e in dead
                if (e["start_step"] >= kept or e["end_step"] is None) and (e["kind"], e["start_step"]) not in known
            ]
    return out


def _search_run(
    rows: _Rows, live: Ints, number: int, branch: str, starts: Sequence[int], driver: tuple[Floats, Floats] | None, p: Parameters
) -> list[dict[str, Any]]:  # fmt: skip
    if not len(live):
        return []
    out: list[dict[str, Any]] = []
    values = rows.value[live]
    interval = float(np.median(np.diff(rows.step[live]))) if len(live) > 1 else 1.0
    common = {
        "series_id": rows.series,
        "run": number,
        "branch": branch,
        "interval": interval,
        "series_points": len(live),
    }
    for a, b in not_numbers(values):
        out.append(common | _places(rows, live, a, a, b + 1 if b + 1 < len(live) else None) | {
            "kind": "nonfinite", "points": int((~np.isfinite(values[a : b + 1])).sum()),
            "base": float(values[a - 1]) if a else None,
            "after": float(values[b + 1]) if b + 1 < len(live) else None,
        })  # fmt: skip
    finite = live[np.isfinite(values)]
    if len(finite) < p.fewest_blown:
        return out
    finite = finite[dense_start(rows.step[finite]) :]
    x = rows.step[finite]
    rate = _along(driver, x)
    c = curve_of(x, rows.value[finite], driver=rate, p=p)
    order = (
        np.searchsorted(finite, np.asarray(sorted(starts), np.int64))
        if (np.diff(finite) > 0).all()
        else _after(finite, starts)
    )
    boundaries = sorted({int(b) for b in order if 0 < b < len(finite)})
    found = search(c, boundaries)
    found += [e for e in outliers(c) if not any(o.reaches(e.start, 3) for o in found)]
    dips = [e for e in found if e.kind == "dip"]
    near = max(p.boundary_points, c.window // 8)
    for e in found:
        end = len(finite) if e.end is None else e.end
        before = [b for b in boundaries if b - 2 <= e.start <= b + near]
        within = [
            d
            for d in dips
            if e is not d
            and d.start - 2 <= e.start <= (len(finite) if d.end is None else d.end) + c.window
            # What rises above the level from before the restart is no way back to it.
            and not (e.kind == "trend" and c.relative(e.after - d.base, d.base) > p.trend_height)
        ]
        h = max(c.window // 2, 5)
        ratio = None
        if rate is not None:
            low, high = rate[max(e.start - h, 0) : e.start + 1], rate[e.start : min(e.start + h, len(rate))]
            high = rate[-1:] if e.kind == "trend" else high
            if len(low) and len(high) and float(low.min()) > 0:
                ratio = float(high.max()) / float(low.min())
        level = wears_off(c, e)
        out.append(common | _places(rows, finite, e.start, e.peak, e.end) | {
            "kind": e.kind, "level_step": None if level is None else float(x[level]), "points": end - e.start, "base": c.value(e.base), "peak": c.value(e.top), "after": c.value(e.after),
            "sigmas": e.sigmas, "height": c.relative(e.height, e.base), "planned": max(rows.planned, float(x[-1] - x[0])),
            "boundary_step": float(x[before[-1]]) if before else None, "in_dip": bool(within), "driver_ratio": ratio,
            "boundary_file": int(rows.file[finite[before[-1]]]) if before else None,
            "boundary_line": int(rows.line[finite[before[-1]]]) if before else None,
            "boundary_steps": ",".join(f"{x[b - 1]:.15g}" for b in boundaries if e.kind == "dip" and e.start <= b < end) or None,
            "logarithmic": c.logarithmic,
        })  # fmt: skip
    return out


def not_numbers(values: Floats) -> Iterator[tuple[int, int]]:
    """First and last index of every stretch without finite values; two stretches with fewer than 3 numbers between are one."""
    bad = np.flatnonzero(~np.isfinite(values))
    if not len(bad):
        return
    cut = np.flatnonzero(np.diff(bad) > 3)
    for a, b in zip([0, *(cut + 1).tolist()], [*cut.tolist(), len(bad) - 1], strict=True):
        yield int(bad[a]), int(bad[b])


def _after(finite: Ints, starts: Sequence[int]) -> Ints:
    """Where in rows that are not in the order of writing the first one written at or after each start stands."""
    out = [int(np.flatnonzero(finite >= s)[0]) for s in starts if (finite >= s).any()]
    return np.asarray(out, np.int64)


def _along(driver: tuple[Floats, Floats] | None, x: Floats) -> Floats | None:
    """The driver's values at the steps of a curve."""
    if driver is None:
        return None
    step, value = driver
    ok = np.isfinite(step) & np.isfinite(value)
    if ok.sum() < 2:
        return None
    order = np.argsort(step[ok], kind="stable")
    return np.interp(x, step[ok][order], value[ok][order])


def _places(rows: _Rows, at: Ints, start: int, peak: int, end: int | None) -> dict[str, Any]:
    """Steps and lines of the points of an excursion."""
    before = int(at[start - 1]) if start else None
    stop = int(at[end]) if end is not None and end < len(at) else None
    last = int(at[-1])

    def place(name: str, k: int | None) -> dict[str, Any]:
        if k is None:
            return {f"{name}_step": None, f"{name}_file": None, f"{name}_line": None}
        return {
            f"{name}_step": float(rows.step[k]),
            f"{name}_file": int(rows.file[k]),
            f"{name}_line": int(rows.line[k]),
        }

    s = int(at[start])
    time = rows.time[s]
    return {
        "file_id": int(rows.file[s]), "line_no": int(rows.line[s]), "start_step": float(rows.step[s]),
        "start_seconds": None if np.isnan(time) else float(time),
        **place("before", before), **place("peak", int(at[peak])), **place("end", stop), **place("last", last),
    }  # fmt: skip
