"""Flight Recorder dumps of torch (pickle or JSON, any version of the schema) as rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from logsift.ingest.readers.opening import read_whole
from logsift.ingest.unpickle import plain_values_of_torn

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_FRAMES = 200
_LONGEST = 4000
"""Frames of an entry, and characters of a text: a container of a pickle may hold itself many times over."""
_NUMBER_IN_NAME = re.compile(r"[._-]([0-9]{1,6})(?=\.|\Z)")
_OP = re.compile(r"^(?:(?P<backend>[a-z0-9_]+):)?(?P<op>\S+)(?: (?P<a>[0-9?]+)(?P<arrow>->|<-)(?P<b>[0-9?]+))?")
_NOT_USER_CODE = re.compile(r"/(?:torch|site-packages|dist-packages)/|^<|/contextlib\.py$")


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Rows of one dump: the dump itself, its groups, their status, and the recorded operations."""
    data, torn = read_whole(file.path)
    is_pickle = data.startswith(b"\x80")
    dump, why = (plain_values_of_torn if is_pickle else _from_json)(data)
    why = why or torn
    if why:
        yield "problem", [{"line_no": 0, "what": "Flight Recorder dump: cannot be read to its end", "text": why}]
    if isinstance(dump, list):  # the first versions wrote the entries only
        dump = {"version": "0.0", "entries": dump}
    if not isinstance(dump, dict):
        return
    yield from _tables(dump, file.name, file.rank, "pickle" if is_pickle else "json", complete=not why)


def _from_json(data: bytes) -> tuple[Any, str]:
    try:
        return json.loads(data.decode("utf-8", errors="replace")), ""
    except (ValueError, RecursionError) as e:
        return None, f"truncated or not JSON: {e}"


def _tables(dump: Mapping[str, Any], name: str, hint: int | None, form: str, *, complete: bool) -> Rows:
    entries = sorted(
        (e for e in _listed(dump.get("entries")) if isinstance(e, dict)), key=lambda e: _int(e.get("record_id")) or 0
    )
    groups = dict(_groups(dump.get("pg_config")))
    status = {_text(k) or "": v for k, v in _mapping(dump.get("pg_status")).items() if isinstance(v, dict)}
    name_of = _names_of_pgs(entries, groups, status)
    rank = _rank(dump, entries, groups, name, hint)
    version = _text(dump.get("version")) or ""
    major, _, minor = version.partition(".")
    records = [n for e in entries if (n := _int(e.get("record_id"))) is not None]
    line = 1
    last_seen = max(
        (n for e in entries for k in ("time_discovered_completed_ns", "time_created_ns") if (n := _int(e.get(k)))),
        default=None,
    )
    row = {
        "line_no": line, "rank": rank, "host": _text(dump.get("host_name") or dump.get("hostname")), "format": form, "version": version,
        "version_major": _int(major), "version_minor": _int(minor), "lib_version": _text(dump.get("comm_lib_version") or dump.get("nccl_version")),
        "entries": len(entries), "recorder_on": bool(entries or any(_reached(s) for s in status.values())), "complete": complete,
        "first_record": min(records, default=None), "last_record": max(records, default=None), "time": _epoch(last_seen),
    }  # fmt: skip
    yield "flight_dump", [row]
    rows: list[dict[str, Any]] = []
    for grp, (desc, members) in groups.items():
        line += 1
        rows.append({"line_no": line, "rank": rank, "grp": grp, "grp_desc": desc, "members": json.dumps(members)})
    yield "flight_group", rows
    rows = []
    for pg, s in status.items():
        line += 1
        rows.append({
            "line_no": line, "rank": rank, "pg_id": pg, "grp": name_of.get(pg), "last_enqueued": _int(s.get("last_enqueued_collective")),
            "last_started": _int(s.get("last_started_collective")), "last_completed": _int(s.get("last_completed_collective")),
        })  # fmt: skip
    yield "flight_status", rows
    rows = []
    for e in entries:
        line += 1
        rows.append({"line_no": line, "rank": rank, **_entry(e, name_of, groups)})
    yield "flight_entry", rows


