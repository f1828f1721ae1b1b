"""A slice of what tests/fuzz/damage.py tries on every fixture."""

from __future__ import annotations

from fuzz.damage import EXCEPTIONS, FIXTURES, WAYS, Told, tries

from logsift import Catalog


def test_an_exception_is_one_of_a_fixture_or_of_a_way() -> None:
    assert {where for where, _ in EXCEPTIONS if where not in WAYS and not (FIXTURES / where).is_dir()} == set()


def test_what_is_left_of_a_run_tells_no_more_than_the_whole(catalog: Catalog) -> None:
    fixture = FIXTURES / "healthy--ps-of-a-busy-node"
    assert [x for x in tries(fixture, [*WAYS], 2, 1, catalog) if x[2]] == []


def test_what_is_told_beyond_the_whole_is_found() -> None:
    whole = Told(frozenset({"oom.host"}), frozenset({"host a1"}), {"oom.host": 1, "loss.spike": 0})
    part = Told(frozenset({"oom.capacity"}), frozenset({"host a1", "rank 3"}), {"oom.host": 2, "oom.capacity": 2})
    assert part.beyond(whole) == ["oom.capacity", "oom.host definite", "rank 3"]
    assert whole.beyond(whole) == []
