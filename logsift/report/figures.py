"""Pictures of a run: which there is something to see in, drawn for a page (SVG) or a folder (PNG)."""

from __future__ import annotations

import io
import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logsift.errors import UserError
from logsift.judge.words import count, natural, size
from logsift.judge.words import ranks as ranks_in_words
from logsift.report.fates import each, folded
from logsift.report.plots import BLUE, GREEN, GREY, ORANGE, RED, curve, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from logsift.analysis import Analysis

_WIDTH = 11.0  # inches
_FEW = 24  # hosts that can be named on an axis
_OF_MANY = 6  # hosts shown of an incident that concerns more of them, where not all can be named
_BINS = 240  # columns of time, and rows of ranks, of the picture of activity
_TELLING = 3
"""Moments that a row has to have on average: without a rhythm nobody sees who lost it."""
_MINUTES_BEFORE = 20
_MANY_ROWS = 10_000
"""More rows of ranks than this are of a number that is no rank's, or show nothing."""
COLOURS = (RED, BLUE, ORANGE, GREEN, "#cc79a7", "#56b4e9", "#f0e442", "#666666", "#bbbbbb")
_INK = "#010203"
"""Stands for the colour of the page's own text while a figure is drawn."""
_ID = re.compile(r' id="([^"]*)"')
_REFERRED = re.compile(r"#([A-Za-z][\w.-]*)")
_MANY_POINTS = 512
"""More points than this are drawn as one picture within a figure: as shapes they would fill megabytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its name (of a file), its title, and what it shows in words."""

    name: str
    title: str
    says: str
    figure: Figure


def pictures(analysis: Analysis) -> Iterator[Picture]:
    """Every figure that has something to show of this run."""
    makers: tuple[Callable[[Analysis], Picture | None], ...] = (
        _states,
        _activity,
        _progress,
        _loss,
        _memory,
        _incidents,
    )
    for make in makers:
        with _inked():
            made = make(analysis)
        if made:
            yield made


