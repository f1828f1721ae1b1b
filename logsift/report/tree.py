"""One merged call tree over all processes, minority branches first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from logsift.errors import UserError
from logsift.judge.words import count, ranges
from logsift.report.fold import NARROWEST, lines
from logsift.report.inert import line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.store import Store

_MOST_PLACES = 12
_MOST_NUMBERS = 40  # characters of a list of ranks
_FEW_HOSTS = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the merged stacks: who is in it, what they do where it is the last, and what it calls."""

    call: str
    who: str
    stands: str
    ends_here: int
    """How many processes are in it and in nothing that it calls."""
    apart: bool
    """Fewer than a third of all are in it."""
    below: list[Call]


def shown(store: Store, width: int | None = None, *, colour: bool = True) -> str:
    """The tree of the content's table `stack_tree` as text, for a screen of that width; what stands apart is coloured.

    Raises:
        UserError: the run has no stacks.
    """
    rows, width = _read(store), width and max(width, NARROWEST)
    if not rows:
        raise UserError("no stacks in this run: dump them while it hangs, `logsift RUN` says how")
    children: dict[str | None, int] = {}
    for r in rows:
        children[r["parent"]] = children.get(r["parent"], 0) + 1
    who = {r["path"]: _who(r) for r in rows}
    total = sum(r["ends_here"] for r in rows)
    indent: dict[str | None, int] = {None: 0}
    out = _places(rows, width)
    for r in rows:
        # A call is set in, and its processes told, only where its parent forks: a chain of single calls stays under each other.
        forks = children[r["parent"]] > 1
        level = indent[r["parent"]] + forks
        indent[r["path"]] = level
        at = f"  @ {who[r['path']]}" if forks or who.get(r["parent"]) != who[r["path"]] else ""
        stands = f"   <- {_stands(r)}" if r["ends_here"] and _stands(r) else ""
        call = f"{'  ' * level}{_call(r)}{at}{stands}"
        out += [_coloured(part, r["processes"], total) for part in (lines(call, width) if width else [call])]
    return "\n".join(out if colour else map(click.unstyle, out))


def calls(store: Store) -> list[Call]:
    """The merged stacks as a tree of calls, none where there are no stacks."""
    rows = _read(store)
    total = sum(r["ends_here"] for r in rows)
    made = {
        r["path"]: Call(
            _call(r),
            _who(r),
            _stands(r) if r["ends_here"] else "",
            r["ends_here"],
            3 * r["processes"] <= total,
            [],
        )
        for r in rows
    }
    for r in rows:
        if r["parent"] in made:
            made[r["parent"]].below.append(made[r["path"]])
    return [made[r["path"]] for r in rows if r["parent"] not in made]


def _read(store: Store) -> list[dict[str, Any]]:
    found = store.rows(
        "SELECT depth, function, source, ranks, pids, hosts, processes, ends_here, class, waits_for, decided_by, own_call, path, parent"
        " FROM stack_tree ORDER BY sort_key"
    )
    return [{k: v if k in ("path", "parent") else _inert(v) for k, v in r.items()} for r in found]


def _places(rows: Sequence[dict[str, Any]], width: int | None) -> list[str]:
    """Where they are in the end, the fewest first: the answer before the tree."""
    ends = sorted((r for r in rows if r["ends_here"]), key=lambda r: (r["ends_here"], r["path"]))
    total = sum(r["ends_here"] for r in ends)
    shown = ends if len(ends) <= _MOST_PLACES else [*ends[: _MOST_PLACES - 1], ends[-1]]
    who = [_who(r) + ("" if r is ends[-1] else _where(r)) for r in shown]
    spots = [_spot(r) for r in shown]
    wide, long = max(map(len, who)), max(map(len, spots))
    out = [f"{count(total, 'process', 'processes')} at {count(len(ends), 'place')}, the fewest first:"]
    for r, at, spot in zip(shown, who, spots, strict=True):
        if r is shown[-1] and len(shown) < len(ends):
            out.append(f"         … {count(len(ends) - len(shown), 'more place')} …")
        line = f"  {r['ends_here']:>5}  @ {at:<{wide}}  {spot:<{long}}"
        stands = f"<- {_stands(r)}" if _stands(r) else ""
        # On a narrow screen what they wait for goes below, not wrapped into the ranks.
        parts = (
            [f"{line}  {stands}"]
            if width is None or len(line) + 2 + len(stands) <= width
            else [line, f"{'':11}{stands}"]
        )
        folded = [piece for part in parts for piece in (lines(part.rstrip(), width) if width else [part.rstrip()])]
        out += [_coloured(piece, r["ends_here"], total) for piece in folded if piece.strip()]
    return [*out, ""]


def _inert(value: object) -> Any:  # noqa: ANN401 - the type stays what it is
    if isinstance(value, list):
        return [_inert(v) for v in value]
    return line(value) if isinstance(value, str) else value


def _coloured(line: str, processes: int, total: int) -> str:
    """Yellow for what fewer than a third of the processes do."""
    return click.style(line, fg="yellow") if 3 * processes <= total else line


def _where(row: dict[str, Any]) -> str:
    """Host and process of those who stand apart, as long as they are few: where to go next."""
    hosts = row["hosts"] or []
    parts = [", ".join(hosts)] if 0 < len(hosts) <= _FEW_HOSTS else []
    if row["ranks"] and row["pids"] and len(row["pids"]) == 1:
        parts.append(f"pid {row['pids'][0]}")
    return f" ({', '.join(parts)})" if parts else ""


def _spot(row: dict[str, Any]) -> str:
    """The call that says what the process does, and the program's own line it was called from."""
    call = row["decided_by"] or row["function"]
    own = row["own_call"]
    return f"{call} from {own}" if own and not own.startswith(f"{call} (") else str(own or _call(row))


def _call(row: dict[str, Any]) -> str:
    return f"{row['function']} ({row['source']})" if row["source"] else str(row["function"])


def _stands(row: dict[str, Any]) -> str:
    where = row["class"] or ""
    return f"{where}, waits for {row['waits_for']}" if row["waits_for"] else where


def _who(row: dict[str, Any]) -> str:
    if row["ranks"]:
        return _short(ranges(row["ranks"]))
    return f"pid {_short(','.join(map(str, row['pids'])))}" if row["pids"] else f"{row['processes']} processes"


def _short(numbers: str) -> str:
    """Ranks that interleave (every eighth, say) would fill the screen."""
    return numbers if len(numbers) <= _MOST_NUMBERS else numbers[: numbers.rindex(",", 0, _MOST_NUMBERS - 1)] + ",…"
