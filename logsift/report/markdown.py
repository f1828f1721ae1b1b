"""The report as Markdown, whole or as the form of a tracker asks for it, to be attached to a bug issue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from logsift.errors import UserError, offered
from logsift.judge.words import count
from logsift.report import details
from logsift.report.model import MARK, build
from logsift.report.render import TEMPLATES, markdown
from logsift.report.timeline import MARKS

if TYPE_CHECKING:
    from logsift.analysis import Analysis

MOST_CHARACTERS = 60_000
"""What a tracker takes as one text, with something to spare."""
_STACK_LINES = (200, 80, 20)


@dataclass(frozen=True, slots=True)
class Room:
    """How many of each are shown."""

    proof: int
    echoes: int
    others: int
    fates: int
    settings: int
    moments: int
    missing: int
    stacks: int


_ROOMS = (Room(12, 30, 8, 30, 80, 80, 12, 150), Room(6, 12, 4, 12, 30, 40, 6, 60), Room(4, 5, 2, 6, 10, 15, 3, 20))


def forms() -> list[str]:
    """The trackers whose form can be filled."""
    return sorted(p.name.removesuffix(".md.j2") for p in (TEMPLATES / "for").glob("*.md.j2"))


def render(analysis: Analysis, form: str | None = None) -> str:
    """The report as one Markdown document of at most MOST_CHARACTERS.

    Args:
        analysis: of a run directory; where it is gone, the proof lacks the lines around it.
        form: the tracker whose form is to be filled, the whole report where None.

    Raises:
        UserError: no such form.
    """
    if form is not None and form not in forms():
        raise UserError(f"no form for {form!r}{offered(form, forms())}")
    template = markdown().get_template(f"for/{form}.md.j2" if form else "report.md.j2")
    text = ""
    for room in _ROOMS:
        text = _tidy(template.render(_known(analysis, room)))
        if len(text) <= MOST_CHARACTERS:
            return text
    cut = text[: text.rindex("\n\n", 0, MOST_CHARACTERS - 200)]
    return f"{cut}\n\n…\n\nThe rest was left out: `logsift report RUN -o report.html` has all of it.\n"


def _known(analysis: Analysis, room: Room) -> dict[str, Any]:
    report = build(analysis)
    shown = [f for f in (report.root, *report.others[: room.others]) if f]
    moments, left_out = details.around(analysis, analysis.root, room.moments)
    stacks = details.stacks(analysis).splitlines()
    if len(stacks) > room.stacks:
        stacks = [*stacks[: room.stacks], f"… {count(len(stacks) - room.stacks, 'more line')}: logsift stacks"]

    def rows(relation: str) -> list[dict[str, Any]]:
        """Rows of a relation of the content, none where there is no such relation."""
        known = analysis.store.rows("SELECT 1 FROM duckdb_columns() WHERE table_name = ? LIMIT 1", [relation])
        return analysis.store.rows(f'SELECT * FROM "{relation}"') if known else []

    return {
        "analysis": analysis, "claims": details.claims(report), "left_out": left_out, "mark": MARK, "marks": MARKS,
        "moments": moments, "passages": details.passages(analysis, shown, room.proof), "report": report, "room": room,
        "rows": rows, "settings": details.settings(analysis), "stacks": "\n".join(s[:240] for s in stacks),
    }  # fmt: skip


def _tidy(text: str) -> str:
    """At most one empty line in a row outside of blocks of code."""
    out: list[str] = []
    fence = ""
    for line in text.splitlines():
        stripped = line.strip()
        if fence:
            fence = "" if stripped == fence else fence
        elif stripped.startswith("```"):
            fence = stripped[: len(stripped) - len(stripped.lstrip("`"))]
        elif not stripped and (not out or not out[-1].strip()):
            continue
        out.append(line.rstrip())
    return "\n".join(out).strip() + "\n"
