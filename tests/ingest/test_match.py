"""Records to rows: who owns a line, what a block holds, what a cast makes of text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.grammar import grammar
from builders.rows import plain

from logsift import Catalog, analyze
from logsift.ingest import discover, parse

Make = Callable[..., Any]

CARS = grammar(
    "Cars",
    r"""
[[pattern]]
id = "train"
table = "train"
opens = "train"
needle = "TRAIN "
regex = '^TRAIN (?P<name>[a-z]+)(?: of (?P<mass>.+))?$'
sample = [{ line = "TRAIN x of 1 KiB", row = { mass = 1024 } }]
[[pattern]]
id = "sleeper"
table = "car"
inside = "train"
number = "number"
set = { kind = "sleeper" }
regex = '^  sleeper (?P<seats>[0-9a-z]+)$'
sample = [{ line = "  sleeper 4", row = { seats = 4 } }]
[[pattern]]
id = "car"
table = "car"
inside = "train"
number = "number"
regex = '^  [a-z]+ (?P<seats>[0-9a-z]+)$'
sample = [{ line = "  diner 4", row = { seats = 4 } }]
[[pattern]]
id = "note"
inside = "train"
append = "note"
regex = '^  note: '
sample = [{ line = "  note: x", row = {} }]
[[pattern]]
id = "end"
inside = "train"
closes = "train"
regex = '^END$'
sample = [{ line = "END", row = {} }]
""",
    train="name text, mass bytes B, note text",
    car="train_line int, name text, number int, seats int, kind text",
)

RANKS = grammar(
    "What a launcher puts in front of a line",
    r"""
[[envelopes]]
id = "rank"
needle = "[rank"
regex = '^\[rank(?P<rank>[0-9]+)\]: (?P<body>.*)$'
sample = [{ line = "[rank3]: END", row = { rank = 3, body = "END" } }]
""",
)

BOATS = grammar(
    "Boats and boxes: any line ends a box, and boats are further down in the file",
    r"""
