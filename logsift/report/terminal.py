"""The report on the screen: one screen, whatever the size of the job; commands are never broken."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.style import Style
from rich.text import Text

from logsift.judge.words import count, ranges
from logsift.report.fold import shortened
from logsift.report.inert import line
from logsift.report.model import (
    PROOF,
    Finding,
    Report,
    alike,
    build,
    fact,
    fate_of,
    flat,
    job_size,
    next_step,
    steps,
    who,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from logsift.analysis import Analysis
    from logsift.content.incident import Evidence

_COLOUR = {"critical": "red", "warning": "yellow", "info": "cyan"}
_WIDTH = 100
"""Wider lines are hard to read: a wider terminal gets the same."""
_NARROWEST = 60
_HEIGHT = 40
_LABEL = 7


@dataclass(frozen=True, slots=True)
class Room:
    """How much of each part is shown: how many of a list, and how many lines of a sentence and of a proof."""

    steps: int
    proof: int
    fates: int
    echoes: int
    others: int
    missing: int
    context: int
    lines: int
    proof_lines: int


_ROOMS = (
    Room(8, 5, 6, 10, 4, 4, 6, 9, 9), Room(6, 5, 5, 6, 3, 3, 3, 2, 2), Room(4, 4, 4, 5, 3, 3, 0, 2, 2),
    Room(3, 3, 3, 4, 2, 2, 0, 1, 2), Room(3, 3, 3, 4, 2, 2, 0, 1, 1), Room(2, 3, 3, 3, 1, 1, 0, 1, 2),
    Room(1, 3, 3, 3, 1, 1, 0, 1, 2), Room(1, 3, 3, 2, 1, 1, 0, 1, 1), Room(1, 3, 2, 1, 1, 1, 0, 1, 1),
)  # fmt: skip
"""From the roomiest on: the first that fits the screen is taken."""
_ALL = Room(99, 50, 99, 99, 99, 99, 99, 99, 99)


class Page:
    """Lines for a screen of a width: sentences are wrapped, commands are not."""

    def __init__(self, console: Console, run: Path) -> None:
        self._console, self._run = console, run
        self.width = max(min(console.width, _WIDTH), _NARROWEST)
        self.lines: list[Text] = []

    @property
    def height(self) -> int:
        """Lines on the screen; what is longer than it goes on in the next one."""
        return sum(max(1, -(-len(t) // max(1, self._console.width))) for t in self.lines)

    def say(self, label: str, text: Text, most: int = 99, indent: int = _LABEL, hanging: int = 0) -> None:
        """A sentence behind a label, in at most that many lines."""
        text.overflow = "fold"
        width = self.width - indent - hanging
        wrapped = text.wrap(self._console, width)
        shown = list(wrapped[:most])
        if len(wrapped) > most:  # what is left out begins in the last line that is shown
            at = 0
            for part in shown[:-1]:
                at = text.plain.index(part.plain.strip(), at) + len(part.plain.strip())
            shown[-1] = text[at + len(text.plain[at:]) - len(text.plain[at:].lstrip()) :]
            shown[-1].truncate(width, overflow="ellipsis")
        for n, part in enumerate(shown):
            part.rstrip()
            head = Text(label.ljust(indent) if n == 0 else " " * (indent + hanging), style="dim")
            self.lines.append(Text.assemble(head, part))

    def command(self, command: str) -> None:
        """A command, on a line of its own, to be copied."""
        self.lines.append(Text.assemble(" " * (_LABEL + 3), "$ ", (line(command), "green")))

    def rule(self, title: str, style: str) -> None:
        """A heading across the page."""
        dash = "-" if self._console.options.ascii_only else "─"
        self.lines.append(Text(f"{dash * 2} {title} ".ljust(self.width, dash), style=f"bold {style}"))

    def title(self, text: str) -> None:
        """A heading."""
        self.lines.append(Text(text, style="bold"))

    def place(self, e: Evidence) -> Text:
        """A place in a log, as a link where the terminal can."""
        path = (self._run / e.path if self._run.is_dir() else self._run).absolute()
        link = f"{path.as_uri()}#{e.line_no}" if path.exists() else None
        return Text(line(f"{e.path}:{e.line_no}"), Style(color="blue", link=link))

    def show(self) -> None:
        """Print it."""
        for text in self.lines:
            self._console.print(text, soft_wrap=True)


def show(analysis: Analysis, console: Console | None = None, *, facts: bool = False, kept: bool = True) -> None:
    """Print the report, whole and with the facts of each finding where asked for; its database is named where it is kept."""
    console = console or Console(highlight=False)
    report = build(analysis) if kept else replace(build(analysis), database="")
    height = max(_HEIGHT, console.height if console.is_terminal else 0)
    page = Page(console, analysis.place or analysis.run)
    for room in (_ALL,) if facts else _ROOMS:
        page = Page(console, analysis.place or analysis.run)
        _report(page, report, room, facts=facts)
        if page.height < height:
            break
    page.show()


def show_one(analysis: Analysis, number: int, console: Console | None = None) -> bool:
    """Print one incident whole; False where there is none of that number."""
    report = build(analysis)
    found = next((f for f in report.findings if f.number == number), None)
    if found is None:
        return False
    page = Page(console or Console(highlight=False), analysis.place or analysis.run)
    i = found.incident
    _head(page, found, f"#{number}")
    page.say("about", Text(" ".join(found.about.split())))
    _body(page, found, _ALL, facts=True)
    if cause := analysis.causes.cause_of(i):
        page.say("cause", Text(line(f"explained by #{report.number_of(cause)} {cause.rule}: {cause.summary}")))
    _echoes(page, found, _ALL)
    for reference in found.references:  # whole, to be opened
        page.lines.append(Text.assemble(("see".ljust(_LABEL), "dim"), line(reference)))
    page.show()
    return True


def _report(page: Page, report: Report, room: Room, *, facts: bool) -> None:
    if report.root is None:
        page.rule("no root cause", "green")
        page.say("", Text(line(report.verdict)), indent=0)
    else:
        _head(page, report.root, "root cause")
        _body(page, report.root, room, facts=facts, report=report)
        _echoes(page, report.root, room)
    for other in report.others[: room.others]:
        if room.lines > 2:
            _head(page, other, "also found")
            _body(page, other, room if facts else _ROOMS[-1], facts=facts)
            _echoes(page, other, room)
        else:
            i = other.incident
            page.say("also", Text.assemble((f"{i.rule} #{other.number} ", _COLOUR[i.severity]), line(i.summary)), 2)
    if len(report.others) > room.others:
        page.say("", Text(f"… and {count(len(report.others) - room.others, 'other finding')}", style="dim"))
    if report.context[: room.context]:
        page.title("context")
        _rows(page, [(f.incident.rule, "", f) for f in report.context[: room.context]], room.lines)
    if report.coverage.missing[: room.missing]:
        page.title("would settle more")
        for m in report.coverage.missing[: room.missing]:
            page.say("", Text.assemble((line(m.what), "bold"), f": {line(m.why)}"), room.lines, 2, 2)
            if room.lines > 1:
                if in_words := m.how.removesuffix("; ".join(m.commands)).removesuffix(": "):
                    page.say("", Text(line(in_words)), room.lines, 4)
                for command in m.commands:
                    page.command(command)
    page.say("", Text(line(coverage_line(report)), style="dim"), indent=0)
    for path, why in report.coverage.unread[: room.context]:
        page.say("", Text(line(f"not read: {path} ({why})"), style="dim"), 1, 2)
    for what, why in report.coverage.failed[:5]:
        page.say("", Text(line(f"{what}: {why}"), style="dim"), 2, 2)
    run = shlex.quote(report.run)
    more = [f"logsift show {run} {report.root.number}"] if report.root else []
    for command in (*more, f"logsift report {run} -o report.html"):
        page.lines.append(Text(line(command), style="dim"))
    if report.database:
        page.lines.append(Text(line(f"tables: {report.database}"), style="dim"))


def coverage_line(report: Report) -> str:
    """One line of what was read."""
    c = report.coverage
    said = [f"{count(c.files, 'file')}, {count(c.lines, 'line')} read"]
    if size := job_size(c):
        said.append(size)
    if c.not_understood:
        said.append(f"{count(c.not_understood, 'line')} with words of trouble gave no row (logsift unread)")
    if c.problems:
        said.append(count(c.problems, "problem"))
    if c.unread:
        said.append(f"{len(c.unread)} not read")
    return f"logsift {report.version} · {report.run} · {', '.join(said)}"


def _head(page: Page, finding: Finding, title: str) -> None:
    i = finding.incident
    page.rule(f"{title}: {i.rule} ({i.confidence})", _COLOUR[i.severity])
    page.say("", Text(line(i.summary), style="bold"), indent=0)


def _body(page: Page, finding: Finding, room: Room, *, facts: bool, report: Report | None = None) -> None:
    i = finding.incident
    for label, value, most in (("who", who(i), max(room.lines, 2)), ("when", finding.when, 3)):
        if value:
            page.say(label, Text(line(value)), most)
    if report and report.doubt:
        page.say("but", Text(report.doubt), max(room.lines, 2))
    if report and (d := report.decision).reason:
        page.say("next", Text(line(f"{next_step(d)} ({d.confidence}): {d.reason}")), max(room.lines, 2))
    to_do = steps(i)
    for n, (text, commands) in enumerate(to_do[: room.steps]):
        page.say("do" if n == 0 else "", Text(line(text)), max(room.lines, 2), hanging=0)
        for command in commands:
            page.command(command)
    if len(to_do) > room.steps:
        left = len(to_do) - room.steps
        page.say("", Text(f"… {count(left, 'more step')}: logsift show RUN {finding.number}", style="dim"))
    for n, e in enumerate(i.evidence[: room.proof]):
        page.say(
            "proof" if n == 0 else "",
            Text.assemble(page.place(e), "  ", line(shortened(e.text.strip(), PROOF))),
            room.proof_lines,
        )
    if len(i.evidence) > room.proof:
        page.say("", Text(f"… {count(len(i.evidence) - room.proof, 'more line')}", style="dim"))
    if report:
        _fates(page, report, room)
    if facts and (known := [f"{k}={_short(v)}" for k, v in i.facts.items()]):
        page.say("facts", Text(line("  ".join(known)), style="dim"))


def _fates(page: Page, report: Report, room: Room) -> None:
    """How the ranks of a job ended, where there are several and any log tells."""
    told = report.fates
    if sum(len(f.ranks) for f in told) < 2 or all(f.fate == "unknown" for f in told):
        return
    for n, f in enumerate(told[: room.fates]):
        page.say("ranks" if n == 0 else "", Text(line(f"{_short(ranges(f.ranks))} {fate_of(f)}")), 1)
    if len(told) > room.fates:
        page.say("", Text("… logsift ranks tells of all", style="dim"))


def _echoes(page: Page, finding: Finding, room: Room) -> None:
    folded = alike(flat(finding))
    if not folded:
        return
    page.title(f"which explains {count(sum(len(same) for _, same in folded), 'incident')}")
    shown = folded[: room.echoes]
    _rows(page, [("  " * depth + same[0].incident.rule, _numbers(same), same[0]) for depth, same in shown], room.lines)
    if len(folded) > len(shown):
        left = [f for _, same in folded[len(shown) :] for f in same]
        page.say("", Text(f"… {len(left)} more: {_ids(left)}", style="dim"), 1, 2)


def _rows(page: Page, rows: Iterable[tuple[str, str, Finding]], most: int) -> None:
    rows = list(rows)
    wide = max(len(name) + len(numbers) + 1 for name, numbers, _ in rows)
    for name, numbers, f in rows:
        i = f.incident
        place = Text.assemble("  ", page.place(i.evidence[0])) if i.evidence else Text()
        if i.attempt:
            place = Text.assemble(f" (attempt {i.attempt} of the job)", place)
        if page.width - wide < 50:  # on a narrow screen the sentence goes below
            page.say("", Text.assemble((f"{name} {numbers}".rstrip(), _COLOUR[i.severity])), 1, 2)
            page.say("", Text.assemble(line(i.summary), place), most, 6)
            continue
        page.say(f"  {name} {numbers}".ljust(wide + 4), Text.assemble(line(i.summary), place), most, wide + 4)


def _numbers(same: Sequence[Finding]) -> str:
    """The ids of incidents, and how many they are where there are several: 3x #4 #5 #9."""
    return _ids(same) if len(same) == 1 else f"{len(same)}x {_ids(same)}"


def _ids(some: Sequence[Finding]) -> str:
    return " ".join(f"#{f.number}" for f in some[:3]) + (" …" if len(some) > 3 else "")


def _short(value: object) -> str:
    text = fact(value)
    return shortened(text, 80)