def _entry(
    e: Mapping[str, Any], name_of: Mapping[str, str], groups: Mapping[str, tuple[str, list[int]]]
) -> dict[str, Any]:
    pg = _text(e.get("pg_id"))
    pair = e.get("process_group")
    grp, desc = (
        (_text(pair[0]) or "", _text(pair[1]) or "")
        if isinstance(pair, (list, tuple)) and len(pair) == 2
        else (name_of.get(pg or ""), None)
    )
    if desc is None and grp is not None and grp in groups:
        desc = groups[grp][0]
    said = _OP.match(_text(e.get("profiling_name")) or "")
    parts = said.groupdict() if said else {}
    op = str(parts.get("op") or "")
    is_p2p = e.get("is_p2p")
    if not isinstance(is_p2p, bool):
        is_p2p = op.lower() in {"send", "recv", "recvanysource", "recv_anysource"}
    here, other = _int(parts.get("a")), _int(parts.get("b"))
    src, dst = (here, other) if parts.get("arrow") == "->" else (other, here)
    collective = _int(e.get("collective_seq_id", e.get("seq_id")))
    place, frames = _frames(e.get("frames"))
    return {
        "time": _epoch(e.get("time_created_ns")), "record_id": _int(e.get("record_id")), "pg_id": pg, "grp": grp, "grp_desc": desc,
        "backend": parts.get("backend"), "op": op, "is_p2p": is_p2p, "collective_seq": collective, "p2p_seq": _int(e.get("p2p_seq_id")),
        "op_id": _int(e.get("op_id")), "src": src, "dst": dst, "state": _text(e.get("state")),
        "retired": e["retired"] if isinstance(e.get("retired"), bool) else None,
        "started_at": _epoch(e.get("time_discovered_started_ns")), "completed_at": _epoch(e.get("time_discovered_completed_ns")),
        "timeout_ms": _int(e.get("timeout_ms")), "duration_ms": _float(e.get("duration_ms")),
        "input_sizes": _sizes(e.get("input_sizes")), "input_numel": _numel(e.get("input_sizes")), "input_dtypes": _joined(e.get("input_dtypes")),
        "output_sizes": _sizes(e.get("output_sizes")), "output_numel": _numel(e.get("output_sizes")), "output_dtypes": _joined(e.get("output_dtypes")),
        "place": place, "frames": frames,
    }  # fmt: skip


def _rank(
    dump: Mapping[str, Any],
    entries: Sequence[Mapping[str, Any]],
    groups: Mapping[str, tuple[str, list[int]]],
    name: str,
    hint: int | None,
) -> int | None:
    """The global rank: as said, as the only member of all groups, as point-to-point names it, at last as the file's name says.

    A process lists the groups it is a member of, so it is in the intersection of their members.
    """
    for key in ("rank", "global_rank"):
        if (said := _int(dump.get(key))) is not None:
            return said
    members = [set(m) for _, m in groups.values() if m]
    common = set.intersection(*members) if members else None
    if common is not None and len(common) == 1:
        return next(iter(common))
    for e in entries:
        pair = e.get("process_group")
        found = _OP.match(_text(e.get("profiling_name")) or "")
        if (
            found
            and found["arrow"]
            and isinstance(pair, (list, tuple))
            and pair
            and (here := _int(found["a"])) is not None
        ):
            of_group = groups.get(_text(pair[0]) or "", ("", []))[1]
            if here < len(of_group):
                return of_group[here]
    numbers = (
        [hint] if hint is not None else [int(n) for n in reversed(_NUMBER_IN_NAME.findall(name.rsplit("/", 1)[-1]))]
    )
    fitting = [n for n in numbers if not common or n in common]
    return fitting[0] if fitting else None


