"""Incidents get the names their rules could not know: the rank of a GPU or process, the host of a rank or address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.judge.rules import Incident
    from logsift.store import Store

FEW = 8
"""More ranks than this are not given their GPUs: a list of hundreds names nobody."""


def identify(incidents: Sequence[Incident], store: Store) -> list[Incident]:
    """Fill ranks, hosts and GPUs through the content's views `rank`, `gpu`, `process` and `address_host`.

    Nothing that a rule said is changed but an address that is known to be a host's, and nothing is filled where the
    views know no single answer. A host alone names no rank: most ranks of a host are innocent of what happens to it.
    """
    if not incidents:
        return []
    said = sorted({h for i in incidents for h in i.hosts})
    hosts_of = {
        r["said"]: (r["short"], r["host"] or r["said"])
        for r in store.rows(
            "SELECT said, coalesce(a.host, short_host(said)) AS short, a.host FROM (SELECT unnest(?::VARCHAR[]) AS said)"
            " LEFT JOIN address_host a ON a.address = said", [said],
        )
    }  # fmt: skip
    of_rank = {r["rank"]: r for r in store.rows("SELECT rank, host, gpu, local_rank FROM rank")}
    of_local: dict[tuple[str, int], set[int]] = {}
    for rank, r in of_rank.items():
        of_local.setdefault((r["host"], r["local_rank"]), set()).add(rank)
    of_gpu = {
        (r["host"], r["gpu"]): r["rank"] for r in store.rows("SELECT host, gpu, rank FROM gpu WHERE rank IS NOT NULL")
    }
    of_pid: dict[int, set[tuple[str | None, int]]] = {}
    for r in store.rows("SELECT host, pid, rank FROM process WHERE rank IS NOT NULL"):
        of_pid.setdefault(r["pid"], set()).add((r["host"], r["rank"]))
    out = []
    for i in incidents:
        ranks, gpus = i.ranks, i.gpus
        shorts = {hosts_of[h][0] for h in i.hosts}
        hosts = frozenset(hosts_of[h][1] for h in i.hosts)
        if not ranks and gpus and hosts:
            found = {of_gpu.get((h, g)) for h in shorts for g in gpus}
            ranks = frozenset(r for r in found if r is not None)
        if not ranks and isinstance(pid := i.facts.get("pid"), int):
            of_process = {r for h, r in of_pid.get(pid, ()) if not shorts or h is None or h in shorts}
            ranks = frozenset(of_process) if len(of_process) == 1 else ranks
        if not ranks and len(shorts) == 1 and (local := i.facts.get("local_rank")) is not None:
            of_place = of_local.get((min(shorts), local), set())
            ranks = frozenset(of_place) if len(of_place) == 1 else ranks
        if not hosts:
            hosts = frozenset(h for r in ranks if (h := of_rank.get(r, {}).get("host")))
        if not gpus and len(ranks) <= FEW:
            gpus = frozenset(g for r in ranks if (g := of_rank.get(r, {}).get("gpu")))
        out.append(replace(i, ranks=ranks, hosts=hosts, gpus=gpus))
    return out
