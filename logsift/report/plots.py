"""Curves with what was found on them, and pieces of memory, as pictures or in the terminal; matplotlib is imported here only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from logsift.derive.series.rows import real
from logsift.errors import UserError, offered
from logsift.report.fold import shortened
from logsift.report.inert import line

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from logsift.analysis import Analysis

_POINTS = 4000
"""More points than pixels show nothing more: each bucket shows its least and greatest, so that no peak is lost."""
_HIGHEST = 1e100
"""Higher numbers cannot be drawn: the axes are computed in the same floats."""
_LANES = 60
"""More lanes than this cannot be read on one page: the largest are drawn."""
_LEVELS = 3
"""Lines of labels above a curve."""
_LABEL_CHARACTERS, _TITLE_CHARACTERS = 48, 120
"""Longer names leave no room for what they stand beside: matplotlib then draws axes of no size."""
_SHADES = ("#1f4e79", "#7f9fbf", "#f2b872", "#fbe9cf", "0.8", "0.9")
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_MIB = 1 << 20
BLUE, ORANGE, GREEN, RED, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#999999"
"""Okabe and Ito's colours, told apart by nearly everybody and on white as on black."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Branch:
    """Points of one writer that follow each other; `live` False where a rollback left them."""

    live: bool
    step: Floats
    value: Floats


def draw(analysis: Analysis, name: str | None, output: Path) -> str:
    """Draw a series into a PNG or SVG file with incidents, restarts and dead branches; gives what was drawn in words.

    Raises:
        UserError: there is no such series.
    """
    figure, said = curve(analysis, name)
    _save(figure, output)
    return said


def _save(figure: Figure, output: Path) -> None:
    known = figure.canvas.get_supported_filetypes()
    if output.suffix[1:].lower() not in known:
        raise UserError(f"no picture is called {line(output.name)}: its name ends in .png or .svg")
    figure.savefig(output)


def curve(analysis: Analysis, name: str | None) -> tuple[Figure, str]:
    """A series with incidents, restarts and dead branches, and what is drawn in words.

    Raises:
        UserError: there is no such series.
    """
    from logsift.report.drawing import Drawing

    figure = Drawing(figsize=(11, 4.5), layout="constrained")
    return figure, draw_on(figure.subplots(), analysis, name)


