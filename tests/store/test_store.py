"""The database: written whole or not at all, read again only where something changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from builders.grammar import grammar

from logsift import Catalog, analyze, load_catalog
from logsift.errors import UserError
from logsift.store import Store
from logsift.store.materialise import Tables

Make = Callable[..., Path]


def test_an_unchanged_run_is_not_parsed_again(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": "hello\n", "b.log": "hello\n"})
    assert [analyze(run, catalog=catalog).parsed for _ in range(2)] == [2, 0]


def test_only_a_changed_file_is_parsed_again(run_of: Make, catalog: Catalog) -> None:
    line = "Traceback (most recent call last):\n"
    run = run_of({"a.log": line, "b.log": line, "c.log": line})
    first = analyze(run, catalog=catalog)
    (run / "b.log").write_text(line * 2)
    os.utime(run / "b.log", ns=(1, 1))
    (run / "c.log").unlink()
    second = analyze(run, catalog=catalog)
    assert (first.parsed, second.parsed) == (3, 1)
    counted = "SELECT path, count(*) AS n FROM traceback JOIN file USING (file_id) GROUP BY path ORDER BY path"
    assert second.sql(counted) == [{"path": "a.log", "n": 1}, {"path": "b.log", "n": 2}]


def test_a_failed_run_leaves_the_last_database_and_no_scraps(
    run_of: Make, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of({"a.log": "Traceback (most recent call last):\n"})
    analyze(run, catalog=catalog)
    before = (run / "logsift.duckdb").read_bytes()
    (run / "a.log").write_text("changed, and longer\n")
    monkeypatch.setattr("logsift.pipeline.judge", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        analyze(run, catalog=catalog)
    assert (run / "logsift.duckdb").read_bytes() == before
    assert sorted(p.name for p in run.iterdir()) == ["a.log", "logsift.duckdb"]


def test_every_declared_table_is_there_with_comments(run_of: Make, catalog: Catalog) -> None:
    store = analyze(run_of({"a.log": "hello\n"}), catalog=catalog).store
    columns = store.rows("SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal")
    told = {(c["table_name"], c["column_name"]): c["comment"] for c in columns}
    for table in catalog.tables.values():
        for column in table.columns:
            assert (told[table.name, column.name] or "").startswith(column.about)


def test_what_logsift_wrote_is_never_read_as_evidence(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": "hello\n", "report.md": "<!-- logsift report -->\nTraceback (most recent call last):\n"})
    analyze(run, catalog=catalog)
    assert [f["path"] for f in analyze(run, catalog=catalog).sql("SELECT path FROM file")] == ["a.log"]


def test_a_sealed_database_reads_nothing_else(run_of: Make, catalog: Catalog) -> None:
    store = analyze(run_of({"a.log": "hello\n"}), catalog=catalog).store
    store.seal()
    with pytest.raises(duckdb.PermissionException):
        store.rows("SELECT * FROM read_text('/etc/hostname')")


def test_another_file_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("no")
    with pytest.raises(UserError, match="is not a logsift database"):
        Store.open(tmp_path / "x.duckdb")


RULE = """/*
title = "t"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
summary = "{summary}"
step = [{{ say = "Do." }}]
false_positives = "f"
*/
SELECT {fact}, [{{'file_id': file_id, 'line_no': line_no}}] AS evidence FROM {table}
"""
VIEWS = {
    "with_rows": "SELECT * FROM traceback",
    "without": "SELECT * FROM traceback WHERE false",
    "after_none": "SELECT * FROM without",
    "after_some": "SELECT w.* FROM without o RIGHT JOIN with_rows w ON true",
    "of_files": "SELECT f.path FROM file f WHERE NOT EXISTS (FROM without)",
    "large": "SELECT list(n) AS numbers FROM (SELECT unnest(range(8000000)) AS n FROM training_line)",
}
TRACEBACK = """
[[pattern]]
id = "head"
table = "traceback"
needle = "Traceback"
regex = '^Traceback .*$'
sample = [{ line = "Traceback (most recent call last):", row = {} }]
"""
STEP = """
[[pattern]]
id = "step"
table = "training_line"
needle = "step:"
regex = '^step:(?P<step>[0-9]+)/.*$'
sample = [{ line = "step:1/500", row = { step = 1 } }]
"""
ODD = {
    "parsers/traceback.toml": grammar("Traceback", TRACEBACK, traceback="kind text"),
    "parsers/step.toml": grammar("Steps", STEP, training_line="step int"),
    "rules/odd/data.sql": RULE.format(summary="s", fact="error('odd data') AS odd", table="traceback"),
    "rules/odd/words.sql": RULE.format(summary="{{ 1 // none_there }}", fact="0 AS none_there", table="traceback"),
    **{f"rules/views/{name}.sql": f"-- table: {name}\n{sql}" for name, sql in VIEWS.items()},
    **{
        f"rules/x/{t}.sql": RULE.format(summary="s", fact="1 AS n", table=t)
        for t in ("with_rows", "without", "after_none", "after_some")
    },
}
RAISED = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    f()\nKeyError: 1\n'


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Content of which some fails, finds nothing or is large."""
    root = tmp_path_factory.mktemp("odd")
    for path, text in ODD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return load_catalog(root)


