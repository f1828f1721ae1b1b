"""The one model that every rendering shows: the root with its echoes folded under it, what else was found, what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logsift import __version__
from logsift.content.model import DAYTIME, YEARLESS, ZONELESS
from logsift.derive.clocks import UTC
from logsift.judge.words import count, duration, ranges, ranks
from logsift.report.fates import Fate, folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsift.analysis import Analysis
    from logsift.content.incident import Incident
    from logsift.judge.coverage import Coverage
    from logsift.judge.decision import Decision

MARK = "<!-- logsift report -->"
"""First line of a written report: files that begin so are never read as evidence."""

PROOF = 240
"""Characters of a line of a log that are shown as its proof where space is short."""

NO_RUN = "This does not look like a training run: no step, rank, launcher, scheduler or GPU was recognised."


@dataclass(frozen=True, slots=True)
class Finding:
    """An incident with its number, what its rule means, and the incidents it explains best."""

    number: int
    incident: Incident
    title: str
    about: str
    references: tuple[str, ...]
    echoes: tuple[Finding, ...]
    when: str
    """Its time for people, "" where unknown."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is to be said of a run."""

    run: str
    version: str
    root: Finding | None
    others: tuple[Finding, ...]
    context: tuple[Finding, ...]
    decision: Decision
    fates: tuple[Fate, ...]
    coverage: Coverage

    database: str
    """Where the tables are, "" where they are in memory only."""

    @property
    def findings(self) -> list[Finding]:
        """Every finding, in reading order."""
        roots = [*([self.root] if self.root else []), *self.others]
        return [*(x for f in roots for x in (f, *(e for _, e in flat(f)))), *self.context]

    def number_of(self, incident: Incident) -> int:
        """The number an incident goes by."""
        return next(f.number for f in self.findings if f.incident is incident)

    @property
    def verdict(self) -> str:
        """The first sentence of every report."""
        if self.root is None:
            said = "No cause was found" + (f" in {count(self.coverage.lines, 'line')}." if self.coverage.lines else ".")
            return said if self.coverage.training else f"{said} {NO_RUN}"
        return self.root.incident.summary

    @property
    def doubt(self) -> str:
        """What is to be said beside a cause that was found in a folder that seems to be no run, "" elsewhere."""
        return (
            NO_RUN if self.root and self.root.incident.confidence == "possible" and not self.coverage.training else ""
        )


def build(analysis: Analysis) -> Report:
    """The report of an analysis; each explained incident is shown under the one that explains it best."""
    numbers = {id(i): n for n, i in enumerate(analysis.incidents, 1)}
    below: dict[int, list[Incident]] = {}
    for incident in analysis.incidents:
        cause = analysis.causes.cause_of(incident)
        if cause is not None:
            below.setdefault(id(cause), []).append(incident)

    def finding(incident: Incident) -> Finding:
        rule = analysis.rules.get(incident.rule)
        return Finding(
            numbers[id(incident)], incident, rule.title if rule else incident.rule, rule.about if rule else "",
            rule.references if rule else (), tuple(finding(i) for i in below.get(id(incident), ())),
            when(incident),
        )  # fmt: skip

    roots = [finding(i) for i in analysis.causes.roots]
    context = tuple(finding(i) for i in analysis.incidents if i.severity == "info")
    return Report(
        str(analysis.run), __version__, roots[0] if roots else None, tuple(roots[1:]), context, analysis.decision,
        folded(analysis.store), analysis.coverage, str(analysis.store.path or ""),
    )  # fmt: skip


def who(incident: Incident) -> str:
    """Ranks, hosts and GPUs of an incident for people, "" where nothing is known; who only waited is called so."""
    parts = []
    if incident.ranks:
        parts.append(f"rank{'s' if len(incident.ranks) > 1 else ''} {ranges(sorted(incident.ranks))}")
    if incident.hosts:
        hosts = sorted(incident.hosts)
        parts.append(f"host{'s' if len(hosts) > 1 else ''} {', '.join(hosts[:8])}{' …' if len(hosts) > 8 else ''}")
    if incident.gpus:
        parts.append(f"GPU {', '.join(sorted(incident.gpus)[:8])}")
    told = ", ".join(parts)
    return f"waiting: {told}" if told and incident.waited else told


