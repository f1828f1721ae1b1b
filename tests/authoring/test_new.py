"""Content that begins from a log or a name, rows of samples that are filled in, and packages that bring content."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from logsift import Catalog, analyze, load_catalog
from logsift.authoring.lint_grammars import check_grammar
from logsift.authoring.lint_rules import check_rule
from logsift.authoring.new import fill_samples, parser, rule
from logsift.cli import main
from logsift.content.load import default_roots
from logsift.errors import UserError
from logsift.store.create import empty

LOG = """\
2026-03-01 10:00:01,000 INFO ride 1 of 900 | loss: 2.5 | grad norm: 0.4 |
2026-03-01 10:00:02,000 INFO ride 2 of 900 | loss: 2 | grad norm: 0.5 |
2026-03-01 10:00:04,000 WARNING cabin temperature 41 above limit 40 at /dev/lift/0
2026-03-01 10:00:05,000 ERROR lift stopped at floor 3: door blocked
2026-03-01 10:00:06,000 INFO it's going "down" \\ now (all of it)
ok
"""


def run(*args: object, text: str = "") -> Result:
    return CliRunner().invoke(main, [str(a) for a in args], input=text, catch_exceptions=False)


def test_a_parser_from_a_log_is_sound_and_reads_that_log(catalog: Catalog, tmp_path: Path) -> None:
    done = run("new", "parser", "lift", "-o", tmp_path / "content", text=LOG)
    assert (done.exit_code, "logsift check" in done.output) == (0, True)
    both = load_catalog(*default_roots(), tmp_path / "content")
    (grammar,) = (g for g in both.grammars if g.name == "lift")
    assert list(check_grammar(both, grammar)) == []
    assert all(p.samples[0].row and p.rejects and p.needles for p in grammar.patterns)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "rank0.log").write_text(LOG)
    rows = analyze(tmp_path / "run", catalog=both).sql(
        "SELECT line_no, ride, loss, floor, lift_path FROM lift_line ORDER BY 1"
    )
    assert [tuple(r.values()) for r in rows] == [
        (1, 1, 2.5, None, None), (2, 2, 2.0, None, None), (3, None, None, None, "/dev/lift/0"), (4, None, None, 3, None),
        (5, None, None, None, None),
    ]  # fmt: skip


def test_what_is_there_is_not_overwritten(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "parsers").mkdir()
    (tmp_path / "parsers" / "lift.toml").write_text("")
    done = run("new", "parser", "hoist", "-o", tmp_path / "x", text=LOG)
    again = run("new", "parser", "hoist", "-o", tmp_path / "x", text=LOG)
    assert (done.exit_code, again.exit_code) == (0, 2)
    with pytest.raises(UserError, match="no name of a grammar"):
        parser("Lift!", LOG.encode(), catalog)
    with pytest.raises(UserError, match="a grammar or table of that name"):
        parser(catalog.grammars[0].name, LOG.encode(), catalog)
    with pytest.raises(UserError, match="no line says anything"):
        parser("lift", b"1 2 3\n", catalog)


def test_a_rule_from_its_name_is_sound_and_finds_nothing_yet(
    content_of: Callable[..., Catalog], tmp_path: Path, catalog: Catalog
) -> None:
    macro = "-- A line.\ncreate macro line_at(file_id, line_no) as\n{'file_id': file_id, 'line_no': line_no}\n;\n"
    made = rule("lift.door_open", "training_line", catalog)
    grammar = """schema = 1
title = "T"
about = "T"
[tables.training_line]
about = "T."
example = "SELECT step FROM training_line"
[tables.training_line.columns]
step = { type = "float", about = "step" }
"""
    small = content_of(
        {"rules/lift/door_open.sql": made, "rules/views/macros.sql": macro, "parsers/t.toml": grammar}, alone=True
    )
    with closing(empty(small)) as store:
        assert list(check_rule(store, small.rules[0])) == []
    with pytest.raises(UserError, match="no such table: lift_ride"):
        rule("lift.door_open", "lift_ride", catalog)
    with pytest.raises(UserError, match="no name of a rule"):
        rule("door", "training_line", catalog)


def test_the_command_makes_a_rule_and_where_it_must_and_must_not_fire(tmp_path: Path) -> None:
    done = run("new", "rule", "lift.stopped", "--table", "training_line", "-o", tmp_path)
    assert done.exit_code == 0
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == [
        "fixtures/healthy--lift-stopped/case.toml", "fixtures/healthy--lift-stopped/run/node-1.log",
        "fixtures/lift.stopped--first/case.toml", "fixtures/lift.stopped--first/run/node-1.log", "rules/lift/stopped.sql",
    ]  # fmt: skip


GRAMMAR = """
schema = 1
title = "Lift"
about = "What a lift prints."
[tables.lift_stop]
about = "A lift that stopped."
example = "SELECT floor FROM lift_stop"
[tables.lift_stop.columns]
floor = { type = "int", about = "floor it stopped at" }
why = { type = "text", about = "why" }
[[pattern]]
id = "stop"
table = "lift_stop"
needle = "lift stopped at floor"
regex = '^lift stopped at floor (?P<floor>[0-9]+): (?P<why>.+)$'
sample = [{ line = "lift stopped at floor 3: it's a \\"door\\"" }, { line = 'lift stopped at floor 4: rope', row = { floor = 4 } }]
reject = ["lift stopped at floor of it"]
"""


def test_rows_of_samples_are_filled_in_where_none_is_stated(content_of: Callable[..., Catalog], tmp_path: Path) -> None:
    catalog = content_of({"parsers/lift.toml": GRAMMAR}, alone=True)
    path = tmp_path / "content" / "parsers" / "lift.toml"
    assert fill_samples(tmp_path / "content", catalog) == [path]
    filled = load_catalog(tmp_path / "content")
    assert [dict(s.row) for s in filled.grammars[0].patterns[0].samples] == [
        {"floor": 3, "why": 'it\'s a "door"'}, {"floor": 4},
    ]  # fmt: skip
    assert list(check_grammar(filled, filled.grammars[0])) == []
    assert fill_samples(tmp_path / "content", filled) == []


def test_an_installed_package_brings_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsers = tmp_path / "lift_content" / "parsers"
    parsers.mkdir(parents=True)
    (parsers / "lift.toml").write_text(GRAMMAR)
    (tmp_path / "lift_content" / "__init__.py").write_text("raise RuntimeError('content is not run')")
    info = tmp_path / "lift_content-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lift-content\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[logsift.content]\nlift = lift_content\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "lift_stop" in load_catalog().tables
    (info / "entry_points.txt").write_text("[logsift.content]\nlift = lift_gone\n")
    with pytest.raises(UserError, match=r"lift = 'lift_gone' .* names no package"):
        load_catalog()
