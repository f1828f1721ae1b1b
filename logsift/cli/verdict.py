"""What went wrong: in a few words, in many, as a report, for scripts."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, DB, PATH, REDACT, REDACT_TABLE, RUN, Runs, analysis_of, offers, say
from logsift.cli.examples import Shown
from logsift.errors import UserError
from logsift.report.rendering import BRIEF, rendered
from logsift.timings import kept, listed

if TYPE_CHECKING:
    from pathlib import Path

    from logsift.analysis import Analysis

_EXIT = {"restart": 0, "restart_without": 10, "stop": 11, "unknown": 12}
_RANK = {"info": 0, "warning": 1, "critical": 2}


def _forms() -> list[str]:
    from logsift.report.markdown import forms

    return forms()


FORMAT = click.option(
    "--format", "to", type=click.Choice(["text", "json", "md", *BRIEF]), default="text", show_default=True
)
FAIL_ON = click.option(
    "--fail-on", type=click.Choice(list(_RANK)), help="Exit 1 where there is an incident of that severity or worse."
)
VERBOSE = click.option("-v", "--verbose", is_flag=True, help="Show the facts of every finding too.")


def tell(analysis: Analysis, to: str, fail_on: str | None, *, verbose: bool) -> bool:
    """Print the verdict; True where that is a reason to fail."""
    if to == "text":
        from logsift.report.terminal import show

        show(analysis, facts=verbose)
    else:
        click.echo(rendered(analysis, to))
    return bool(fail_on) and any(_RANK[i.severity] >= _RANK[fail_on or ""] for i in analysis.incidents)


@click.command(cls=Shown)
@RUN
@FORMAT
@DB
@CONTENT
@FAIL_ON
@VERBOSE
@click.option("--separate", is_flag=True, help="Several RUNs are jobs of their own.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True,
              help="Who reads: this machine, or a Ray cluster (RAY_ADDRESS, else one that is started here).")  # fmt: skip
@click.option("--timings", is_flag=True, help="Print on standard error what each stage, table and rule took.")
@REDACT
def analyze(
    run: Runs,
    to: str,
    db: Path | None,
    content: tuple[Path, ...],
    fail_on: str | None,
    verbose: bool,
    separate: bool,
    engine: str,
    timings: bool,
) -> None:
    """Say what went wrong in RUN, who, and what to do.

    RUN is a directory, a file, a tar or zip, a database or bundle that was sent, one of these in a store (s3://…), or - for
    the standard input.
    """
    if separate and db:
        raise click.UsageError("--db names one database, --separate makes several")
    failed = False
    for job in [(one,) for one in run] if separate else [run]:
        with kept() as parts:
            analysis = analysis_of(job, db, content, engine)
        if timings:
            say(listed(parts), err=True)
        failed |= tell(analysis, to, fail_on, verbose=verbose)
    if failed:
        sys.exit(1)


@click.command(cls=Shown)
@RUN
@click.argument("incident", metavar="ID", type=int)
@REDACT
@DB
@CONTENT
def show(run: Runs, incident: int, db: Path | None, content: tuple[Path, ...]) -> None:
    """Tell one incident of RUN whole, by its number: what it means, all steps, all lines that prove it."""
    from logsift.report.terminal import show_one

    if not show_one(analysis_of(run, db, content), incident):
        raise UserError(f"no incident {incident}: `logsift {' '.join(map(str, run))}` lists them")


@click.command(cls=Shown)
@RUN
@click.option("--all", "all_ranks", is_flag=True, help="A line for each rank, also of a large job.")
@REDACT
@DB
@CONTENT
def ranks(run: Runs, all_ranks: bool, db: Path | None, content: tuple[Path, ...]) -> None:
    """Say what became of every rank of RUN: where it ran, how far it came, its last word, how it ended."""
    from logsift.report.rows import of_ranks

    say(of_ranks(analysis_of(run, db, content).store, each_rank=all_ranks), whole=True)


@click.command("next", cls=Shown)
@RUN
@click.option("--exit-code", is_flag=True, help="Exit 0 to restart, 10 without hosts, 11 to stop, 12 where unknown.")
@DB
@CONTENT
def next_(run: Runs, exit_code: bool, db: Path | None, content: tuple[Path, ...]) -> None:
    """Say in one word what to do with the job of RUN, for scripts: restart, restart_without HOSTS, stop or unknown."""
    decision = analysis_of(run, db, content).decision
    say(" ".join([decision.next, ",".join(map(shlex.quote, decision.hosts))]).strip())
    say(f"{decision.confidence}: {decision.reason}", err=True)
    if exit_code:
        sys.exit(_EXIT[decision.next])


@click.command(cls=Shown)
@RUN
@click.option("-o", "--output", type=PATH, required=True, help="report.md, .html or .json; - is Markdown on stdout.")
@click.option(
    "--for",
    "form",
    metavar="TRACKER",
    shell_complete=offers(_forms),
    help="Fill the form of a tracker; a name that is unknown lists them.",
)
@click.option("--figures", type=PATH, metavar="DIR", help="Write the figures into DIR too, as PNG.")
@REDACT
@DB
@CONTENT
def report(
    run: Runs, output: Path, form: str | None, figures: Path | None, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Write the report of RUN: a page to open, or Markdown to be attached to a bug issue."""
    if form and output.suffix in (".html", ".json"):
        raise click.UsageError("--for fills a form in Markdown: give it -o FILE.md")
    analysis = analysis_of(run, db, content)
    to = {".json": "json", ".html": "html"}.get(output.suffix, "md")
    text = rendered(analysis, to, form)
    if str(output) == "-":
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        say(f"wrote {output}", err=True)
    if figures:
        from logsift.report.figures import write

        for path in write(analysis, figures):
            say(f"wrote {path}", err=True)


@click.command(cls=Shown)
@RUN
@click.option("-o", "--output", type=PATH, required=True, help="issue.tar.zst, .tar.gz, .tar or .zip.")
@click.option(
    "--max-size", type=float, default=10.0, show_default=True, metavar="MB", help="What has no room is left out."
)
@click.option("--no-redact", is_flag=True, help="With all names and texts as they are.")
@REDACT_TABLE
@DB
@CONTENT
def bundle(
    run: Runs, output: Path, max_size: float, no_redact: bool, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Pack what is to be said of RUN into one file for an issue: reports, proof, stacks, tables, and no logs.

    It is redacted. Every command takes it in place of RUN.
    """
    from logsift.report.bundle import write

    ctx = click.get_current_context()
    if no_redact and ctx.meta.get("redact_table"):
        raise click.UsageError("--redact-table tells what was redacted, --no-redact redacts nothing")
    ctx.meta["redact"] = not no_redact
    left_out = write(analysis_of(run, db, content), output, most_bytes=int(max_size * 1e6), is_redacted=not no_redact)
    say(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)", err=True)
    if left_out:
        named = ", ".join(f"{x.name} ({x.why})" for x in left_out[:5])
        say(
            f"left out: {named}{f' and {len(left_out) - 5} more: see its manifest' if len(left_out) > 5 else ''}",
            err=True,
        )
