"""Questions to the tables, and what they are called."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, DB, FOLLOW, PATH, analysis_of, catalog_of, offers, say
from logsift.cli.examples import Shown
from logsift.errors import UserError
from logsift.remote import place

if TYPE_CHECKING:
    from logsift.store import Store

_FORMATS = ["table", "csv", "json", "md", "parquet"]


def _names() -> list[str]:
    from logsift.ask.named import queries

    return list(queries())


@click.command(cls=Shown)
@click.argument("run", metavar="RUN... [QUERY]", nargs=-1, required=True)
@click.option("-f", "--file", "script", type=PATH, metavar="FILE", help="Ask what is in FILE; - is the standard input.")
@click.option(
    "--named",
    metavar="NAME",
    shell_complete=offers(_names),
    help="Ask a query that has a name; one that is unknown lists them.",
)
@click.option("--format", "to", type=click.Choice(_FORMATS), help="How answers are written (default: table).")
@click.option(
    "-o", "--output", type=PATH, help="Write into this file; its ending says the format where --format does not."
)
@click.option("--duckdb", "shell", is_flag=True, help="Open DuckDB's own shell on the tables, where it is installed.")
@FOLLOW
@DB
@CONTENT
def sql(
    run: tuple[str, ...],
    script: Path | None,
    named: str | None,
    to: str | None,
    output: Path | None,
    shell: bool,
    db: Path | None,
    content: tuple[Path, ...],
) -> None:
    """Ask the tables of RUN a question in SQL (DuckDB's); without QUERY at a prompt.

    Several RUNs are beside each other as databases a, b, c: SELECT … FROM a.incident JOIN b.incident USING (rule).
    """
    query = run[-1] if len(run) > 1 and not _is_run(run[-1]) else None
    runs = [place(given) for given in (run if query is None else run[:-1])]
    if sum(q is not None for q in (query, script, named)) + shell > 1:
        raise click.UsageError("say one of QUERY, --file, --named and --duckdb")
    if db and len(runs) > 1:
        raise click.UsageError("--db names one database, several RUNs have one each")
    to = to or (output.suffix[1:] if output and output.suffix[1:] in _FORMATS else "table")
    if to == "parquet" and (output is None or not (query or script or named)):
        raise click.UsageError("--format parquet needs a query, and a file: -o FILE.parquet")
    from logsift.ask.named import named as query_named
    from logsift.ask.several import opened

    asked = query_named(named).sql if named else _text(script) if script else query
    store, names = opened([analysis_of((one,), db, content) for one in runs])
    if len(names) > 1:
        say("\n".join(f"{name} is {path}" for name, path in names.items()), err=True)
    if shell:
        _open_shell(store, names)
    elif asked is None and sys.stdin.isatty() and sys.stdout.isatty():
        from logsift.ask.prompt import ask
        from logsift.ask.session import Session

        ask(Session(store, to, _width()), partial(say, whole=True))
    else:
        _answer(store, asked if asked is not None else sys.stdin.read(), to, output)


def _answer(store: Store, asked: str, to: str, output: Path | None) -> None:
    from logsift.ask.session import Session

    if not asked.strip():
        raise UserError("say a query, for example: SELECT rule, summary FROM incident")
    if to == "parquet" and output:
        store.frame(asked).write_parquet(output)
    elif output:
        output.write_text("".join(f"{a}\n" for a in Session(store, to, _width()).answers(asked)), encoding="utf-8")
    else:
        for answer in Session(store, to, _width()).answers(asked):
            say(answer, whole=True)
    if output:
        say(f"wrote {output}", err=True)


def _open_shell(store: Store, names: dict[str, str]) -> None:
    """DuckDB's shell in place of this process, sealed like every other way to the tables."""
    import os

    from logsift.store.database import quoted

    program = shutil.which("duckdb")
    if program is None:
        raise UserError("duckdb is not installed here: https://duckdb.org/install, or pip install duckdb-cli")
    paths = [
        str(r["path"])
        for r in store.rows(
            "SELECT path FROM duckdb_databases() WHERE NOT internal AND path IS NOT NULL ORDER BY database_name"
        )
    ]
    store.close()
    attach = [f"ATTACH {quoted(path)} AS {name} (READ_ONLY)" for name, path in zip(names, paths, strict=True)]
    sealed = "SET enable_external_access = false; SET lock_configuration = true"
    os.execv(program, [program, "-cmd", "; ".join([*attach, f"USE {next(iter(names))}", sealed]) + ";"])


def _is_run(text: str) -> bool:
    """True for what is no query: a place that exists, or one word, which no query is."""
    with suppress(OSError):
        if Path(text).exists():
            return True
    return not text.startswith(".") and len(text.split()) == 1


def _text(script: Path) -> str:
    return sys.stdin.read() if str(script) == "-" else script.read_text(encoding="utf-8")


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 120


@click.command(cls=Shown)
@click.argument("what", metavar="[RUN...] [NAME]", nargs=-1)
@click.option("--all", "whole", is_flag=True, help="All tables and views, each with what a row is.")
@CONTENT
def tables(what: tuple[str, ...], whole: bool, content: tuple[Path, ...]) -> None:
    """List the tables of RUN that have rows, or the columns of one with types, units and meaning; without RUN what there may be."""
    from logsift.ask.tables import described, listed, names
    from logsift.store.create import empty

    store, runs, name = empty(catalog_of(content)), list(what), ""
    # What is there is a run, also where its folder is called like a table: behind a run it is the table.
    if runs and (not place(runs[-1]).exists() or (len(runs) > 1 and runs[-1] in names(store))):
        name = runs.pop()
    if runs:
        store = analysis_of(tuple(map(place, runs)), None, content).store
    say(described(store, name) if name else listed(store, _width(), whole=whole))
