"""Whose file it is, of files that a scheduler named by node and task (srun's %N-%t): the names of all of them tell what their parts are."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from logsift.derive.files import settle_files
from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsift.store import Store

_NAME = re.compile(
    r"(?P<front>(?:.*[-_./])?)(?P<node>[0-9A-Za-z]*[0-9])(?P<between>[-_.](?:t|task)?)(?P<task>[0-9]{1,6})(?P<rest>(?:\.[A-Za-z]+)*)"
)
_NODE = re.compile("[A-Za-z].*[0-9]{2}")
"""How the name of a node looks that nothing but its place in such names tells of: a stage, or a device, has one digit."""
_FEW, _ENOUGH = 2, 3
"""Nodes that prove it, tasks on each of them, and files whose lines tell the rank that is in their names; files of a node each."""


@dataclass(frozen=True, slots=True)
class _Task:
    file_id: int
    read: str | None
    """The host that its path was taken to name."""
    node: str
    number: int


@timed("stage", "tasks")
def name_tasks(store: Store) -> None:
    """Give files that are named by node and task both, and their lines that name none."""
    files = store.rows("SELECT file_id, path, host FROM file WHERE rank IS NULL AND lines > 0")
    alike: dict[tuple[str, ...], list[_Task]] = defaultdict(list)
    for file in files:
        if found := _NAME.fullmatch(file["path"]):
            end = f"{found['between']}{found['task']}"
            node = (file["host"] or found["node"]).removesuffix(end)
            if node.endswith(found["node"]):
                front = f"{found['front']}{found['node']}".removesuffix(node)
                key = (front, found["between"], found["rest"])
                alike[key].append(_Task(file["file_id"], file["host"], node, int(found["task"])))
    groups = [tasks for tasks in alike.values() if len({t.node for t in tasks}) >= _FEW]
    if not groups:
        return
    told = _told(store)
    hosts, ranks = list[tuple[int, str | None, str]](), list[tuple[int, None, int]]()
    for tasks in groups:
        are_nodes, are_ranks = _proven(tasks, told)
        hosts += [(t.file_id, t.read, t.node) for t in tasks if are_nodes and t.read != t.node]
        ranks += [(t.file_id, None, t.number) for t in tasks if are_ranks]
    settle_files(store, sorted(declared(store, "host")), "host", hosts)
    settle_files(store, sorted(declared(store, "rank")), "rank", ranks)


def _told(store: Store) -> dict[int, set[int]]:
    """The ranks that the lines of files tell."""
    said = [f"SELECT file_id, rank FROM {t} WHERE rank IS NOT NULL" for t in sorted(declared(store, "rank"))]
    out: dict[int, set[int]] = defaultdict(set)
    for row in store.rows(" UNION ".join(said)) if said else ():
        out[row["file_id"]].add(row["rank"])
    return out


def _proven(tasks: Sequence[_Task], told: Mapping[int, set[int]]) -> tuple[bool, bool]:
    """Whether what is before the numbers are nodes, and whether the numbers are ranks.

    They are where no line tells otherwise and the lines of some files tell it, or where there are all numbers from 0 on
    and each node has as many that follow each other. Where it has one, that may be the number of the node.
    """
    telling = [t for t in tasks if told.get(t.file_id)]
    of_node: dict[str, list[int]] = defaultdict(list)
    for t in tasks:
        of_node[t.node].append(t.number)
    if (
        any(told[t.file_id] != {t.number} for t in telling)
        or len({t.number for t in tasks}) < len(tasks)
        or any(t.read is None and not _NODE.fullmatch(t.node) for t in tasks)
    ):
        return False, False
    in_row = all(b == a + 1 for numbers in of_node.values() for a, b in pairwise(sorted(numbers)))
    sizes = {len(numbers) for numbers in of_node.values()}
    complete = in_row and len(sizes) == 1 and {t.number for t in tasks} == set(range(len(tasks)))
    are_ranks = len(telling) >= _FEW or (complete and min(sizes) >= _FEW)
    named = all(t.read is not None for t in tasks) and len(tasks) >= _ENOUGH
    return are_ranks or (complete and named), are_ranks
