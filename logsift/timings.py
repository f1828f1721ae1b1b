"""What the parts of an analysis take, where somebody asks: stages, tables, rules.

Kept for the whole process, not handed through every function: rules are asked on several threads, and nobody runs two
analyses at once to time them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["stage", "table", "rule"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part and the seconds it took; stages hold tables and rules."""

    kind: Kind
    name: str
    seconds: float


_kept: list[Part] | None = None


@contextmanager
def timed(kind: Kind, name: str) -> Iterator[None]:
    """Note what the block takes, where that is asked for. Also a decorator of functions."""
    if _kept is None:
        yield
        return
    began = perf_counter()
    try:
        yield
    finally:
        _kept.append(Part(kind, name, perf_counter() - began))


@contextmanager
def kept() -> Iterator[list[Part]]:
    """What is timed in the block, in the order it ended."""
    global _kept
    before, _kept = _kept, []
    try:
        yield _kept
    finally:
        _kept = before


def listed(parts: Sequence[Part], most: int = 12) -> str:
    """The parts for people: every stage in its order, of tables and rules those that took longest, with how many there are."""
    lines = []
    for kind in get_args(Kind):
        took: dict[str, float] = {}
        for part in parts:
            if part.kind == kind:
                took[part.name] = took.get(part.name, 0.0) + part.seconds
        shown = list(took.items())
        if took and kind != "stage":
            shown = sorted(shown, key=lambda item: -item[1])[:most]
            lines.append(f"{sum(took.values()):8.3f} s  {len(took)} {kind}{'s' * (len(took) > 1)}")
        lines += [f"{seconds:8.3f} s  {kind} {name}" for name, seconds in shown]
    return "\n".join(lines)
