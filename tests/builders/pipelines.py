"""Training jobs played through: what each rank of a Megatron-like job has enqueued and completed once some ranks stand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Operation = tuple[str, str, int, int]
"""kind (an operation's name, send, recv or sync), group, sender and receiver (global ranks; 0 where there are none)."""
SYNC: Operation = ("sync", "", 0, 0)
SHAPES = [(4, 2, 2), (4, 2, 2), (4, 2, 2), (2, 4, 2), (4, 4, 1), (2, 2, 4), (8, 2, 1), (1, 16, 1), (4, 1, 4)]


@dataclass
class Played:
    """Groups as {name: (description, members)}; per rank what it enqueued, and which of it completed as its watchdog saw it."""

    groups: dict[str, tuple[str, list[int]]]
    side: str
    culprits: set[int]
    enqueued: dict[int, list[Operation]]
    completed: dict[int, set[int]] = field(default_factory=dict)


def layout(tensor: int, data: int, stages: int) -> tuple[dict[str, tuple[str, list[int]]], dict[tuple[str, int], str]]:
    """Groups, and the name of the group of a kind that a rank belongs to. rank = stage, data, tensor from slow to fast."""
    groups: dict[str, tuple[str, list[int]]] = {}
    of: dict[tuple[str, int], str] = {}
    per_stage = tensor * data

    def add(kind: str, description: str, members: list[int]) -> None:
        if len(members) > 1:
            name = str(len(groups))
            groups[name] = (description, members)
            of.update({(kind, m): name for m in members})

    add("world", "default_pg", list(range(per_stage * stages)))
    for s in range(stages):
        stage = [s * per_stage + i for i in range(per_stage)]
        for t in range(tensor):
            add("data", "DATA_PARALLEL_GROUP_WITH_CP", stage[t::tensor])
        for d in range(data):
            add("tensor", "TENSOR_MODEL_PARALLEL_GROUP", stage[d * tensor : (d + 1) * tensor])
        add("expert", "EXPERT_MODEL_PARALLEL_GROUP", stage)
    for i in range(per_stage):
        add("pipeline", "PIPELINE_MODEL_PARALLEL_GROUP", list(range(i, per_stage * stages, per_stage)))
    return groups, of


def program(
    rank: int, per_stage: int, stages: int, of: Mapping[tuple[str, int], str], experts: bool, micro_batches: int
) -> list[Operation]:
    """Two steps of one forward, one backward on one rank."""
    stage, ops = rank // per_stage, list[Operation]()

    def call(kind: str, *names: str) -> None:
        ops.extend((name, of[kind, rank], 0, 0) for name in names if (kind, rank) in of)

    def between(name: str, src: int, dst: int) -> None:
        ops.append((name, of["pipeline", rank], src, dst))

    def layers() -> None:
        call("tensor", "_all_gather_base", "_reduce_scatter_base")
        if experts:
            call("expert", "all_to_all", "all_to_all")

    def forward() -> None:
        if stage > 0:
            between("recv", rank - per_stage, rank)
        layers()
        if stage < stages - 1:
            between("send", rank, rank + per_stage)

    def backward() -> None:
        if stage < stages - 1:
            between("recv", rank + per_stage, rank)
        layers()
        if stage > 0:
            between("send", rank, rank - per_stage)

    for _ in range(2):
        ahead = min(stages - 1 - stage, micro_batches)
        for _ in range(ahead):
            forward()
        for _ in range(micro_batches - ahead):
            forward()
            backward()
        for _ in range(ahead):
            backward()
        call("data", "_reduce_scatter_base")
        call("world", "all_reduce")
        ops.append(SYNC)
        call("data", "_all_gather_base")
    return ops


def play(seed: int) -> Played:
    """A job in which one to three ranks stand: their program goes no further, or their device does not.

    Programs run ahead of their devices by a few operations and wait at a sync; a device takes its operations in order,
    a collective ends when it is the next on all members, a receive when its send was reached.
    """
    dice = random.Random(seed)
    tensor, data, stages = dice.choice(SHAPES)
    groups, of = layout(tensor, data, stages)
    ranks, experts, micro_batches = range(16), dice.random() < 0.5, dice.choice([2, 4])
    programs = [program(r, tensor * data, stages, of, experts, micro_batches) for r in ranks]
    side, culprits = dice.choice(["host", "device"]), set(dice.sample(ranks, dice.choice([1, 2, 2, 3])))
    begin, stale = dice.uniform(0.3, 0.85), dice.choice([1, 2, 4])
    stand = {c: int(len(programs[c]) * (begin + dice.uniform(0, 0.01))) for c in sorted(culprits)}
    for c in culprits:
        stand[c] -= programs[c][stand[c]] == SYNC
    run_ahead = [dice.choice([3, 6, 10]) for _ in ranks]
    if dice.random() < 0.6:
        run_ahead = run_ahead[:1] * 16
    place = [{key: i for i, key in enumerate(_numbered(p))} for p in programs]
    keys = [_numbered(p) for p in programs]
    host, device, done = [0] * 16, [0] * 16, {r: set[int]() for r in ranks}

    def ends(r: int, at: int) -> bool:
        kind, group, src, dst = programs[r][at]
        if kind == "recv":
            sent = place[src][("send", group, src, dst), keys[r][at][1]]
            if device[src] <= sent:
                return False
            done[src].add(sent)
            return True
        members = groups[group][1]
        reached = [place[m][keys[r][at]] for m in members]
        if side == "device" and any(m in stand and i >= stand[m] for m, i in zip(members, reached, strict=True)):
            return False
        return all(device[m] > i or (device[m] == i and host[m] > i) for m, i in zip(members, reached, strict=True))

    moved = True
    while moved:
        moved = False
        for r in ranks:
            end = stand[r] if side == "host" and r in culprits else len(programs[r])
            while host[r] < end and host[r] - device[r] < run_ahead[r]:
                if programs[r][host[r]] == SYNC and device[r] < host[r]:
                    break
                host[r], moved = host[r] + 1, True
            while device[r] < host[r] and not (side == "device" and r in culprits and device[r] >= stand[r]):
                kind = programs[r][device[r]][0]
                if kind not in ("send", "sync"):
                    if not ends(r, device[r]):
                        break
                    done[r].add(device[r])
                device[r], moved = device[r] + 1, True
    if side == "device":  # the watchdog of a broken device learns nothing more
        for c in culprits:
            done[c] = {i for i in done[c] if i < stand[c] - stale}
    return Played(groups, side, culprits, {r: programs[r][: host[r]] for r in ranks}, {r: done[r] for r in ranks})


def _numbered(ops: Sequence[Operation]) -> list[tuple[Operation, int]]:
    count, out = Counter[Operation](), []
    for op in ops:
        # Collectives of a group are one sequence, whatever their kind; sends and receives count per pair.
        key = op if op[0] in ("send", "recv", "sync") else ("", op[1], 0, 0)
        count[key] += 1
        out.append((key, count[key]))
    return out
