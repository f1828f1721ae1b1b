"""Many runs: their incidents in one database, which parts recur more often than chance would have it, what the time was lost to."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from logsift.errors import UserError
from logsift.judge.words import count, duration
from logsift.report.inert import line
from logsift.store.database import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from logsift.analysis import Analysis

_TABLES = {
    "run": "one run: its path, the first and last time of its logs, its root cause, and the seconds from that to the last time",
    "incident": "incidents of severity warning and critical, as in a run's own database; run_id tells whose they are",
    "part": "one host, GPU or link in which the root cause of a run lies; systemic: it names too many of them to lie in one",
    "host": "one host of a run, as far as its logs tell",
}
_SHOWN = 24
"""So many hosts and causes are shown."""
_SHARE = 0.25
"""A root cause that names more than this share of a job's hosts, and more than one, lies in none of them."""
_CHANCE = 0.05
"""A part is a lemon where chance alone would make any part of its kind fail so often in fewer than one history in twenty."""

Verdict = Literal["lemon", "recurs", "systemic"]
_SAID: dict[Verdict, str] = {
    "lemon": "LEMON",
    "recurs": "recurs, which may be chance",
    "systemic": "systemic: not this part alone",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part that failed in several runs: how often, on which days, by which rules, of how many runs it was in."""

    kind: str
    name: str
    verdict: Verdict
    episodes: int
    runs: int
    days: tuple[str, ...]
    rules: tuple[str, ...]
    chance: float
    """How likely it is that any part of this kind fails so often where all are alike."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A root cause over all runs. `lost_seconds`: from it to the end of the logs, of the runs whose times tell."""

    rule: str
    runs: int
    hosts: int
    lost_seconds: float
    systemic: bool


@dataclass(frozen=True, slots=True)
class History:
    """What many runs tell together; `skipped` are those that could not be read, and why."""

    runs: int
    failed: int
    parts: tuple[Part, ...]
    causes: tuple[Cause, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def runs_in(folders: Sequence[Path]) -> list[Path]:
    """The runs that folders are or hold: one with files of its own is a run, else each folder in it.

    Raises:
        UserError: there is none.
    """
    out: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            if not folder.exists():
                raise UserError(f"no such file or directory: {folder}")
            out.append(folder)
            continue
        entries = sorted(e for e in folder.iterdir() if not e.name.startswith("."))
        within = [e for e in entries if e.is_dir()]
        own = [e for e in entries if e.is_file() and e.suffix not in (".md", ".txt", ".sh", ".json", ".html")]
        out += [folder] if own or not within else within
    if not out:
        raise UserError("no run was named")
    return out


class Collector:
    """Takes analyses into one new database at `path`."""

    def __init__(self, path: Path) -> None:
        self._con = duckdb.connect(str(path))
        self._con.execute(
            "CREATE TABLE run (run_id BIGINT, path VARCHAR, first TIMESTAMP, last TIMESTAMP, root VARCHAR, summary VARCHAR,"
            " confidence VARCHAR, since TIMESTAMP, lost_seconds DOUBLE, next VARCHAR);"
            "CREATE TABLE incident (run_id BIGINT, id BIGINT, rule VARCHAR, severity VARCHAR, confidence VARCHAR, root BOOLEAN,"
            " summary VARCHAR, ranks BIGINT[], hosts VARCHAR[], gpus VARCHAR[], first TIMESTAMP, last TIMESTAMP, facts JSON);"
            "CREATE TABLE part (run_id BIGINT, kind VARCHAR, name VARCHAR, rule VARCHAR, time TIMESTAMP, systemic BOOLEAN);"
            "CREATE TABLE host (run_id BIGINT, host VARCHAR)"
        )
        for name, about in _TABLES.items():
            self._con.execute(f"COMMENT ON TABLE {name} IS {quoted(about)}")
        self._count = 0

    def take(self, analysis: Analysis) -> None:
        """Take one run."""
        self._count += 1
        root = analysis.root
        (span,) = analysis.sql("SELECT min(first) AS first, max(last) AS last FROM clock")
        since = root.at if root else None
        lost = max(0.0, (span["last"] - since).total_seconds()) if since and span["last"] else None
        self._con.execute(
            f"INSERT INTO run VALUES ({', '.join('?' * 10)})",
            [self._count, str(analysis.run), span["first"], span["last"], root.rule if root else None,
             root.summary if root else None, root.confidence if root else None, since, lost, analysis.decision.next],
        )  # fmt: skip
        for r in analysis.sql(
            "SELECT id, rule, severity, confidence, root, summary, ranks, hosts, gpus, first, last, facts FROM incident"
            " WHERE severity <> 'info'"
        ):
            self._con.execute(f"INSERT INTO incident VALUES ({', '.join('?' * 13)})", [self._count, *r.values()])
        for r in analysis.sql("SELECT kind, name, rule, time, named, hosts FROM blamed_part WHERE name <> ''"):
            systemic = r["named"] > 1 and r["named"] > _SHARE * max(r["hosts"] or 0, r["named"])
            self._con.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
                [self._count, r["kind"], r["name"], r["rule"], r["time"] or span["last"], systemic],
            )
        hosts = analysis.sql(
            "SELECT DISTINCT unnest(hosts) AS host FROM job_size UNION SELECT host FROM rank WHERE host IS NOT NULL"
        )
        for r in hosts:
            self._con.execute("INSERT INTO host VALUES (?, ?)", [self._count, r["host"]])

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Rows of a query over what was taken."""
        cursor = self._con.execute(query)
        names = [d[0] for d in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def concluded(self, skipped: Sequence[tuple[str, str]] = ()) -> History:
        """What the runs tell together."""
        (runs,) = self.rows("SELECT count(*) AS runs, count(root) AS failed FROM run")
        causes = tuple(self._causes())
        systemic = {c.rule for c in causes if c.systemic}
        return History(runs["runs"], runs["failed"], tuple(self._parts(systemic)), causes, tuple(skipped))

    def close(self) -> None:
        """Write everything."""
        self._con.close()

    def _causes(self) -> Iterator[Cause]:
        """A cause is systemic where most of its runs name many hosts, or each another one."""
        for r in self.rows(
            "SELECT root AS rule, count(*) AS runs, coalesce(sum(lost_seconds), 0) AS lost,"
            " (SELECT count(DISTINCT name) FROM part WHERE kind = 'host' AND rule = run.root) AS hosts,"
            " (SELECT count(DISTINCT run_id) FROM part WHERE kind = 'host' AND rule = run.root AND systemic) AS wide"
            " FROM run WHERE root IS NOT NULL GROUP BY root ORDER BY lost DESC, runs DESC, rule"
        ):
            many = r["runs"] >= 4 and r["hosts"] >= 0.8 * r["runs"]
            yield Cause(r["rule"], r["runs"], r["hosts"], float(r["lost"]), 2 * r["wide"] > r["runs"] or many)

    def _parts(self, systemic: set[str]) -> Iterator[Part]:
        """Parts with two episodes or more. Chance: all parts of a kind fail alike, by how many runs they were in (Poisson)."""
        rows = self.rows(
            "SELECT kind, name, count(DISTINCT run_id) AS episodes, list(DISTINCT strftime(time, '%Y-%m-%d') ORDER BY strftime(time, '%Y-%m-%d'))"
            " FILTER (time IS NOT NULL) AS days, list(DISTINCT rule ORDER BY rule) AS rules FROM part WHERE NOT systemic"
            " GROUP BY kind, name ORDER BY episodes DESC, name"
        )
        in_runs = {r["host"]: r["runs"] for r in self.rows("SELECT host, count(*) AS runs FROM host GROUP BY host")}
        episodes = Counter[str]()
        for r in rows:
            episodes[r["kind"]] += r["episodes"]
        for r in rows:
            if r["episodes"] < 2:
                continue
            runs = in_runs.get(r["name"].split(" ")[0], r["episodes"])
            # Of GPUs and links only those that failed are known: they are taken to be as many as hosts, which errs to silence.
            mean = episodes[r["kind"]] * runs / max(sum(in_runs.values()), runs)
            chance = min(1.0, _at_least(r["episodes"], mean) * max(len(in_runs), 1))
            verdict: Verdict = "lemon" if chance < _CHANCE else "recurs"
            if set(r["rules"]) <= systemic:
                verdict = "systemic"
            yield Part(
                r["kind"], r["name"], verdict, r["episodes"], runs, tuple(r["days"] or ()), tuple(r["rules"]), chance
            )


def _at_least(times: int, mean: float) -> float:
    """How likely a Poisson variable of this mean is `times` or more."""
    return max(0.0, 1 - sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(times)))


def text(history: History) -> str:
    """What many runs tell, for a terminal."""
    out = [f"{count(history.runs, 'run')}, {history.failed} with a root cause"]
    if history.parts:
        out += ["── parts that recur", *_aligned(
            (p.kind, p.name, f"{p.episodes} of {count(p.runs, 'run')}",
             f"{p.days[0]} to {p.days[-1]}" if len(p.days) > 1 else "".join(p.days),
             _SAID[p.verdict], ", ".join(p.rules))
            for p in history.parts
        )]  # fmt: skip
    if history.causes:
        out += ["── causes, by the time that was lost to them", *_aligned(
            (c.rule, count(c.runs, "run"), _lost(c.lost_seconds),
             "systemic" if c.systemic else count(c.hosts, "host") if c.hosts else "")
            for c in history.causes[:_SHOWN]
        )]  # fmt: skip
        if len(history.causes) > _SHOWN:
            out.append(f"  … {count(len(history.causes) - _SHOWN, 'more cause')}: --format json")
    out += [f"not read: {path}: {why}" for path, why in history.skipped]
    return "\n".join(line(row) for row in out) + "\n"


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows as lines, each column as wide as its widest cell."""
    rows = list(rows)
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, wide, strict=True)).rstrip() for row in rows]


