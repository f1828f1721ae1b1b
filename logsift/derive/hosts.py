"""Whose file it is, and whose line: what paths and the first lines of files say of hosts is held against all lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from logsift.store import Store


@timed("stage", "hosts")
def name_hosts(store: Store) -> None:
    """Mend the names of hosts that were read before all of them were known.

    A file that was cut within its first line begins with what is left of a name: only the whole one is a host's. Files
    whose path holds the name of one host that lines know are that host's; a path may hold the end of a longer name.
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
    files = store.rows("SELECT file_id, path, host FROM file WHERE host IS NULL OR contains(path, '-' || host)")
    known = _hosts_by_line(store) if files else {}
    named: list[tuple[int, str | None, str]] = []
    for file in files:
        tokens = set(re.split(r"[^0-9A-Za-z-]+", file["path"])) | set(re.split(r"[^0-9A-Za-z]+", file["path"]))
        if file["host"] is None:
            hosts = tokens & known.keys()
        else:
            hosts = {h for h in tokens if known.get(h) and h.endswith(f"-{file['host']}")}
        if len(hosts) == 1:
            named.append((file["file_id"], file["host"], min(hosts)))
    if not named:
        return
    store.con.execute("CREATE TEMP TABLE named_file (file_id BIGINT, read VARCHAR, host VARCHAR)")
    store.insert("named_file", named)
    for table in ("file", *tables):
        store.con.execute(
            f"UPDATE {table} SET host = n.host FROM named_file n WHERE {table}.file_id = n.file_id AND {table}.host IS NOT DISTINCT FROM n.read"
        )
    store.con.execute("DROP TABLE named_file")


def _hosts_by_line(store: Store) -> dict[str, bool]:
    """Short name of every host in the rows, and whether any line says it (not only the path of its file)."""
    names = store.rows(
        "SELECT short_host(said.host) AS host, bool_or(said.host IS DISTINCT FROM f.host) AS by_a_line"
        " FROM said JOIN file f USING (file_id) WHERE NOT said.host[1] BETWEEN '0' AND '9' GROUP BY 1"
    )
    return {str(r["host"]): r["by_a_line"] for r in names}
