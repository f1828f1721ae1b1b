"""Whose file it is, and whose line: what paths and the first lines of files say of hosts is held against all lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from logsift.derive.files import settle_files
from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsift.store import Store

_WORD_BEHIND, _NUMBER_BEHIND = "-[a-z]+", "-[0-9]{1,6}"
_PARTS = 12
"""Parts of a token that are looked at: names of hosts have fewer."""


@timed("stage", "hosts")
def name_hosts(store: Store) -> None:
    """Mend the names of hosts that were read before all of them were known.

    A file that was cut within its first line begins with what is left of a name: only the whole one is a host's. Files
    whose path holds the name of one host that lines know are that host's; a path may hold the end of a longer name, or a
    word or a number behind it.
    """
    if not (tables := sorted(declared(store, "host"))):
        return
    said = (f"SELECT DISTINCT file_id, line_no = 1 AS first, host FROM {t} WHERE host IS NOT NULL" for t in tables)
    store.con.execute(f"CREATE TEMP TABLE said AS {' UNION '.join(said)}")
    _mend_torn(store, tables)
    _name_files(store, tables)
    store.con.execute("DROP TABLE said")


def _mend_torn(store: Store, tables: list[str]) -> None:
    """Give the first line of a file the host of its other lines, where it names but the end of that."""
    torn = store.rows(
        "SELECT a.file_id, a.host AS read, min(b.host) AS host FROM said a JOIN said b"
        " ON a.file_id = b.file_id AND a.first AND NOT b.first AND a.host <> b.host AND ends_with(b.host, a.host)"
        " GROUP BY ALL HAVING count(DISTINCT b.host) = 1"
    )
    first_line = {"said": "first", **dict.fromkeys(tables, "line_no = 1")}
    for r in torn:
        for table, condition in first_line.items():
            store.con.execute(
                f"UPDATE {table} SET host = ? WHERE file_id = ? AND {condition} AND host = ?",
                [r["host"], r["file_id"], r["read"]],
            )


def _name_files(store: Store, tables: list[str]) -> None:
    """Give files, and their lines that name none, the one host whose name their path holds."""
    files = store.rows(
        "SELECT file_id, path, host FROM file WHERE host IS NULL OR contains(path, '-' || host) OR host SIMILAR TO ?",
        [f".*(?:{_WORD_BEHIND}|{_NUMBER_BEHIND})"],
    )
    known = _hosts_by_line(store) if files else {}
    named: list[tuple[int, str | None, str]] = []
    for file in files:
        hint, tokens = file["host"], re.split(r"[^0-9A-Za-z-]+", file["path"])
        names = {n for t in tokens for n in _within(t)}
        found = {h for h in names if h in known and (hint is None or (known[h] and _is_meant(h, hint, tokens)))}
        hosts = {h for h in found if not any(h != other and h in _within(other) for other in found)}
        if len(hosts) == 1:
            named.append((file["file_id"], hint, min(hosts)))
    settle_files(store, tables, "host", named)


def _within(token: str) -> Iterator[str]:
    """What could be a name in a token: its parts between hyphens, any that follow each other."""
    parts = token.split("-")[:_PARTS]
    return ("-".join(parts[a:b]) for a in range(len(parts)) for b in range(a + 1, len(parts) + 1))


def _is_meant(host: str, hint: str, tokens: list[str]) -> bool:
    """Whether a hint is the end of a host's name, or of that with a word or a task's number behind.

    As in `ip-10-7-2-31-journal`, and `rack2-n07-3` of `srun --output=%N-%t`.
    """
    return (
        host.endswith(f"-{hint}")
        or (hint.startswith(host) and bool(re.fullmatch(_WORD_BEHIND, hint[len(host) :])))
        or any(t.endswith(hint) and bool(re.fullmatch(f"{re.escape(host)}{_NUMBER_BEHIND}", t)) for t in tokens)
    )


def _hosts_by_line(store: Store) -> dict[str, bool]:
    """Short name of every host in the rows, and whether any line says it (not only the path of its file)."""
    names = store.rows(
        "SELECT short_host(said.host) AS host, bool_or(said.host IS DISTINCT FROM f.host) AS by_a_line"
        " FROM said JOIN file f USING (file_id) WHERE NOT said.host[1] BETWEEN '0' AND '9' GROUP BY 1"
    )
    return {str(r["host"]): r["by_a_line"] for r in names}
