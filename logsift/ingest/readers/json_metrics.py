"""JSON of metrics: Lines, lists of objects and trainer_state.json (one object per step), and one object with a list for each metric.

Keys come and go, values may be text.
"""

from __future__ import annotations

import io
import json
import re
from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.ingest import budget
from logsift.ingest.readers.opening import cut_short, read_whole
from logsift.ingest.readers.points import (
    EPISODES,
    EPOCHS,
    PHASES,
    PLANNED,
    RANKS,
    RUNS,
    STEPS,
    TIMES,
    Long,
    curves,
    first_of,
    long_rows,
    places,
    times,
)

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_PRINTED_NUMBER = re.compile(rb":( ?-?)(nan|inf)(?=\s?[,}])")
_NO_JSON_NUMBER = re.compile(rb"\b(?:NaN|Infinity|null)\b")
_TRAINING = re.compile(r"(?:loss|grad_norm)$", re.IGNORECASE)
_NOT_TRAINING = re.compile(r"(?:^|[^a-z])(?:val|valid|eval|test)", re.IGNORECASE)
_RATE = re.compile(r"(?:^|[^a-z])(?:lr|learning_?rate)$", re.IGNORECASE)
_DEPTH = 3
_LEARNT = re.compile(r"loss|acc|error|reward|return|score", re.IGNORECASE)
_LIST = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
_ONE_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{(?![^\n]*\}[ \t\r]*\n\s*\{)")
"""Not JSON Lines, of which there may be gigabytes."""
_RECORDS = re.compile(
    rb'"([a-zA-Z_]+)"\s*:\s*\[\s*\{[^{}\[\]]*"(?:epoch|global_step|step|iter|iteration|episode)"\s*:\s*[0-9]'
)
"""A list of objects of which each says its step or epoch."""
_BETWEEN = re.compile(r"[\s,\[]*")
_STATISTICS = {"num", "mean", "std"}
"""What StyleGAN keeps of a metric."""


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Curves; lines that are no JSON object are left out and counted."""
    data, why = read_whole(file.path)
    data = data.replace(b"\0", b"")
    if b"nan" in data or b"inf" in data:  # what few files have; to look for words is quicker than for a pattern
        data = _PRINTED_NUMBER.sub(_as_json, data)
    yield from cut_short(why)
    if data[:1000].lstrip()[:1] == b"{" and b'"log_history"' in data[:200_000]:
        yield from _recorded(file, data, "log_history")
        return
    if _LIST.match(data):
        yield from _listed(file, data)
        return
    if _ONE_OBJECT.match(data):
        if histories := _histories(data):
            yield from curves(histories)
            return
        if kept := _RECORDS.search(data):
            yield from _recorded(file, data, kept[1].decode())
            return
    if not _NO_JSON_NUMBER.search(data):
        wide = _as_columns(data)
        if wide is not None:
            yield from curves(long_rows(file, wide, pl.int_range(1, wide.height + 1, eager=True)))
            return
    lost = 0
    points = Points()
    for number, line in enumerate(data.splitlines(), 1):
        text = line.strip().rstrip(b",")
        if not text.startswith(b"{"):
            lost += text.strip(b"[]") != b""
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):  # no JSON, or deeper than any metric
            lost += 1
            continue
        points.add(number, row)
    yield from curves(points.frames(file))
    if lost:
        yield "problem", pl.DataFrame({"line_no": [0], "what": ["lines that are no JSON"], "text": [str(lost)]})


def _as_json(printed: re.Match[bytes]) -> bytes:
    """What C and Python print for a number that is none, as Python reads it from JSON."""
    return b": NaN" if printed[2] == b"nan" else b":" + printed[1] + b"Infinity"


def _as_columns(data: bytes) -> pl.DataFrame | None:
    """The lines as columns, where all are flat and each key has one type; None where that does not hold."""
    try:
        wide = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if wide.width > budget.COLUMNS or wide.height != data.count(b"\n") + (not data.endswith(b"\n")):
        return None
    step = first_of((*STEPS, *EPISODES), wide.columns)
    if step is None or not wide[step].dtype.is_numeric():
        return None
    if any(
        t.is_nested() or (t == pl.String and c.strip().lower() not in (*TIMES, *PHASES, *RUNS))
        for c, t in wide.schema.items()
    ):
        return None
    return wide.with_columns(pl.col(c).cast(pl.Float64) for c, t in wide.schema.items() if t.is_numeric())


def _recorded(file: SourceFile, data: bytes, key: str) -> Rows:
    """The list of objects, one per step or epoch, that one object keeps under a key, such as the `log_history` of Hugging Face's Trainer.

    The line is the one that says the entry's step.
    """
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError) as e:
        yield "problem", pl.DataFrame({"line_no": [0], "what": ["is no JSON"], "text": [str(e)]})
        return
    found = next(_under(whole, key), ({}, []))
    history = [h for h in found[1] if isinstance(h, dict)]
    step = next((c for c in ("step", *STEPS, *EPISODES, *EPOCHS) if history and c in history[0]), "step")
    start = data.find(f'"{key}"'.encode())
    before = data.count(b"\n", 0, start) + 1
    said = re.compile(rb'\s*(?:\{\s*)?"%b"\s*:' % re.escape(step.encode()))
    at = [before + n for n, line in enumerate(data[start:].splitlines()) if said.match(line)]
    lines = at if len(at) >= len(history) else [before] * len(history)
    points = Points()
    for number, row in zip(lines, history, strict=False):
        if "train_runtime" not in row:
            points.add(number, {**row, "max_steps": found[0].get("max_steps")})
    yield from curves(points.frames(file))


def _under(row: Mapping[str, Any], key: str, depth: int = 0) -> Iterator[tuple[Mapping[str, Any], list[Any]]]:
    """The lists under a key of an object or of those in it, each with the object that has it."""
    if isinstance(row.get(key), list):
        yield row, row[key]
    if depth < _DEPTH:
        for value in row.values():
            if isinstance(value, dict):
                yield from _under(value, key, depth + 1)


def _listed(file: SourceFile, data: bytes) -> Rows:
    """A list of objects, each on as many lines as it takes: the line is the one on which it begins."""
    text = data.decode("utf-8-sig", "replace")
    decoder, points = json.JSONDecoder(), Points()
    at, line_no, counted = 0, 1, 0
    while (at := _end_of(_BETWEEN, text, at)) < len(text) and text[at] != "]":
        line_no, counted = line_no + text.count("\n", counted, at), at
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as e:
            yield "problem", pl.DataFrame({"line_no": [line_no], "what": ["is no JSON"], "text": [str(e)]})
            break
        points.add(line_no, row)
    yield from curves(points.frames(file))


def _histories(data: bytes) -> list[Long]:
    """The lists of one object, as long as one of something learnt; nothing where the data is no such object.

    The line is that of the value where each has its own, else that on which its list begins.
    """
    try:
        whole = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return []
    if not isinstance(whole, dict):
        return []
    lists = list(_lists_within(whole))
    lengths = {len(values) for _, key, values in lists if _LEARNT.search(key)}
    lists = [found for found in lists if len(found[2]) in lengths][: budget.COLUMNS]
    several = len({within for within, _, _ in lists}) > 1
    counters = {(w, len(v)): v for w, k, v in reversed(lists) if first_of((*STEPS, *EPISODES, *EPOCHS), [k])}
    out: list[Long] = []
    at = 0
    for within, key, values in lists:
        start = data.find(b"[", max(data.find(json.dumps(key, ensure_ascii=False).encode(), at), 0))
        end = data.find(b"]", start)
        first, rows, at = data.count(b"\n", 0, start) + 1, data.count(b"\n", start, end), end
        own_lines = rows > len(values)
        steps = counters.get((within, len(values)), range(1, len(values) + 1))
        if steps is values:
            continue
        rows_of_list = pl.DataFrame({
            "line_no": [first + (n + 1) * own_lines for n in range(len(values))],
            "step": pl.Series(list(steps), dtype=pl.Float64, strict=False),
            "metric_value": pl.Series(values, dtype=pl.Float64),
        })  # fmt: skip
        out.append((f"{within}{key}" if several else key, rows_of_list.drop_nulls("metric_value")))
    return out


def _lists_within(
    row: Mapping[str, Any], within: str = "", depth: int = 0
) -> Iterator[tuple[str, str, list[float | None]]]:
    """The lists of numbers of an object and of those in it: in which, key, numbers."""
    for key, value in row.items():
        if isinstance(value, dict) and depth < _DEPTH:
            yield from _lists_within(value, f"{within}{key}/", depth + 1)
        elif isinstance(value, list) and len(value) > 1:
            numbers = [_number(v) for v in value]
            if all(n is not None or v is None for n, v in zip(numbers, value, strict=True)) and any(
                n is not None for n in numbers
            ):
                yield within, key, numbers


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


class Points:
    """Objects with keys that come and go -> rows, key by key."""

    def __init__(self) -> None:
        self.line_no: list[int] = []
        self.step_name = "step"
        self.counters: tuple[list[float | None], ...] = ([], [], [])  # step, episode, epoch
        self.planned: list[float | None] = []
        self.ranks: list[int | None] = []
        self.times: list[float | str | None] = []
        self.phases: list[str | None] = []
        self.runs: list[str | None] = []
        self.values: dict[str, tuple[array[int], array[float]]] = {}
        self.names: dict[tuple[str, ...], tuple[str | None, ...]] = {}

    def add(self, line_no: int, row: Mapping[str, Any]) -> None:
        """Keep the numbers of one object."""
        if not isinstance(row, dict) or len(row) > budget.COLUMNS or len(self.values) > budget.COLUMNS:
            return
        flat = _flat(row) if any(isinstance(v, dict) for v in row.values()) else row
        keys = tuple(flat)
        found = self.names.get(keys)
        if found is None:
            found = self.names[keys] = tuple(
                first_of(w, keys) for w in (STEPS, EPISODES, EPOCHS, PLANNED, RANKS, TIMES, PHASES, RUNS)
            )
        step, episode, epoch, planned, rank, time, phase, run = found
        said = str(flat[step])[:64] if step and isinstance(flat[step], str | float | bool) else ""
        said = said or (str(flat[step]) if step and isinstance(flat[step], int) and abs(flat[step]) < 1 << 63 else "")
        numbers = [_number(part) for part in said.split("/")] if step else []
        at = numbers[0] if numbers else None
        if step:
            self.step_name = step
        row_number = len(self.line_no)
        self.line_no.append(line_no)
        for counter, value in zip(
            self.counters, (at, *(_number(flat[c]) if c else None for c in (episode, epoch))), strict=True
        ):
            counter.append(value)
        self.planned.append(numbers[1] if len(numbers) > 1 else _number(flat[planned]) if planned else None)
        self.ranks.append(int(n) if rank and (n := _number(flat[rank])) is not None and abs(n) < 1 << 32 else None)
        self.times.append(_time(flat[time]) if time else None)
        self.phases.append(_name(flat[phase]) if phase else None)
        self.runs.append(_name(flat[run]) if run else None)
        of_no_step = (at is None and not episode) or _is_of_no_step(flat)
        for key, value in flat.items():
            if key in (step, planned, rank, time):
                continue
            if value is None:
                # orjson writes NaN as null; a metric that had values before and is asked for every step must be meant.
                if of_no_step or key not in self.values or not _TRAINING.search(key) or _NOT_TRAINING.search(key):
                    continue
                number: float | None = float("nan")
            else:
                number = _number(value)
            if number is not None:
                where, what = self.values.setdefault(key, (array("q"), array("d")))
                where.append(row_number)
                what.append(number)

    def _times(self) -> pl.Series:
        if any(isinstance(t, str) for t in self.times):
            return pl.Series([f"{t:.6f}" if isinstance(t, float) else t for t in self.times], dtype=pl.String)
        return pl.Series(self.times, dtype=pl.Float64)

    def frames(self, file: SourceFile) -> Iterator[Long]:
        """The rows, key by key."""
        schema = {
            "line_no": pl.Int64(), "planned": pl.Float64(), "rank": pl.Int64(), "phase": pl.String(), "run_name": pl.String(),
        }  # fmt: skip
        columns = (self.line_no, self.planned, self.ranks, self.phases, self.runs)
        context = pl.DataFrame(dict(zip(schema, columns, strict=True)), schema)
        place, counted = places(
            [pl.Series(c, dtype=pl.Float64) if any(n is not None for n in c) else None for c in self.counters],
            [context[c] for c in ("run_name", "phase", "rank")], context.height,
        )  # fmt: skip
        if not counted:
            of_step = pl.Series(self.counters[0], dtype=pl.Float64)
            yield (
                self.step_name,
                context.with_columns(of_step.alias("metric_value"), place.alias("step")).drop_nulls("metric_value"),
            )
        context = context.with_columns(place.alias("step"))
        context = context.select(c.name for c in context if c.null_count() < context.height).hstack(
            times(file, self._times())
        )
        for key, (where, what) in self.values.items():
            rows = context[pl.Series(where, dtype=pl.Int64)]
            yield key, rows.with_columns(pl.Series("metric_value", what, pl.Float64))


def _is_of_no_step(row: Mapping[str, Any]) -> bool:
    """An object that names the keys of a step without a step: of a validation, or of the end of the training."""
    return any((v is None and _RATE.search(k)) or (v is not None and _NOT_TRAINING.search(k)) for k, v in row.items())


def _number(value: object) -> float | None:
    """A JSON value as a number; text that is one counts, truth values do not."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:  # more than 308 digits
            return None
    if isinstance(value, str) and 0 < len(value) < 64 and value[0] in "0123456789.-+nNiI":
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _name(value: object) -> str | None:
    """A text or a number as a name of something; what is neither is none."""
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return None
    return str(value)[:1000] if isinstance(value, str | int | float) else None


def _time(value: object) -> float | str | None:
    if isinstance(value, int | float):
        return None if abs(value) > 1e18 else value / 1000 if value > 1e11 else float(value)
    return value if isinstance(value, str) and len(value) > 7 else None


def _flat(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Nested objects as one, keys joined with "/"; the wrapper keys of file loggers are left out."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value.keys() == _STATISTICS:
            out[f"{prefix}{key}"] = value["mean"]
        elif isinstance(value, dict):
            if depth < _DEPTH:
                out |= _flat(
                    value, prefix if key in ("data", "metrics", "logs", "scalars") else f"{prefix}{key}/", depth + 1
                )
        elif f"{prefix}{key}" not in out:
            out[f"{prefix}{key}"] = value
    return out
