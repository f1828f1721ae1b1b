"""The report as Markdown, to be attached to a bug issue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logsift.judge.words import agree, count
from logsift.report.model import MARK, Finding, build, fact, flat, job_size, who

if TYPE_CHECKING:
    from logsift.analysis import Analysis

_PROOF_LINES = 20


def render(analysis: Analysis) -> str:
    """The report as one Markdown document."""
    report = build(analysis)
    out = [MARK, f"# {_plain(report.verdict)}", ""]
    if report.root:
        out += _section(report.root, "Root cause")
        if echoes := flat(report.root):
            out += ["### Consequences", "", *_list(echoes), ""]
    for other in report.others:
        out += _section(other, "Also found")
        if echoes := flat(other):
            out += [*_list(echoes), ""]
    if report.context:
        out += ["## Context", "", *_list([(0, f) for f in report.context]), ""]
    if report.coverage.missing:
        out += ["## What would settle more", ""]
        out += [f"- **{_plain(m.what)}**: {_plain(m.why)} `{m.how}`" for m in report.coverage.missing]
        out.append("")
    c = report.coverage
    out += [
        "## What was read", "",
        f"{count(c.files, 'file')}, {count(c.lines, 'line')}; {count(c.not_understood, 'line')} "
        f"{agree(c.not_understood, 'resembles', 'resemble')} known messages but could not be parsed; {count(c.problems, 'problem')}.",
    ]  # fmt: skip
    if size := job_size(c):
        out.append(f"The job has {size}.")
    out += [f"- not read: `{path}` ({why})" for path, why in c.unread]
    out += [f"- {_plain(what)}: {_plain(why)}" for what, why in c.failed]
    out += ["", f"logsift {report.version} on `{report.run}`", ""]
    return "\n".join(out)


def _section(f: Finding, heading: str) -> list[str]:
    i = f.incident
    out = [f"## {heading}: `{i.rule}`", ""]
    if heading != "Root cause":
        out += [_plain(i.summary), ""]
    rows = [("severity", i.severity), ("confidence", i.confidence), ("who", who(i)), ("when", f.when)]
    rows += [(k, fact(v)) for k, v in i.facts.items()]
    out += ["| | |", "|---|---|", *(f"| {k} | {_cell(v)} |" for k, v in rows if v), ""]
    if i.steps:
        out += ["**What to do**", ""]
        for n, step in enumerate(i.steps, 1):
            out += [f"{n}. {_plain(step.text)}"]
            if step.commands:
                out += ["   ```sh", *(f"   {_fenced(c)}" for c in step.commands), "   ```"]
        out.append("")
    out += [_plain(" ".join(f.about.split())), ""]
    out += ["```text", *(f"{e.path}:{e.line_no}: {_fenced(e.text)}" for e in i.evidence[:_PROOF_LINES])]
    if len(i.evidence) > _PROOF_LINES:
        out.append(f"… {len(i.evidence) - _PROOF_LINES} more lines")
    out += ["```", ""]
    if f.references:
        out += ["See " + ", ".join(f"<{r}>" for r in f.references), ""]
    return out


def _list(rows: list[tuple[int, Finding]]) -> list[str]:
    out = []
    for depth, f in rows:
        e = f.incident.evidence[0] if f.incident.evidence else None
        place = f" (`{e.path}:{e.line_no}`)" if e else ""
        out.append(f"{'  ' * depth}- `{f.incident.rule}` {_plain(f.incident.summary)}{place}")
    return out


def _plain(text: str) -> str:
    return text.replace("<", "&lt;").replace("\n", " ")


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _fenced(text: str) -> str:
    return text.strip().replace("```", "'''")
