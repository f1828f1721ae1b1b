"""Who reads a file: its name, the first owner whose heads it has, every ordinary grammar, or nobody."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.grammar import grammar
from builders.rows import plain

from logsift import Catalog, analyze
from logsift.ingest import discover

Make = Callable[..., Any]


def owned(title: str, file: str) -> str:
    pattern = f"""
[[pattern]]
id = "row"
table = "{title.lower()}"
needle = "row "
regex = '^row (?P<n>[0-9]+)$'
sample = [{{ line = "row 4", row = {{ n = 4 }} }}]
"""
    return grammar(title, f"[file]\n{file}\n{pattern}", **{title.lower(): "n int"})


@pytest.fixture
def lifts(content_of: Make) -> Catalog:
    return content_of(
        {
            "parsers/a.toml": owned("Lift", "head = ['^LIFT [0-9]', '^floors']\nunless = '^TOY'"),
            "parsers/b.toml": owned("Crane", "head = '^(?:CRANE|LIFT) '"),
            "parsers/c.toml": owned("Named", "names = ['named_*']"),
        },
        alone=True,
    )  # fmt: skip


FILES = {
    "1.log": ("LIFT 1\nfloors\n", "lines", "a"),
    "2.log": ("a line\nLIFT 1\nfloors\nTOY\n", "lines", "b"),
    "3.log": ("CRANE 2\n", "lines", "b"),
    "4.log": ("says LIFT 1\nfloors\n", "lines", None),
    "5.log": (bytes(range(1, 32)) * 9, "", None),
    "6.log": ("", "lines", None),
    "named_7": ("CRANE 2\n", "lines", "c"),
    "8.log": ("LIFT 1\n\xff\nfloors\n".encode("latin-1"), "lines", "a"),
}


@pytest.mark.parametrize("at_once", [1, 3, 256])
def test_every_file_has_one_reader_however_many_are_looked_at_together(
    lifts: Catalog, run_of: Make, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(discover, "_AT_ONCE", at_once)
    found = discover.discover(run_of({name: content for name, (content, _, _) in FILES.items()}), lifts)
    assert {f.name: (f.reader, f.grammar) for f in found} == {
        name: (reader, owner) for name, (_, reader, owner) in FILES.items()
    }
    assert [f.file_id for f in found] == list(range(1, len(FILES) + 1))


def test_neither_line_ends_nor_blank_lines_between_hide_the_owner(content_of: Make, run_of: Make) -> None:
    lift = content_of({"parsers/a.toml": owned("Lift", r"head = '(?m)^LIFT up$\nfloors$'")}, alone=True)
    run = run_of(
        {
            "1.log": "LIFT up\nfloors\n",
            "2.log": "LIFT up\r\nfloors\r\n",
            "3.log": "LIFT up\n\nfloors\n\n",
            "4.log": "LIFT up\nrow 4\nfloors\n",
        }
    )
    assert [f.grammar for f in discover.discover(run, lift)] == ["a", "a", "a", None]


def test_what_is_known_of_a_file_is_not_looked_up_again(lifts: Catalog, run_of: Make) -> None:
    run = run_of({"1.log": "LIFT 1\nfloors\n", "2.log": "CRANE 2\n"})
    first, second = discover.discover(run, lifts)
    known = {first.name: (first.size, first.mtime_ns), second.name: (second.size + 1, second.mtime_ns)}
    told = dict.fromkeys(known, ("lines", "c", ""))
    assert [f.grammar for f in discover.discover(run, lifts, seen=(known, told))] == ["c", "b"]


def told(run: Path, catalog: Catalog) -> dict[str, str]:
    return {f.name: f.why for f in discover.discover(run, catalog)}


def test_a_copy_below_a_further_folder_is_read_once(lifts: Catalog, run_of: Make) -> None:
    said = "LIFT 1\nfloors\n"
    run = run_of({"out/a.log": said, "wandb/latest/out/a.log": said, "wandb/a.log": said, "b.log": said})
    assert told(run, lifts) == {
        "b.log": "", "out/a.log": "", "wandb/a.log": "", "wandb/latest/out/a.log": "a copy of out/a.log",
    }  # fmt: skip


def test_the_last_lines_of_a_log_below_a_further_folder_are_read_once(lifts: Catalog, run_of: Make) -> None:
    said = "".join(f"floor {n}\n" for n in range(100))
    ends = {
        "tails/a.log": said[-400:].partition("\n")[2],
        "short/a.log": "floor 99\n",
        "rank3/a.log": said[-400:].partition("\n")[2],
    }
    run = run_of({"a.log": said, **ends, "torn/a.log": said[-400:]})
    assert told(run, lifts) == {
        "a.log": "", "tails/a.log": "the end of a.log", "short/a.log": "", "rank3/a.log": "", "torn/a.log": "",
    }  # fmt: skip


def test_of_a_text_and_its_copy_the_one_is_read_whose_name_tells_more(lifts: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "CRANE 2\n", "rank3/a.log": "CRANE 2\n"})
    assert told(run, lifts) == {"a.log": "a copy of rank3/a.log", "rank3/a.log": ""}


def test_a_copy_beside_its_original_is_read_once_where_its_name_says_that_it_is_one(
    lifts: Catalog, run_of: Make
) -> None:
    copies = ("a (1).log", "a copy.log", "a - Copy (2).log", "Copy of a.log", "a (another copy).log")
    run = run_of({"d/a.log": "LIFT 1\n", "d/a2.log": "LIFT 1\n", "d/b (1).log": "LIFT 1\n", "d/a (2).log": "LIFT 2\n"})
    for name in copies:
        (run / "d" / name).write_text("LIFT 1\n")
    looked_at = {"d/a.log": "", "d/a2.log": "", "d/b (1).log": "", "d/a (2).log": ""}
    assert told(run, lifts) == {**looked_at, **{f"d/{name}": "a copy of d/a.log" for name in copies}}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"backup/a.log": "CRANE 3\n"}, id="another text"),
        pytest.param({"backup/b.log": "CRANE 2\n"}, id="another name"),
        pytest.param({"rank3/rank4/a.log": "CRANE 2\n", "rank4/a.log": "CRANE 3\n"}, id="another rank"),
    ],
)
def test_what_is_no_copy_is_read(lifts: Catalog, run_of: Make, other: dict[str, str]) -> None:
    assert set(told(run_of({"rank3/a.log": "CRANE 2\n", **other}), lifts).values()) == {""}


def test_a_link_to_another_file_of_the_run_is_not_read(lifts: Catalog, run_of: Make) -> None:
    run = run_of({"2026/a.log": "CRANE 2\n"})
    (run / "current.txt").symlink_to("2026/a.log")
    assert told(run, lifts) == {"2026/a.log": "", "current.txt": "a link to 2026/a.log"}


def test_a_copy_whose_original_grew_is_read(lifts: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "CRANE 2\nrow 1\n", "kept/a.log": "CRANE 2\nrow 1\n"})
    rows = "SELECT path, n FROM crane JOIN file USING (file_id) ORDER BY ALL"
    with analyze(run, catalog=lifts) as once:
        assert plain(once.sql(rows)) == [{"path": "a.log", "n": 1}]
    with (run / "a.log").open("a") as f:
        f.write("row 2\n")
    with analyze(run, catalog=lifts) as again:
        assert plain(again.sql(rows)) == [
            {"path": "a.log", "n": 1}, {"path": "a.log", "n": 2}, {"path": "kept/a.log", "n": 1},
        ]  # fmt: skip


def test_weights_behind_a_header_are_not_read_and_a_log_with_a_hole_is(lifts: Catalog, run_of: Make) -> None:
    noise = random.Random(1).randbytes(2 << 20)
    line = "it is über floor\n".encode("latin-1")
    run = run_of({"weights": b'{"a": [1, 2]}' * 6000 + noise, "a.log": line * 90_000 + b"\0" * 500_000 + line * 60_000})
    assert told(run, lifts) == {"weights": "binary, and no reader knows it", "a.log": ""}


def test_what_an_owner_without_patterns_has_is_not_read(content_of: Make, run_of: Make) -> None:
    owner = grammar("Toys", "[file]\nhead = '^TOY'\n")
    run = run_of({"a.log": "TOY 1\n", "b.log": "up\n"})
    assert told(run, content_of({"parsers/toys.toml": owner}, alone=True)) == {"a.log": "toys: no log", "b.log": ""}
