"""Lines with words of trouble that gave no row, by what they have in common: what the next grammar is written from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from logsift.judge.words import count
from logsift.report.inert import line

if TYPE_CHECKING:
    from logsift.store import Store

_COLUMNS = (
    "word, u.lines, files, ranks, hosts, template, u.text, f.path, line_no FROM unread u JOIN file f USING (file_id)"
)


def unread(store: Store, to: str) -> str:
    """Templates with how many lines have each, the most frequent first; `to` is text or json."""
    rows = store.rows(f"SELECT {_COLUMNS} ORDER BY u.lines DESC, file_id, line_no")
    if to == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1)
    if not rows:
        return "Every line with a word of trouble gave a row, or there was none."
    out = []
    for row in rows:
        by = [count(row[name], name.removesuffix("s")) for name in ("files", "ranks", "hosts") if row[name] > 1]
        out.append(f"{row['lines']:7}  {row['word']:7} {line(row['path'])}:{row['line_no']}  {', '.join(by)}".rstrip())
        out.append(f"         {line(row['text'])}")
    shown = sum(row["lines"] for row in rows)
    out += ["", f"{count(shown, 'line')} of {count(len(rows), 'kind')}. What becomes of one: logsift explain FILE:LINE"]
    return "\n".join(out)
