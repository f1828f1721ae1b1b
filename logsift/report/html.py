"""The report as one page: everything in one file, nothing from the network, no script but its own."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from logsift.report import details
from logsift.report.fates import each
from logsift.report.figures import pictures, svg
from logsift.report.model import MARK, Report, build, fact
from logsift.report.render import TEMPLATES, page
from logsift.report.timeline import MARKS
from logsift.report.tree import Call, calls

if TYPE_CHECKING:
    from logsift.analysis import Analysis

_PROOF_LINES = 30
_MOMENTS = 400
_OTHERS = 20
_OPEN = 12
"""So many calls of a stack are open: a person sees where it forks without a click."""


def render(analysis: Analysis) -> str:
    """The page as text.

    Args:
        analysis: of a run directory; where it is gone, the proof lacks the lines around it.
    """
    report = build(analysis)
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    moments, left_out = details.around(analysis, analysis.root, _MOMENTS)
    shown = [f for f in (report.root, *report.others[:_OTHERS]) if f]
    return page().get_template("report.html.j2").render(
        claims=details.claims(report), explained=_explained(analysis, report),
        figures=[{"name": p.name, "title": p.title, "says": p.says, "svg": svg(p)} for p in pictures(analysis)],
        left_out=left_out, mark=MARK, marks=MARKS, moments=moments, passages=_passages(analysis, report, shown),
        rank_data=_ranks(analysis), report=report, script=script, script_hash=f"sha256-{digest}",
        settings=details.settings(analysis), style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
        tree=_tree(calls(analysis.store)),
    )  # fmt: skip


def _passages(analysis: Analysis, report: Report, shown: list[Any]) -> dict[int, tuple[details.Passage, ...]]:
    found = details.passages(analysis, shown, _PROOF_LINES)
    return {f.number: found.get(f.number, ()) for f in [*shown, *report.others]}


def _explained(analysis: Analysis, report: Report) -> dict[int, str]:
    """Number of a finding -> the number of what explains it, with a mark before it."""
    number = {id(f.incident): f.number for f in report.findings}
    causes = {f.number: analysis.causes.cause_of(f.incident) for f in report.findings}
    return {n: f"#{number[id(c)]}" if c and id(c) in number else "" for n, c in causes.items()}


def _ranks(analysis: Analysis) -> dict[str, Any]:
    """Every rank in few bytes: texts that recur are named by their place in a list."""
    ranks = each(analysis.store)
    fates, hosts, paths = (list(dict.fromkeys(x)) for x in zip(*((r.said, r.host, r.path) for r in ranks), strict=True)) if ranks else ([], [], [])  # fmt: skip
    place = {
        name: {text: n for n, text in enumerate(texts)} for name, texts in (("f", fates), ("h", hosts), ("p", paths))
    }
    rows = [
        [
            r.rank, place["h"][r.host], r.gpu, r.pid, fact(r.step) if r.step is not None else None, r.collective,
            place["f"][r.said], int(r.was_first), r.last.isoformat(sep=" ", timespec="seconds") if r.last else None,
            place["p"][r.path], r.line,
        ]
        for r in ranks
    ]  # fmt: skip
    return {"fates": fates, "hosts": hosts, "places": paths, "rows": rows}


def _tree(roots: list[Call], shown: int = 0) -> list[dict[str, Any]]:
    """Calls as the template shows them: a chain of single calls is one entry, what few do is marked."""
    out = []
    for call in roots:
        chain = [call]
        while len(chain[-1].below) == 1 and not chain[-1].ends_here:
            chain.append(chain[-1].below[0])
        last = chain[-1]
        out.append({
            "call": " → ".join(c.call for c in chain), "who": f"@ {call.who}", "stands": last.stands, "apart": call.apart,
            "open": shown < _OPEN or call.apart, "below": _tree(last.below, shown + 1),
        })  # fmt: skip
    return out
