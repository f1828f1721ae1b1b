"""What a code, a name or a word means, by all catalogues of the content at once."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from logsift.errors import UserError, meant
from logsift.report.fold import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logsift.content.model import Catalog, Seed

_WHOLE = 3
"""So many rows of a catalogue are told whole, more of them a line each."""
_SHORT = 60
"""Characters of a cell that may be what was meant; longer ones are prose."""
_LEAST = 4
"""Characters of a word that is also looked for within texts."""
_WIDTH = 100


@dataclass(frozen=True)
class _Catalogue:
    """A catalogue: its name, what it is, its rows."""

    name: str
    about: str
    rows: tuple[dict[str, str], ...]
    of_format: bool
    """It stands beside a grammar: its keys are what programs print. Those of the rules are of words and verdicts."""

    @classmethod
    def of(cls, seed: Seed) -> _Catalogue:
        lines = seed.csv.splitlines()
        said = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        about = re.split(r"(?<=[a-z)])[.:;] ", said, maxsplit=1)[0].rstrip(".")
        return cls(seed.name, about, tuple(rows), seed.origin.path.startswith("parsers/"))

    @cached_property
    def words(self) -> set[str]:
        """The words by which it may be called: `signal` for signal_number."""
        return {*self.name.split("_"), self.name}

    def equal(self, key: str) -> list[dict[str, str]]:
        """Rows that have it in a cell, whatever its case."""
        return [r for r in self.rows if key in {_plain(v) for v in r.values()}]

    def holding(self, key: str) -> list[dict[str, str]]:
        """Rows that have it within a cell, as whole words."""
        found = re.compile(rf"(?<![0-9a-z]){re.escape(key)}(?![0-9a-z])")
        return [r for r in self.rows if any(found.search(_plain(v)) for v in r.values())]


def look_up(catalog: Catalog, words: Sequence[str]) -> str:
    """What the catalogues say of a key, which may begin with the name of one or with a word of it: `signal 9`.

    The name of a catalogue alone lists what is in it.

    Raises:
        UserError: no catalogue has it; near names are given.
    """
    asked = " ".join(words).split()
    catalogues = [_Catalogue.of(s) for s in catalog.seeds]
    named = [c for c in catalogues if asked[:1] and asked[0].lower() in c.words]
    exact = [c for c in named if c.name == asked[0].lower()]
    if not asked:
        return _listed(catalogues)
    if named and len(asked) == 1:
        return "\n\n".join(_section(c, c.rows, whole=0) for c in exact or named)
    whole = " ".join(asked)
    hits = _found(exact or named, " ".join(asked[1:])) if named and len(asked) > 1 else []
    of_formats = [c for c in catalogues if c.of_format]
    if hits := hits or _found(of_formats, whole) or _found(catalogues, whole):
        return "\n\n".join(_section(c, rows, whole=_WHOLE) for c, rows in hits)
    within = " ".join(asked[1:]) if named and len(asked) > 1 else whole
    cells = {v for c in named or of_formats for r in c.rows for v in r.values() if v and len(v) <= _SHORT}
    near = "" if within.isdigit() else meant(within, [*cells, *(c.name for c in catalogues)])
    where = f"in {', '.join(c.name for c in named)}" if named else "in any catalogue"
    raise UserError(f"{within!r} is not {where}{near or '; `logsift lookup` lists them'}")


def _found(catalogues: Iterable[_Catalogue], key: str) -> list[tuple[_Catalogue, list[dict[str, str]]]]:
    """Where the key is: as a whole cell; where it is none, within the texts."""
    plain = _plain(key)
    hits = [(c, rows) for c in catalogues if (rows := c.equal(plain))]
    if hits or len(plain) < _LEAST or plain.isdigit():
        return hits
    return [(c, rows) for c in catalogues if (rows := c.holding(plain))]


def _plain(text: str | None) -> str:
    """A text as it is compared: case and blanks do not count."""
    return " ".join((text or "").lower().split())


def _listed(catalogues: Iterable[_Catalogue]) -> str:
    return "\n".join(f"{c.name}  ({len(c.rows)})\n  {c.about}" for c in sorted(catalogues, key=lambda c: c.name))


def _section(catalogue: _Catalogue, found: Sequence[dict[str, str]], *, whole: int) -> str:
    """A catalogue with some of its rows: up to `whole` in full, more of them a line each."""
    rows = _merged(found)
    head = f"{catalogue.name}: {catalogue.about}"
    if len(rows) <= whole:
        return "\n\n".join([head, *(_full(r) for r in rows)]).replace("\n\n", "\n", 1)
    shown = [
        (shortened(cells[0], _WIDTH // 2), "  ".join(cells[1:]))
        for r in rows
        if (cells := [v for v in r.values() if v])
    ]
    wide = max(len(first) for first, _ in shown)
    return "\n".join([head, *(shortened(f"  {first:{wide}}  {rest}".rstrip(), _WIDTH) for first, rest in shown)])


def _merged(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Rows that differ in their first column only, which holds spellings, as one."""
    out: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        first, *rest = row
        key = tuple(row[name] or "" for name in rest)
        if key in out and any(key):
            out[key] = {**out[key], first: f"{out[key][first]}, {row[first]}"}
        else:
            out[key if any(key) else (row[first],)] = row
    return list(out.values())


def _full(row: dict[str, str]) -> str:
    width = max(map(len, row))
    return "\n".join(f"  {name:{width}}  {value}" for name, value in row.items() if value)