_TOLD = {
    UTC: ("%Y-%m-%d %H:%M:%S", UTC),
    ZONELESS: ("%Y-%m-%d %H:%M:%S", "by its log, whose time zone is not known"),
    YEARLESS: ("%m-%d %H:%M:%S", "by its log, which prints no year and no time zone"),
    DAYTIME: ("%H:%M:%S", "by its log, which prints no date and no time zone"),
}
"""How a time is told by what its log prints of it: nothing that is only assumed."""


def when(incident: Incident) -> str:
    """The time of an incident for people, and the attempt of the job where there are several, "" where unknown."""
    parts = [f"attempt {incident.attempt} of the job"] if incident.attempt else []
    return ", ".join([*_time(incident), *parts])


def _time(incident: Incident) -> list[str]:
    if incident.at is None:
        return []
    form, zone = _TOLD.get(UTC if incident.zone else incident.time_quality or "", _TOLD[ZONELESS])
    if (off := incident.uncertainty_seconds or 0) >= 1:
        zone += f", known to about {duration(off)}"
    start = incident.at.strftime(form)
    if incident.until is None or incident.until == incident.at:
        return [f"{start} {zone}"]
    return [f"{start} to {incident.until.strftime(form)} {zone}"]


def steps(incident: Incident) -> list[tuple[str, tuple[str, ...]]]:
    """What to do next, numbered where there are several steps, with the commands of each."""
    several = len(incident.steps) > 1
    return [(f"{n}. {s.text}" if several else s.text, s.commands) for n, s in enumerate(incident.steps, 1)]


_NEXT = {
    "restart": "restart the job as it is",
    "restart_without": "restart the job without",
    "stop": "do not restart the job as it is",
    "unknown": "open",
}


def next_step(decision: Decision) -> str:
    """The decision in words, without its reason and grade."""
    hosts = f" {', '.join(decision.hosts[:8])}{' …' if len(decision.hosts) > 8 else ''}" if decision.hosts else ""
    return f"{_NEXT[decision.next]}{hosts}"


def fact(value: object) -> str:
    """A fact for people: lists with commas, whole numbers without a point, others with six digits; JSON keeps all of them."""
    if isinstance(value, dict):
        return "(" + " ".join(f"{k}={fact(v)}" for k, v in value.items() if v not in (None, [])) + ")"
    if isinstance(value, list | tuple):
        return ",".join(fact(v) for v in value)
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else f"{value:.6g}"
    return str(value)


def flat(finding: Finding) -> list[tuple[int, Finding]]:
    """A finding's echoes with their depth, in reading order."""
    return [row for e in finding.echoes for row in [(0, e), *((d + 1, f) for d, f in flat(e))]]


def alike(rows: Iterable[tuple[int, Finding]]) -> list[tuple[int, list[Finding]]]:
    """Findings of one rule together, each at the depth of the first of them."""
    out: dict[str, tuple[int, list[Finding]]] = {}
    for depth, f in rows:
        out.setdefault(f.incident.rule, (depth, []))[1].append(f)
    return list(out.values())


def fate_of(f: Fate) -> str:
    """How some ranks ended, and who of them first, in words."""
    first = f.first and (" (the first to end)" if len(f.ranks) == len(f.first) else f" ({ranks(f.first)} first)")
    return f"{f.said}{first or ''}"


def job_size(coverage: Coverage) -> str:
    """How large the job is and who of it is not heard of, "" where no log tells."""
    job = coverage.job
    if job is None:
        return ""
    hosts = f" on {count(len(job.hosts), 'host')}" if job.hosts else ""
    silent = f", no word of {ranges(list(job.silent_ranks))}" if job.silent_ranks else ""
    return f"{count(job.ranks, 'rank')}{hosts}{silent}"
