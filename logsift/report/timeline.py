"""What happened around an incident: lines of all logs on one clock."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.ingest.discover import known_files
from logsift.ingest.evidence import fetch
from logsift.report.inert import lines

if TYPE_CHECKING:
    from logsift.analysis import Analysis

_LINES = 200


def around(analysis: Analysis, incident_id: int | None, seconds: float, after: float) -> str:
    """Lines with a time from `seconds` before an incident to `after` it, oldest first.

    Args:
        analysis: of a run directory that is still there.
        incident_id: the incident's number, the root cause where None.
        seconds: how far to look back.
        after: how far to look on.

    Raises:
        UserError: there is no such incident, or it has no time.
    """
    incidents = dict(enumerate(analysis.incidents, 1))
    chosen = analysis.root if incident_id is None else incidents.get(incident_id)
    if chosen is None:
        raise UserError("no such incident: `logsift RUN` lists them" if incident_id else "no root cause to look around")
    if chosen.at is None:
        raise UserError(f"no time is known of {chosen.rule}: its lines carry none")
    rows = analysis.store.rows(
        "SELECT time, max(t.host) AS host, max(t.rank) AS rank, file_id, t.line_no, path,"
        " CASE WHEN bool_and(c.zone IS DISTINCT FROM 'UTC') THEN '?' WHEN max(c.uncertainty_seconds) > 1 THEN '~' ELSE ' ' END AS mark"
        " FROM timeline t JOIN file USING (file_id) LEFT JOIN clock c USING (file_id, time_quality)"
        " WHERE time BETWEEN ? AND ? AND coalesce(t.line_no BETWEEN c.first_line AND c.last_line, true)"
        " GROUP BY time, file_id, t.line_no, path ORDER BY time, path, line_no",
        [chosen.at - timedelta(seconds=seconds), chosen.at + timedelta(seconds=after)],
    )
    files = known_files(analysis.run, analysis.store.rows("SELECT * FROM file"))
    shown = rows[-_LINES:]
    texts = fetch({(r["file_id"], r["line_no"]) for r in shown}, files, [], analysis.spelling)
    out = [f"around {chosen.rule} at {chosen.at.isoformat(sep=' ')} UTC: {chosen.summary}"]
    if len(rows) > len(shown):
        out.append(f"({len(rows) - len(shown)} earlier lines left out)")
    for r in shown:
        who = " ".join(str(x) for x in (r["host"], f"rank {r['rank']}" if r["rank"] is not None else None) if x)
        offset = (r["time"] - chosen.at).total_seconds()
        text = texts.get((r["file_id"], r["line_no"]), "").strip()
        out.append(f"{offset:+10.3f} s {r['mark']} {who:18} {r['path']}:{r['line_no']}  {text[:160]}")
    out.append(
        "~ the clock of this log is known to some seconds or minutes only, ? its zone is not known: see the table clock"
    )
    return lines("\n".join(out))