def _lost(seconds: float) -> str:
    """Lost time for people; nothing where no time tells."""
    return "" if seconds < 1 else duration(seconds)


def page(collector: Collector, history: History) -> str:
    """One page with the picture: when which part failed, and what the time was lost to."""
    from logsift.report.figures import svg
    from logsift.report.render import TEMPLATES
    from logsift.report.render import page as templates

    picture = _picture(collector, history)
    return (
        templates().get_template("history.html.j2").render(
            history=history, svg=svg(picture) if picture else "", lost=_lost,
            style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
            runs=collector.rows("SELECT * FROM run ORDER BY since NULLS LAST, run_id"),
        )
    )  # fmt: skip


def _picture(collector: Collector, history: History) -> Any:  # noqa: ANN401 - a Picture, of a module that is imported where it is used
    from matplotlib.figure import Figure

    from logsift.report.figures import COLOURS, Picture
    from logsift.report.plots import GREY, ORANGE

    rows = collector.rows(
        "SELECT name, rule, time, systemic FROM part WHERE kind = 'host' AND time IS NOT NULL ORDER BY time"
    )
    lost = [c for c in history.causes if c.lost_seconds > 0][:10]
    if not rows and not lost:
        return None
    often = [name for name, _ in Counter(r["name"] for r in rows).most_common(_SHOWN)]
    # Families, not rules: more colours than these nobody tells apart.
    families = [name for name, _ in Counter(r["rule"].partition(".")[0] for r in rows).most_common()]
    colours = dict(zip(families, [*COLOURS, *[GREY] * len(families)], strict=False))
    figure = Figure(figsize=(11, 2.2 + 0.25 * len(often) + 0.3 * len(lost)), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[max(len(often), 3), max(len(lost), 2)])
    for family in families:
        at = [r for r in rows if r["rule"].partition(".")[0] == family and r["name"] in often]
        times: list[datetime] = [r["time"] for r in at]
        above.scatter(times, [often.index(r["name"]) for r in at], color=colours[family], label=family, s=30)
    above.set_yticks(range(len(often)), [line(name) for name in often])
    above.invert_yaxis()
    if families:
        above.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    above.set_title("hosts that root causes name")
    below.barh([c.rule for c in lost], [c.lost_seconds / 3600 for c in lost], color=ORANGE)
    below.invert_yaxis()
    below.set_xlabel("hours from the cause to the end of the logs")
    return Picture("history", "Over time", "Which host failed when, and what the time was lost to.", figure)
