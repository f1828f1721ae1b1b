"""One share of a run -> Parquet parts and a manifest that says what they are of."""

from __future__ import annotations

import json
import re
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from logsift import __version__
from logsift.engines.shares import Range, digest, shares
from logsift.engines.thinning import thin
from logsift.errors import StorageError, UserError
from logsift.ingest.archives import printable
from logsift.ingest.discover import find, is_alone, look
from logsift.ingest.evidence import by_id, fetch_of
from logsift.ingest.readers.lines import line_from
from logsift.ingest.readers.opening import CutShort, is_plain
from logsift.ingest.reading import read
from logsift.ingest.spelling import Spelling
from logsift.inputs import given
from logsift.places import engine_sources, publish, remove, workplace
from logsift.remote import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from logsift.content.model import Catalog
    from logsift.ingest.discover import Found, SourceFile
    from logsift.ingest.reading import Reading
    from logsift.inputs import Input

LINE_TEXT = "line_text"
"""The parts of lines (file_id, line_no, text) that may prove something."""
_AT_ONCE = 200_000
"""Lines whose texts are held at once."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What parts are made of: equal ones are parts of one whole, or the same part."""

    logsift: str
    engine: str
    content: str
    files: str
    of: int
    every_row: bool

    @classmethod
    def now(cls, catalog: Catalog, found: Sequence[Found], of: int, *, every_row: bool) -> Identity:
        """Of what this logsift makes of these files."""
        return cls(__version__, engine_sources(), catalog.content, digest(found), of, every_row)


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a call of `map_share` did."""

    files: int
    bytes: int
    done_before: bool


def shard_name(shard: int, of: int) -> str:
    """How manifests are called."""
    return f"shard-{shard}-of-{of}"


def list_name(files: str) -> str:
    """How the list of all files is called; `files` is their digest."""
    return f"files-{files}.parquet"


def line_columns(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    """Table -> its columns that hold numbers of lines of the row's file: its own, and those of the blocks it is in."""
    out = {name: {"line_no"} for name in (*catalog.tables, "problem", LINE_TEXT)}
    for grammar in catalog.grammars:
        blocks = {f"{p.inside}_line" for p in grammar.patterns if p.inside}
        for table in {p.table for p in grammar.patterns if p.table}:
            out[table] |= blocks & {c.name for c in catalog.tables[table].columns}
    return {name: tuple(sorted(columns)) for name, columns in out.items()}


