"""Leftovers: lines that no other grammar read, so many of a file, and what they are counted as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.grammar import grammar
from builders.rows import plain

from logsift import Catalog, analyze
from logsift.ingest import parse

Make = Callable[..., Any]

DOORS = grammar(
    "Doors",
    r"""
[[pattern]]
id = "door"
table = "door"
needle = "door broken"
regex = '^door broken: (?P<number>[0-9]+)$'
sample = [{ line = "door broken: 3", row = { number = 3 } }]
""",
    door="number int",
)
REST = grammar(
    "The rest",
    r"""
[[pattern]]
id = "nothing"
needle = "broken: 0"
regex = 'broken: 0$'
sample = [{ line = "broken: 0" }]
[[pattern]]
id = "rest"
table = "rest"
needle = ["broken", "stuck"]
regex = '(?P<text>.*(?:broken|stuck).*)'
sample = [{ line = "stuck", row = { text = "stuck" } }]
""",
    head="leftovers = true",
    rest="text text",
)
TOP = 'schema = 1\ntitle = "Ranks"\n[[envelopes]]\nid = "rank"\nneedle = "[rank"\nregex = \'^\\[rank(?P<rank>[0-9]+)\\]: (?P<body>.*)$\'\n'


@pytest.fixture
def doors(content_of: Make) -> Catalog:
    files = {"parsers/doors.toml": DOORS, "parsers/rest.toml": REST, "parsers/top.toml": TOP}
    return content_of(files, alone=True)


def rest(catalog: Catalog, run: Path) -> list[dict[str, Any]]:
    return plain(
        analyze(run, catalog=catalog, db=None).sql("SELECT line_no, rank, text FROM rest ORDER BY file_id, line_no")
    )


@pytest.mark.parametrize(("name", "read"), [("job.sh", []), ("config.yaml", [{"line_no": 3, "number": 3}])])
def test_what_scripts_and_settings_say_may_happen_is_no_leftover(
    doors: Catalog, run_of: Make, name: str, read: list[dict[str, int]]
) -> None:
    said = "on_error: stuck\n# door broken: 7\ndoor broken: 3\n"
    with analyze(run_of({name: said, "a.log": "it is stuck\n"}), catalog=doors, db=None) as found:
        assert plain(found.sql("SELECT file_id, text FROM rest")) == [{"file_id": 1, "text": "it is stuck"}]
        assert plain(found.sql("SELECT line_no, number FROM door")) == read


def test_a_file_of_any_other_name_is_a_script_by_its_first_line(doors: Catalog, run_of: Make) -> None:
    said = "#!/bin/bash\non_error: stuck\n"
    files = {"lift.job": said, "lift.list": said[2:], "lift.log": said, "a.log": "door broken: 3\n"}
    with analyze(run_of(files), catalog=doors, db=None) as found:
        read = "SELECT path FROM rest JOIN file USING (file_id) ORDER BY path"
        assert plain(found.sql(read)) == [{"path": "lift.list"}, {"path": "lift.log"}]


def test_of_a_script_its_settings_are_read(content_of: Make, run_of: Make) -> None:
    said = "#SBATCH --comment door broken: 1\nSTATE=door broken: 2\necho door broken: 3\n"
    anywhere = DOORS.replace("regex = '^", "regex = '")
    with analyze(
        run_of({"job.sbatch": said}), catalog=content_of({"parsers/doors.toml": anywhere}, alone=True), db=None
    ) as found:
        assert plain(found.sql("SELECT line_no FROM door ORDER BY line_no")) == [{"line_no": 1}, {"line_no": 2}]


def test_only_what_no_other_grammar_read_is_a_leftover(doors: Catalog, run_of: Make) -> None:
    run = run_of({"a.log": "door broken: 3\nthe lift is stuck\n[rank2]: door broken\nall is well\n"})
    assert rest(doors, run) == [
        {"line_no": 2, "text": "the lift is stuck"},
        {"line_no": 3, "rank": 2, "text": "door broken"},
    ]


def test_what_is_said_aside_leaves_the_line_to_leftovers(content_of: Make, run_of: Make) -> None:
    aside = DOORS.replace('table = "door"', 'table = "door"\naside = true')
    doors = content_of({"parsers/doors.toml": aside, "parsers/rest.toml": REST, "parsers/top.toml": TOP}, alone=True)
    run = run_of({"a.log": "door broken: 3\n"})
    assert rest(doors, run) == [{"line_no": 1, "text": "door broken: 3"}]
    assert plain(analyze(run, catalog=doors, db=None).sql("SELECT number FROM door")) == [{"number": 3}]


def test_a_pattern_without_a_table_sorts_lines_out(doors: Catalog, run_of: Make) -> None:
    assert rest(doors, run_of({"a.log": "broken: 0\nbroken: 1\n"})) == [{"line_no": 2, "text": "broken: 1"}]


def test_leftovers_are_what_was_not_understood(doors: Catalog, run_of: Make) -> None:
    analysis = analyze(run_of({"a.log": "broken: 0\nstuck, stuck\ndoor broken: 1\n" * 3}), catalog=doors, db=None)
    assert analysis.coverage.not_understood == 3
    assert analysis.coverage.problems == 0


@pytest.mark.parametrize("dense", [True, False], ids=["as a dense file", "as a sparse one"])
def test_of_many_leftovers_the_first_and_the_last_are_kept(
    doors: Catalog, run_of: Make, monkeypatch: pytest.MonkeyPatch, *, dense: bool
) -> None:
    monkeypatch.setattr("logsift.ingest.gate.DENSE_BYTES", 1 if not dense else 10**9)
    monkeypatch.setattr(parse, "_LEFTOVERS_OF_A_FILE", 40)
    said = ["door broken: 3"] * 5000
    said[::2] = [f"stuck {n}" for n in range(2500)]
    found = [r["line_no"] for r in rest(doors, run_of({"a.log": "\n".join(said) + "\n"}))]
    assert 40 <= len(found) < 1000
    assert found[0] == 1
    assert found[-1] == 4999


def test_a_table_keeps_what_stood_before_the_message_where_it_has_a_column_for_that(
    content_of: Make, tmp_path: Path
) -> None:
    kept = REST.replace('about = "text" }', 'about = "text" }\nprefix = { type = "text", about = "prefix" }')
    catalog = content_of({"parsers/rest.toml": kept, "parsers/top.toml": TOP}, alone=True)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/a.log").write_text("[rank3]: door stuck\ndoor broken\n")
    found = analyze(tmp_path / "run", catalog=catalog, db=None).sql("SELECT prefix, text FROM rest ORDER BY line_no")
    assert plain(found) == [{"prefix": "[rank3]: ", "text": "door stuck"}, {"prefix": "", "text": "door broken"}]