def svg(picture: Picture) -> str:
    """The figure as an element of a page: its text is text, in the colour of the page."""
    import matplotlib as mpl

    out = io.StringIO()
    with _inked(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": picture.name, "font.family": "sans-serif"}):
        picture.figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    used = set(_REFERRED.findall(text))
    text = _ID.sub(lambda m: m[0] if m[1] in used else "", text[text.index("<svg") :])
    return text.replace(_INK, "currentColor")


def write(analysis: Analysis, folder: Path) -> list[Path]:
    """Write every figure into a folder, as PNG on white."""
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for p in pictures(analysis):
        path = folder / f"{p.name}.png"
        with _inked():
            p.figure.savefig(path, dpi=150, facecolor="white")
        out.append(path)
    return out


@contextmanager
def _inked() -> Iterator[None]:
    """Axes and text are made in _INK."""
    import matplotlib as mpl

    with mpl.rc_context(
        {
            "text.color": _INK,
            "axes.labelcolor": _INK,
            "axes.titlecolor": _INK,
            "axes.edgecolor": _INK,
            "xtick.color": _INK,
            "ytick.color": _INK,
            "legend.facecolor": "none",
            "font.size": 9,
        }
    ):
        yield


def _new(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _days(time: datetime | None) -> float:
    """A time as matplotlib counts it, in days."""
    from matplotlib import dates

    return float(dates.date2num(time))  # type: ignore[no-untyped-call]


def _of_time(axes: Axes) -> None:
    """The axis below is one of time."""
    from matplotlib import dates

    locator = dates.AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _states(analysis: Analysis) -> Picture | None:
    """How every rank ended, as a matrix of ranks."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    ranks = each(analysis.store)
    if len(ranks) < 2 or {r.fate for r in ranks} <= {"unknown"}:
        return None
    said = list(dict.fromkeys(f.said for f in folded(analysis.store)))[: len(COLOURS) - 1]
    index = {s: n for n, s in enumerate(said)}
    hosts = Counter(r.host for r in ranks if r.host)
    per_host = max(hosts.values(), default=8)
    columns = per_host * max(1, round((len(ranks) * 3) ** 0.5 / per_host)) if len(ranks) > per_host else len(ranks)
    rows = -(-(max(r.rank for r in ranks) + 1) // columns)
    if rows > _MANY_ROWS:
        return None
    states = np.full(rows * columns, np.nan)
    for r in ranks:
        states[r.rank] = index.get(r.said, len(said))
    cell = min(0.45, 0.85 * _WIDTH / columns)
    high = rows * cell
    figure, axes = _new(min(8.0, 1.3 + high))
    colours = [*COLOURS[: len(said)], "#dddddd"]
    axes.imshow(
        states.reshape(rows, columns), cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, aspect="equal",
        interpolation="nearest",
    )  # fmt: skip
    if columns <= 96:  # finer ones are a grey, and slow to draw
        axes.set_xticks(np.arange(-0.5, columns), minor=True)
        axes.set_yticks(np.arange(-0.5, rows), minor=True)
        axes.grid(which="minor", color="w", linewidth=0.6)
        axes.tick_params(which="minor", length=0)
    labelled = range(0, rows, max(1, -(-rows // max(1, int(4 * high)))))
    axes.set_yticks(labelled, [str(n * columns) for n in labelled])
    axes.set_xticks(range(0, columns, 1 if columns <= 16 else per_host * max(1, columns // per_host // 16)))
    axes.set_xlabel(f"rank within the row; {per_host} on a host" if rows > 1 else "rank")
    if high > 1.5:
        axes.set_ylabel("first rank of the row")
    elif rows == 1:
        axes.set_yticks([])
    counts = Counter(index.get(r.said, len(said)) for r in ranks)
    handles = [Patch(color=colours[n], label=plain(f"{s} ({counts[n]:,})")) for n, s in enumerate(said) if counts[n]]
    handles += [Patch(color=colours[-1], label=f"other ({counts[len(said)]:,})")] * bool(counts[len(said)])
    figure.legend(handles=handles, loc="outside lower left", ncols=3, fontsize=8, frameon=False)
    says = "; ".join(f"{count(counts[n], 'rank')} {s}" for n, s in enumerate(said) if counts[n])
    return Picture("rank-states", "How every rank ended", says, figure)


def _activity(analysis: Analysis) -> Picture | None:
    """Which rank printed something when: a rank that falls silent is a row that ends."""
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    row = analysis.store.rows(
        "SELECT max(rank) AS last, count(DISTINCT rank) AS ranks FROM timeline WHERE rank IS NOT NULL"
    )[0]
    root = analysis.root
    if not row["ranks"] or row["ranks"] < 2:
        return None
    bins = min(_BINS, row["last"] + 1)
    each_bin = -(-(row["last"] + 1) // bins)
    (until,) = analysis.store.con.execute("SELECT max(time) FROM timeline WHERE rank IS NOT NULL").fetchone() or (None,)
    cells = analysis.store.rows(
        "WITH told AS (SELECT time, rank FROM timeline WHERE rank IS NOT NULL AND time BETWEEN ?::TIMESTAMP"
        f" - INTERVAL {_MINUTES_BEFORE} MINUTE AND ?), bounds AS (SELECT min(time) AS low, max(time) AS high FROM told)"
        " SELECT low, high, divide(rank, ?) AS row, CASE WHEN high > low THEN least(?, floor(date_diff('ms', low, time)"
        " / date_diff('ms', low, high) * ?))::BIGINT ELSE 0 END AS column, count(*) AS lines FROM told, bounds GROUP BY ALL",
        [until, until, each_bin, _BINS - 1, _BINS],
    )
    if len(cells) < _TELLING * len({c["row"] for c in cells}) or cells[0]["low"] == cells[0]["high"]:
        return None
    shades = LinearSegmentedColormap.from_list("few to many", [BLUE, ORANGE])
    picture = np.full((-(-(row["last"] + 1) // each_bin), _BINS), np.nan)
    for c in cells:
        picture[c["row"], c["column"]] = c["lines"]
    low, high = _days(cells[0]["low"]), _days(cells[0]["high"])
    figure, axes = _new(min(7.0, max(2.2, 1.2 + 0.12 * len(picture))))
    axes.imshow(
        picture, aspect="auto", origin="upper", interpolation="nearest", cmap=shades, norm=LogNorm(1, max(2, np.nanmax(picture))),
        extent=(low, high, len(picture) * each_bin - 0.5, -0.5),
    )  # fmt: skip
    says = f"Lines of {count(row['ranks'], 'rank')} over time, a row for " + (
        f"{each_bin} ranks" if each_bin > 1 else "each rank"
    )
    if root and root.at and low <= (at := _days(root.at)) <= high:
        axes.axvline(at, color=RED, linewidth=1, linestyle="--")
        axes.annotate("root cause", (at, 1.01), xycoords=("data", "axes fraction"), color=RED, fontsize=8, ha="center")
        says += "; the dashed line is the root cause"
    if root and 0 < len(root.ranks) <= 3:
        for r in sorted(r for r in root.ranks if r <= row["last"]):  # one that printed nothing has no row
            axes.annotate(
                f"◂ rank {r}", (1, r), xycoords=("axes fraction", "data"), xytext=(2, 0), textcoords="offset points", color=RED,
                fontsize=8, va="center", annotation_clip=False,
            )  # fmt: skip
    _of_time(axes)
    axes.set_xlabel("time (UTC where the zone is known)")
    axes.set_ylabel("rank")
    return Picture("rank-activity", "Ranks over time", says, figure)


def _progress(analysis: Analysis) -> Picture | None:
    """How far each rank has come in the group in which they differ most."""
    from matplotlib.ticker import MaxNLocator

    rows = analysis.store.rows(
        "WITH furthest AS (SELECT coalesce(grp_desc, grp, '') AS grp, source, rank, max(enqueued) AS enqueued, max(completed) AS completed"
        " FROM rank_progress WHERE rank IS NOT NULL AND enqueued IS NOT NULL GROUP BY ALL),"
        " chosen AS (SELECT grp, source FROM furthest GROUP BY ALL HAVING count(*) > 1 AND (min(enqueued) < max(enqueued)"
        " OR min(completed) < max(completed)) ORDER BY count(*) DESC, max(enqueued) - min(enqueued) DESC, grp, source LIMIT 1)"
        " SELECT * FROM furthest SEMI JOIN chosen USING (grp, source) ORDER BY rank"
    )
    if not rows:
        return None
    rank = np.array([r["rank"] for r in rows])
    enqueued = np.array([r["enqueued"] for r in rows], dtype=float)
    completed = np.array([np.nan if r["completed"] is None else r["completed"] for r in rows], dtype=float)
    usual = float(np.median(enqueued))
    # The few that are behind, or ahead: whoever is not where most are.
    off = enqueued < usual if (enqueued < usual).any() else enqueued > usual
    if not off.any():
        usual = float(np.nanmedian(completed))
        off = completed < usual
    figure, axes = _new(3.6)
    point, many = (22 if len(rows) <= 128 else 7), len(rows) > _MANY_POINTS
    axes.scatter(rank, completed, s=point, color=GREY, label="completed", marker="s", linewidths=0, rasterized=many)
    axes.scatter(rank[~off], enqueued[~off], s=point, color=BLUE, label="entered", linewidths=0, rasterized=many)
    axes.scatter(
        rank[off], enqueued[off], s=4 * point, color=RED, label="apart from the others", marker="D", linewidths=0
    )
    for n in np.flatnonzero(off)[:6]:
        axes.annotate(
            f"rank {rank[n]}", (rank[n], enqueued[n]), xytext=(6, 6), textcoords="offset points", fontsize=8, color=RED,
        )  # fmt: skip
    axes.margins(0.04, 0.2)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.set_xlabel("rank")
    axes.set_ylabel("number of the collective")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    group = rows[0]["grp"] or "the default group"
    behind = ranks_in_words(rank[off].tolist()) if 0 < off.sum() <= 16 else count(int(off.sum()), "rank")
    says = (
        f"How far each rank has come in {group} ({rows[0]['source'].replace('_', ' ')}); {behind} apart from the others"
    )
    return Picture("rank-progress", "Progress of the ranks in a group", says, figure)


def _loss(analysis: Analysis) -> Picture | None:
    """The training loss with what was found on it."""
    if not analysis.store.rows("SELECT 1 FROM series WHERE canonical = 'loss' AND points > 2 LIMIT 1"):
        return None
    try:
        figure, says = curve(analysis, None)
    except UserError:
        return None
    return Picture("loss", "Training loss", says, figure)


def _memory(analysis: Analysis) -> Picture | None:
    """What the memory held when an allocation failed, with what was asked for below."""
    rows = analysis.store.rows(
        "SELECT lane, place, part, size_bytes, total_bytes, wanted FROM memory_part ORDER BY lane, place"
    )
    if not rows:
        return None
    lanes = sorted({r["lane"] for r in rows}, key=natural)
    parts = list(dict.fromkeys(r["part"] for r in sorted(rows, key=lambda r: r["place"])))
    shades = (BLUE, "#cc79a7", ORANGE, GREY, GREEN, RED)
    colours = {r["part"]: shades[(r["place"] - 1) % len(shades)] for r in rows}
    gib = 1 << 30
    figure, axes = _new(1.4 + 0.75 * len(lanes))
    for n, lane in enumerate(lanes):
        start = 0.0
        for r in (r for r in rows if r["lane"] == lane):
            wide = r["size_bytes"] / gib
            if r["wanted"]:
                axes.barh(n + 0.36, wide, height=0.24, color="none", edgecolor=RED, hatch="////", linewidth=1)
                axes.annotate(
                    size(r["size_bytes"]),
                    (wide, n + 0.36),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                )
                continue
            axes.barh(n, wide, left=start, height=0.44, color=colours[r["part"]], edgecolor="w", linewidth=0.5)
            start += wide
            if wide > 0.07 * r["total_bytes"] / gib:
                axes.annotate(
                    size(r["size_bytes"]), (start - wide / 2, n), ha="center", va="center", fontsize=8, color="white"
                )
        total = max(r["total_bytes"] for r in rows if r["lane"] == lane) / gib
        axes.plot([total, total], [n - 0.3, n + 0.3], color=_INK, linewidth=1.2)
    axes.set_yticks(range(len(lanes)), [plain(lane) for lane in lanes])
    axes.invert_yaxis()
    axes.set_xlim(0, None)
    axes.set_xlabel("GiB; the stroke is all there is")
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor="none", edgecolor=RED, hatch="////", label=plain(p))
        if p == parts[-1]
        else Patch(color=colours[p], label=plain(p))
        for p in parts
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8, frameon=False)
    wanted = next(r for r in rows if r["wanted"])
    says = f"{wanted['lane']} asked for {size(wanted['size_bytes'])} of {size(wanted['total_bytes'])}"
    return Picture("memory", "Memory when an allocation failed", says, figure)


def _incidents(analysis: Analysis) -> Picture | None:
    """Incidents by host and time."""
    numbered = [(n, i) for n, i in enumerate(analysis.incidents, 1) if i.at and i.severity != "info"]
    hosts = sorted({h for _, i in numbered for h in i.hosts}, key=natural)
    if len(numbered) < 2 or not hosts:
        return None
    shown = hosts if len(hosts) <= _FEW else _telling(numbered_hosts=[sorted(i.hosts) for _, i in numbered])
    place = {h: n for n, h in enumerate(shown)}
    figure, axes = _new(1.4 + 0.24 * len(shown))
    for severity, colour, marker in (("warning", ORANGE, "o"), ("critical", RED, "D")):
        points = [(_days(i.at), place[h]) for _, i in numbered if i.severity == severity for h in i.hosts if h in place]
        if points:
            axes.scatter(
                [x for x, _ in points], [y for _, y in points], s=36, color=colour, marker=marker, label=severity,
                linewidths=0, zorder=3,
            )  # fmt: skip
    middle = sum(_days(i.at) for _, i in numbered) / len(numbered)
    labelled = 0
    for n, i in numbered:
        host = next((h for h in sorted(i.hosts, key=natural) if h in place), None)
        if host is None or labelled >= 12:
            continue
        labelled += 1
        early = (at := _days(i.at)) <= middle
        axes.annotate(
            f"#{n} {i.rule}", (at, place[host]), xytext=(6 if early else -6, 7), textcoords="offset points", fontsize=8,
            ha="left" if early else "right",
        )  # fmt: skip
    _of_time(axes)
    axes.margins(x=0.1)
    axes.set_yticks(range(len(shown)), [plain(h) for h in shown])
    axes.set_ylim(len(shown) - 0.5, -0.9)
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.set_xlabel("time (UTC where the zone is known)")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    left = len(hosts) - len(shown)
    says = f"{count(len(numbered), 'incident')} on {count(len(hosts), 'host')}" + (
        f", {count(left, 'host')} left out" if left else ""
    )
    return Picture("incidents", "Incidents over hosts and time", says, figure)


def _telling(numbered_hosts: list[list[str]]) -> list[str]:
    """The hosts to show where there are too many: those of the incidents that concern the fewest hosts."""
    chosen: list[str] = []
    for hosts in sorted(numbered_hosts, key=len):
        chosen += [h for h in sorted(hosts, key=natural)[:_OF_MANY] if h not in chosen]
    return sorted(chosen[:_FEW], key=natural)
