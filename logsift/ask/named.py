"""Queries with a name: what is asked again and again, each a file of SQL whose first comment says what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile

from logsift.errors import UserError, offered


@dataclass(frozen=True, slots=True)
class Named:
    """A query, and what it answers."""

    name: str
    about: str
    sql: str


def queries() -> dict[str, Named]:
    """All of them by their names."""
    out = {}
    for file in sorted((files("logsift.ask") / "queries").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".sql"):
            name, text = file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")
            said = takewhile(lambda line: line.startswith("--"), text.splitlines())
            out[name] = Named(name, " ".join(line.removeprefix("--").strip() for line in said), text)
    return out


def named(name: str) -> Named:
    """The query of that name.

    Raises:
        UserError: there is none; near names are given.
    """
    known = queries()
    if name not in known:
        raise UserError(f"no query {name!r}{offered(name, known)}")
    return known[name]


def listed() -> str:
    """All of them, a line each."""
    known = queries().values()
    width = max(len(q.name) for q in known)
    return "\n".join(f"  {q.name:{width}}  {q.about}" for q in known)
