"""The command line: thin, no logic. Heavy modules are imported in the commands that use them."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from logsift.content.errors import ContentErrors
from logsift.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsift.analysis import Analysis
    from logsift.content.model import Catalog

_PATH = click.Path(path_type=Path)
_CONTENT = click.option(
    "--content",
    type=_PATH,
    multiple=True,
    metavar="DIR",
    help="A folder with more parsers/ and rules/; may be repeated.",
)
_DB = click.option("--db", type=_PATH, metavar="PATH", help="Where the database goes (default: RUN/logsift.duckdb).")
Runs = tuple[Path, ...]


def _RUN(command: Any) -> Any:  # noqa: ANN401 - one of click's decorators
    """What a command reads: several are one job."""
    follow = click.option(
        "--follow",
        is_flag=True,
        expose_value=False,
        help="Read files outside of RUN that links in it lead to.",
        callback=lambda ctx, _, value: ctx.meta.__setitem__("follow", value),
    )
    return click.argument("run", metavar="RUN...", type=_PATH, nargs=-1, required=True)(follow(command))


_EXIT = {"restart": 0, "restart_without": 10, "stop": 11, "unknown": 12}
_RANK = {"info": 0, "warning": 1, "critical": 2}


class _Commands(click.Group):
    """A group whose first argument may also be a run directory: `logsift RUN` is `logsift analyze RUN`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in {"-h", "--help", "--version"}:
            args = ["analyze", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        with _stopped_by_signals() as stopped:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                _say("logsift: stopped, nothing is left behind", err=True)
                ctx.exit(128 + (stopped or [2])[0])
            except Exception as e:
                if told := _told(e):
                    _say(told, err=True)
                    ctx.exit(2)
                raise


@contextmanager
def _stopped_by_signals() -> Iterator[list[int]]:
    """What asks a process to end ends it like Ctrl-C does, so that it cleans up; gives the signals that came."""
    import signal
    import threading

    came: list[int] = []

    def stop(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield came
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


def _told(error: Exception) -> str | None:
    """What people are told of an error that is theirs to mend, None where it is logsift's own."""
    if isinstance(error, BrokenPipeError):
        return None
    if isinstance(error, ContentErrors):
        return str(error)
    # A query is the user's own in `sql` only, but a database that is locked or damaged concerns every command.
    asked = isinstance(error, (UserError, OSError)) or type(error).__module__.startswith(("duckdb", "_duckdb"))
    return f"logsift: {error}" if asked else None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="logsift-train")
def main() -> None:
    """Name the root cause of a failed distributed training run: logsift RUN."""


@main.command()
@_RUN
@click.option("--format", "to", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@_DB
@_CONTENT
@click.option(
    "--fail-on", type=click.Choice(list(_RANK)), help="Exit 1 where there is an incident of that severity or worse."
)
@click.option("-v", "--verbose", is_flag=True, help="Show the facts of every finding too.")
@click.option("--separate", is_flag=True, help="Several RUNs are jobs of their own.")
def analyze(
    run: Runs,
    to: str,
    db: Path | None,
    content: tuple[Path, ...],
    fail_on: str | None,
    verbose: bool,
    separate: bool,
) -> None:
    """Read RUN - a directory, a file, a tar or zip, - for the standard input - and say what went wrong, who, and what to do."""
    if separate and db:
        raise click.UsageError("--db names one database, --separate makes several")
    failed = False
    for job in [(one,) for one in run] if separate else [run]:
        analysis = _analysis(job, db, content)
        if to == "text":
            from logsift.report.terminal import show

            show(analysis, facts=verbose)
        else:
            click.echo(_rendered(analysis, to))
        failed |= bool(fail_on) and any(_RANK[i.severity] >= _RANK[fail_on or ""] for i in analysis.incidents)
    if failed:
        sys.exit(1)


@main.command()
@_RUN
@click.option("-o", "--output", type=_PATH, required=True, help="report.md, .html or .json; - is Markdown on stdout.")
@click.option("--for", "form", metavar="TRACKER", help="Fill the form of a tracker; a name that is unknown lists them.")
@click.option("--figures", type=_PATH, metavar="DIR", help="Write the figures into DIR too, as PNG.")
@_DB
@_CONTENT
def report(
    run: Runs, output: Path, form: str | None, figures: Path | None, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Write the report of RUN: a page to open, or Markdown to be attached to a bug issue."""
    if form and output.suffix in (".html", ".json"):
        raise click.UsageError("--for fills a form in Markdown: give it -o FILE.md")
    analysis = _analysis(run, db, content)
    to = {".json": "json", ".html": "html"}.get(output.suffix, "md")
    text = _rendered(analysis, to, form)
    if str(output) == "-":
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        _say(f"wrote {output}", err=True)
    if figures:
        from logsift.report.figures import write

        for path in write(analysis, figures):
            _say(f"wrote {path}", err=True)


@main.command()
@_RUN
@click.argument("query")
@click.option("--format", "to", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@_DB
@_CONTENT
def sql(run: Runs, query: str, to: str, db: Path | None, content: tuple[Path, ...]) -> None:
    """Ask the tables of RUN (a run directory, or a database logsift wrote) a question in SQL."""
    from logsift.report.rows import written

    store = _analysis(run, db, content).store
    _say(written(store, query, to), nl=to != "csv")


@main.command()
@_RUN
@click.option("--format", "to", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_DB
@_CONTENT
def unread(run: Runs, to: str, db: Path | None, content: tuple[Path, ...]) -> None:
    """List the lines of RUN with words of trouble that no grammar read, by kind: material for the next one."""
    from logsift.report.unread import unread as listed

    _say(listed(_analysis(run, db, content).store, to))


@main.command()
@_RUN
@click.argument("incident", metavar="ID", type=int)
@_DB
@_CONTENT
def show(run: Runs, incident: int, db: Path | None, content: tuple[Path, ...]) -> None:
    """Tell one incident of RUN whole, by its number: what it means, all steps, all lines that prove it."""
    from logsift.report.terminal import show_one

    if not show_one(_analysis(run, db, content), incident):
        raise UserError(f"no incident {incident}: `logsift {' '.join(map(str, run))}` lists them")


@main.command()
@_RUN
@click.option("--all", "all_ranks", is_flag=True, help="A line for each rank, also of a large job.")
@_DB
@_CONTENT
def ranks(run: Runs, all_ranks: bool, db: Path | None, content: tuple[Path, ...]) -> None:
    """Say what became of every rank of RUN: where it ran, how far it came, its last word, how it ended."""
    from logsift.report.rows import of_ranks

    _say(of_ranks(_analysis(run, db, content).store, each_rank=all_ranks))


@main.command("next")
@_RUN
@click.option("--exit-code", is_flag=True, help="Exit 0 to restart, 10 without hosts, 11 to stop, 12 where unknown.")
@_DB
@_CONTENT
def next_(run: Runs, exit_code: bool, db: Path | None, content: tuple[Path, ...]) -> None:
    """Say in one word what to do with the job of RUN, for scripts: restart, restart_without HOSTS, stop or unknown."""
    decision = _analysis(run, db, content).decision
    _say(" ".join([decision.next, ",".join(map(shlex.quote, decision.hosts))]).strip())
    _say(f"{decision.confidence}: {decision.reason}", err=True)
    if exit_code:
        sys.exit(_EXIT[decision.next])


@main.command()
@_RUN
@click.option("--around", type=int, metavar="ID", help="The incident to look around (default: the root cause).")
@click.option(
    "--last", "seconds", type=float, default=60.0, show_default=True, help="Seconds before it that are shown."
)
@click.option("--after", type=float, default=5.0, show_default=True, help="Seconds after it that are shown.")
@_DB
@_CONTENT
def timeline(
    run: Runs, around: int | None, seconds: float, after: float, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Show what all logs of RUN say of the time before an incident, in order, on one clock."""
    from logsift.report.timeline import around as shown

    click.echo(shown(_analysis(run, db, content), around, seconds, after))


@main.command()
@_RUN
@_DB
@_CONTENT
def stacks(run: Runs, db: Path | None, content: tuple[Path, ...]) -> None:
    """Merge the stacks of all ranks into one call tree, what stands apart first."""
    import shutil

    from logsift.report.tree import shown

    click.echo(
        shown(_analysis(run, db, content).store, shutil.get_terminal_size().columns if sys.stdout.isatty() else None)
    )


@main.command()
@_RUN
@click.option("--metric", metavar="NAME", help="The metric as it was printed (default: the loss).")
@click.option("--extents", is_flag=True, help="Draw how memory is cut up (view extent) instead of a metric; needs -o.")
@click.option("-o", "--output", type=_PATH, help="A .png or .svg file; without it the curve goes to the terminal.")
@_DB
@_CONTENT
def plot(
    run: Runs, metric: str | None, extents: bool, output: Path | None, db: Path | None, content: tuple[Path, ...]
) -> None:
    """Draw a metric of RUN with incidents, restarts and dead branches, or the layout of its memory."""
    from logsift.report.plots import draw, draw_extents, sparkline

    analysis = _analysis(run, db, content)
    if extents:
        if output is None:
            raise click.UsageError("--extents needs a file: -o FILE.png")
        _say(draw_extents(analysis, output))
        return
    _say(draw(analysis, metric, output) if output else sparkline(analysis, metric))


@main.command()
@click.argument("name", required=False)
@_CONTENT
def tables(name: str | None, content: tuple[Path, ...]) -> None:
    """List the tables and views there are, or the columns of one."""
    from logsift.authoring.reference import describe_table, list_tables

    click.echo(describe_table(_catalog(content), name) if name else list_tables(_catalog(content)))


@main.command()
@click.argument("name", required=False)
@_CONTENT
def rules(name: str | None, content: tuple[Path, ...]) -> None:
    """List the rules there are, or explain one."""
    from logsift.authoring.reference import describe_rule, list_rules

    click.echo(describe_rule(_catalog(content), name) if name else list_rules(_catalog(content)))


@main.command()
@click.argument("seed")
@click.argument("key", required=False)
@_CONTENT
def lookup(seed: str, key: str | None, content: tuple[Path, ...]) -> None:
    """Look up KEY in a catalogue of the content: logsift lookup xid 79."""
    from logsift.authoring.reference import look_up

    click.echo(look_up(_catalog(content), seed, key))


@main.command()
@click.argument("place", metavar="FILE:LINE")
@_CONTENT
def explain(place: str, content: tuple[Path, ...]) -> None:
    """Say what becomes of one line: needle, envelope, pattern, row - or why not."""
    from logsift.authoring.explain import explain as explained

    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise click.UsageError("say FILE:LINE, for example train.log:120")
    _say(explained(Path(file), int(line), _catalog(content)))


@main.command()
@click.argument("folder", type=_PATH, required=False)
@click.option(
    "--fixtures",
    type=_PATH,
    metavar="DIR",
    help="Also analyse the cases in DIR, or the case that DIR is (default: FOLDER/fixtures). A second for each.",
)
def check(folder: Path | None, fixtures: Path | None) -> None:
    """Check content: samples, rejects, shadowing, needles, names, SQL, words - and with fixtures, what reports say.

    FOLDER holds parsers/ and rules/ to check with the built-in.
    """
    from logsift.authoring.lint import check as lint

    catalog = _catalog((folder,) if folder else ())
    if errors := lint(catalog):
        raise ContentErrors(errors)
    patterns = sum(len(g.patterns) for g in catalog.grammars)
    click.echo(f"content is sound: {len(catalog.grammars)} grammars, {patterns} patterns, {len(catalog.rules)} rules")
    if folder and not fixtures and not _is_built_in(folder) and (folder / "fixtures").is_dir():
        fixtures = folder / "fixtures"
    if fixtures:
        from logsift.authoring.cases import cases_in, failures

        cases = cases_in(fixtures)
        if errors := [e for case in cases for e in failures(case, catalog)]:
            raise ContentErrors(errors)
        click.echo(f"fixtures hold: {len(cases)}")


@main.command()
@click.argument("folder", type=_PATH, required=False)
def docs(folder: Path | None) -> None:
    """Write the generated references of the content (FOLDER/parsers/README.md, parsers/schema.json, rules/README.md)."""
    from logsift.authoring.reference import write
    from logsift.content.locate import built_in

    for path in write(_catalog((folder,) if folder else ()), folder or Path(str(built_in()))):
        click.echo(f"wrote {path}", err=True)


def _say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print what may quote a log or name a file: nothing of it acts upon the terminal."""
    from logsift.report.inert import lines

    click.echo(lines(text), err=err, nl=nl)


def _catalog(content: tuple[Path, ...]) -> Catalog:
    from logsift.content.load import default_roots, load_catalog

    for folder in content:
        if not folder.is_dir():
            raise UserError(f"no such content folder: {folder}")
    return load_catalog(*default_roots(), *(c for c in content if not _is_built_in(c)))


def _is_built_in(folder: Path) -> bool:
    """True for the folder that logsift's own content is in: a checkout."""
    from logsift.content import locate

    return folder.resolve() == Path(str(locate.built_in())).resolve()


def _analysis(run: Runs, db: Path | None, content: tuple[Path, ...]) -> Analysis:
    from logsift.report.progress import reading
    from logsift.run import analyze as run_analysis

    follow = click.get_current_context().meta.get("follow", False)
    with reading() as progress:
        return run_analysis(run, db=db, catalog=_catalog(content), progress=progress, follow=follow)


def _rendered(analysis: Analysis, to: str, form: str | None = None) -> str:
    if to == "json":
        from logsift.report import json as rendering

        return rendering.render(analysis)
    if to == "html":
        from logsift.report import html

        return html.render(analysis)
    from logsift.report import markdown

    return markdown.render(analysis, form)


if __name__ == "__main__":
    main()
