"""What people type at the tables: SQL over several lines, and commands that begin with a dot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from logsift.analysis import Analysis
from logsift.ask.session import Session, is_whole
from logsift.ask.several import opened
from logsift.errors import UserError
from logsift.store import Store


@pytest.fixture
def session(asked: Analysis) -> Session:
    return Session(asked.store, "csv")


def said(session: Session, text: str) -> list[str]:
    return list(session.answers(text))


def test_a_script_is_answered_statement_by_statement(session: Session, tmp_path: Path) -> None:
    (tmp_path / "more.sql").write_text("SELECT 3 AS c;\n")
    script = f"SELECT 1 AS a; SELECT\n  2 AS b;\n.mode md\n.read {tmp_path / 'more.sql'}\n"
    assert said(session, script) == ["a\n1", "b\n2", "| c |\n| --- |\n| 3 |"]


def test_a_line_within_a_statement_is_no_command(session: Session) -> None:
    assert said(session, "SELECT 1 +\n.5 AS a;") == ["a\n1.5"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (".tables", "Start here"),
        (".tables file", "BIGINT"),
        (".schema file", "CREATE TABLE"),
        (".schema timeline", "CREATE VIEW"),
        (".named", "slowest-ranks"),
        (".named causes", "crash.exception"),
        (".mode", "csv"),
        (".help", ".quit"),
    ],
)
def test_commands(session: Session, command: str, answer: str) -> None:
    assert answer in "\n".join(said(session, command))


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (".tabels", "did you mean tables"),
        (".schema fil", "did you mean file"),
        (".mode html", "table, csv, json, md"),
        (".read /nowhere", "No such file"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
        ("SELECT * FROM incidnt", 'Did you mean "incident"'),
    ],
)
def test_what_is_wrong_is_told_with_what_was_meant(session: Session, command: str, told: str) -> None:
    with pytest.raises(Exception, match=told):
        said(session, command)


def test_a_file_that_reads_itself_is_refused(session: Session, tmp_path: Path) -> None:
    (tmp_path / "loop.sql").write_text(f".read {tmp_path / 'loop.sql'}\n")
    with pytest.raises(UserError, match="reads no other"):
        said(session, f".read {tmp_path / 'loop.sql'}")


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", True),
        (".tables", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1 -- ;", False),
        ("/* ; */", True),
    ],
)
def test_a_statement_ends_with_a_semicolon(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


def test_completion_knows_the_columns_of_the_tables_that_are_named(session: Session) -> None:
    words = session.words("SELECT  FROM incident")
    assert words.index("explained_by") < words.index("incident")
    assert "explained_by" not in session.words("SELECT  FROM file")


def test_runs_are_beside_each_other(asked: Analysis, tmp_path: Path) -> None:
    assert asked.store.path
    path = asked.store.path
    store, names = opened([replace(asked, store=Store.open(path)) for _ in range(2)])
    assert list(names) == ["a", "b"]
    query = "SELECT a.incident.rule AS one, b.incident.rule AS other FROM a.incident JOIN b.incident USING (id)"
    assert store.typed(query).rows == [("crash.exception", "crash.exception")]
    assert store.typed("SELECT count(*) FROM b.timeline").rows == store.typed("SELECT count(*) FROM timeline").rows