[[pattern]]
id = "box"
opens = "box"
needle = "BOX "
regex = '^BOX [a-z]+$'
sample = [{ line = "BOX x" }]
[[pattern]]
id = "boat"
opens = "boat"
needle = "BOAT "
regex = '^BOAT [a-z]+$'
sample = [{ line = "BOAT x" }]
[[pattern]]
id = "in_box"
table = "load"
inside = "box"
set = { kind = "box" }
regex = '^  (?P<name>[a-z]+)$'
sample = [{ line = "  tea", row = { name = "tea" } }]
[[pattern]]
id = "box_end"
inside = "box"
closes = "box"
regex = '^[^ ]|^    '
sample = [{ line = "lid" }]
[[pattern]]
id = "on_boat"
table = "load"
inside = "boat"
set = { kind = "boat" }
regex = '^ {2,4}(?P<name>[a-z]+)$'
sample = [{ line = "    tea", row = { name = "tea" } }]
""",
    load="kind text, name text",
)


@pytest.fixture
def cars(content_of: Make) -> Catalog:
    return content_of({"parsers/cars.toml": CARS, "parsers/ranks.toml": RANKS}, alone=True)


def rows(catalog: Catalog, run: Path, table: str, columns: str) -> list[dict[str, Any]]:
    return plain(analyze(run, catalog=catalog, db=None).sql(f"SELECT {columns} FROM {table} ORDER BY file_id, line_no"))


def test_the_first_pattern_that_matches_owns_the_line(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "TRAIN x\n  sleeper 4\n  diner 8\n"})
    assert rows(cars, run, "car", "kind, seats") == [{"kind": "sleeper", "seats": 4}, {"seats": 8}]


def test_a_block_gives_its_opener_s_line_and_captures_to_the_lines_inside(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "  diner 1\nTRAIN x\n  diner 2\nnoise\n  diner 3\nEND\n  diner 4\nTRAIN y\n  diner 5\n"})
    assert rows(cars, run, "car", "line_no, train_line, name, number, seats") == [
        {"line_no": 3, "train_line": 2, "name": "x", "number": 1, "seats": 2},
        {"line_no": 5, "train_line": 2, "name": "x", "number": 2, "seats": 3},
        {"line_no": 9, "train_line": 8, "name": "y", "number": 1, "seats": 5},
    ]


def test_blocks_of_interleaved_writers_do_not_mix(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "[rank0]: TRAIN x\n[rank1]: TRAIN y\n[rank0]:   diner 1\n[rank1]:   diner 2\n"})
    assert rows(cars, run, "car", "rank, name, seats") == [
        {"rank": 0, "name": "x", "seats": 1},
        {"rank": 1, "name": "y", "seats": 2},
    ]


@pytest.mark.parametrize(
    ("lines", "loads"),
    [
        pytest.param("BOX a\n  tea\nBOAT b\n  rum\n", [("box", "tea"), ("boat", "rum")], id="the block opened last"),
        pytest.param("BOAT b\n  rum\nBOX a\n  tea\n", [("boat", "rum"), ("box", "tea")], id="in either order"),
        pytest.param("BOX a\nBOAT b\n    rum\n", [("boat", "rum")], id="not the end of the one before"),
        pytest.param(
            "BOAT b\nBOX a\n  tea\nlid\n  rum\n", [("box", "tea"), ("boat", "rum")], id="behind its end the other"
        ),
    ],
)
def test_a_line_is_the_block_s_that_was_opened_last(
    content_of: Make, run_of: Make, lines: str, loads: list[tuple[str, str]]
) -> None:
    found = rows(content_of({"parsers/boats.toml": BOATS}, alone=True), run_of({"a.log": lines}), "load", "kind, name")
    assert [(r["kind"], r["name"]) for r in found] == loads


def test_text_is_appended_to_the_opener(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "TRAIN x\n  note: one\n  note: two\nTRAIN y\n"})
    assert rows(cars, run, "train", "name, note") == [{"name": "x", "note": "  note: one\n  note: two"}, {"name": "y"}]


def test_a_block_does_not_reach_further_than_2000_lines(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "TRAIN x\n" + "-\n" * 1999 + "  diner 1\n  diner 2\n"})
    assert rows(cars, run, "car", "seats") == [{"seats": 1}]


def test_what_cannot_be_cast_is_null_and_a_problem(cars: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "TRAIN x of many tons\n  diner lots\n"})
    assert rows(cars, run, "train", "name, mass") == [{"name": "x"}]
    assert rows(cars, run, "problem", "line_no, what, text") == [
        {"line_no": 1, "what": "train.mass: not a bytes", "text": "many tons"},
        {"line_no": 2, "what": "car.seats: not a int", "text": "lots"},
    ]


def test_host_and_rank_come_from_the_path_where_no_line_says_them(cars: Catalog, run_of: Make) -> None:
    run = run_of({"node-3/rank_12.log": "TRAIN x\n[rank5]: TRAIN y\n"})
    assert rows(cars, run, "train", "host, rank") == [{"host": "node-3", "rank": 12}, {"host": "node-3", "rank": 5}]


@pytest.mark.parametrize("size", [40, 90, 1000, 1 << 20])
def test_the_size_of_a_window_never_shows(cars: Catalog, run_of: Make, tmp_path: Path, size: int) -> None:
    text = "".join(
        f"TRAIN {'abc'[n % 3]}\n  note: n{n}\n" + "  sleeper 4\n" * (n % 5) + "noise\n" * n for n in range(20)
    )
    run = run_of({"a.log": text, "b.log": text})
    (tmp_path / f"parts{size}").mkdir()
    parsed = parse.Parser(cars, size).parse(discover.discover(run, cars), tmp_path / f"parts{size}")
    import polars as pl

    got = pl.read_parquet(tmp_path / f"parts{size}" / "car" / "*.parquet").sort("file_id", "line_no")
    trains = pl.read_parquet(tmp_path / f"parts{size}" / "train" / "*.parquet").sort("file_id", "line_no")
    assert got.height == 2 * sum(n % 5 for n in range(20))
    assert trains["note"].to_list() == [f"  note: n{n}" for n in range(20)] * 2
    assert (
        got.group_by("file_id", "train_line", maintain_order=True).agg("number")["number"].to_list()
        == [list(range(1, n % 5 + 1)) for n in range(20) if n % 5] * 2
    )
    assert sum(parsed.lines.values()) == 2 * text.count("\n")


SIGNALS = grammar(
    "Signals",
    r"""
[[pattern]]
id = "signal"
table = "signal"
regex = '^S(?P<number>[0-9]+)(?: (?P<outside>.+))?$'
sample = [{ line = "S1 TRAIN x", row = { number = 1, outside = "TRAIN x" } }]
""",
    head="[file]\nshares = true\nhead = '(?m)^S[0-9]'",
    signal="number int, outside text",
)


@pytest.mark.parametrize("size", [60, 1 << 20])
def test_what_the_owner_of_a_shared_file_leaves_is_read_by_all(
    content_of: Make, run_of: Make, tmp_path: Path, size: int
) -> None:
    catalog = content_of({"parsers/cars.toml": CARS, "parsers/signals.toml": SIGNALS}, alone=True)
    text = "".join(f"S{n}\nS{n} TRAIN x\nS{n}\n  diner {n}\nS{n}\nEND\n" for n in range(20))
    run = run_of({"a.log": text})
    (parts := tmp_path / "parts").mkdir()
    parse.Parser(catalog, size).parse(discover.discover(run, catalog), parts)
    import polars as pl

    cars = pl.read_parquet(parts / "car" / "*.parquet").sort("line_no")
    assert cars["seats"].to_list() == list(range(20))
    assert cars["train_line"].to_list() == [6 * n + 2 for n in range(20)]
    assert pl.read_parquet(parts / "signal" / "*.parquet").height == 80
