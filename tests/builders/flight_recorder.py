"""Flight Recorder dumps of a job, as torch writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

START = 1_760_000_000_000_000_000


class Job:
    """A job whose processes record what they enqueue; groups are {name: (description, global ranks)}."""

    def __init__(
        self,
        groups: Mapping[str, tuple[str, Sequence[int]]],
        version: str = "2.9",
        backend: str = "nccl",
        start_ns: int = START,
    ) -> None:
        self.groups, self.version, self.backend, self.start_ns = groups, version, backend, start_ns
        self.ranks = sorted({r for _, members in groups.values() for r in members})
        self.entries: dict[int, list[dict[str, Any]]] = {r: [] for r in self.ranks}
        self.enqueued: dict[tuple[int, str], int] = {}
        self.completed: dict[tuple[int, str], int] = {}
        self.sent: dict[tuple[int, str], int] = {}

    def pg_id(self, rank: int, group: str) -> int:
        return sorted((g for g, (_, members) in self.groups.items() if rank in members), key=int).index(group)

    def collective(
        self, group: str, op: str = "all_reduce", ranks: Sequence[int] | None = None, *, done: bool | Sequence[int] = True,
        size: Sequence[int] = (1024,), dtype: str = "Float",
    ) -> None:  # fmt: skip
        """One collective as `ranks` (default: all members) enqueue it; `done`: who has seen it completed."""
        for r in self.groups[group][1] if ranks is None else ranks:
            seq = self.enqueued[r, group] = self.enqueued.get((r, group), 0) + 1
            finished = done if isinstance(done, bool) else r in done
            if finished:
                self.completed[r, group] = seq
            self._record(r, group, f"{self.backend}:{op}", size, dtype, finished, collective_seq_id=seq, is_p2p=False)

    def p2p(self, group: str, kind: str, src: int, dst: int, *, done: bool, size: Sequence[int] = (8, 4)) -> None:
        """A send or a receive between two ranks of a group, given as global ranks."""
        members = list(self.groups[group][1])
        a, b = members.index(src), members.index(dst)
        rank, name = (src, f"send {a}->{b}") if kind == "send" else (dst, f"recv {b}<-{a}")
        seq = self.sent[rank, group] = self.sent.get((rank, group), 0) + 1
        self._record(rank, group, f"{self.backend}:{name}", size, "BFloat16", done, p2p_seq_id=seq, is_p2p=True)

    def _record(
        self, rank: int, group: str, name: str, size: Sequence[int], dtype: str, done: bool, **more: object
    ) -> None:
        known = self.entries[rank]
        gloo = self.backend == "gloo"
        entry = {
            "frames": [{"name": "step", "filename": "/job/train.py", "line": 40 + len(known) % 7}],
            "record_id": len(known), "pg_id": self.pg_id(rank, group), "process_group": (group, self.groups[group][0]),
            "collective_seq_id": self.enqueued.get((rank, group), 0), "p2p_seq_id": 0, "op_id": len(known) + 1, "profiling_name": name,
            "time_created_ns": self.start_ns + len(known) * 1_000_000 + rank, "input_sizes": [list(size)], "output_sizes": [list(size)],
            "input_dtypes": [dtype], "output_dtypes": [dtype], "state": "completed" if done and not gloo else "scheduled",
            "time_discovered_started_ns": None, "time_discovered_completed_ns": None, "retired": done, "timeout_ms": 600000,
        } | more  # fmt: skip
        known.append(entry)

    def dump(self, rank: int, *, only_open: bool = False, status: bool = True, entries: bool = True) -> dict[str, Any]:
        mine = [g for g, (_, members) in self.groups.items() if rank in members]
        out: dict[str, Any] = {
            "version": self.version,
            "pg_config": {
                g: {"name": g, "desc": self.groups[g][0], "ranks": str(list(self.groups[g][1]))} for g in mine
            },
        }
        if status:
            out["pg_status"] = {
                str(self.pg_id(rank, g)): {
                    "last_enqueued_collective": self.enqueued.get((rank, g), -1), "last_started_collective": -1,
                    "last_completed_collective": self.completed.get((rank, g), -1),
                } for g in mine
            }  # fmt: skip
        listed = [e for e in self.entries[rank] if not (only_open and e["state"] == "completed")] if entries else []
        if self.version.startswith("1."):
            listed = [
                {
                    k: v
                    for k, v in e.items()
                    if k not in {"p2p_seq_id", "op_id", "is_p2p", "input_dtypes", "output_dtypes"}
                }
                for e in listed
            ]
            for e in listed:
                e["seq_id"] = e.pop("collective_seq_id")
        out["entries"] = listed
        return out
