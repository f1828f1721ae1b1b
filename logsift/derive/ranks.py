"""Whose file it is, of files numbered by rank: what the lines of some say of their numbers holds for all of them."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from logsift.derive.files import settle_files
from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from logsift.store import Store

_ATTEMPT = re.compile("(?:attempt|restart|retry|try)[-_]?[0-9]+", re.IGNORECASE)
_NUMBER = re.compile(rf"{_ATTEMPT.pattern}|(?<![0-9A-Za-z])(?P<number>[0-9]{{1,6}})(?![0-9A-Za-z])", re.IGNORECASE)
_STREAM = re.compile("(?<![a-z])(?:std)?(?:out|err)(?![a-z])", re.IGNORECASE)
_PROCESS = re.compile(
    rf"(?:^|/)(?:{_ATTEMPT.pattern}/(?P<folder>[0-9]{{1,6}})/std(?:out|err)(?:\.log)?|worker_?log\.(?P<number>[0-9]{{1,6}}))$",
    re.IGNORECASE,
)
"""How launchers name what a process writes by its number on its host: the two streams of an attempt, the log of a worker."""
_FEW, _ENOUGH = 2, 3
"""How many files must bear out that numbers are ranks; and that they are but for a constant, as the local ranks of a host."""


@timed("stage", "ranks")
def name_ranks(store: Store) -> None:
    """Give files that differ in one number only, and their lines that name none, the ranks that their numbers stand for.

    Launchers write the output of each process into a file of its own, and not every process tells its rank: one that
    raises an exception rarely does. Where the lines of others tell theirs, and all of them agree on what the number is,
    the others' are known too.
    """
    files = store.rows("SELECT file_id, path FROM file WHERE rank IS NULL AND lines > 0")
    paths = {r["file_id"]: r["path"] for r in files}
    numbered, processes = _alike(paths.items()), _processes(paths)
    if not (numbered or processes) or not (tables := sorted(declared(store, "rank"))):
        return
    said = (f"SELECT file_id, rank FROM {t} WHERE rank IS NOT NULL" for t in tables)
    told = store.rows(
        "SELECT file_id, CASE WHEN count(DISTINCT rank) = 1 THEN any_value(rank) END AS rank"
        f" FROM ({' UNION '.join(said)}) GROUP BY file_id"
    )
    tells = {r["file_id"]: r["rank"] for r in told}
    named = _ranks(numbered, tells)
    named |= _twins(paths, named)
    if all(tells.get(f, n) == n == named.get(f, n) for f, n in processes.items()):
        named |= processes
    settle_files(store, tables, "rank", [(f, None, rank) for f, rank in sorted(named.items())])


def _twins(paths: Mapping[int, str], named: Mapping[int, int]) -> dict[int, int]:
    """The ranks of files that hold the other stream of a process whose rank is known, by file."""
    known = {_STREAM.sub("#", paths[f]): rank for f, rank in named.items() if _STREAM.search(paths[f])}
    return {f: known[key] for f, path in paths.items() if f not in named and (key := _STREAM.sub("#", path)) in known}


def _processes(paths: Mapping[int, str]) -> dict[int, int]:
    """The numbers of processes that launchers wrote the output of, by file: their ranks, where all are of one host."""
    found = {f: m for f, path in paths.items() if (m := _PROCESS.search(path))}
    places = {_ATTEMPT.sub("#", m.string[: m.start()]) for m in found.values()}
    return {f: int(m["folder"] or m["number"]) for f, m in found.items()} if len(places) == 1 else {}


def _alike(files: Iterable[tuple[int, str]]) -> dict[str, dict[int, int]]:
    """Files whose paths are the same but for one number, by the rest of the path: file -> its number."""
    groups: dict[str, dict[int, int]] = defaultdict(dict)
    for file, path in files:
        for found in _NUMBER.finditer(path):
            if found["number"]:
                groups[f"{path[: found.start()]}\0{path[found.end() :]}"][file] = int(found[0])
    return {rest: group for rest, group in groups.items() if len(group) >= _FEW}


def _ranks(groups: Mapping[str, Mapping[int, int]], tells: Mapping[int, int | None]) -> dict[int, int]:
    """The ranks of files, by file; `tells` has the ranks that their lines tell, None where they tell several."""
    named: dict[int, int] = {}
    moved: dict[str, set[int]] = defaultdict(set)
    for rest, numbers in groups.items():
        telling = {f: rank for f in numbers if (rank := tells.get(f)) is not None}
        by = {rank - numbers[f] for f, rank in telling.items()}
        if by == {0} and len(telling) >= _FEW:
            named |= numbers
        elif len(by) == 1 and len(telling) >= _ENOUGH:
            # Between those that tell theirs: numbers beyond may be those of hosts, which need not follow each other.
            low, *_, high = sorted(numbers[f] for f in telling)
            named |= {f: n + min(by) for f, n in numbers.items() if low <= n <= high}
        else:
            continue
        moved[_ATTEMPT.sub("#", rest)] |= by
    # A restart of which no line tells a rank: where numbers are local ranks, it may have been given others.
    if set(chain.from_iterable(moved.values())) == {0}:
        again = (
            numbers for rest, numbers in groups.items() if moved[_ATTEMPT.sub("#", rest)] and not named.keys() & numbers
        )
        named |= dict(chain.from_iterable(numbers.items() for numbers in again))
    return {f: rank for f, rank in named.items() if tells.get(f, rank) == rank}