def _names_of_pgs(
    entries: Sequence[Mapping[str, Any]], groups: Mapping[str, Any], status: Mapping[str, Any]
) -> dict[str, str]:
    """Id of a process group (a counter of its process) -> its name (the same on all members).

    Entries say both. Groups without entries are paired in order, since both are counted up as groups are made; that is
    believed only where it is whole and agrees with the entries.
    """
    said = {}
    for e in entries:
        pair = e.get("process_group")
        if isinstance(pair, (list, tuple)) and pair:
            said[_text(e.get("pg_id")) or ""] = _text(pair[0]) or ""
    numbered = [g for g in groups if g.isdigit()]
    if len(numbered) == len(groups) == len(status) and all(p.isdigit() for p in status):
        paired = dict(zip(sorted(status, key=int), sorted(numbered, key=int), strict=True))
        if all(paired.get(p, g) == g for p, g in said.items()):
            return paired | said
    alone = {p: p for p in status if p in groups and p == "0"}
    if len(groups) == len(status) == 1 and (only := next(iter(groups))):
        alone = {next(iter(status)): only}
    return alone | said


def _groups(config: object) -> Iterator[tuple[str, tuple[str, list[int]]]]:
    for name, about in _mapping(config).items():
        if isinstance(about, dict):
            desc, ranks = _text(about.get("desc")) or "", about.get("ranks")
        elif isinstance(about, (list, tuple)):
            texts = [a for a in about if isinstance(a, str) and not a.lstrip().startswith("[")]
            desc = texts[-1] if texts else ""
            ranks = next(
                (
                    a
                    for a in about
                    if isinstance(a, (list, tuple)) or (isinstance(a, str) and a.lstrip().startswith("["))
                ),
                about,
            )
        else:
            continue
        if isinstance(ranks, str):
            members = [int(n) for n in re.findall(r"[0-9]{1,9}", ranks)]
        else:
            members = [n for r in _listed(ranks) if (n := _int(r)) is not None]
        yield _text(name) or "", (desc, members)


def _reached(status: Mapping[str, Any]) -> bool:
    return any((_int(v) or -1) > 0 for v in status.values())


def _frames(frames: object) -> tuple[str | None, str | None]:
    """The innermost frame of the user's own code, and all frames innermost first."""
    shown = []
    place = None
    for f in _listed(frames)[:_FRAMES]:
        if isinstance(f, dict):
            name, source, line = (_text(f.get(k)) or "?" for k in ("name", "filename", "line"))
            text = f"{name} ({source}:{line})"
            shown.append(text)
            if place is None and not _NOT_USER_CODE.search(source):
                place = text
    return place or (shown[0] if shown else None), "\n".join(shown) or None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else []


def _int(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -(1 << 63) <= number < 1 << 63 else None


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return str(value)[:_LONGEST] if isinstance(value, str) or _int(value) is not None else None


def _epoch(nanoseconds: object) -> str | None:
    """Nanoseconds since the epoch as seconds in text; 0 and None are no time."""
    number = _int(nanoseconds)
    return f"{number // 1_000_000_000}.{number // 1000 % 1_000_000:06d}" if number and number > 0 else None


def _sizes(sizes: object) -> str | None:
    if not isinstance(sizes, (list, tuple)):
        return None
    return json.dumps([[_int(n) for n in _listed(shape)[:64]] for shape in sizes[:1000]])[:_LONGEST]


def _numel(sizes: object) -> int | None:
    """Elements of all tensors together."""
    if not isinstance(sizes, (list, tuple)):
        return None
    total = 0
    for shape in sizes[:100_000]:
        count = 1
        for n in _listed(shape)[:64]:
            count *= _int(n) or 0
        total += count
    return total if abs(total) < 1 << 63 else None


def _joined(dtypes: object) -> str | None:
    return ", ".join(_text(d) or "" for d in _listed(dtypes)[:1000])[:_LONGEST] or None
