"""What commands share: their options, and the way from what was typed to an analysis and back to a screen."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from logsift.errors import UserError
from logsift.remote import place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from logsift.analysis import Analysis
    from logsift.content.model import Catalog


class _Place(click.Path):
    """A path, or the URL of a place in a store."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401 - as click
        return value if isinstance(value, Path) else place(value)


PATH = _Place(path_type=Path)
CONTENT = click.option(
    "--content",
    type=PATH,
    multiple=True,
    metavar="DIR",
    help="A folder with more parsers/ and rules/; may be repeated.",
)
DB = click.option("--db", type=PATH, metavar="PATH", help="Where the database goes (default: RUN/logsift.duckdb).")
Runs = tuple[Path, ...]


def offers(names: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """What a shell offers to complete a word that is one of some names."""
    return lambda ctx, param, begun: [name for name in names() if name.startswith(begun)]


def _noted(ctx: click.Context, option: click.Parameter, value: object) -> None:
    """Keep an option's value for `analysis_of`: no command looks at it."""
    ctx.meta[str(option.name)] = value


FOLLOW = click.option(
    "--follow",
    is_flag=True,
    expose_value=False,
    help="Read files outside of RUN that links in it lead to.",
    callback=_noted,
)


def RUN(command: Any) -> Any:  # noqa: ANN401 - one of click's decorators
    """What a command reads: several are one job."""
    return click.argument("run", metavar="RUN...", type=PATH, nargs=-1, required=True)(FOLLOW(command))


def REDACT(command: Any) -> Any:  # noqa: ANN401 - one of click's decorators
    """What others may see of a run."""
    redact = click.option(
        "--redact",
        is_flag=True,
        expose_value=False,
        help="Without secrets; with other names for people, machines, addresses, folders and buckets.",
        callback=_noted,
    )
    return redact(REDACT_TABLE(command))


def REDACT_TABLE(command: Any) -> Any:  # noqa: ANN401 - one of click's decorators
    """Where it is written what became of what."""
    return click.option(
        "--redact-table",
        type=PATH,
        metavar="FILE",
        expose_value=False,
        help="Redact, and write what became of every name into FILE, for your own eyes.",
        callback=_noted,
    )(command)


def say(text: str, *, err: bool = False, nl: bool = True, whole: bool = False) -> None:
    """Print what may quote a log or name a file: nothing of it acts upon the terminal, whose width its lines keep.

    `whole` leaves lines as long as they are: scripts, documents, rows.
    """
    from logsift.report.inert import lines

    text = lines(text)
    if not whole and (sys.stderr if err else sys.stdout).isatty():
        from logsift.report.fold import folded

        text = folded(text, shutil.get_terminal_size().columns)
    click.echo(text, err=err, nl=nl)


def catalog_of(content: tuple[Path, ...]) -> Catalog:
    """The built-in content, the user's own, and these folders.

    Raises:
        UserError: there is no such folder.
        ContentErrors: what is in them is wrong.
    """
    from logsift.content.load import default_roots, load_catalog

    for folder in content:
        if not folder.is_dir():
            raise UserError(f"no such content folder: {folder}")
    return load_catalog(*default_roots(), *(c for c in content if not is_built_in(c)))


def is_built_in(folder: Path) -> bool:
    """True for the folder that logsift's own content is in: a checkout."""
    from logsift.content import locate

    return folder.resolve() == Path(str(locate.built_in())).resolve()


def analysis_of(run: Runs, db: Path | None, content: tuple[Path, ...], engine: str = "local") -> Analysis:
    """What was given, analysed, with a bar of progress on a terminal."""
    from logsift.report.progress import reading
    from logsift.run import Beside
    from logsift.run import analyze as run_analysis

    meta = click.get_current_context().meta
    meta["run"] = run
    follow = meta.get("follow", False)
    with reading() as progress:
        if engine == "ray":
            from logsift.engines.ray import analyze_on_ray

            analysis = analyze_on_ray(run, catalog_of(content), db=db, progress=progress, follow=follow)
        else:
            analysis = run_analysis(
                run, db=db or Beside.RUN, catalog=catalog_of(content), progress=progress, follow=follow
            )
    return for_others(analysis)


def for_others(analysis: Analysis) -> Analysis:
    """The analysis, redacted where that was asked for."""
    ctx = click.get_current_context()
    meta = ctx.meta
    if not (meta.get("redact") or meta.get("redact_table")):
        return analysis
    from logsift.report.redacted import redacted, write_table

    shown = redacted(analysis, hardware=ctx.params.get("form") == "nvidia")
    if table := meta.get("redact_table"):
        ctx.call_on_close(lambda: write_table(shown.redactor, table))  # once everything was named
    return shown
