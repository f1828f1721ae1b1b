"""The verdict for places with little room: a line, a message for a chat, annotations of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logsift.judge.words import count
from logsift.report import inert
from logsift.report.fold import shortened
from logsift.report.model import PROOF, Finding, Report, build, flat, next_step, steps, who

if TYPE_CHECKING:
    from logsift.analysis import Analysis
    from logsift.content.incident import Evidence

LINE = 1000
"""Characters of the line: Kubernetes keeps 4,096 bytes of a container's last word, and a character has at most four."""
_TITLE, _TEXT = 150, 2900
"""Characters that Slack takes in a header and in a text."""
_STEPS, _PROOF = 6, 3
_ANNOTATIONS = 10
"""GitHub shows so many of one step."""
_LEVEL = {"critical": "error", "warning": "warning", "info": "notice"}


def line(analysis: Analysis) -> str:
    """One line: the root cause with its grade, what next, and where the logs are."""
    report = build(analysis)
    verdict = f"{_head(report.root)}: {report.verdict}" if report.root else report.verdict
    said = " | ".join([verdict, _next(report), report.run])
    return inert.line(shortened(said, LINE))


def slack(analysis: Analysis) -> str:
    """A message as a webhook of Slack takes it (Block Kit, one line of JSON). No text of a log is read as markup there."""
    report = build(analysis)
    root = report.root
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": _plain(_head(root) if root else "no root cause", _TITLE)},
        {"type": "section", "text": _plain(report.verdict)},
    ]
    about = [who(root.incident), root.when, _next(report)] if root else [_next(report)]
    blocks.append({"type": "context", "elements": [_plain(text) for text in about if text]})
    if root:
        parts: list[dict[str, Any]] = []
        for text, commands in steps(root.incident)[:_STEPS]:
            parts.append(_rich("rich_text_section", text))
            if commands:
                parts.append(_rich("rich_text_preformatted", "\n".join(commands)))
        proof = "\n".join(
            f"{e.path}:{e.line_no}  {shortened(e.text.strip(), PROOF)}" for e in root.incident.evidence[:_PROOF]
        )
        parts += [_rich("rich_text_preformatted", proof)] * bool(proof)
        blocks += [{"type": "rich_text", "elements": parts}] * bool(parts)
    blocks.append({"type": "context", "elements": [_plain(f"logsift {report.version} · {report.run}")]})
    return inert.to_json(
        {"text": inert.slack(line(analysis)), "mrkdwn": False, "unfurl_links": False, "blocks": blocks}, indent=None
    )


def github(analysis: Analysis) -> str:
    """Annotations of a GitHub Actions step, the root cause first."""
    report = build(analysis)
    found = [f for f in (report.root, *report.others) if f]
    if not found:
        return _annotation("notice", {"title": "logsift"}, report.verdict)
    return "\n".join(_of_finding(analysis, report, f) for f in found[:_ANNOTATIONS])


def _of_finding(analysis: Analysis, report: Report, finding: Finding) -> str:
    i = finding.incident
    at = {"file": _file(analysis, i.evidence[0]), "line": str(i.evidence[0].line_no)} if i.evidence else {}
    said = [i.summary]
    if finding is report.root:
        said.append(_next(report))
    said += [text for step, commands in steps(i)[:_STEPS] for text in (step, *(f"  $ {c}" for c in commands))]
    if below := flat(finding):
        said.append(f"It explains {count(len(below), 'other incident')}.")
    return _annotation(_LEVEL[i.severity], {**at, "title": _head(finding)}, "\n".join(said))


def _file(analysis: Analysis, e: Evidence) -> str:
    """A file as people find it from where they are: below the folder that they named."""
    return str(analysis.run / e.path) if analysis.run.is_dir() else e.path


def _annotation(level: str, properties: dict[str, str], text: str) -> str:
    told = ",".join(f"{name}={inert.annotation_property(value)}" for name, value in properties.items())
    return f"::{level} {told}::{inert.annotation(text)}"


def _head(finding: Finding) -> str:
    return f"{finding.incident.rule} ({finding.incident.confidence})"


def _next(report: Report) -> str:
    d = report.decision
    return f"next: {next_step(d)} ({d.confidence}): {d.reason}" if d.reason else f"next: {next_step(d)}"


def _plain(text: str, most: int = _TEXT) -> dict[str, Any]:
    return {"type": "plain_text", "text": inert.lines(shortened(text, most)), "emoji": False}


def _rich(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "elements": [{"type": "text", "text": inert.lines(shortened(text, _TEXT))}]}
