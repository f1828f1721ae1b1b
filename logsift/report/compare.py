"""What differs between a run that was good and one that was not: settings, messages, figures, loss, places of ranks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift.ingest.discover import known_files
from logsift.ingest.envelope import Envelopes
from logsift.ingest.readers.lines import frame, line_ends
from logsift.ingest.readers.opening import open_bytes
from logsift.report.inert import cell, code, line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsift.analysis import Analysis
    from logsift.content.model import Catalog

_FILE_BYTES, _RUN_BYTES = 16 << 20, 256 << 20
"""Messages are taken from the beginning of each file, and from so much of a run."""
_MESSAGES = 15
_APART = 0.02
"""Losses that differ by less than this share are alike."""
_MASKS = (
    (r"(?i)\b0x[0-9a-f]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b", "<id>"),
    (r"(?:/[0-9A-Za-z_.+@%=-]+){2,}/?", "<path>"),
    (r"[0-9]+(?:[.:,/_-][0-9]+)*(?:[eE][+-]?[0-9]+)?", "<n>"),
    (r"<n>(?:[ ,x-]*<n>)+", "<n>"),
)  # fmt: skip
"""What of a message differs from line to line, in this order. Miners learn it from the lines, one by one in Python;
masks need no memory and no learning, and two runs get the same templates."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A version or setting whose values differ; empty where a run does not tell any."""

    kind: str
    name: str
    good: tuple[str, ...]
    bad: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of both runs, in its unit; None where a run has none. `worse` where the bad run is worse by more than a tenth."""

    topic: str
    name: str
    unit: str
    good: float | None
    bad: float | None
    worse: bool

    @property
    def change(self) -> float | None:
        """The difference as a share of the good run's."""
        return None if self.good is None or self.bad is None or not self.good else self.bad / self.good - 1


@dataclass(frozen=True, slots=True)
class Message:
    """A message that one run only has: its template, how often, and the first line."""

    template: str
    lines: int
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of both runs, at steps that both logged: where they part for good (None: nowhere), and the last."""

    steps: int
    parts_at: float | None
    last_step: float
    good: float
    bad: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. Roots are (rule, summary), None where nothing was found; places are (rank, good, bad)."""

    good: str
    bad: str
    good_root: tuple[str, str] | None
    bad_root: tuple[str, str] | None
    settings: tuple[Setting, ...]
    figures: tuple[Figure, ...]
    loss: Loss | None
    only_good: tuple[Message, ...]
    only_bad: tuple[Message, ...]
    places: tuple[tuple[int, str, str], ...]
    hosts_only_good: tuple[str, ...]
    hosts_only_bad: tuple[str, ...]


def compare(good: Analysis, bad: Analysis, catalog: Catalog) -> Comparison:
    """What differs between two runs."""
    first, second = _messages(good, catalog), _messages(bad, catalog)
    places = [{r["rank"]: (r["host"] or "", r["gpu"] or "") for r in a.sql("SELECT * FROM rank")} for a in (good, bad)]
    hosts = [{host for host, _ in p.values() if host} for p in places]
    return Comparison(
        str(good.run), str(bad.run),
        _root(good), _root(bad),
        tuple(_settings(good, bad)), tuple(_figures(good, bad)), _loss(good, bad), _only(first, second), _only(second, first),
        tuple(
            (rank, " ".join(filter(None, places[0][rank])), " ".join(filter(None, places[1][rank])))
            for rank in sorted(places[0].keys() & places[1].keys()) if places[0][rank] != places[1][rank]
        ),
        tuple(sorted(hosts[0] - hosts[1])), tuple(sorted(hosts[1] - hosts[0])),
    )  # fmt: skip


def _root(analysis: Analysis) -> tuple[str, str] | None:
    return (analysis.root.rule, analysis.root.summary) if analysis.root else None


