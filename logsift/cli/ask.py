"""Questions to the tables, and what they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, DB, RUN, Runs, analysis_of, catalog_of, say

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@RUN
@click.argument("query")
@click.option("--format", "to", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@DB
@CONTENT
def sql(run: Runs, query: str, to: str, db: Path | None, content: tuple[Path, ...]) -> None:
    """Ask the tables of RUN (a run directory, or a database logsift wrote) a question in SQL."""
    from logsift.report.rows import written

    store = analysis_of(run, db, content).store
    say(written(store, query, to), nl=to != "csv")


@click.command()
@click.argument("name", required=False)
@CONTENT
def tables(name: str | None, content: tuple[Path, ...]) -> None:
    """List the tables and views there are, or the columns of one."""
    from logsift.authoring.reference import describe_table, list_tables

    click.echo(describe_table(catalog_of(content), name) if name else list_tables(catalog_of(content)))
