"""Whose file it is: files whose path holds the name of one host that lines know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from logsift.store import Store


@timed("stage", "hosts")
def name_hosts(store: Store) -> None:
    """Files whose path holds the name of one host that lines know are that host's.

    A path was read as holding a host's name before the names were known: it may have been the end of a longer one.
    """
    files = store.rows("SELECT file_id, path, host FROM file WHERE host IS NULL OR contains(path, '-' || host)")
    tables = sorted(declared(store, "host"))
    if not files or not tables:
        return
    known = _hosts_by_line(store, tables)
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


def _hosts_by_line(store: Store, tables: list[str]) -> dict[str, bool]:
    """Short name of every host in the rows, and whether any line says it (not only the path of its file)."""
    rows = " UNION ".join(
        f"SELECT t.host, t.host IS DISTINCT FROM f.host AS by_a_line FROM {t} t JOIN file f USING (file_id) WHERE t.host IS NOT NULL"
        for t in tables
    )
    names = store.rows(
        f"SELECT short_host(host) AS host, bool_or(by_a_line) AS by_a_line FROM ({rows}) WHERE NOT host[1] BETWEEN '0' AND '9' GROUP BY 1"
    )
    return {str(r["host"]): r["by_a_line"] for r in names}