def draw_on(axes: Axes, analysis: Analysis, name: str | None) -> str:
    """Draw a series with incidents, restarts and dead branches on axes; gives what was drawn in words.

    Raises:
        UserError: there is no such series.
    """
    from matplotlib.ticker import EngFormatter

    chosen, branches = branches_of(analysis, name)
    said = set[str]()
    for branch in sorted(branches, key=lambda b: b.live):
        colour, label = (BLUE, plain(chosen)) if branch.live else (GREY, "left by a rollback")
        label = "" if label in said else label
        said.add(label)
        if len(branch.step) > _POINTS:
            step, low, middle, high = buckets(branch.step, branch.value, _POINTS // 2)
            axes.fill_between(step, low, high, color=colour, alpha=0.3, linewidth=0)
            axes.plot(step, middle, linewidth=0.9, color=colour, label=label)
        else:
            marker = "." if len(branch.step) == 1 else ""
            axes.plot(branch.step, branch.value, linewidth=0.9, color=colour, label=label, marker=marker)
    steps, values = np.concatenate([b.step for b in branches]), np.concatenate([b.value for b in branches])
    for number, at in enumerate(_restarts(analysis, chosen)):
        axes.axvline(at, color=GREY, linewidth=0.8, linestyle=":", label="restart" if number == 0 else None)
    # Incidents at one place share a label above the frame, which leans towards the middle.
    marks: dict[float, list[str]] = {}
    first = float(steps.min())
    for at, rule in _marks(analysis):
        if at >= first:  # what came before the curve has no place on it
            marks.setdefault(at, []).append(rule)
    last = float(max(steps.max(), *marks, first + 1))
    for number, (at, rules) in enumerate(sorted(marks.items())):
        axes.axvline(at, color=RED, linewidth=0.8, linestyle="--")
        axes.annotate(
            ", ".join(dict.fromkeys(rules)), (at, 1), xycoords=("data", "axes fraction"), fontsize=8, color=RED,
            xytext=(0, 3 + 10 * (number % _LEVELS)), textcoords="offset points",
            ha="right" if at > (first + last) / 2 else "left",
        )  # fmt: skip
    finite = values[np.isfinite(values)]
    if len(finite) and finite.min() > 0 and finite.max() > 20 * np.median(finite):
        axes.set_yscale("log")
    if missing := int((~np.isfinite(values)).sum()):
        at = steps[~np.isfinite(values)]
        axes.plot(
            at, np.zeros(len(at)), "x", color=ORANGE, transform=axes.get_xaxis_transform(), clip_on=False, markersize=6,
            label=f"not a number ({missing:,})",
        )  # fmt: skip
    axes.set_xlim(first, last)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.set_xlabel("step")
    axes.set_ylabel(plain(chosen))
    axes.legend(loc="best", fontsize=8)
    axes.set_title(plain(f"{analysis.run.name}: {chosen}", _TITLE_CHARACTERS), pad=6 + 10 * min(len(marks), _LEVELS))
    drawn = sum(map(len, marks.values()))
    return f"{chosen}: {len(values):,} points, {drawn} incident{'s' * (drawn != 1)} marked"


def plain(text: str, most: int = _LABEL_CHARACTERS) -> str:
    """A text that a figure shows as it is: matplotlib reads formulas between dollars, and one that is too long leaves no room."""
    return shortened(line(text), most).replace("$", r"\$")


def draw_extents(analysis: Analysis, output: Path) -> str:
    """Draw what the view `extent` lists: lanes cut into pieces by state, below what was wanted; gives it in words.

    Raises:
        UserError: no such pieces are known of this run.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    rows = analysis.store.rows(
        "SELECT picture, lane, start_bytes, size_bytes, state_no, state, marked FROM extent ORDER BY ALL"
    )
    if not rows:
        raise UserError("nothing in this run has a layout to draw: its view extent has no rows")
    wanted = {r["picture"]: r for r in analysis.store.rows("SELECT picture, size_bytes, about FROM extent_wanted")}
    pictures = sorted({r["picture"] for r in rows})
    states = dict(sorted({(r["state_no"], r["state"]) for r in rows}))
    total = {n: sum(r["size_bytes"] for r in rows if r["state_no"] == n) for n in states}
    lanes = {p: _lanes([r for r in rows if r["picture"] == p]) for p in pictures}
    heights = [min(len(lanes[p]), _LANES) + (p in wanted) for p in pictures]
    figure = Figure(figsize=(11, 1.6 * len(pictures) + 0.16 * sum(heights)), layout="constrained")
    grid = figure.subplots(len(pictures), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    said = []
    for picture, axes in zip(pictures, grid[:, 0], strict=True):
        shown = lanes[picture][:_LANES]
        labels = []
        if picture in wanted:
            size = wanted[picture]["size_bytes"] / _MIB
            axes.barh(0, size, height=0.8, color="none", edgecolor="C3", hatch="///")
            axes.axvline(size, color="C3", linewidth=0.8, linestyle="--")
            labels.append("asked for")
        for y, (lane, pieces) in enumerate(shown, len(labels)):
            labels.append(plain(lane))
            axes.broken_barh(
                [(r["start_bytes"] / _MIB, r["size_bytes"] / _MIB) for r in pieces], (y - 0.4, 0.8),
                color=[_SHADES[(r["state_no"] - 1) % len(_SHADES)] for r in pieces],
                edgecolor=["C3" if r["marked"] else "w" for r in pieces],
                linewidth=[1.5 if r["marked"] else 0.4 for r in pieces],
            )  # fmt: skip
        axes.set_yticks(range(len(labels)), labels, fontsize=6, family="monospace")
        axes.invert_yaxis()
        left_out = len(lanes[picture]) - len(shown)
        about = wanted[picture]["about"] if picture in wanted else ""
        axes.set_title(plain(", ".join(t for t in (f"{analysis.run.name}: {picture}", about) if t), _TITLE_CHARACTERS))
        axes.set_xlabel("MiB" + f" ({left_out:,} smaller lanes are left out)" * (left_out > 0))
        said.append(f"{picture}: {len(shown)} of {len(lanes[picture])} lanes")
    handles = [
        Patch(color=_SHADES[(n - 1) % len(_SHADES)], label=f"{states[n]} ({total[n] / _MIB:,.0f} MiB)") for n in states
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8)
    _save(figure, output)
    return "; ".join(said)


def _lanes(rows: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Lanes with their pieces, the largest first."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for r in rows:
        grouped.setdefault(r["lane"], []).append(r)
    return sorted(grouped.items(), key=lambda kv: (-sum(r["size_bytes"] for r in kv[1]), kv[0]))


def sparkline(analysis: Analysis, name: str | None, width: int = 100) -> str:
    """A series in one line of blocks, with its range; not-a-number shows as a question mark.

    Raises:
        UserError: there is no such series.
    """
    chosen, branches = branches_of(analysis, name)
    live = [b for b in branches if b.live]
    if not live:
        raise UserError(f"no points of {chosen} count")
    step, value = np.concatenate([b.step for b in live]), np.concatenate([b.value for b in live])
    edges = np.linspace(0, len(value), min(width, len(value)) + 1).astype(int)
    groups = [value[a:b] for a, b in pairwise(edges)]
    # A column shows the greatest of its points, as far as it is a number: a spike of one step must be seen.
    heights = np.array([g[np.isfinite(g)].max() if np.isfinite(g).any() else np.nan for g in groups])
    low, high = np.nanmin(heights), np.nanmax(heights)
    # On a logarithmic scale where that is possible: the first steps of a run would flatten all others.
    shape = np.log(heights / low) / (np.log(high / low) or 1) if low > 0 else (heights - low) / (high - low or 1)
    scaled = shape * 8
    blocks = "".join("?" if np.isnan(h) else _EIGHTHS[max(1, round(h))] for h in scaled)
    drawn = [" "] * len(groups)
    told = []

    def mark(at: float, sign: str) -> None:
        drawn[min(max(int(np.searchsorted(edges, np.searchsorted(step, at), side="right")) - 1, 0), len(drawn) - 1)] = (
            sign
        )

    for at in _restarts(analysis, chosen):
        mark(at, "|")
    for at, rule in _marks(analysis):
        if step[0] <= at <= step[-1]:
            mark(at, "^")
            told.append(f"{rule} at step {at:g}")
    legend = [*(["| restart"] if "|" in drawn else []), *(["^ " + ", ".join(told)] if told else [])]
    below = ["".join(drawn).rstrip(), "  ".join(legend)] if legend else []
    return "\n".join([f"{chosen}  steps {step[0]:g} to {step[-1]:g}, {low:g} to {high:g}", blocks, *below])


def _marks(analysis: Analysis) -> list[tuple[float, str]]:
    """Where incidents are on the axis of steps."""
    at = [(i.facts.get("step"), i.rule) for i in analysis.incidents if i.severity != "info"]
    return [(float(step), rule) for step, rule in at if isinstance(step, (int, float))]


def _restarts(analysis: Analysis, name: str) -> list[float]:
    """Steps behind a restart: announced, at the head of a further file, or where the steps go back."""
    rows = analysis.store.rows(
        """
        WITH own AS (SELECT series_id FROM series WHERE name = ?),
        behind AS (
          SELECT b.step AS said, arg_min(p.step, p.line_no) AS step, min(p.line_no) AS line_no, b.series_id, b.file_id
          FROM series_boundary b JOIN own USING (series_id)
          LEFT JOIN series_point p ON p.series_id = b.series_id AND p.file_id = b.file_id AND p.line_no > b.line_no
          GROUP BY b.series_id, b.file_id, b.line_no, b.step)
        SELECT coalesce(said, step) AS step FROM behind
        WHERE said IS NOT NULL OR line_no > (SELECT min(s.line_no) FROM segment s WHERE s.series_id = behind.series_id AND s.file_id = behind.file_id)
        UNION
        SELECT first_step FROM (
          SELECT first_step, to_step, file_id <> lag(file_id) OVER (PARTITION BY series_id, run ORDER BY file_id, line_no) AS other_file
          FROM segment JOIN own USING (series_id) WHERE state = 'live')
        WHERE to_step IS NOT NULL OR other_file
        """,
        [name],
    )
    return sorted({float(r["step"]) for r in rows if r["step"] is not None})[:100]


def buckets(step: Floats, value: Floats, count: int) -> tuple[Floats, Floats, Floats, Floats]:
    """The first step of each of `count` runs of points, with the least, the median and the greatest of its values."""
    edges = np.linspace(0, len(step), count + 1).astype(int)
    groups = [value[a:b][np.isfinite(value[a:b])] for a, b in pairwise(edges)]
    low, middle, high = (np.array([f(g) if len(g) else np.nan for g in groups]) for f in (np.min, np.median, np.max))
    return step[edges[:-1]], low, middle, high


def branches_of(analysis: Analysis, name: str | None) -> tuple[str, list[Branch]]:
    """The metric of that name, or of that kind where none is named so, or the training loss, and its branches in their order.

    Raises:
        UserError: there is no such metric, or it has no steps.
    """
    store = analysis.store
    known = [r["name"] for r in store.rows("SELECT name FROM metric GROUP BY name ORDER BY count(*) DESC, name")]
    if not known:
        raise UserError("no metrics in this run")
    wanted = name or "loss"
    of_kind = store.rows(
        "SELECT name FROM series WHERE canonical = ? GROUP BY name ORDER BY sum(points) DESC, name", [wanted]
    )
    # One program writes "loss" and another "lm loss": who asks for the loss means either.
    chosen = name if name in known else next((r["name"] for r in of_kind), None if name else known[0])
    if chosen is None:
        raise UserError(f"no metric {wanted!r} here{offered(wanted, known[:20])}")
    stitched = (
        "SELECT series_id AS writer, run, state = 'live' AS live, step, value FROM metric_stitched WHERE name = ?"
        " ORDER BY writer, run, live, step"
    )
    # What is not searched for incidents (a learning rate) was not stitched: it is drawn as it was printed.
    printed = (
        "SELECT dense_rank() OVER (ORDER BY source, rank) AS writer, 0 AS run, true AS live, step, value FROM metric"
        " WHERE name = ? AND step IS NOT NULL ORDER BY writer, ordinal"
    )
    for query in (stitched, printed):
        got = store.con.execute(query, [chosen]).fetchnumpy()
        drawable = np.abs(real(got["step"])) < _HIGHEST
        got = {name: column[drawable] for name, column in got.items()}
        step, value = real(got["step"]), real(got["value"])
        value = np.where(np.abs(value) < _HIGHEST, value, np.nan)
        if len(step):
            break
    else:
        raise UserError(f"no point of {chosen} has a step at which it could be drawn")
    apart = np.flatnonzero(np.any([np.diff(got[c].astype(int)) != 0 for c in ("writer", "run", "live")], axis=0)) + 1
    edges = [0, *apart.tolist(), len(step)]
    return chosen, [Branch(bool(got["live"][a]), step[a:b], value[a:b]) for a, b in pairwise(edges)]
