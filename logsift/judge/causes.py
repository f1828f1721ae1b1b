"""Incidents -> causes: who explains whom, and which incident is the root."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from logsift.derive.clocks import Clocks
from logsift.judge.attempts import Attempts
from logsift.judge.jobs import Jobs
from logsift.judge.progress import Progress
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsift.content.incident import Incident
    from logsift.content.model import Rule

_SEVERITY = {"critical": 0, "warning": 1, "info": 2}
_CONFIDENCE = {"definite": 0, "probable": 1, "possible": 2}


@dataclass(frozen=True, slots=True)
class Causes:
    """Edges (cause, effect), and the roots: incidents that nothing explains, the likeliest first."""

    roots: tuple[Incident, ...]
    edges: tuple[tuple[Incident, Incident], ...]

    @property
    def root(self) -> Incident | None:
        """The root cause, None where nothing was found that could be one."""
        return self.roots[0] if self.roots else None

    def cause_of(self, incident: Incident) -> Incident | None:
        """The incident that explains this one best."""
        return next((a for a, b in self.edges if b is incident), None)


@timed("stage", "causes")
def trace(
    incidents: Sequence[Incident],
    rules: Sequence[Rule],
    clocks: Clocks | None = None,
    progress: Progress | None = None,
    attempts: Attempts | None = None,
    jobs: Jobs | None = None,
) -> Causes:
    """Order incidents by who explains whom.

    A explains B where A's rule lists B's rule or family, in `explains` anywhere in the job (a collective carries a
    fault to every rank), in `explains_same_place` on the same rank, host or GPU, or in `explains_other_ranks` on other ranks
    only, and A is neither later than B beyond the uncertainty of `clocks` nor of later `attempts` of the job. A transient A
    explains nothing that came after the job had gone on (`progress`), one that is not lasting nothing of later attempts, and
    none anything of its `explains_after` that stands before it in the same file, where A has no time. What befell one of
    several `jobs` explains nothing of another, but for what lasts in a place that is known. Incidents of severity info
    explain nothing and are no roots; of roots that are equally grave one of the last attempt comes first, and one that ended
    it before all that did not last until then.
    """
    clocks = clocks or Clocks()
    progress, attempts = progress or Progress(clocks), attempts or Attempts()
    jobs = jobs or Jobs()
    by_id = {r.id: r for r in rules}
    loud = sorted((i for i in incidents if i.severity != "info"), key=_order)
    edges = [
        (a, b)
        for b in loud
        for a in loud
        if a is not b and _explains(a, b, by_id, progress, attempts) and not _elsewhere(a, b, by_id, jobs)
    ]
    edges = _without_circles(edges, by_id, attempts)
    explained = {id(b) for _, b in edges}
    roots = [i for i in loud if id(i) not in explained]
    weight = {id(i): sum(1 for a, _ in edges if a is i) for i in loud}
    last_attempt = max((i.attempt or 0 for i in loud), default=0)
    has_end = any(attempts.ended_last(i) for i in roots if not by_id[i.rule].otherwise)

    def is_past(i: Incident) -> bool:
        return i.attempt is not None and i.attempt < last_attempt

    roots.sort(
        key=lambda i: (
            by_id[i.rule].otherwise,
            has_end and is_past(i) and not by_id[i.rule].lasting,
            _SEVERITY[i.severity],
            is_past(i),
            _CONFIDENCE[i.confidence],
            -weight[id(i)],
            i.at is None,
            _place(i),
            _order(i),
        )
    )
    return Causes(tuple(roots), tuple(edges))


def folded(incidents: Sequence[Incident], causes: Causes, rules: Sequence[Rule]) -> tuple[list[Incident], Causes]:
    """Make context of what only says again, from one of its lines, what a root of its `gives_way_to` says.

    That root takes over what it explains. Where both are echoes of another root, both are told as such.
    """
    gives_way_to = {r.id: r.gives_way_to for r in rules}
    roots = {id(i) for i in causes.roots}
    better = {
        id(b): a
        for a, b in causes.edges
        if id(a) in roots and a.rule in gives_way_to[b.rule] and not _places(a).isdisjoint(_places(b))
    }
    kept = {id(i): replace(i, severity="info") if id(i) in better else i for i in incidents}
    edges = dict.fromkeys((id(better.get(id(a), a)), id(b)) for a, b in causes.edges if id(b) not in better)
    return list(kept.values()), Causes(causes.roots, tuple((kept[a], kept[b]) for a, b in edges))


def _places(i: Incident) -> set[tuple[int, int]]:
    return {(e.file_id, e.line_no) for e in i.evidence}


def _explains(a: Incident, b: Incident, rules: Mapping[str, Rule], progress: Progress, attempts: Attempts) -> bool:
    rule = rules[a.rule]
    names = {b.rule, b.rule.split(".")[0]}
    elsewhere = bool(a.ranks) and bool(b.ranks) and not a.ranks & b.ranks
    listed = (
        names & (rule.explains if a.explains is None else a.explains)
        or (names & rule.explains_same_place and _share(a, b))
        or (names & rule.explains_other_ranks and elsewhere)
    )
    if a.rule == b.rule or not listed:
        return False
    if (rule.transient and progress.outlived(a, b)) or (not rule.lasting and attempts.outlived(a, b)):
        return False
    if attempts.outlived(b, a) or (names & rule.explains_after and a.at is None and _stands_after(a, b)):
        return False
    return a.at is None or b.at is None or a.at <= (b.until or b.at) + progress.clocks.uncertainty(a, b)


def _elsewhere(a: Incident, b: Incident, rules: Mapping[str, Rule], jobs: Jobs) -> bool:
    """True where they are of different jobs, and A is nothing that stays in a place for the next."""
    return not (rules[a.rule].lasting and (a.hosts or a.gpus)) and jobs.apart(a, b)


def _stands_after(a: Incident, b: Incident) -> bool:
    """True where both are proved by one file, and A's first line follows B's."""
    files = {e.file_id for i in (a, b) for e in i.evidence}
    if len(files) != 1 or not a.evidence or not b.evidence:
        return False
    return min(e.line_no for e in a.evidence) > min(e.line_no for e in b.evidence)


def _share(a: Incident, b: Incident) -> bool:
    """True where they share a rank, else a GPU, else a host: the finest that both know; or one knows nothing of where."""
    if a.ranks and b.ranks:
        return bool(a.ranks & b.ranks)
    if a.hosts and b.hosts and not a.hosts & b.hosts:
        return False
    if a.gpus and b.gpus:
        return bool(a.gpus & b.gpus)
    return True


def _assumed(a: Incident, b: Incident, rules: Mapping[str, Rule]) -> bool:
    """True where A explains B in the same place only, and nobody knows where B was: it may have been elsewhere."""
    rule, names = rules[a.rule], {b.rule, b.rule.split(".")[0]}
    anywhere = names & (rule.explains if a.explains is None else a.explains)
    return not anywhere and not (b.ranks or b.hosts or b.gpus)


def _without_circles(
    edges: Sequence[tuple[Incident, Incident]], rules: Mapping[str, Rule], attempts: Attempts
) -> list[tuple[Incident, Incident]]:
    """Drop edges that would close a circle.

    Edges of a cause that an earlier attempt of the job already went without are dropped first. Edges of the better proved
    cause are kept first, of these those that assume nothing, then those of the earlier cause.
    """
    kept: list[tuple[Incident, Incident]] = []
    above: dict[int, set[int]] = {}

    def by_proof(edge: tuple[Incident, Incident]) -> tuple[bool, int, bool, tuple[bool, datetime, str, str]]:
        a, b = edge
        return (attempts.began_before(b, a), _CONFIDENCE[a.confidence], _assumed(a, b, rules), _order(a))

    for a, b in sorted(edges, key=by_proof):
        if id(b) in above.get(id(a), set()):
            continue
        kept.append((a, b))
        gained = {id(a), *above.get(id(a), set())}
        for key in [id(b), *(k for k, ups in above.items() if id(b) in ups)]:
            above.setdefault(key, set()).update(gained)
    return kept


def _order(i: Incident) -> tuple[bool, datetime, str, str]:
    """Earliest first, untimed last; the rest only keeps the order stable."""
    return (i.at is None, i.at or datetime.min, i.rule, i.summary)  # noqa: DTZ901  # naive, as all times are


def _place(i: Incident) -> tuple[int, int]:
    """The most telling line of an incident without a time: of independent ones that of the earlier line came first."""
    return next(((e.file_id, e.line_no) for e in i.evidence), (0, 0)) if i.at is None else (0, 0)
