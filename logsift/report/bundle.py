"""One file for an issue: reports, tables and the lines that prove them, without the logs; every command opens it again.

The same run gives the same bytes: nothing of the machine, the user or the hour is in it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from logsift import __version__
from logsift.analysis import EXCERPT, Analysis
from logsift.content.interface import INTERFACE
from logsift.errors import UserError
from logsift.ingest.archives import BUNDLE
from logsift.places import cache_folder, publish, workplace
from logsift.report import html, markdown
from logsift.report import json as document
from logsift.report.details import stacks
from logsift.report.inert import lines, to_json
from logsift.report.rows import of_ranks
from logsift.report.timeline import around
from logsift.store.database import Store
from logsift.store.schema import ENGINE
from logsift.store.sent import MANIFEST, TABLES, relations, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_BYTES = 10_000_000
"""What trackers and mail take, with something to spare."""
_MOST_ROWS = 200_000
_SUFFIXES = (".tar.zst", ".tar.gz", ".tgz", ".tar", ".zip")
_EXCERPT = {"file_id": "BIGINT", "line_no": "BIGINT", "text": "VARCHAR"}


@dataclass(frozen=True, slots=True, repr=False)
class Noting(Analysis):
    """An analysis that notes the lines that are asked of it."""

    original: Analysis = field(kw_only=True)
    noted: dict[tuple[int, int], str] = field(default_factory=dict)

    def lines(self, wanted: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The lines, noted."""
        told = self.original.lines(wanted)
        self.noted.update(told)
        return told


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in a bundle: its name, its size, and why."""

    name: str
    bytes: int
    why: str


def write(analysis: Analysis, path: Path, *, most_bytes: int = MOST_BYTES, is_redacted: bool = False) -> list[LeftOut]:
    """Write the bundle of an analysis; gives what is not in it.

    Args:
        analysis: what is to be sent, redacted where it is to be.
        path: .tar.zst, .tar.gz, .tar or .zip.
        most_bytes: how large it may be.
        is_redacted: what the manifest says of that.

    Raises:
        UserError: another kind of file, or not even the conclusions fit.
    """
    suffix = next((s for s in _SUFFIXES if path.name.endswith(s)), None)
    if suffix is None:
        raise UserError(f"{path}: a bundle is one of {', '.join(_SUFFIXES)}")
    noting = Noting(**{f.name: getattr(analysis, f.name) for f in fields(Analysis)}, original=analysis)
    texts = _texts(noting)
    with workplace(cache_folder() / "bundle") as work:
        (work / TABLES).mkdir()
        every = {**relations(analysis.store), EXCERPT: _EXCERPT}
        written, rows_of, left_out = _tables(noting, every, work)
        sizes = {name: len(zlib.compress(text)) for name, text in texts.items()}
        sizes |= {f"{TABLES}/{name}.parquet": p.stat().st_size for name, p in written.items()}
        chosen: list[str] = []
        room = most_bytes - 20_000  # the manifest
        for name in sorted(sizes, key=lambda n: (_order(n), sizes[n], n)):
            if sizes[name] <= room:
                chosen.append(name)
                room -= sizes[name]
            elif _order(name) == 0:
                raise UserError(
                    f"a bundle of this run takes more than {most_bytes:,} bytes: allow more with --max-size"
                )
            else:
                left_out.append(LeftOut(name, sizes[name], "no room"))
        content = {name: texts[name] if name in texts else (work / name).read_bytes() for name in sorted(chosen)}
        kept = {Path(n).stem for n in chosen if n.startswith(f"{TABLES}/")}
        content = {MANIFEST: _manifest(analysis, content, every, kept, rows_of, left_out, is_redacted), **content}
        packed = _packed(content, suffix)
        (work / "made").write_bytes(packed)
        publish(work / "made", path)
    return left_out


def _order(name: str) -> int:
    """What is dropped last: conclusions, then the reports, what they show, then the other tables."""
    table = Path(name).stem
    if name.startswith(f"{TABLES}/"):
        if (
            table in ENGINE
            and not table.startswith("content_")
            and table not in ("problem", "file_window", "file_settled", "clock")
        ):
            return 0
        return (
            2
            if table in (EXCERPT, "rank_fate", "rank_fate_kind", "run_setting", "stack_tree", "job_size")
            else 3 + (table not in INTERFACE and table not in ENGINE)
        )
    return {"report.md": 1, "report.json": 1, "report.html": 2}.get(name, 1)


def _texts(analysis: Analysis) -> dict[str, bytes]:
    """The reports, and what people read of the tables."""
    out = {
        "report.md": markdown.render(analysis), "report.json": document.render(analysis), "report.html": html.render(analysis),
        "ranks.txt": lines(of_ranks(analysis.store, each_rank=True)), "stacks.txt": stacks(analysis),
    }  # fmt: skip
    if analysis.root and analysis.root.at:
        out["timeline.txt"] = around(analysis, None, 60.0, 5.0)
    return {name: text.encode() for name, text in out.items() if text}


def _tables(
    analysis: Noting, every: Mapping[str, Mapping[str, str]], work: Path
) -> tuple[dict[str, Path], dict[str, int], list[LeftOut]]:
    """Every table that has rows as a file, how many rows it has, and what is too long."""
    written, rows_of, left_out = {}, {}, []
    views = {r["view_name"] for r in analysis.store.rows("SELECT view_name FROM duckdb_views() WHERE NOT internal")}
    store = Store.open(work / "tables.duckdb", read_only=False)
    try:
        for name, columns in every.items():
            if name == EXCERPT:
                rows: list[dict[str, Any]] = [
                    {"file_id": f, "line_no": n, "text": text} for (f, n), text in sorted(analysis.noted.items())
                ]
            else:
                (held,) = analysis.store.rows(f'SELECT count(*) AS rows FROM "{name}"')
                if held["rows"] > _MOST_ROWS and name not in ENGINE:
                    left_out.append(LeftOut(f"{TABLES}/{name}.parquet", 0, f"{held['rows']:,} rows"))
                    continue
                # A table has its order; a view has none, and the same run is to give the same bytes.
                order = " ORDER BY ALL" if name in views else ""
                rows = analysis.store.rows(f'SELECT * FROM "{name}"{order}') if held["rows"] else []
            if rows:
                rows_of[name] = len(rows)
                written[name] = write_table(store, name, columns, rows, work / TABLES)
    finally:
        store.close()
    return written, rows_of, left_out


def _manifest(
    analysis: Analysis, content: Mapping[str, bytes], every: Mapping[str, Mapping[str, str]], kept: Iterable[str],
    rows_of: Mapping[str, int], left_out: Iterable[LeftOut], is_redacted: bool,
) -> bytes:  # fmt: skip
    told = {
        "bundle": 1, "logsift": __version__, "duckdb": duckdb.__version__, "redacted": is_redacted,
        "root": analysis.root.rule if analysis.root else None,
        "files": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **_rows(name, rows_of)}
            for name, data in content.items()
        },
        "left_out": [{"name": x.name, "bytes": x.bytes, "why": x.why} for x in left_out],
        "empty": {name: dict(columns) for name, columns in sorted(every.items()) if name not in set(kept)},
    }  # fmt: skip
    return to_json(told).encode()


def _rows(name: str, rows_of: Mapping[str, int]) -> dict[str, int]:
    rows = rows_of.get(Path(name).stem)
    return {"rows": rows} if rows is not None and name.startswith(f"{TABLES}/") else {}


def _packed(content: Mapping[str, bytes], suffix: str) -> bytes:
    """An archive of these files, without a time or an owner."""
    out = io.BytesIO()
    if suffix == ".zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data in content.items():
                info = zipfile.ZipInfo(f"{BUNDLE}/{name}")
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, data)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in content.items():
            member = tarfile.TarInfo(f"{BUNDLE}/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    if suffix in (".tar.gz", ".tgz"):
        return gzip.compress(out.getvalue(), 9, mtime=0)
    if suffix == ".tar.zst":
        import zstandard

        return zstandard.ZstdCompressor(level=12).compress(out.getvalue())
    return out.getvalue()
