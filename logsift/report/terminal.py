"""The report on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from logsift.judge.words import agree, count
from logsift.report.model import Finding, Report, build, fact, flat, job_size, steps, who

if TYPE_CHECKING:
    from logsift.analysis import Analysis

_COLOUR = {"critical": "red", "warning": "yellow", "info": "cyan"}
_PROOF_LINES = 5


def show(analysis: Analysis, console: Console | None = None, *, facts: bool = False) -> None:
    """Print the report, with the facts of each finding where asked for."""
    console = console or Console(highlight=False)
    for part in parts(build(analysis), facts=facts):
        console.print(part)


def parts(report: Report, *, facts: bool = False) -> list[RenderableType]:
    """The blocks of the report, from the verdict to what is missing."""
    out: list[RenderableType] = []
    if report.root is None:
        out.append(Panel(Text(report.verdict), title="no root cause", title_align="left", border_style="green"))
    else:
        colour = _COLOUR[report.root.incident.severity]
        title = f"root cause: {report.root.incident.rule} ({report.root.incident.confidence})"
        out.append(Panel(_finding(report.root, facts=facts), title=title, title_align="left", border_style=colour))
        if echoes := flat(report.root):
            out += [Text("which explains", style="bold"), _echoes(echoes)]
    for other in report.others:
        colour = _COLOUR[other.incident.severity]
        title = f"also found: {other.incident.rule} ({other.incident.confidence})"
        out.append(Panel(_finding(other, facts=facts), title=title, title_align="left", border_style=colour))
        if echoes := flat(other):
            out.append(_echoes(echoes))
    if report.context:
        out.append(Text("context", style="bold"))
        out.append(_echoes([(0, f) for f in report.context[:10]]))
    if report.coverage.missing:
        out.append(Text("would settle more", style="bold"))
        out += [
            Padding(Text.assemble((m.what, "bold"), f": {m.why}\n  {m.how}"), (0, 0, 0, 2))
            for m in report.coverage.missing[:6]
        ]
    out.append(Text(coverage_line(report), style="dim"))
    out += [Text(f"  not read: {path} ({why})", style="dim") for path, why in report.coverage.unread[:5]]
    out += [Text(f"  {what}: {why}", style="dim") for what, why in report.coverage.failed[:5]]
    return out


def coverage_line(report: Report) -> str:
    """One line of what was read."""
    c = report.coverage
    said = [f"{count(c.files, 'file')}, {count(c.lines, 'line')} read"]
    if size := job_size(c):
        said.append(size)
    if c.not_understood:
        said.append(
            f"{count(c.not_understood, 'line')} {agree(c.not_understood, 'resembles', 'resemble')} known messages but could not be parsed"
        )
    if c.problems:
        said.append(count(c.problems, "problem"))
    if c.unread:
        said.append(f"{len(c.unread)} not read")
    return f"logsift {report.version} · {report.run} · {', '.join(said)}"


def _finding(finding: Finding, *, facts: bool) -> Group:
    i = finding.incident
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (("who", who(i)), ("when", finding.when)):
        if value:
            table.add_row(name, Text(value))
    for n, (text, commands) in enumerate(steps(i)):
        table.add_row("do" if n == 0 else "", Text(text))
        for command in commands:
            table.add_row("", Text(f"   $ {command}", style="green", no_wrap=True, overflow="ignore"))
    for n, e in enumerate(i.evidence[:_PROOF_LINES]):
        line = Text.assemble((f"{e.path}:{e.line_no}", "blue"), "  ", e.text.strip()[:240])
        table.add_row("proof" if n == 0 else "", line)
    if len(i.evidence) > _PROOF_LINES:
        table.add_row("", Text(f"… {len(i.evidence) - _PROOF_LINES} more lines", style="dim"))
    if facts and (known := [f"{k}={_short(v)}" for k, v in i.facts.items()]):
        table.add_row("facts", Text("  ".join(known), style="dim"))
    return Group(Text(i.summary, style="bold"), Text(""), table)


def _echoes(rows: list[tuple[int, Finding]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for depth, f in rows:
        colour = _COLOUR[f.incident.severity]
        first = f.incident.evidence[0] if f.incident.evidence else None
        place = f"  {first.path}:{first.line_no}" if first else ""
        name = Text("  " * (depth + 1) + f.incident.rule, style=colour)
        table.add_row(name, Text.assemble(f.incident.summary, (place, "blue")))
    return table


def _short(value: object) -> str:
    text = fact(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