def _settings(good: Analysis, bad: Analysis) -> Iterator[Setting]:
    told: list[dict[tuple[str, str], tuple[str, ...]]] = []
    for a in (good, bad):
        rows = a.sql(
            "SELECT kind, name, list(DISTINCT value ORDER BY value) AS vals FROM run_setting GROUP BY kind, name"
        )
        told.append({(r["kind"], r["name"]): tuple(r["vals"]) for r in rows})
    order = ["version", "system", "package", "variable"]
    keys = sorted(told[0].keys() | told[1].keys(), key=lambda k: (order.index(k[0]) if k[0] in order else 9, k[1]))
    # A run that was captured and one that was not differ in everything: a kind that only one run tells is no difference.
    kinds = {k for k, _ in told[0]} & {k for k, _ in told[1]}
    for kind, name in keys:
        first, second = (t.get((kind, name), ()) for t in told)
        if first != second and kind in kinds:
            yield Setting(kind, name, first, second)


def _figures(good: Analysis, bad: Analysis) -> Iterator[Figure]:
    told = [{(r["topic"], r["name"]): r for r in a.sql("SELECT * FROM run_figure")} for a in (good, bad)]
    for key in dict.fromkeys((*told[0], *told[1])):
        row = told[0].get(key) or told[1][key]
        first, second = (float(t[key]["value"]) if key in t else None for t in told)
        worse = False
        if first and second and row["better"]:
            worse = second > 1.1 * first if row["better"] == "lower" else second < 0.9 * first
        yield Figure(*key, row["unit"] or "", first, second, worse)


def _loss(good: Analysis, bad: Analysis) -> Loss | None:
    """By the series with most points; of steps logged twice the last value counts."""
    curves = []
    for a in (good, bad):
        rows = a.sql(
            "SELECT step, arg_max(value, (turn, ordinal)) AS value FROM series_point WHERE series_id = (SELECT series_id FROM series"
            " WHERE canonical = 'loss' ORDER BY points DESC, series_id LIMIT 1) AND step IS NOT NULL AND isfinite(value)"
            " GROUP BY step"
        )
        curves.append({float(r["step"]): float(r["value"]) for r in rows})
    steps = sorted(curves[0].keys() & curves[1].keys())
    if not steps:
        return None
    apart = [abs(curves[0][s] - curves[1][s]) > _APART * max(abs(curves[0][s]), 1e-12) for s in steps]
    alike = [i for i, is_apart in enumerate(apart) if not is_apart]
    first = alike[-1] + 1 if alike else 0
    return Loss(
        len(steps), steps[first] if first < len(steps) else None, steps[-1], curves[0][steps[-1]], curves[1][steps[-1]]
    )


def _messages(analysis: Analysis, catalog: Catalog) -> pl.DataFrame:
    """Templates of a run's lines: how often each, and the first line of it (file, line)."""
    parts, left = [], _RUN_BYTES
    envelopes = Envelopes.of(catalog.envelopes, [])
    for file in known_files(analysis.place, analysis.sql("SELECT * FROM file")).values():
        if file.reader != "lines" or file.grammar or left <= 0:
            continue
        try:
            with open_bytes(file.path) as stream:
                data = stream.read(min(_FILE_BYTES, left))
        except (OSError, EOFError):
            continue
        left -= len(data)
        ends = line_ends(data)
        lines = frame([(file.file_id, pl.int_range(1, len(ends) + 1, eager=True).to_numpy(), data)])
        if not lines.height:
            continue
        stripped = envelopes.strip(
            lines.with_columns(core=pl.lit(True), marked=pl.lit(False), written=pl.lit(None, pl.Datetime("us")))
        )
        text = pl.col("body")
        for pattern, mask in _MASKS:
            text = text.str.replace_all(pattern, mask)
        told = stripped.select(template=text.str.strip_chars().str.head(300), line="line_no").filter(
            pl.col("template").str.contains("[A-Za-z]{3}")
        )
        parts.append(
            told.group_by("template")
            .agg(pl.len().alias("lines"), pl.col("line").min())
            .with_columns(path=pl.lit(file.name))
        )
    if not parts:
        return pl.DataFrame(schema={"template": pl.String, "lines": pl.UInt32, "line": pl.Int64, "path": pl.String})
    return (
        pl.concat(parts).sort("path", "line").group_by("template", maintain_order=True)
        .agg(pl.col("lines").sum(), pl.col("line").first(), pl.col("path").first())
    )  # fmt: skip


def _only(of: pl.DataFrame, other: pl.DataFrame) -> tuple[Message, ...]:
    rows = of.join(other, on="template", how="anti").sort("lines", "template", descending=[True, False])
    return tuple(Message(r["template"], r["lines"], r["path"], r["line"]) for r in rows.iter_rows(named=True))