def test_other_content_reads_everything_anew(run_of: Make, catalog: Catalog, odd: Catalog) -> None:
    run = run_of({"a.log": "hello\n"})
    analyze(run, catalog=catalog)
    assert analyze(run, catalog=odd).parsed == 1


def test_a_rule_that_fails_is_told_once_and_the_others_go_on(run_of: Make, odd: Catalog) -> None:
    run = run_of({"a.log": RAISED})
    for n in range(2):
        analysis = analyze(run, catalog=odd)
        assert analysis.root is not None
        told = "SELECT count(*) AS n FROM problem WHERE what = 'rule odd.data failed'"
        assert analysis.sql(told) == [{"n": 1}]
        (run / "b.log").write_text("hello\n" * (n + 1))


def test_words_that_fail_are_told_and_the_incident_goes_by_its_title(run_of: Make, odd: Catalog) -> None:
    analysis = analyze(run_of({"a.log": RAISED}), catalog=odd)
    assert [i.summary for i in analysis.incidents if i.rule == "odd.words"] == ["t"]
    told = [what for what, _ in analysis.coverage.failed]
    assert told == ["rule odd.data failed", "words of rule odd.words failed"]


def test_what_reads_only_empty_tables_is_not_asked(run_of: Make, odd: Catalog) -> None:
    store = analyze(run_of({"a.log": "Traceback (most recent call last):\n"}), catalog=odd).store
    tables = Tables(store)
    tables.noted(VIEWS)
    assert store.rows("SELECT path FROM of_files") == [{"path": "a.log"}]
    assert {r for r in tables.rules() if r.startswith("x.")} == {"x.with_rows", "x.after_some"}


def test_a_table_that_needs_more_memory_than_is_given_is_made_all_the_same(
    run_of: Make, odd: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logsift.store.database.MEMORY", "40MB")
    run = run_of({"a.log": "step:1/500 train_loss:3.2500\n"})
    analysis = analyze(run, catalog=odd)
    assert analysis.sql("SELECT len(numbers) AS n FROM large") == [{"n": 8_000_000}]
    assert analysis.sql("FROM problem") == []
    assert sorted(p.name for p in run.iterdir()) == ["a.log", "logsift.duckdb"]


def test_tables_made_of_what_the_search_found_are_filled_behind_it_and_anew_each_time(tmp_path: Path) -> None:
    from logsift import analyze

    log = tmp_path / "train.log"
    for last in (400, 500):
        log.write_text(
            "".join(
                f"step:{n}/500 train_loss:{9 if 200 <= n < 206 else 3 - n / 500 + n % 7 / 100:.4f}\n"
                for n in range(last)
            )
        )
        assert analyze(tmp_path).sql("SELECT start_step, kind FROM loss_jump") == [
            {"start_step": 200.0, "kind": "rise"}
        ]
