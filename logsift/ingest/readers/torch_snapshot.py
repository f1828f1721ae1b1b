"""Memory snapshots of torch (`torch.cuda.memory._dump_snapshot`): segments, their blocks, and failed allocations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from logsift.ingest.readers.opening import read_whole
from logsift.ingest.unpickle import plain_values

if TYPE_CHECKING:
    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

FRAMES = 12

_SEGMENT = (
    "line_no", "gpu_index", "start_address", "total_bytes", "allocated_bytes", "active_bytes", "unallocated_bytes",
    "largest_free_bytes", "blocks", "segment_type", "cuda_stream", "private_pool", "expandable",
)  # fmt: skip
_BLOCK = ("line_no", "segment_line", "gpu_index", "start_address", "size_bytes", "requested_bytes", "state")
_OOM = ("line_no", "gpu_index", "time", "requested_bytes", "free_bytes", "changes_after", "frames", "is_last")
_CHANGES = frozenset({"alloc", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "free_completed"})


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Rows of one snapshot. `line_no` numbers its records: segments, then blocks, then trace entries as they stand.

    Raises:
        ValueError: the file is no snapshot, is torn, or holds more than plain values.
        OSError: the file cannot be read.
    """
    del grammar
    data, why = read_whole(file.path)
    if why:
        raise ValueError(why)
    snapshot = plain_values(data)
    if isinstance(snapshot, list):  # before torch 2.0: the segments alone
        snapshot = {"segments": snapshot}
    if not isinstance(snapshot, dict):
        raise ValueError(f"a snapshot is a dict, not {type(snapshot).__name__}")  # noqa: TRY004 - the file is wrong, not the caller
    segments, blocks = _segments(snapshot)
    yield "memory_segment", [dict(zip(_SEGMENT, row, strict=True)) for row in segments]
    yield "memory_block", [dict(zip(_BLOCK, row, strict=True)) for row in blocks]
    failures = _failures(snapshot, len(segments) + len(blocks))
    yield "memory_oom", [dict(zip(_OOM, row, strict=True)) for row in failures]
    settings = snapshot.get("allocator_settings")
    if isinstance(settings, Mapping):
        yield "setting", [{"line_no": 1, "name": "PYTORCH_CUDA_ALLOC_CONF", "value": _settings_text(settings)}]


def _segments(snapshot: Mapping[str, Any]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    segments: list[tuple[Any, ...]] = []
    blocks: list[tuple[Any, ...]] = []
    given = [s for s in _list(snapshot.get("segments")) if isinstance(s, Mapping)]
    number = len(given)
    for line, segment in enumerate(given, 1):
        device, free, count = _int(segment.get("device")), [0], 0
        at = _int(segment.get("address"))
        for block in _list(segment.get("blocks")):
            if not isinstance(block, Mapping):
                continue
            number, count = number + 1, count + 1
            size, state = _int(block.get("size")) or 0, _text(block.get("state"))
            if state == "inactive":
                free.append(size)
            address = _int(block.get("address")) or at
            blocks.append((number, line, device, _hex(address), size, _int(block.get("requested_size")), state))
            at = address + size if address is not None else None
        pool = segment.get("segment_pool_id")
        private = isinstance(pool, Sequence) and any(_int(p) for p in pool)
        segments.append((
            line, device, _hex(_int(segment.get("address"))), _int(segment.get("total_size")),
            _int(segment.get("allocated_size")), _int(segment.get("active_size")), sum(free), max(free), count,
            _text(segment.get("segment_type")), _text(segment.get("stream")), private,
            bool(segment.get("is_expandable", False)),
        ))  # fmt: skip
    return segments, blocks


def _failures(snapshot: Mapping[str, Any], before: int) -> Iterator[tuple[Any, ...]]:
    number = before
    for device, trace in enumerate(_list(snapshot.get("device_traces"))):
        entries = [e for e in _list(trace) if isinstance(e, Mapping)]
        changes = sum(1 for e in entries if e.get("action") in _CHANGES)
        failures = [n for n, e in enumerate(entries) if e.get("action") == "oom"]
        seen = 0
        for n, entry in enumerate(entries):
            number += 1
            seen += entry.get("action") in _CHANGES
            if entry.get("action") == "oom":
                free = entry.get("device_free", entry.get("addr"))  # torch 2.0 keeps it in the address
                yield (
                    number, device, _time(entry.get("time_us")), _int(entry.get("size")), _int(free), changes - seen,
                    _frames(entry.get("frames")), n == failures[-1],
                )  # fmt: skip


def _frames(frames: object) -> str | None:
    shown = [
        f"{_text(f.get('filename'))}:{_text(f.get('line'))} {_text(f.get('name'))}"
        for f in _list(frames)[:200]
        if isinstance(f, Mapping)
    ]
    python = [f for f in shown if ".py:" in f]
    return "\n".join((python or shown)[:FRAMES]) or None


def _settings_text(settings: Mapping[str, Any]) -> str:
    text = settings.get("PYTORCH_CUDA_ALLOC_CONF") or settings.get("PYTORCH_ALLOC_CONF")
    if text:
        return str(text)[:1000] if isinstance(text, str) else ""
    return ",".join(
        f"{k}:{v}" for k, v in list(settings.items())[:100] if isinstance(v, str | bool | int) and _plain(v)
    )


def _time(microseconds: object) -> str | None:
    value = _int(microseconds)
    if value is None or not 10**15 < value < 4 * 10**15:
        return None
    return datetime.fromtimestamp(value / 1e6, UTC).isoformat()


def _plain(value: str | int) -> bool:
    return 0 < len(value) < 200 if isinstance(value, str) else abs(value) < 1 << 63


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _text(value: object) -> str:
    """A text or a number; a container may hold itself many times over."""
    return str(value)[:200] if isinstance(value, str) or _int(value) is not None else ""


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and abs(value) < 1 << 63 else None


def _hex(value: int | None) -> str | None:
    return hex(value) if value is not None else None
