"""Statements asked side by side: each on a connection of its own, whose rows all others see."""

from __future__ import annotations

from threading import Barrier, Event
from typing import TYPE_CHECKING

import duckdb
import pytest

from logsift.store import Store
from logsift.store.side_by_side import SideBySide

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    store = Store.open(tmp_path / "store", read_only=False)
    store.con.execute("CREATE TABLE ride (floor INTEGER)")
    return store


def test_two_are_at_work_at_once(store: Store) -> None:
    met = Barrier(2, timeout=20)

    def ride(floor: int, beside: Store) -> int:
        met.wait()
        return beside.fill(f"INSERT INTO ride VALUES ({floor})")

    with SideBySide(store) as side:
        rides = [side.submit(lambda beside, floor=floor: ride(floor, beside)) for floor in range(4)]
        assert [one.result() for one in rides] == [1, 1, 1, 1]
    assert [r["floor"] for r in store.rows("FROM ride ORDER BY ALL")] == [0, 1, 2, 3]


def test_a_statement_that_fails_gives_its_connection_back(store: Store) -> None:
    with SideBySide(store) as side:
        failing = [side.submit(lambda beside: beside.fill("INSERT INTO ride VALUES ('up')")) for _ in range(3)]
        for one in failing:
            with pytest.raises(duckdb.ConversionException):
                one.result()
        assert side.submit(lambda beside: beside.fill("INSERT INTO ride VALUES (1)")).result() == 1


def test_a_block_that_is_left_by_an_exception_stops_what_is_being_done(store: Store) -> None:
    begun = Event()

    def ride(beside: Store) -> int:
        begun.set()
        return beside.fill("INSERT INTO ride SELECT count(*) FROM range(1000000000) a, range(1000000000) b")

    riding = []

    def leave() -> None:
        with SideBySide(store) as side:
            riding.append(side.submit(ride))
            begun.wait(20)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert isinstance(riding[0].exception(), duckdb.InterruptException)
