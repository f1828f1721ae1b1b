"""Several runs: what differs between two, what recurs in many."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, PATH, analysis_of, catalog_of, say
from logsift.cli.examples import Shown

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=Shown)
@click.argument("good", type=PATH)
@click.argument("bad", type=PATH)
@click.option("--format", "to", type=click.Choice(["text", "md", "json"]), default="text", show_default=True)
@CONTENT
def diff(good: Path, bad: Path, to: str, content: tuple[Path, ...]) -> None:
    """Say what differs between a GOOD run and a BAD one: settings, versions, messages, pace, loss, memory, places."""
    from logsift.report import compare
    from logsift.report.inert import to_json

    first, second = (analysis_of((run,), None, content) for run in (good, bad))
    found = compare.compare(first, second, catalog_of(content))
    if to == "json":
        click.echo(to_json(compare.document(found)))
    else:
        say(compare.text(found) if to == "text" else compare.markdown(found), nl=False, whole=to == "md")


@click.command(cls=Shown)
@click.argument("folders", metavar="DIR...", type=PATH, nargs=-1, required=True)
@click.option("-o", "--output", type=PATH, metavar="PATH", help="Keep the database of all incidents here.")
@click.option("--html", type=PATH, metavar="PATH", help="Write a page with the picture.")
@click.option("--format", "to", type=click.Choice(["text", "json"]), default="text", show_default=True)
@CONTENT
def history(
    folders: tuple[Path, ...], output: Path | None, html: Path | None, to: str, content: tuple[Path, ...]
) -> None:
    """Say what recurs in many runs: hosts, GPUs and links that fail again, causes, and the time that was lost to each.

    A DIR that holds files is a run, else each folder in it is one.
    """
    import duckdb

    from logsift.errors import UserError
    from logsift.places import HISTORY, cache_folder, publish, workplace
    from logsift.report import history as many
    from logsift.report.inert import to_json

    skipped = []
    place = output or cache_folder() / HISTORY
    with workplace(place) as work:
        collector = many.Collector(work / "made")
        try:
            for run in many.runs_in(folders):
                try:
                    analysis = analysis_of((run,), None, content)
                except (UserError, OSError, duckdb.Error) as e:
                    skipped.append((str(run), str(e).splitlines()[0]))
                    continue
                try:
                    collector.take(analysis)
                finally:
                    analysis.store.close()
            found = collector.concluded(skipped)
            page = many.page(collector, found) if html else ""
        finally:
            collector.close()
        if output:
            publish(work / "made", output)
    if html:
        html.write_text(page, encoding="utf-8")
    if to == "json":
        click.echo(to_json({"schema": 1, **asdict(found)}))
    else:
        say(many.text(found), nl=False)
