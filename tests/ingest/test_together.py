"""Small files are read together: what is in one never shows in the rows of another."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders.grammar import grammar
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logsift import Catalog
from logsift.ingest import discover, parse

Make = Callable[..., Any]

TRAINS = grammar(
    "Trains",
    r"""
[[pattern]]
id = "train"
table = "train"
opens = "train"
needle = "TRAIN "
regex = '^TRAIN (?P<name>[a-z]+)$'
sample = [{ line = "TRAIN x", row = { name = "x" } }]
[[pattern]]
id = "car"
table = "car"
inside = "train"
number = "number"
regex = '^  car (?P<seats>[0-9]+)$'
sample = [{ line = "  car 4", row = { seats = 4 } }]
""",
    train="name text",
    car="train_line int, number int, seats int",
)
REST = grammar(
    "The rest",
    r"""
[[pattern]]
id = "rest"
table = "rest"
needle = "stuck"
regex = '^(?P<text>.*stuck.*)$'
sample = [{ line = "stuck", row = { text = "stuck" } }]
""",
    head="leftovers = true",
    rest="text text",
)
LINES = (
    "TRAIN x", "  car 4", "stuck", "stuck in a TRAIN ", "all is well", "", "\x1b[1mTRA\x1b[0mIN y", "a\0b\xe9", "over\rTRAIN z",
    "the guard of train seventeen could not be reached within the time that he was gi", "ven, it goes on without him",
    "the cook of train eighteen, who was asked, did not answer within the time he was ", "g\xefven, it goes on too",
)  # fmt: skip
TEXTS = st.tuples(st.lists(st.sampled_from(LINES), max_size=40), st.booleans()).map(
    lambda drawn: ("\n".join(drawn[0]) + "\n" * drawn[1]).encode("latin-1" if len(drawn[0]) % 2 else "utf-8")
)
FILES = st.lists(st.tuples(TEXTS, st.sampled_from(["", "", ".gz", "torn.gz"])), min_size=1, max_size=6)


@pytest.fixture
def trains(content_of: Make) -> Catalog:
    return content_of({"parsers/trains.toml": TRAINS, "parsers/rest.toml": REST}, alone=True)


def written(run: Path, files: Iterable[tuple[bytes, str]]) -> None:
    for n, (data, kind) in enumerate(files):
        packed = gzip.compress(data) if kind else data
        (run / f"{n}.log").write_bytes(packed[:-6] if kind == "torn.gz" else packed)


def read(catalog: Catalog, run: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as parts:
        parsed = parse.Parser(catalog).parse(discover.discover(run, catalog), Path(parts))
        out: dict[str, Any] = {}
        for table in Path(parts).iterdir():
            rows = pl.concat([pl.read_parquet(part) for part in table.iterdir()], how="diagonal")
            out[table.name] = sorted(map(repr, rows.select(sorted(rows.columns)).rows()))
    return out | {"lines": parsed.lines, "not understood": parsed.not_understood, "windows": parsed.windows}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES)
def test_files_read_together_give_the_rows_of_files_read_one_by_one(
    trains: Catalog, files: list[tuple[bytes, str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as run:
        patch.setattr(parse, "_LEFTOVERS_OF_A_FILE", 1)
        patch.setattr(parse, "_LEFTOVERS_OF_A_WINDOW", 1)
        written(Path(run), files)
        together = read(trains, Path(run))
        patch.setattr(parse, "_SMALL", 1 << 40)
        assert together == read(trains, Path(run))


def test_a_block_ends_with_its_file_and_lines_are_counted_from_one(trains: Catalog, run_of: Make) -> None:
    found = read(
        trains, run_of({"a.log": "well\nTRAIN x\n  car 4", "b.log": "  car 5\n", "c.log": "TRAIN y\n  car 6\n"})
    )
    assert len(found["car"]) == 2
    assert found["lines"] == {1: 3, 2: 1, 3: 2}


def test_what_a_small_file_unpacks_to_may_be_large(trains: Catalog, run_of: Make) -> None:
    text = b"TRAIN x\n  car 4\n" + b"all is well\n" * 20_000
    found = read(trains, run_of({"a.log": "TRAIN x\n", "b.log": gzip.compress(text)}))
    assert len(found["train"]) == 2
    assert found["lines"] == {1: 1, 2: 20_002}


def test_each_file_is_mended_at_its_own_width(trains: Catalog, run_of: Make) -> None:
    records = [
        f"[car]: the guard of {'abcdefghijklmno'[: 3 + n]} and all of its passengers are stuck before the station of the next town"
        for n in range(12)
    ]

    def broken(width: int) -> str:
        return "\n".join(record[at : at + width] for record in records for at in range(0, len(record), width))

    found = read(trains, run_of({"a.log": broken(60), "b.log": "\n".join(records), "c.log": broken(77)}))
    assert [sum(record in row for row in found["rest"]) for record in records] == [3] * len(records)
