"""What happened around an incident: lines of all logs on one clock."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from logsift.errors import UserError
from logsift.ingest.discover import known_files
from logsift.ingest.evidence import fetch

if TYPE_CHECKING:
    from logsift.analysis import Analysis

_LINES = 200
_MARKS = {"exact": " ", "zoneless": "~", "yearless": "~", "daytime": "?", "boot": "?"}


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
        raise UserError(
            "no such incident: `logsift RUN` lists them"
            if incident_id
            else "no root cause to look around"
        )
    if chosen.at is None:
        raise UserError(f"no time is known of {chosen.rule}: its lines carry none")
    rows = analysis.store.rows(
        "SELECT time, any_value(time_quality) AS quality, max(timeline.host) AS host, max(timeline.rank) AS rank, file_id, line_no, path"
        " FROM timeline JOIN file USING (file_id) WHERE time BETWEEN ? AND ?"
        " GROUP BY time, file_id, line_no, path ORDER BY time, path, line_no",
        [chosen.at - timedelta(seconds=seconds), chosen.at + timedelta(seconds=after)],
    )
    files = known_files(analysis.run, analysis.store.rows("SELECT * FROM file"))
    shown = rows[-_LINES:]
    texts = fetch({(r["file_id"], r["line_no"]) for r in shown}, files, [])
    out = [f"around {chosen.rule} at {chosen.at.isoformat(sep=' ')} UTC: {chosen.summary}"]
    if len(rows) > len(shown):
        out.append(f"({len(rows) - len(shown)} earlier lines left out)")
    for r in shown:
        who = " ".join(str(x) for x in (r["host"], f"rank {r['rank']}" if r["rank"] is not None else None) if x)
        offset = (r["time"] - chosen.at).total_seconds()
        text = texts.get((r["file_id"], r["line_no"]), "").strip()
        out.append(
            f"{offset:+10.3f} s {_MARKS.get(r['quality'], '?')} {who:18} {r['path']}:{r['line_no']}  {text[:160]}"
        )
    out.append("~ zone or year is a guess, ? day or boot time is a guess")
    return "\n".join(out)
