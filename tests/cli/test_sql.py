"""`logsift sql` and `logsift tables` as a person uses them: at a prompt, in a pipe, from a file."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import polars as pl
import pytest
from click.testing import CliRunner, Result

from logsift import Catalog, analyze
from logsift.cli import main
from logsift.store import Store
from logsift.store.database import Answer

LONG = "x" * 3000
READY = "\x1b[?2004h"
"""What a prompt sends when it begins to listen: it takes what is pasted as one text."""
SECONDS = 60.0
"""How long a prompt may take to answer before the test gives it up."""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Path:
    run = tmp_path_factory.mktemp("sql") / "run"
    run.mkdir()
    (run / "rank3.log").write_text(
        f"Traceback (most recent call last):\n  File \"t.py\", line 8, in f\nKeyError: '{LONG}'\n"
    )
    analyze(run, catalog=catalog)
    return run


def run(*args: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args], input=stdin)


@pytest.mark.parametrize(
    ("to", "read"),
    [
        ("csv", lambda out: next(csv.DictReader(io.StringIO(out)))["ranks"]),
        ("json", lambda out: json.dumps(json.loads(out)[0]["ranks"])),
        ("table", lambda out: out.splitlines()[1].split("  ")[0]),
        ("md", lambda out: out.splitlines()[2].split("|")[1].strip(" `")),
    ],
)
def test_nothing_is_cut_in_a_pipe_and_lists_are_json(crashed: Path, to: str, read: Callable[[str], str]) -> None:
    said = run("sql", crashed, "SELECT ranks, summary, steps FROM incident WHERE root", "--format", to).stdout
    assert read(said) == "[3]"
    message = run("sql", crashed, "SELECT message FROM exception", "--format", to).stdout
    assert LONG in message


def test_json_in_a_column_is_json(crashed: Path) -> None:
    (row,) = json.loads(run("sql", crashed, "SELECT steps FROM incident WHERE root", "--format", "json").stdout)
    assert isinstance(row["steps"], list)


def test_parquet_keeps_types_also_of_no_rows(crashed: Path, tmp_path: Path) -> None:
    assert run("sql", crashed, "FROM incident WHERE false", "-o", tmp_path / "i.parquet").exit_code == 0
    schema = pl.read_parquet_schema(tmp_path / "i.parquet")
    assert (schema["ranks"], schema["first"]) == (pl.List(pl.Int64), pl.Datetime("us"))
    assert "needs a query, and a file" in run("sql", crashed, "SELECT 1", "--format", "parquet").output


def test_a_query_may_come_from_a_file_from_stdin_or_have_a_name(crashed: Path, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("SELECT 1 AS a; SELECT 2 AS b;")
    assert run("sql", crashed, "-f", tmp_path / "q.sql", "--format", "csv").stdout == "a\n1\nb\n2\n"
    assert (
        run("sql", crashed, "--format", "csv", stdin=".mode json\nSELECT 1 AS a;").stdout == '[\n {\n  "a": 1\n }\n]\n'
    )
    assert "crash.exception" in run("sql", crashed, "--named", "causes").stdout
    assert "did you mean causes" in run("sql", crashed, "--named", "cause").output
    assert "say one of" in run("sql", crashed, "SELECT 1", "--named", "causes").output


def test_ctrl_c_ends_a_query_that_would_not_end(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = Store.typed

    def pressed(store: Store, query: str) -> Answer:
        Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return typed(store, query)

    monkeypatch.setattr(Store, "typed", pressed)
    done = run("sql", crashed, "SELECT sum(range) FROM range(1000000000000)")
    assert (done.exit_code, done.stderr) == (130, "logsift: stopped, nothing is left behind\n")


def test_two_runs_are_beside_each_other(crashed: Path, tmp_path: Path) -> None:
    shutil.copy(crashed / "logsift.duckdb", tmp_path / "sent.duckdb")
    both = run(
        "sql", crashed, tmp_path / "sent.duckdb", "SELECT count(*) AS n FROM a.incident JOIN b.incident USING (rule)"
    )
    assert both.stdout.split() == ["n", "1", "1", "row"]
    assert "b is " in both.stderr


def test_tables_of_a_run_and_of_none(crashed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "traceback_end" in run("tables", crashed).stdout
    assert "(1 row)" in run("tables", crashed, "traceback_end").stdout
    assert "(0 rows)" in run("tables", "traceback_end").stdout
    assert "did you mean rank_fate" in run("tables", crashed, "rank_fat").output
    monkeypatch.chdir(tmp_path)
    shutil.copy(crashed / "logsift.duckdb", "gpu")
    assert "Start here" in run("tables", "gpu").stdout, "a run that is called like a table"
    assert run("tables", "gpu", "gpu").stdout.startswith("gpu: ")


def test_duckdbs_own_shell_is_sealed_too(crashed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "is not installed here" in run("sql", crashed, "--duckdb").output
    (tmp_path / "duckdb").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "duckdb").chmod(0o755)
    args = [sys.executable, "-m", "logsift", "sql", str(crashed), "--duckdb"]
    said = subprocess.run(args, capture_output=True, text=True, check=True).stdout
    assert "logsift.duckdb' AS run (READ_ONLY); USE run; SET enable_external_access = false" in said


class Terminal:
    """A program on a terminal of its own: type keys, and read on until something is on the screen."""

    def __init__(self, args: list[str], env: dict[str, str]) -> None:
        self.fd, theirs = pty.openpty()
        self.process = subprocess.Popen(
            args, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env={**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **env},
        )  # fmt: skip
        os.close(theirs)
        self.read = ""

    def until(self, text: str) -> str:
        while text not in self.read:
            ready, _, _ = select.select([self.fd], [], [], SECONDS)
            assert ready, f"{text!r} never came: {self.read!r}"
            self.read += os.read(self.fd, 1 << 16).decode()
        before, _, self.read = self.read.partition(text)
        return before

    def types(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def leaves(self) -> int:
        status = self.process.wait(SECONDS)
        os.close(self.fd)
        return status


def test_a_prompt_takes_several_lines_completes_names_and_remembers(crashed: Path, tmp_path: Path) -> None:
    terminal = Terminal([sys.executable, "-m", "logsift", "sql", str(crashed)], {"XDG_STATE_HOME": str(tmp_path)})
    terminal.until(READY)
    terminal.types("SELECT rule\r")
    terminal.until("...>")
    terminal.types("FROM inciden\t")
    terminal.until("t")  # what completion adds: nothing before it on this line has one
    terminal.types(";\r")
    assert "crash.exception" in terminal.until(READY)
    terminal.types("SELEC 1;\r")
    assert "syntax error" in terminal.until(READY)
    terminal.types(".mode csv\r")
    terminal.until(READY)
    terminal.types("SELECT 40 + 2 AS answer;\r")
    assert "answer\r\n42" in terminal.until(READY)
    terminal.types("\x04")
    assert terminal.leaves() == 0
    history = tmp_path / "logsift" / "sql_history"
    assert "FROM incident;" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
