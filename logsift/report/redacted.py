"""An analysis that can be shown to others: whatever is read of it comes redacted, its names the same everywhere."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from logsift.analysis import Analysis
from logsift.derive.clocks import Clocks
from logsift.errors import StorageError
from logsift.judge.conclusions import concluded
from logsift.judge.coverage import coverage
from logsift.judge.decision import decided
from logsift.remote import named
from logsift.report.redact import Redactor
from logsift.store import Store
from logsift.store.materialise import declared

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_HOSTS = (
    "SELECT host AS name FROM file UNION SELECT unnest(hosts) FROM incident UNION SELECT unnest(hosts) FROM job_size"
    " UNION SELECT host FROM rank UNION SELECT host FROM process UNION SELECT host FROM gpu UNION SELECT host FROM host_alias"
    " UNION SELECT host FROM address_host UNION SELECT host FROM identity_link UNION SELECT host FROM clock"
)
_TEXTS = "SELECT path AS text FROM file UNION ALL SELECT text FROM evidence UNION ALL SELECT text FROM problem"


class RedactedStore(Store):
    """The same tables, every text in what a query gives redacted. A query itself sees them as they are."""

    def __init__(self, store: Store, redactor: Redactor) -> None:
        super().__init__(store.con, None, sealed=True)
        self._redactor = redactor

    def _given(self, types: list[str], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return redacted_rows(self._redactor, types, rows)


@dataclass(frozen=True, slots=True, repr=False)
class Redacted(Analysis):
    """An analysis whose texts, also those that are read from the logs, come redacted."""

    original: Analysis = field(kw_only=True)
    redactor: Redactor = field(kw_only=True)

    def lines(self, wanted: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The text of lines, those that follow each other looked at together: a private key has many."""
        texts = self.original.lines(wanted)
        blocks: list[list[tuple[int, int]]] = []
        for at in sorted(texts):
            follows = blocks and blocks[-1][-1] == (at[0], at[1] - 1)
            blocks[-1].append(at) if follows else blocks.append([at])
        joined = self.redactor.texts(["\n".join(texts[at].replace("\n", " ") for at in block) for block in blocks])
        out = {}
        for block, text in zip(blocks, joined, strict=True):
            parts = text.split("\n")
            whole = len(parts) == len(block)
            out.update({at: parts[n] if whole else "[redacted]" for n, at in enumerate(block)})
        return out


def redacted(analysis: Analysis, *, hardware: bool = False) -> Redacted:
    """The analysis as others may see it.

    Args:
        analysis: of a run, or of tables that were sent.
        hardware: keep UUIDs and serial numbers of GPUs.
    """
    redactor = redactor_of(analysis, hardware=hardware)
    store = RedactedStore(analysis.store, redactor)
    incidents, causes = concluded(store)
    (run,) = redactor.texts([str(analysis.run)])
    given = {f.name: getattr(analysis, f.name) for f in fields(Analysis)}
    given |= {
        "run": named(run), "store": store, "incidents": incidents, "causes": causes, "decision": decided(store),
        "coverage": coverage(store), "clocks": Clocks.of(store), "place": None,
    }  # fmt: skip
    return Redacted(**given, original=analysis, redactor=redactor)


def redactor_of(analysis: Analysis, *, hardware: bool = False) -> Redactor:
    """A redactor that knows the hosts, addresses, accounts and serial numbers of a run."""
    store = analysis.store
    hosts = {r["name"] for r in store.rows(_HOSTS) if r["name"]}
    for table in sorted(declared(store, "host")):
        hosts |= {r["host"] for r in store.rows(f"SELECT DISTINCT host FROM {table} WHERE host IS NOT NULL")}
    aliases = {
        r["alias"]: r["host"] for r in store.rows("SELECT alias, host FROM host_alias") if r["alias"] and r["host"]
    }
    addresses = {r["address"] for r in store.rows("SELECT address FROM address_host") if r["address"]}
    with_serials = {
        r["table_name"] for r in store.rows(
            "SELECT DISTINCT table_name FROM duckdb_columns() WHERE column_name = 'serial' AND NOT internal"
            " AND database_name = current_database()"
        )
    }  # fmt: skip
    serials = {
        str(r["serial"])
        for table in sorted(with_serials)
        for r in store.rows(f'SELECT DISTINCT serial FROM "{table}" WHERE serial IS NOT NULL')
    }
    redactor = Redactor(hosts, (), addresses, aliases, serials, hardware=hardware)
    redactor.texts([r["text"] or "" for r in store.rows(_TEXTS)] + [str(analysis.run), str(analysis.place or "")])
    return redactor  # which knows whose homes are in these texts


def redacted_rows(redactor: Redactor, types: Sequence[str], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows with every text in them redacted, also those in lists, structs and JSON."""
    as_json = [n for n, sql in enumerate(types) if sql == "JSON"]
    told = [list(row) for row in rows]
    for row in told:
        for n in as_json:
            row[n] = None if row[n] is None else json.loads(row[n])
    known: dict[str, str] = {}
    _collect(told, known)
    known = dict(zip(known, redactor.texts(list(known)), strict=True))
    out = []
    for row in told:
        made = [_replaced(value, known) for value in row]
        for n in as_json:
            made[n] = None if made[n] is None else json.dumps(made[n], ensure_ascii=False)
        out.append(tuple(made))
    return out


def _collect(value: Any, into: dict[str, str]) -> None:  # noqa: ANN401 - whatever a query gives
    if isinstance(value, str):
        into[value] = ""
    elif isinstance(value, (list, tuple)):
        for v in value:
            _collect(v, into)
    elif isinstance(value, dict):
        for k, v in value.items():
            _collect(k, into)
            _collect(v, into)


def _replaced(value: Any, known: dict[str, str]) -> Any:  # noqa: ANN401 - whatever a query gives
    if isinstance(value, str):
        return known[value]
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(v, known) for v in value)
    if isinstance(value, dict):
        return {_replaced(k, known): _replaced(v, known) for k, v in value.items()}
    return value


def write_table(redactor: Redactor, path: Path) -> None:
    """What became of every name, as a table for whoever must ask back; only this user may read it.

    Raises:
        StorageError: it cannot be written, or is there.
    """
    rows = [("kind", "was", "became"), *((kind, was, became) for (kind, was), became in sorted(redactor.table.items()))]
    rows += [("secret", f"{count} different", f"[redacted] {what}") for what, count in sorted(redactor.secrets.items())]
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as e:
        raise StorageError(f"cannot write {path}: {e.strerror}") from None
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.writelines("\t".join(row) + "\n" for row in rows)
