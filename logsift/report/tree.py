"""One merged call tree over all processes, minority branches first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logsift.errors import UserError
from logsift.report.model import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsift.store import Store

_MOST_PLACES = 12


def shown(store: Store) -> str:
    """The tree of the content's table `stack_tree` as text; runs of calls that everybody shares stand on one line each.

    Raises:
        UserError: the run has no stacks.
    """
    rows = store.rows(
        "SELECT depth, function, source, ranks, pids, processes, ends_here, class, waits_for, decided_by, own_call, path, parent"
        " FROM stack_tree ORDER BY sort_key"
    )
    if not rows:
        raise UserError("no stacks in this run: dump them while it hangs, `logsift RUN` says how")
    children: dict[str | None, int] = {}
    for r in rows:
        children[r["parent"]] = children.get(r["parent"], 0) + 1
    who = {r["path"]: _who(r) for r in rows}
    indent: dict[str | None, int] = {None: 0}
    out = _places(rows)
    for r in rows:
        # A call is set in, and its processes told, only where its parent forks: a chain of single calls stays under each other.
        forks = children[r["parent"]] > 1
        level = indent[r["parent"]] + forks
        indent[r["path"]] = level
        at = f"  @ {who[r['path']]}" if forks or who.get(r["parent"]) != who[r["path"]] else ""
        stands = f"   <- {_stands(r)}" if r["ends_here"] else ""
        out.append(f"{'  ' * level}{_call(r)}{at}{stands}")
    return "\n".join(out)


def _places(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Where they stand in the end, the fewest first: the answer before the tree."""
    ends = sorted((r for r in rows if r["ends_here"]), key=lambda r: (r["ends_here"], r["path"]))
    total = sum(r["ends_here"] for r in ends)
    if len(ends) > _MOST_PLACES:
        ends = ends[:_MOST_PLACES]
    who = max(len(_who(r)) for r in ends)
    spots = [_spot(r) for r in ends]
    wide = max(map(len, spots))
    return [
        f"{total} process{'es' if total != 1 else ''} at {sum(r['ends_here'] > 0 for r in rows)} place(s):",
        *(
            f"  {r['ends_here']:>5}  @ {_who(r):<{who}}  {spot:<{wide}}  <- {_stands(r)}"
            for r, spot in zip(ends, spots, strict=True)
        ),
        "",
    ]


def _spot(row: dict[str, Any]) -> str:
    """The call that says what the process does, and the program's own line it was called from."""
    call = row["decided_by"] or row["function"]
    own = row["own_call"]
    return f"{call} from {own}" if own and not own.startswith(f"{call} (") else str(own or _call(row))


def _call(row: dict[str, Any]) -> str:
    return f"{row['function']} ({row['source']})" if row["source"] else str(row["function"])


def _stands(row: dict[str, Any]) -> str:
    where = row["class"] or "unknown"
    return f"{where}, waits for {row['waits_for']}" if row["waits_for"] else where


def _who(row: dict[str, Any]) -> str:
    if row["ranks"]:
        return ranges(row["ranks"])
    return f"pid {ranges(row['pids'])}" if row["pids"] else f"{row['processes']} processes"
