"""What happened around an incident: lines of all logs on one clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.report.inert import line

if TYPE_CHECKING:
    from logsift.analysis import Analysis
    from logsift.content.incident import Incident

_LINES = 200
_TEXT = 160
MARKS = "~ the clock of this log is known to some seconds or minutes only, ? its zone is not known: see the table clock"


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of a log, by its distance to an incident."""

    seconds: float
    mark: str
    """How surely its time is known, see MARKS."""
    who: str
    path: str
    line: int
    text: str


def moments(
    analysis: Analysis,
    incident: Incident,
    seconds: float,
    after: float,
    most: int = _LINES,
    *,
    only_lines: bool = False,
) -> tuple[list[Moment], int]:
    """Lines with a time from `seconds` before an incident to `after` it, oldest first, and how many earlier ones were left out.

    Args:
        analysis: of a run directory that is still there; else the lines lack their text.
        incident: one that has a time.
        seconds: how far to look back.
        after: how far to look on.
        most: how many lines; later ones are kept.
        only_lines: leave out records of files that are no text of lines.
    """
    assert incident.at is not None
    rows = analysis.store.rows(
        "SELECT time, max(t.host) AS host, max(t.rank) AS rank, file_id, t.line_no, path,"
        " CASE WHEN bool_and(c.zone IS DISTINCT FROM 'UTC') THEN '?' WHEN max(c.uncertainty_seconds) > 1 THEN '~' ELSE ' ' END AS mark"
        " FROM timeline t JOIN file USING (file_id) LEFT JOIN clock c USING (file_id, time_quality)"
        " WHERE epoch(time) - epoch(?::TIMESTAMP) BETWEEN -? AND ? AND coalesce(t.line_no BETWEEN c.first_line AND c.last_line, true)"
        " AND (reader = 'lines' OR NOT ?) GROUP BY time, file_id, t.line_no, path ORDER BY time, path, line_no",
        [incident.at, seconds, after, only_lines],
    )
    shown = rows[-most:]
    texts = analysis.lines({(r["file_id"], r["line_no"]) for r in shown})
    out = []
    for r in shown:
        who = " ".join(str(x) for x in (r["host"], f"rank {r['rank']}" if r["rank"] is not None else None) if x)
        text = texts.get((r["file_id"], r["line_no"]), "").strip()[:_TEXT]
        out.append(Moment((r["time"] - incident.at).total_seconds(), r["mark"], who, r["path"], r["line_no"], text))
    return out, len(rows) - len(shown)


def around(analysis: Analysis, incident_id: int | None, seconds: float, after: float) -> str:
    """What `moments` finds around an incident, or around the root cause where None, as text.

    Raises:
        UserError: there is no such incident, or it has no time.
    """
    incidents = dict(enumerate(analysis.incidents, 1))
    chosen = analysis.root if incident_id is None else incidents.get(incident_id)
    if chosen is None:
        raise UserError("no such incident: `logsift RUN` lists them" if incident_id else "no root cause to look around")
    if chosen.at is None:
        raise UserError(f"no time is known of {chosen.rule}: its lines carry none")
    shown, left_out = moments(analysis, chosen, seconds, after)
    out = [f"around {chosen.rule} at {chosen.at.isoformat(sep=' ')} UTC: {chosen.summary}"]
    if left_out:
        out.append(f"({left_out} earlier lines left out)")
    out += [f"{m.seconds:+10.3f} s {m.mark} {m.who:18} {m.path}:{m.line}  {m.text}" for m in shown]
    return "\n".join(map(line, [*out, MARKS]))