def document(c: Comparison) -> dict[str, Any]:
    """The comparison as values for JSON."""
    return {"schema": 1, **asdict(c)}


def text(c: Comparison) -> str:
    """The comparison for a terminal."""
    return "\n".join(line(row) for row in _rows(c)) + "\n"


def markdown(c: Comparison) -> str:
    """The comparison in the shape of a regression report: versions, what happened, performance."""
    out = ["### Regression", "", "| | good | bad |", "|---|---|---|", _row("run", c.good, c.bad)]
    out.append(_row("found", *(f"{r[0]}: {r[1]}" if r else "nothing" for r in (c.good_root, c.bad_root))))
    out += [_row(s.name, ", ".join(s.good) or "-", ", ".join(s.bad) or "-") for s in c.settings]
    if c.figures:
        out += ["", "### Performance", "", "| | good | bad | change |", "|---|---|---|---|"]
        out += [f"{_row(f.name, _value(f.good, f.unit), _value(f.bad, f.unit))} {_change(f)} |" for f in c.figures]
    if c.loss:
        out += ["", f"Loss: {_loss_said(c.loss)}."]
    for name, messages in (("bad", c.only_bad), ("good", c.only_good)):
        if messages:
            out += ["", f"### Messages of the {name} run only", ""]
            out += [f"- {code(m.template)}, {m.lines}×, {code(f'{m.path}:{m.line}')}" for m in messages[:_MESSAGES]]
    if c.hosts_only_good or c.hosts_only_bad:
        out += ["", f"Hosts of the good run only: {cell(', '.join(c.hosts_only_good) or '-')}; of the bad run only: {cell(', '.join(c.hosts_only_bad) or '-')}."]  # fmt: skip
    return "\n".join(out) + "\n"


def _row(name: str, good: str, bad: str) -> str:
    return f"| {cell(name)} | {cell(good)} | {cell(bad)} |"


def _rows(c: Comparison) -> Iterator[str]:
    for name, run, root in (("good", c.good, c.good_root), ("bad", c.bad, c.bad_root)):
        yield f"{name:<5} {run}: {f'{root[0]}: {root[1]}' if root else 'nothing was found'}"
    if c.settings:
        yield "── settings and versions that differ"
        for s in c.settings:
            yield f"  {s.name}: {', '.join(s.good) or '-'} → {', '.join(s.bad) or '-'}"
    if c.figures:
        yield "── figures"
        for f in c.figures:
            yield f"{'!' if f.worse else ' '} {f.name}: {_value(f.good, f.unit)} → {_value(f.bad, f.unit)}  {_change(f)}".rstrip()
    if c.loss:
        yield "── loss"
        yield f"  {_loss_said(c.loss)}"
    for title, messages in (("bad", c.only_bad), ("good", c.only_good)):
        if messages:
            yield f"── messages of the {title} run only: {len(messages)}"
            yield from (f"  {m.lines:>6}  {m.path}:{m.line}  {m.template}" for m in messages[:_MESSAGES])
    if c.hosts_only_good or c.hosts_only_bad:
        yield "── places"
        yield f"  hosts of the good run only: {', '.join(c.hosts_only_good) or '-'}; of the bad run only: {', '.join(c.hosts_only_bad) or '-'}"
    elif c.places:
        yield "── places"
        yield from (f"  rank {rank}: {a} → {b}" for rank, a, b in c.places[:_MESSAGES])
    if not (c.settings or c.figures or c.only_good or c.only_bad or c.places):
        yield "nothing differs that logs tell"


def _loss_said(loss: Loss) -> str:
    at = f"at step {loss.last_step:g}: {loss.good:.4g} and {loss.bad:.4g}"
    if loss.parts_at is None:
        return f"alike at all {loss.steps} steps that both logged, {at}"
    return f"apart by more than {_APART:.0%} from step {loss.parts_at:g} on, {at}"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "B":
        return f"{value / (1 << 30):.1f} GiB"
    return f"{value:.6g}{' ' + unit if unit else ''}"


def _change(figure: Figure) -> str:
    return f"{figure.change:+.0%}" if figure.change else ""
