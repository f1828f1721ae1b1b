"""Flight Recorder dumps of torch (pickle or JSON, any version of the schema) as rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logsift.content.model import EXACT
from logsift.ingest.clock import from_nanoseconds
from logsift.ingest.readers.opening import read_whole
from logsift.ingest.unpickle import plain_values_of_torn

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_FRAMES = 200
_LONGEST = 4000
"""Frames of an entry, and characters of a text: a container of a pickle may hold itself many times over."""
_MOST_VALUES = 10_000_000
"""Values of one key in all entries together, to be compared with each other."""
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
    entries = _Entries(dump.get("entries"))
    groups = dict(_groups(dump.get("pg_config")))
    status = {_text(k) or "": v for k, v in _mapping(dump.get("pg_status")).items() if isinstance(v, dict)}
    name_of = _names_of_pgs(entries, groups, status)
    rank = _rank(dump, entries, groups, name, hint)
    version = _text(dump.get("version")) or ""
    major, _, minor = version.partition(".")
    row = {
        "line_no": 1, "rank": rank, "host": _text(dump.get("host_name") or dump.get("hostname")), "format": form, "version": version,
        "version_major": _int(major), "version_minor": _int(minor), "lib_version": _text(dump.get("comm_lib_version") or dump.get("nccl_version")),
        "entries": len(entries), "recorder_on": bool(len(entries) or any(_reached(s) for s in status.values())), "complete": complete,
        "first_record": entries.records.min(), "last_record": entries.records.max(), "time": entries.last_seen(),
    }  # fmt: skip
    yield "flight_dump", [row]
    line, rows = 1, list[dict[str, Any]]()
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
    yield (
        "flight_entry",
        entries.rows(name_of, groups).with_columns(
            pl.lit(rank, pl.Int64).alias("rank"), (line + pl.int_range(1, len(entries) + 1)).alias("line_no")
        ),
    )


class _Distinct:
    """The different ones among values, and which of them each value is.

    Values are lists in lists, `depth` levels of them, of texts and numbers. Where they are not, each counts as
    different: a pickle may hold the same container many times over, and no hash of that comes to an end.
    """

    def __init__(self, values: list[Any], depth: int) -> None:
        self.values, self.at = values, list(range(len(values)))
        if _is_flat(values, depth):
            keys = values if depth == 0 else [tuple(v) if depth == 1 else tuple(map(tuple, v)) for v in values]
            number = {key: n for n, key in enumerate(dict.fromkeys(keys))}
            self.values, self.at = list(number), [number[key] for key in keys]

    def by_last(self) -> Iterator[Any]:
        """The different ones, by where each is last."""
        return map(self.values.__getitem__, reversed(dict.fromkeys(reversed(self.at))))

    def frame(self, made: Sequence[Sequence[object]], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
        """A row for each value, of what was made of the different ones."""
        return pl.DataFrame(made, schema, orient="row")[self.at]


def _is_flat(values: list[Any], depth: int) -> bool:
    for _ in range(depth):
        if not set(map(type, values)) <= {list, tuple} or sum(map(len, values)) > _MOST_VALUES:
            return False
        values = list(chain.from_iterable(values))
    return set(map(type, values)) <= {str, int, NoneType}


class _Entries:
    """The recorded operations of a dump, by their number: a pass over all of them for each key, what repeats is read once."""

    def __init__(self, listed: object) -> None:
        self._entries = [e for e in _listed(listed) if isinstance(e, dict)]
        self.records = self.ints("record_id")
        if not (numbers := self.records.fill_null(0)).is_sorted():
            order = np.argsort(numbers.to_numpy(), kind="stable").tolist()
            self._entries, self.records = [self._entries[n] for n in order], self.records.gather(order)
        self.names = _Distinct(self.of("profiling_name"), 0)
        self.said = [_OP.match(_text(name) or "") for name in self.names.values]
        pairs = zip(self.of("pg_id"), self.of("process_group"), strict=True)
        self.pgs = _Distinct([(pg, *(pair[:3] if isinstance(pair, (list, tuple)) else ())) for pg, pair in pairs], 1)
        """The process group's id, and behind it what is said of its name and description."""

    def __len__(self) -> int:
        return len(self._entries)

    def of(self, key: str) -> list[Any]:
        return [e.get(key) for e in self._entries]

    def ints(self, key: str) -> pl.Series:
        return _column(key, self.of(key), _int, int, pl.Int64())

    def times(self, key: str) -> pl.Series:
        return from_nanoseconds(self.ints(key))

    def last_seen(self) -> str | None:
        """When the last operation was enqueued or seen completed, in seconds since the epoch."""
        latest = [self.ints(key).max() for key in ("time_discovered_completed_ns", "time_created_ns")]
        number = max((n for n in latest if isinstance(n, int)), default=0)
        return f"{number // 1_000_000_000}.{number // 1000 % 1_000_000:06d}" if number > 0 else None

    def ranks_of_p2p(self) -> Iterator[tuple[int, str]]:
        """Who sends or receives: the rank within its group, and the group's name."""
        if any(said and said["arrow"] for said in self.said):
            for name, pg in dict.fromkeys(zip(self.names.at, self.pgs.at, strict=True)):
                said, (_, *pair) = self.said[name], self.pgs.values[pg]
                if said and said["arrow"] and pair and (here := _int(said["a"])) is not None:
                    yield here, _text(pair[0]) or ""

    def rows(self, name_of: Mapping[str, str], groups: Mapping[str, tuple[str, list[int]]]) -> pl.DataFrame:
        """The columns of the operations, but rank and line."""
        text, number, times = pl.String(), pl.Int64(), self.times("time_created_ns")
        sizes: dict[str, pl.DataFrame] = {}
        for side in ("input", "output"):
            shapes, dtypes = _Distinct(self.of(f"{side}_sizes"), 2), _Distinct(self.of(f"{side}_dtypes"), 1)
            sizes[side] = shapes.frame(
                [(_sizes(v), _numel(v)) for v in shapes.values], {f"{side}_sizes": text, f"{side}_numel": number}
            ).hstack(dtypes.frame([(_joined(v),) for v in dtypes.values], {f"{side}_dtypes": text}))
        return pl.DataFrame([
            times.alias("time"), pl.select(pl.when(times.is_not_null()).then(pl.lit(EXACT)).alias("time_quality")).to_series(), self.records,
            *self.pgs.frame([_group(v, name_of, groups) for v in self.pgs.values], {"pg_id": text, "grp": text, "grp_desc": text}),
            *self.names.frame([_operation(said) for said in self.said], _OPERATION),
            _column("is_p2p", self.of("is_p2p"), lambda v: v if isinstance(v, bool) else None, bool, pl.Boolean()),
            _column("collective_seq", [e.get("collective_seq_id", e.get("seq_id")) for e in self._entries], _int, int, number),
            self.ints("p2p_seq_id").alias("p2p_seq"), self.ints("op_id"), _column("state", self.of("state"), _text, str, text),
            _column("retired", self.of("retired"), lambda v: v if isinstance(v, bool) else None, bool, pl.Boolean()),
            self.times("time_discovered_started_ns").alias("started_at"), self.times("time_discovered_completed_ns").alias("completed_at"),
            self.ints("timeout_ms"), _column("duration_ms", self.of("duration_ms"), _float, float, pl.Float64()), *sizes["input"], *sizes["output"],
            *_stacks(self.of("frames")),
        ]).with_columns(pl.coalesce("is_p2p", "named_p2p").alias("is_p2p")).drop("named_p2p")  # fmt: skip


