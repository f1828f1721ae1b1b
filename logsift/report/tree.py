"""One merged call tree over all processes, minority branches first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from logsift.errors import UserError
from logsift.report.model import ranges

if TYPE_CHECKING:
    from logsift.store import Store


def shown(store: Store) -> str:
    """The tree of the content's table `stack_tree` as text; runs of calls that everybody shares stand on one line each.

    Raises:
        UserError: the run has no stacks.
    """
    rows = store.rows(
        "SELECT depth, function, source, ranks, pids, processes, ends_here, class, waits_for, path, parent"
        " FROM stack_tree ORDER BY sort_key"
    )
    if not rows:
        raise UserError("no stacks in this run: dump them while it hangs, `logsift RUN` says how")
    children: dict[str | None, int] = {}
    for r in rows:
        children[r["parent"]] = children.get(r["parent"], 0) + 1
    indent: dict[str | None, int] = {None: 0}
    out = []
    for r in rows:
        # A call is set in only where its parent forks: a chain of single calls stays under each other.
        level = indent[r["parent"]] + (children[r["parent"]] > 1)
        indent[r["path"]] = level
        place = f" ({r['source']})" if r["source"] else ""
        stands = f"   <- {r['class']}{_waits(r)}" if r["ends_here"] and r["class"] else ""
        out.append(f"{'  ' * level}{r['function']}{place}  @ {_who(r)}{stands}")
    return "\n".join(out)


def _who(row: dict[str, Any]) -> str:
    if row["ranks"]:
        return ranges(row["ranks"])
    return f"pid {ranges(row['pids'])}" if row["pids"] else f"{row['processes']} processes"


def _waits(row: dict[str, Any]) -> str:
    return f", waits for {row['waits_for']}" if row["waits_for"] else ""
