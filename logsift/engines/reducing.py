"""Parquet parts of all shares -> one store with its verdict, on the way that a local analysis takes after reading."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl

from logsift import pipeline
from logsift.analysis import EXCERPT, Analysis
from logsift.engines.mapping import (
    LINE_TEXT,
    Identity,
    damaged,
    line_columns,
    list_name,
    manifest,
    shard_name,
)
from logsift.engines.shares import shares
from logsift.errors import UserError
from logsift.ingest.archives import printable
from logsift.ingest.discover import hints, known_files
from logsift.ingest.reading import Reading
from logsift.places import engine_sources, on_disk, publish, remember, workplace
from logsift.remote import RemotePath
from logsift.remote import named as shown_as
from logsift.run import DATABASE, cached_database
from logsift.store import Store
from logsift.store.create import create
from logsift.store.database import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from logsift.content.model import Catalog
    from logsift.ingest.reading import FileRow

_CONTEXT = 3
_BEFORE_SECONDS, _AFTER_SECONDS = 60, 5
"""The lines that are kept around those that prove an incident, and around the time of the root cause."""
_PROBLEM, _LEFT_OUT = "not read", "not kept"

Told = dict[str, Any]


def reduce(
    dest: Path,
    catalog: Catalog,
    *,
    db: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Analysis:
    """The analysis of a run whose shares were read into `dest`, made into `db` (by default logsift.duckdb there).

    What a share that is missing would have read is told as files that nobody could read. Parts in a store are copied, and the
    database is made in the user's cache, also where it is sent to a store then.

    Raises:
        UserError: there are no shares, or they are not of one whole, or of another logsift or content than this.
        StorageError: nothing can be written there.
    """
    path = cached_database(dest) if isinstance(db or dest, RemotePath) else db or dest / DATABASE
    with on_disk(dest) as here:
        analysis = _reduced(here.absolute(), printable(dest), path, catalog, progress)
    if db and db != path:
        publish(path, db)
    return analysis


def _reduced(
    dest: Path, shown: str, path: Path, catalog: Catalog, progress: Callable[[str, int, int], None] | None
) -> Analysis:
    """The analysis of parts on the disk; `shown` is what people call their place."""
    shards = _shards(dest, shown, catalog)
    with workplace(path) as work:
        with closing(create(work / "new", catalog, dest)) as store:
            if progress:
                progress("storing", 0, 0)
            try:
                reading, problems = _united(dest, shown, shards)
                problems += _left_out(shards)
                _load(store, dest, shards, catalog)
                store.register(reading)
                store.insert("problem", problems)
            except (duckdb.Error, LookupError, TypeError, ValueError) as e:
                told = (str(e) or repr(e)).splitlines()[0]
                raise UserError(f"{shown} is damaged: map the run again, into another place ({told})") from None
            if not any(f[7] for f in reading.files):
                raise UserError(f"nothing readable in {shown}")
            files = store.rows("SELECT * FROM file")
            pipeline.explain(store, catalog, list(known_files(None, files).values()), progress, _texts_of(store))
            _keep_excerpt(store)
            store.finish()
        publish(work / "new", path)
    remember(path)
    return Analysis.of(shown_as(next(iter(shards.values()))["source"]), Store.open(path), catalog, len(reading.files))


def _shards(dest: Path, shown: str, catalog: Catalog) -> dict[int, Told]:
    """The manifests by their number.

    Raises:
        UserError: there are none, or they do not belong together, or are not for this logsift.
    """
    if not dest.is_dir():
        raise UserError(f"no such directory: {shown}")
    found = [told for p in sorted(dest.glob("shard-*-of-*.json")) if (told := manifest(p))]
    if not found:
        raise UserError(f"{shown} holds no shares of a run: make them with `logsift map RUN -o {shown}`")
    mine = (engine_sources(), catalog.content)
    for told in found:
        identity, name = Identity(**told["identity"]), shard_name(told["shard"], told["identity"]["of"])
        if (identity.engine, identity.content) != mine:
            raise UserError(
                f"{name} was made by another version of logsift ({identity.logsift}) or with other content: map it again"
            )
        if identity != Identity(**found[0]["identity"]):
            other = shard_name(found[0]["shard"], found[0]["identity"]["of"])
            raise UserError(
                f"{name} and {other} are not shares of one whole: files came or grew meanwhile, or they were cut or thinned otherwise;"
                " map all again, into an empty directory"
            )
        if damaged(dest, told):
            raise UserError(f"{name} lacks parts that its manifest names: map it again")
    return {told["shard"]: told for told in sorted(found, key=lambda t: int(t["shard"]))}


def _united(
    dest: Path, shown: str, shards: Mapping[int, Told]
) -> tuple[Reading, list[tuple[int, int | None, str, str]]]:
    """What the manifests say of files, as one reading would, and what of them was not read, as rows of `problem`.

    Sets `moved` in the manifests: file -> how many lines of it are before those of the share.
    """
    identity = Identity(**next(iter(shards.values()))["identity"])
    try:
        every = pl.read_parquet(dest / list_name(identity.files))
        names, sizes = every["name"].to_list(), every["bytes"].to_list()
    except (OSError, pl.exceptions.PolarsError):
        raise UserError(f"{list_name(identity.files)} in {shown} cannot be read: map any share again") from None
    files: dict[int, FileRow] = {}
    problems = list[tuple[int, int | None, str, str]]()
    windows, settled = list[tuple[int, int, int]](), dict[int, tuple[int, int, int, str]]()
    behind, whole = Counter[int](), {i for told in shards.values() for i in told["whole"]}
    for shard in range(1, identity.of + 1):
        told = shards.get(shard)
        if told is None:
            why = f"share {shard} of {identity.of} is missing"
            for f, (begin, end) in shares(sizes, shard, identity.of).items():
                if begin == 0:
                    files[f + 1] = (f + 1, names[f], sizes[f], 0, *hints(names[f]), None, "", 0, why, 0, False)
                if (begin, end) != (0, None) and f + 1 not in whole:
                    until = "its end" if end is None else f"byte {end}"
                    problems.append((f + 1, behind[f + 1], _PROBLEM, f"{why}: from byte {begin} to {until}; lines behind have lower numbers"))  # fmt: skip
            continue
        told["moved"] = moved = {i: behind[i] for i in map(int, told["ranges"]) if behind[i]}
        windows += [(i, line + moved.get(i, 0), offset) for i, line, offset in told["windows"]]
        settled |= {i: (i, line + moved.get(i, 0), offset, proof) for i, line, offset, proof in told["settled"]}
        for row in told["files"]:
            i = row[0]
            behind[i] += row[3]
            if (known := files.get(i)) and known[7]:
                if not row[7]:
                    problems.append((i, known[3], _PROBLEM, row[9]))
                row = (*known[:3], known[3] + row[3], *known[4:8], known[8] + row[8], *known[9:])
            files[i] = tuple(row)
    return Reading([files[i] for i in sorted(files)], windows, [settled[i] for i in sorted(settled)]), problems


def _left_out(shards: Mapping[int, Told]) -> list[tuple[int, int | None, str, str]]:
    """Which rows shares did not keep, as rows of `problem`."""
    each = Counter[tuple[int, str]]()
    for told in shards.values():
        for table, files in told["left_out"].items():
            each.update({(int(file_id), table): n for file_id, n in files.items()})
    return [
        (file_id, None, _LEFT_OUT, f"{n} rows of {table}: more than rules need; `logsift map --every-row` keeps them")
        for (file_id, table), n in sorted(each.items())
    ]


def _load(store: Store, dest: Path, shards: Mapping[int, Told], catalog: Catalog) -> None:
    """Parts into the tables, those of most shares at once; the texts of lines become a view."""
    columns, texts = line_columns(catalog), ["SELECT 0 AS file_id, 0 AS line_no, '' AS text WHERE false"]
    groups: dict[int, list[Told]] = {}
    for shard, told in shards.items():
        groups.setdefault(shard if told["moved"] else 0, []).append(told)
    store.con.execute("BEGIN")
    for each in groups.values():
        lines = "".join(f" WHEN {i} THEN {n}" for i, n in each[0]["moved"].items())
        behind = f" + CASE file_id{lines} ELSE 0 END" if lines else ""
        for table, named in sorted(columns.items()):
            parts = [dest / t["parts"] / table / name for t in each for name in t["tables"].get(table, ())]
            if parts and table == LINE_TEXT:
                listed = ", ".join(quoted(str(p)) for p in parts)
                source = f"read_parquet([{listed}], hive_partitioning=false)"
                texts.append(f"SELECT file_id, line_no{behind} AS line_no, text FROM {source}")
            elif parts:
                store.append(table, parts, {c: f"{c}{behind}" for c in named} if lines else None)
    store.con.execute(f"COMMIT; CREATE TEMP VIEW {LINE_TEXT} AS {' UNION ALL '.join(texts)}")


def _texts_of(store: Store) -> Callable[[set[tuple[int, int]]], dict[tuple[int, int], str]]:
    """Gives lines out of the parts."""

    def texts(wanted: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        files, lines = [f for f, _ in wanted], [n for _, n in wanted]
        found = store.rows(
            f"SELECT file_id, line_no, text FROM {LINE_TEXT}"
            " JOIN (SELECT unnest(?) AS file_id, unnest(?) AS line_no) AS wanted USING (file_id, line_no)",
            [files, lines],
        )
        return {(r["file_id"], r["line_no"]): r["text"] for r in found}

    return texts


def _keep_excerpt(store: Store) -> None:
    """Keep the lines that a report shows besides those that prove an incident, as far as parts have them."""
    store.con.execute(
        f"CREATE TABLE {EXCERPT} AS SELECT DISTINCT file_id, line_no, text FROM {LINE_TEXT} JOIN ("
        f"SELECT file_id, unnest(range(line_no - {_CONTEXT}, line_no + {_CONTEXT + 1})) AS line_no FROM evidence"
        " UNION SELECT t.file_id, t.line_no FROM timeline t JOIN incident i ON i.root"
        f" AND epoch(t.time) - epoch(i.first) BETWEEN -{_BEFORE_SECONDS} AND {_AFTER_SECONDS}) AS wanted USING (file_id, line_no)"
    )
