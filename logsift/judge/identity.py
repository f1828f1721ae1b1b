"""Incidents get the names their rules could not know: the rank of a GPU or process, the host of a rank or address."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from logsift.content.model import LOCAL_NAMES, LOOPBACK, NO_HOST
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from logsift.content.incident import Incident
    from logsift.store import Store

T = TypeVar("T")
FEW = 8
"""More ranks than this are not given their GPUs: a list of hundreds names nobody."""


@timed("stage", "identity")
def identify(incidents: Sequence[Incident], store: Store) -> list[Incident]:
    """Fill ranks, hosts and GPUs through the content's identity views.

    Nothing that a rule said is changed but an address or another name that is known to be a host's, and nothing is filled
    where the views know no single answer. A host alone names no rank: most ranks of a host are innocent of what happens to it.
    """
    if not incidents:
        return []
    known = _Known(store, sorted({h for i in incidents for h in i.hosts}))
    return [known.filled(i) for i in incidents]


def pids_of_ranks(store: Store) -> dict[int, int]:
    """Rank -> process id, of the ranks that are known to have run as one process."""
    rows = store.rows(
        "SELECT rank, any_value(pid) AS pid FROM process WHERE rank IS NOT NULL AND pid IS NOT NULL"
        " GROUP BY rank HAVING count(DISTINCT pid) = 1"
    )
    return {r["rank"]: r["pid"] for r in rows}


def scheduler_of(store: Store) -> str | None:
    """What started the job, where it is known."""
    return next((r["scheduler"] for r in store.rows("SELECT scheduler FROM job_scheduler LIMIT 1")), None)


class _Known:
    """Who is who, as the content's views tell it. What few incidents need is looked up when one does."""

    def __init__(self, store: Store, said: Sequence[str]) -> None:
        self._store = store
        self._alias = {r["alias"]: r["host"] for r in store.rows("SELECT alias, host FROM host_alias")}
        self._names = {
            r["said"]: (self._one(r["short"]), self._alias.get(r["short"]) or r["host"] or r["said"])
            for r in store.rows(
                "SELECT said, coalesce(a.host, short_host(said)) AS short, a.host FROM (SELECT unnest(?::VARCHAR[]) AS said)"
                " LEFT JOIN address_host a ON a.address = said", [said],
            )
        }  # fmt: skip
        self._rank = {r["rank"]: r for r in store.rows("SELECT rank, host, gpu, local_rank FROM rank")}

    def _one(self, host: str | None) -> str | None:
        """The name that a host goes by here, short or another one."""
        return self._alias.get(host, host) if host else None

    def filled(self, i: Incident) -> Incident:
        """The incident with what is known beyond it."""
        ranks, gpus = i.ranks, i.gpus
        files = {e.file_id for e in i.evidence}
        shorts = {short for h in i.hosts if (short := self._names[h][0])}
        hosts = frozenset(name for h in i.hosts if is_a_host(name := self._names[h][1]))
        if not ranks and gpus and hosts:
            ranks = frozenset(r for h in shorts for g in gpus if (r := self._of_gpu.get((h, g))) is not None)
        pid = i.facts.get("pid")
        if not ranks and isinstance(pid, int):
            ranks = _single(r for h, r in self._of_pid.get(pid, ()) if not shorts or h is None or h in shorts)
        for key in ("local_rank", "task"):
            if not ranks and (n := i.facts.get(key)) is not None:
                of_label = {r for f in files for r in self._of_writer.get((f, key, n), ())}
                ranks = _single(r for r in of_label if self._may_be(r, shorts, pid))
        if not ranks and len(shorts) == 1 and (local := i.facts.get("local_rank")) is not None:
            ranks = _single(
                rank
                for rank, r in self._rank.items()
                if (self._one(r["host"]), r["local_rank"]) == (min(shorts), local)
            )
        if not hosts:
            of_ranks = (self._one(self._rank.get(r, {}).get("host")) or self._host_in(files, r) for r in ranks)
            hosts = frozenset(h for h in of_ranks if h and is_a_host(h))
        if not gpus and len(ranks) <= FEW:
            gpus = frozenset(g for r in ranks if (g := self._rank.get(r, {}).get("gpu")))
        return replace(i, ranks=ranks, hosts=hosts, gpus=gpus)

    def _may_be(self, rank: int, hosts: Collection[str], pid: object) -> bool:
        """Whether a rank ran on one of these hosts and as this process, as far as that is known."""
        host = self._one(self._rank.get(rank, {}).get("host"))
        pids = self._pids_of.get(rank)
        return not (hosts and host and host not in hosts) and not (isinstance(pid, int) and pids and pid not in pids)

    def _host_in(self, files: Iterable[int], rank: int) -> str | None:
        """A rank that ran on several hosts (a restart on others) is of the one that these files alone tell."""
        return self._one(min(_single(self._of_file.get((f, rank)) for f in files), default=None))

    @cached_property
    def _of_gpu(self) -> dict[tuple[str | None, str], int]:
        told = self._store.rows(
            "SELECT host, gpu, rank FROM gpu WHERE rank IS NOT NULL UNION ALL SELECT host, gpu, rank FROM gpu_by_elimination"
        )
        return {(self._one(r["host"]), r["gpu"]): r["rank"] for r in told}

    @cached_property
    def _of_pid(self) -> dict[int, set[tuple[str | None, int]]]:
        out: dict[int, set[tuple[str | None, int]]] = {}
        for r in self._store.rows("SELECT host, pid, rank FROM process WHERE rank IS NOT NULL"):
            out.setdefault(r["pid"], set()).add((self._one(r["host"]), r["rank"]))
        return out

    @cached_property
    def _pids_of(self) -> dict[int, set[int]]:
        out: dict[int, set[int]] = {}
        for pid, ranks in self._of_pid.items():
            for _, rank in ranks:
                out.setdefault(rank, set()).add(pid)
        return out

    @cached_property
    def _of_writer(self) -> dict[tuple[int, str, Any], set[int]]:
        """By file and the launcher's label before its lines: ranks."""
        out: dict[tuple[int, str, Any], set[int]] = {}
        for r in self._store.rows(
            "SELECT DISTINCT file_id, local_rank, task, rank FROM identity_link WHERE rank IS NOT NULL AND coalesce(local_rank, task) IS NOT NULL"
        ):
            for key in ("local_rank", "task"):
                if r[key] is not None:
                    out.setdefault((r["file_id"], key, r[key]), set()).add(r["rank"])
        return out

    @cached_property
    def _of_file(self) -> dict[tuple[int, int], str]:
        told = self._store.rows(
            "SELECT file_id, rank, min(short_host(host)) AS host FROM identity_link WHERE rank IS NOT NULL AND host IS NOT NULL"
            " GROUP BY file_id, rank HAVING count(DISTINCT short_host(host)) = 1"
        )
        return {(r["file_id"], r["rank"]): r["host"] for r in told}


def is_a_host(name: str) -> bool:
    """Whether one host can be looked for by this name: every one is `localhost` to itself."""
    return name not in NO_HOST and name not in LOCAL_NAMES and not name.startswith(LOOPBACK)


def _single(found: Iterable[T | None]) -> frozenset[T]:
    """What was found, where it is one."""
    each = frozenset(x for x in found if x is not None)
    return each if len(each) == 1 else frozenset()
