"""Who reads a file: its name, the first owner whose heads it has, every ordinary grammar, or nobody."""

from collections.abc import Callable
from typing import Any

import pytest
from builders.grammar import grammar

from logsift import Catalog
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


def test_what_is_known_of_a_file_is_not_looked_up_again(lifts: Catalog, run_of: Make) -> None:
    run = run_of({"1.log": "LIFT 1\nfloors\n", "2.log": "CRANE 2\n"})
    first, second = discover.discover(run, lifts)
    known = {first.name: (first.size, first.mtime_ns), second.name: (second.size + 1, second.mtime_ns)}
    told = dict.fromkeys(known, ("lines", "c", ""))
    assert [f.grammar for f in discover.discover(run, lifts, seen=(known, told))] == ["c", "b"]
