"""What was read and what was not: the part of the answer that keeps the rest honest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logsift.store import Store


@dataclass(frozen=True, slots=True)
class Missing:
    """A source that would settle an open question: what, why it is wanted, and the command that gets it."""

    what: str
    why: str
    how: str
    """With the commands."""
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """How many ranks the job has where any log tells, those of which no log says anything, and the hosts that are named."""

    ranks: int
    silent_ranks: tuple[int, ...]
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts over the run directory; `unread` are files nobody could read, with the reason."""

    files: int
    lines: int
    not_understood: int
    problems: int
    unread: tuple[tuple[str, str], ...]
    missing: tuple[Missing, ...]
    job: Job | None
    failed: tuple[tuple[str, str], ...] = ()
    """What of the content failed on this run, and why."""
    training: bool = True
    """False where nothing in the logs is a sign of a job or of its machines."""


def coverage(store: Store) -> Coverage:
    """Coverage of a store whose files are registered."""
    counts = store.rows(
        "SELECT count(*) AS files, coalesce(sum(lines), 0)::BIGINT AS lines,"
        " coalesce(sum(not_understood), 0)::BIGINT AS not_understood FROM file"
    )[0]
    if counts["not_understood"]:
        within = store.rows("SELECT count(DISTINCT (file_id, line_no)) AS n FROM unread_within")[0]["n"]
        counts["not_understood"] -= within
    problems = store.rows("SELECT count(*) AS n FROM problem")[0]["n"]
    unread = store.rows("SELECT path, why FROM file WHERE reader = '' ORDER BY path")
    missing = store.rows("SELECT what, why, how, commands FROM missing")
    sizes = store.rows("SELECT * FROM job_size WHERE world_size IS NOT NULL")
    job = next((Job(r["world_size"], tuple(r["silent_ranks"]), tuple(r["hosts"])) for r in sizes), None)
    return Coverage(
        counts["files"], counts["lines"], counts["not_understood"], problems,
        tuple((r["path"], r["why"]) for r in unread), tuple(Missing(m["what"], m["why"], m["how"], tuple(m["commands"])) for m in missing), job,
        tuple((r["what"], r["text"]) for r in store.rows("SELECT what, text FROM problem WHERE file_id IS NULL")),
        is_of_a_job(store),
    )  # fmt: skip


def is_of_a_job(store: Store) -> bool:
    """True where the logs hold a sign of a job or of its machines; among files that are no logs, one that only these leave."""
    if store.rows("SELECT sign FROM job_sign WHERE is_sure LIMIT 1"):
        return True
    return bool(store.rows("SELECT sign FROM job_sign LIMIT 1")) and not is_among_others(store)


def is_among_others(store: Store) -> bool:
    """True where most files are no logs: documents, sources, settings."""
    return bool(store.rows("SELECT 2 * count(*) FILTER (reader = '') > count(*) AS yes FROM file")[0]["yes"])