def map_share(
    run: Sequence[Path],
    dest: Path,
    catalog: Catalog,
    shard: int = 1,
    of: int = 1,
    *,
    follow: bool = False,
    every_row: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Mapped:
    """Read share `shard` of 1..`of` of a run into `dest`; where that was done already, nothing is.

    Of tables with a row per line no more is kept than their formats call enough, unless it is `every_row`. Everything is
    written beside its place first: a share is there whole or not at all, and the last one counts.

    Raises:
        UserError: there is no such run, or nothing to read.
        StorageError: nothing can be written there.
    """
    source = given(list(run))
    if any(dest.resolve().is_relative_to(place.resolve()) for place in (source.run, *source.roots)):
        raise UserError(
            f"{printable(dest)} is within {source.shown}: what is written there would be read as logs; say another place"
        )
    found = found_of(source, follow=follow)
    return map_found(source, found, dest, catalog, shard, of, every_row=every_row, progress=progress)


def found_of(source: Input, *, follow: bool = False) -> list[Found]:
    """The files of a run.

    Raises:
        UserError: it is a database.
    """
    if source.is_database:
        raise UserError(f"{source.shown} is a database: its logs were read already")
    return find(source.run, follow=follow, roots=source.roots, refused=source.refused)


def map_found(
    source: Input, found: Sequence[Found], dest: Path, catalog: Catalog, shard: int, of: int,
    *, every_row: bool = False, progress: Callable[[str, int, int], None] | None = None,
) -> Mapped:  # fmt: skip
    """What `map_share` does, of a run whose files were found already."""
    identity, name = Identity.now(catalog, found, of, every_row=every_row), shard_name(shard, of)
    before = manifest(dest / f"{name}.json")
    mine = shares([f.size for f in found], shard, of)
    total = sum((end or found[f].size) - begin for f, (begin, end) in mine.items())
    if before and before["identity"] == asdict(identity) and not damaged(dest, before):
        return Mapped(len(mine), total, done_before=True)
    files = list(_ranged(look([found[f] for f in mine], catalog, alone=is_alone(source.run, found)), mine))
    done = 0

    def note(size: int) -> None:
        nonlocal done
        done += size
        if progress:
            progress("reading", done, total)

    try:
        dest.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise StorageError(f"cannot write into {dest}: {e.strerror}") from None
    with workplace(dest / name) as work:
        parts = work / "parts"
        parts.mkdir()
        reading = read(catalog, files, parts, note, len(found))
        left_out = {} if every_row else thin(parts, catalog, of)
        _keep_texts(parts, catalog, files, reading)
        if not (dest / list_name(identity.files)).exists():
            pl.DataFrame({"name": [f.name for f in found], "bytes": [f.size for f in found]}, {"name": pl.String, "bytes": pl.Int64}).write_parquet(work / "files")  # fmt: skip
            publish(work / "files", dest / list_name(identity.files))
        folder = f"{name}.{secrets.token_hex(8)}"
        told = {
            "identity": asdict(identity), "shard": shard, "source": source.shown, "parts": folder,
            "tables": {t.name: {p.name: p.stat().st_size for p in sorted(t.iterdir())} for t in sorted(parts.iterdir())},
            "ranges": {found[f].file_id: r for f, r in mine.items() if r != (0, None)},
            "left_out": left_out,
            "whole": [f.file_id for f in files if f.stop is None and mine[f.file_id - 1][1] is not None],
            **asdict(reading),
        }  # fmt: skip
        (work / "manifest").write_text(json.dumps(told), encoding="utf-8")
        publish(parts, dest / folder)
        publish(work / "manifest", dest / f"{name}.json")
    if before:
        remove(dest / before["parts"])
    return Mapped(len(mine), total, done_before=False)


def manifest(path: Path) -> dict[str, Any] | None:
    """What a manifest says; None where there is none that is whole."""
    try:
        told = json.loads(path.read_bytes())
        Identity(**told["identity"])
        inside = [told["parts"], *told["tables"], *(name for each in told["tables"].values() for name in each)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return dict(told) if all(re.fullmatch(r"[a-z0-9_-]+(?:\.[a-z0-9]+)?", name) for name in inside) else None


def damaged(dest: Path, told: Mapping[str, Any]) -> bool:
    """True where parts are not as the manifest says."""
    try:
        return any(
            {e.name: e.stat().st_size for e in scan(dest / told["parts"] / table)} != each
            for table, each in told["tables"].items()
        )
    except OSError:
        return True


def _ranged(files: Sequence[SourceFile], mine: Mapping[int, Range]) -> Iterator[SourceFile]:
    """The files with what of them is read; what cannot be cut is read by who has its beginning."""
    for f in files:
        begin, end = mine[f.file_id - 1]
        cut, why = False, f.why
        with suppress(OSError):
            cut = f.reader == "lines" and is_plain(f.path)
        if not cut:
            if begin == 0:
                yield f
            continue
        try:
            first = line_from(f.path, begin) if begin else 0
        except (OSError, CutShort) as e:
            first, why = None, f"from byte {begin} on it cannot be read: {e}"
        # A range in which no line begins is told of without being read.
        at = f.size if first is None else first
        yield replace(f, start=(at, 1), stop=end, reader="" if why else f.reader, why=why)


def _keep_texts(parts: Path, catalog: Catalog, files: Sequence[SourceFile], reading: Reading) -> None:
    """Write the lines that rows are of, and the last one of each file: the files may be out of reach when they are asked for."""
    columns = line_columns(catalog)
    wanted: list[pl.LazyFrame] = [
        pl.LazyFrame(
            [(f[0], f[3]) for f in reading.files if f[3] and f[7] == "lines"],
            {"file_id": pl.Int64, "line_no": pl.Int64},
            orient="row",
        )
    ]
    for part in parts.glob("*/*.parquet"):
        rows = pl.scan_parquet(part, glob=False)
        there = rows.collect_schema().names()
        wanted += [
            rows.select("file_id", pl.col(c).alias("line_no")).unique()
            for c in columns.get(part.parent.name, ())
            if c in there
        ]
    lines = pl.concat(wanted).drop_nulls().unique().sort("file_id", "line_no").collect()
    by_file, spelling = {f.file_id: f for f in files}, Spelling(catalog.envelopes)
    windows = by_id(sorted(reading.windows))
    schema = {"file_id": pl.Int64, "line_no": pl.Int64, "text": pl.String}
    held: list[pl.DataFrame] = []
    number = 0
    for (file_id,), every in lines.group_by("file_id", maintain_order=True):
        for some in every["line_no"].to_frame().iter_slices(_AT_ONCE):
            texts = fetch_of(by_file[int(file_id)], some["line_no"].to_list(), windows.get(int(file_id), ()), spelling)
            held.append(pl.DataFrame([[file_id] * len(texts), list(texts), list(texts.values())], schema))
            if sum(frame.height for frame in held) >= _AT_ONCE:
                number += 1
                _write_texts(held, parts, number)
    _write_texts(held, parts, number + 1)


def _write_texts(held: list[pl.DataFrame], parts: Path, number: int) -> None:
    if any(frame.height for frame in held):
        (parts / LINE_TEXT).mkdir(exist_ok=True)
        pl.concat(held).write_parquet(parts / LINE_TEXT / f"{number}.parquet")
        held.clear()