_OPERATION = {
    "backend": pl.String(),
    "op": pl.String(),
    "named_p2p": pl.Boolean(),
    "src": pl.Int64(),
    "dst": pl.Int64(),
}


def _operation(said: re.Match[str] | None) -> tuple[object, ...]:
    if said is None:
        return None, "", False, None, None
    here, other = _int(said["a"]), _int(said["b"])
    is_p2p = said["op"].lower() in {"send", "recv", "recvanysource", "recv_anysource"}
    return said["backend"], said["op"], is_p2p, *((here, other) if said["arrow"] == "->" else (other, here))


def _group(
    said: Sequence[object], name_of: Mapping[str, str], groups: Mapping[str, tuple[str, list[int]]]
) -> tuple[str | None, ...]:
    """Id, name and description of a process group, by what an entry says of it."""
    pg, *pair = said
    grp, desc = (_text(pair[0]) or "", _text(pair[1]) or "") if len(pair) == 2 else (name_of.get(_text(pg) or ""), None)
    if desc is None and grp is not None and grp in groups:
        desc = groups[grp][0]
    return _text(pg), grp, desc


def _column(name: str, values: list[Any], read: Callable[[Any], object], kind: type, dtype: pl.DataType) -> pl.Series:
    """Values as a column; `read` makes them what they are to be where they are not all of their kind."""
    if set(map(type, values)) <= {kind, NoneType} and (
        kind is not str or max(map(len, filter(None, values)), default=0) <= _LONGEST
    ):
        with suppress(TypeError):  # an integer of more than 64 bits
            return pl.Series(name, values, dtype)
    return pl.Series(name, [read(v) for v in values], dtype)


def _rank(
    dump: Mapping[str, Any],
    entries: _Entries,
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
    for here, grp in entries.ranks_of_p2p():
        of_group = groups.get(grp, ("", []))[1]
        if here < len(of_group):
            return of_group[here]
    numbers = (
        [hint] if hint is not None else [int(n) for n in reversed(_NUMBER_IN_NAME.findall(name.rsplit("/", 1)[-1]))]
    )
    fitting = [n for n in numbers if not common or n in common]
    return fitting[0] if fitting else None


def _names_of_pgs(entries: _Entries, groups: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, str]:
    """Id of a process group (a counter of its process) -> its name (the same on all members).

    Entries say both. Groups without entries are paired in order, since both are counted up as groups are made; that is
    believed only where it is whole and agrees with the entries.
    """
    said = {_text(pg) or "": _text(pair[0]) or "" for pg, *pair in entries.pgs.by_last() if pair}
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


def _stacks(listed: Sequence[object]) -> pl.DataFrame:
    """Of each entry the innermost frame of the user's own code, and all frames, innermost first."""
    some = [_listed(frames)[:_FRAMES] for frames in listed]
    same = [tuple(map(id, frames)) for frames in some]  # entries share their frames
    shared = dict(zip(same, some, strict=True))
    dicts = [[f for f in frames if isinstance(f, dict)] for frames in shared.values()]
    frames = _Distinct([(f.get("name"), f.get("filename"), f.get("line")) for f in chain.from_iterable(dicts)], 1)
    said = [tuple(_text(v) or "?" for v in frame) for frame in frames.values]
    texts = [f"{name} ({source}:{line})" for name, source, line in said]
    own = [not _NOT_USER_CODE.search(source) for _, source, _ in said]
    each = iter(frames.at)
    number = {key: tuple(islice(each, len(stack))) for key, stack in zip(shared, dicts, strict=True)}
    stacks = _Distinct([number[key] for key in same], 1)
    made = [
        (texts[next((n for n in stack if own[n]), stack[0])], "\n".join(texts[n] for n in stack))
        if stack
        else (None, None)
        for stack in stacks.values
    ]
    return stacks.frame(made, {"place": pl.String(), "frames": pl.String()})


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
