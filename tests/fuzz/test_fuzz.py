"""A short run of the fuzzing loop; tests/fuzz/loop.py runs it for as long as one likes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from fuzz.loop import Fuzz

from logsift import Catalog


@pytest.fixture(scope="module")
def seeds(catalog: Catalog) -> dict[str, list[tuple[str, bytes]]]:
    """What is damaged, found once for all tests."""
    return Fuzz(catalog, random.Random(18)).seeds


@pytest.fixture
def fuzz(catalog: Catalog, seeds: dict[str, list[tuple[str, bytes]]]) -> Fuzz:
    fuzz = Fuzz(catalog, random.Random(18))
    fuzz.seeds = seeds
    return fuzz


@pytest.mark.slow
def test_damaged_files_end_in_rows_or_problems(fuzz: Fuzz) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fuzz.parts(count=40)
        fuzz.bulk(Path(folder), 5_000)
        fuzz.once(Path(folder), 4)
    assert set(fuzz.tries) >= {"unpickler", "lines alone", "lines in bulk", "lines", "delimited metrics_csv"}
    assert [(kind, why) for kind, why, _ in fuzz.found] == []


@pytest.mark.slow
def test_damaged_runs_end_in_reports(fuzz: Fuzz) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(6):
            fuzz.whole(Path(folder))
    assert fuzz.tries == {"whole analyses": 6}
    assert fuzz.found == []


def test_the_least_input_that_fails_is_kept(catalog: Catalog) -> None:
    def read(lines: list[bytes]) -> None:
        if b"bad" in lines:
            raise ValueError("bad")

    fuzz = Fuzz(catalog, random.Random(18))
    assert fuzz.tried("lines", [b"good"] * 50 + [b"bad"] + [b"good"] * 50, read)
    assert (fuzz.tries.total(), fuzz.found) == (101, [("lines", "ValueError: bad", [b"bad"])])
