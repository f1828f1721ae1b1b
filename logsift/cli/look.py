"""What the logs hold around the verdict: their lines in time, stacks, curves, and what no grammar read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, DB, FOLLOW, PATH, REDACT, RUN, Runs, analysis_of, catalog_of, say
from logsift.cli.examples import Shown

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=Shown)
@RUN
@click.option("--around", type=int, metavar="ID", help="The incident to look around (default: the root cause).")
@click.option(
    "--last", "seconds", type=float, default=60.0, show_default=True, help="Seconds before it that are shown."
)
@click.option("--after", type=float, default=5.0, show_default=True, help="Seconds after it that are shown.")
@REDACT
@DB
@CONTENT
def timeline(
    run: Runs, around: int | None, seconds: float, after: float, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Show what all logs of RUN say of the time before an incident, in order, on one clock."""
    from logsift.report.timeline import around as shown

    say(shown(analysis_of(run, db, content), around, seconds, after))


@click.command(cls=Shown)
@RUN
@REDACT
@DB
@CONTENT
def stacks(run: Runs, db: Path | None, content: tuple[Path, ...]) -> None:
    """Merge the stacks of all ranks into one call tree, what stands apart first."""
    import shutil

    from logsift.report.tree import shown

    click.echo(
        shown(analysis_of(run, db, content).store, shutil.get_terminal_size().columns if sys.stdout.isatty() else None)
    )


@click.command(cls=Shown)
@RUN
@click.option(
    "--metric",
    metavar="NAME",
    help="As it was printed, or its kind: loss, grad_norm, step_seconds (default: the loss).",
)
@click.option("--extents", is_flag=True, help="Draw how memory is cut up (view extent) instead of a metric; needs -o.")
@click.option("-o", "--output", type=PATH, help="A .png or .svg file; without it the curve goes to the terminal.")
@DB
@CONTENT
def plot(
    run: Runs, metric: str | None, extents: bool, output: Path | None, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Draw a metric of RUN with incidents, restarts and dead branches, or the layout of its memory."""
    from logsift.report.plots import draw, draw_extents, sparkline

    analysis = analysis_of(run, db, content)
    if extents:
        if output is None:
            raise click.UsageError("--extents needs a file: -o FILE.png")
        say(draw_extents(analysis, output))
        return
    say(draw(analysis, metric, output) if output else sparkline(analysis, metric))


@click.command(cls=Shown)
@click.argument("run", metavar="[RUN...]", type=PATH, nargs=-1)
@click.option("--format", "to", type=click.Choice(["perfetto", "speedscope", "lnav"]), required=True,
              help="perfetto: a trace of operations, ends and incidents; speedscope: the stacks; lnav: all formats, without RUN.")  # fmt: skip
@click.option(
    "-o", "--output", type=PATH, required=True, metavar="FILE", help="A .json file; - is the standard output."
)
@FOLLOW
@REDACT
@DB
@CONTENT
def export(run: Runs, to: str, output: Path, db: Path | None, content: tuple[Path, ...]) -> None:
    """Write what other programs open: a trace for Perfetto, a flame graph for speedscope, a format for lnav.

    ui.perfetto.dev and speedscope.app open the files in the browser, without sending them anywhere; lnav -i installs its own.
    """
    from logsift.report import exports
    from logsift.report.inert import to_json

    if (to == "lnav") == bool(run):
        raise click.UsageError("lnav's format is made of the content: give no RUN" if run else "say which RUN")
    if to == "lnav":
        document = exports.lnav(catalog_of(content))
    else:
        analysis = analysis_of(run, db, content)
        document = (
            exports.perfetto(analysis)
            if to == "perfetto"
            else exports.speedscope(analysis.store, run[0].absolute().name)
        )
    text = f"{to_json(document)}\n"
    if str(output) == "-":
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        say(f"wrote {output}", err=True)


@click.command(cls=Shown)
@RUN
@click.option("--format", "to", type=click.Choice(["text", "json"]), default="text", show_default=True)
@DB
@CONTENT
def unread(run: Runs, to: str, db: Path | None, content: tuple[Path, ...]) -> None:
    """List the lines of RUN with words of trouble that no grammar read, by kind: material for the next one."""
    from logsift.report.unread import unread as listed

    say(listed(analysis_of(run, db, content).store, to), whole=to == "json")
