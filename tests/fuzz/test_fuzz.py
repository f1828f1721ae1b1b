"""A short run of the fuzzing loop; tests/fuzz/loop.py runs it for as long as one likes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from fuzz.loop import Fuzz

from logsift import Catalog


@pytest.mark.slow
def test_damaged_files_end_in_rows_or_problems(catalog: Catalog) -> None:
    fuzz = Fuzz(catalog, random.Random(18))
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(4):
            fuzz.parts()
            fuzz.bulk(Path(folder))
            fuzz.once(Path(folder))
    assert set(fuzz.tries) >= {"unpickler", "lines alone", "lines in bulk", "lines", "delimited metrics_csv"}
    assert [(kind, why) for kind, why, _ in fuzz.found] == []
