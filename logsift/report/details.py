"""What the long reports show beside the model: context of the proof, what happened around it, settings, stacks, queries."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.report.timeline import Moment, moments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsift.analysis import Analysis
    from logsift.content.incident import Incident
    from logsift.report.model import Finding, Report

_BEFORE, _AFTER = 60.0, 5.0
_READ = 4000
"""Lines that are looked at for the time around an incident, the later ones."""
_NUMBER = re.compile(r"[0-9][0-9a-f]*|0x[0-9a-f]+")
_CONTEXT = 2
"""Lines before and after each line of proof."""
_TEXT = 300


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log; `proves` where it is evidence and not only beside it."""

    number: int
    text: str
    proves: bool
    starts: bool
    """The line before it is not shown."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of one file, those that prove something and those beside them."""

    path: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A version or setting with one of its values, and who has it."""

    kind: str
    name: str
    value: str
    ranks: tuple[int, ...]
    hosts: tuple[str, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a report says, with the query that gives it."""

    says: str
    command: str


def passages(analysis: Analysis, findings: Iterable[Finding], most: int) -> dict[int, tuple[Passage, ...]]:
    """The proof of findings with the lines around it, by the finding's number; each file is read once.

    Args:
        analysis: of a run that is still there; else only the proof itself is known.
        findings: whose proof is wanted.
        most: how many lines of proof of each.
    """
    of_lines = {r["file_id"] for r in analysis.store.rows("SELECT file_id FROM file WHERE reader = 'lines'")}
    proof = {f.number: f.incident.evidence[:most] for f in findings}
    wanted = {
        (e.file_id, n)
        for each in proof.values()
        for e in each
        if e.file_id in of_lines
        for n in range(max(1, e.line_no - _CONTEXT), e.line_no + _CONTEXT + 1)
    }
    texts = analysis.lines(wanted)
    out = {}
    for number, each in proof.items():
        told = {(e.file_id, e.line_no): e.text for e in each}
        near: dict[int, dict[int, str]] = {}
        for e in each:
            around = range(e.line_no - _CONTEXT, e.line_no + _CONTEXT + 1)
            near.setdefault(e.file_id, {}).update(
                {n: t for n in around if (t := texts.get((e.file_id, n))) is not None}
            )
            near[e.file_id][e.line_no] = told[e.file_id, e.line_no]
        paths = {e.file_id: e.path for e in each}
        out[number] = tuple(
            Passage(
                paths[file_id],
                tuple(Line(n, lines[n][:_TEXT], (file_id, n) in told, n - 1 not in lines) for n in sorted(lines)),
            )
            for file_id, lines in near.items()
        )
    return out


def around(analysis: Analysis, incident: Incident | None, most: int) -> tuple[list[Moment], int]:
    """What all logs say around an incident, oldest first, and how many earlier lines were left out.

    Of lines within a second that differ in numbers only (a rank, a process) the first is shown, with how many there are.
    """
    known = [i for i in (incident, *(b for a, b in analysis.causes.edges if a is incident)) if i and i.at]
    if incident is None or not known:
        return [], 0
    incident = min(known, key=lambda i: (i is not incident, i.at))
    told, left_out = moments(analysis, incident, _BEFORE, _AFTER, _READ, only_lines=True)
    alike: dict[tuple[int, str], list[Moment]] = {}
    for m in told:
        if m.text:  # none where the file is gone
            alike.setdefault((round(m.seconds), _NUMBER.sub("#", m.text)), []).append(m)
    folded = [
        same[0] if len(same) == 1 else replace(same[0], text=f"{same[0].text}   [{len(same)} such lines]")
        for same in alike.values()
    ]
    return folded[-most:], left_out + len(folded[:-most])


def settings(analysis: Analysis) -> list[Setting]:
    """Versions and settings, what differs between ranks first."""
    return [
        Setting(r["kind"], r["name"], r["value"], tuple(r["ranks"]), tuple(r["hosts"]), r["differs"])
        for r in analysis.store.rows("SELECT kind, name, value, ranks, hosts, differs FROM run_setting")
    ]


def stacks(analysis: Analysis) -> str:
    """The merged stacks as text, "" where there are none."""
    from logsift.report.tree import shown

    try:
        return shown(analysis.store, colour=False)
    except UserError:
        return ""


def claims(report: Report) -> list[Claim]:
    """What is said, with the query that gives it."""
    run = shlex.quote(report.run)
    out = []
    for f in [x for x in (report.root, *report.others[:3]) if x]:
        proof = f"SELECT path, line_no, text FROM evidence WHERE incident_id = {f.number}"
        made = f"SELECT query FROM content_rule WHERE rule = '{f.incident.rule}'"
        out += [
            Claim(f"proof of {f.incident.rule}", f'logsift sql {run} "{proof}"'),
            Claim(f"how {f.incident.rule} is found", f'logsift sql {run} "{made}"'),
        ]
    if report.fates:
        fates = "SELECT fate, count(*), list(rank) FROM rank_fate GROUP BY fate"
        out.append(Claim("what became of the ranks", f'logsift sql {run} "{fates}"'))
    return out
