"""The command line: thin, no logic. Heavy modules are imported in the commands that use them."""

from __future__ import annotations

import sys
from pathlib import Path

import click


class _Commands(click.Group):
    """A group whose first argument may also be a run directory: `logsift RUN` is `logsift analyze RUN`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((a for a in args if not a.startswith("-")), None)
        if first is not None and first not in self.commands and not (args[0] in {"--help", "--version"}):
            args = ["analyze", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="logsift-train")
def main() -> None:
    """Name the root cause of a failed distributed training run: logsift RUN."""


@main.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--format", "to", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@click.option("--db", type=click.Path(path_type=Path), help="Where the database goes (default: RUN/logsift.duckdb).")
@click.option("--content", type=click.Path(path_type=Path, exists=True), multiple=True, help="A folder with more parsers/ and rules/.")
@click.option("--fail-on", type=click.Choice(["info", "warning", "critical"]), help="Exit 1 where an incident of that severity or worse stands.")
def analyze(run: Path, to: str, db: Path | None, content: tuple[Path, ...], fail_on: str | None) -> None:
    """Read RUN and say what went wrong, who, and what to do."""
    from logsift.analyze import analyze as run_analysis
    from logsift.content.catalog import default_roots, load_catalog
    from logsift.report import json as as_json

    analysis = run_analysis(run, db=db, catalog=load_catalog(*default_roots(), *content))
    click.echo(as_json.render(analysis))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True), required=False)
def check(folder: Path | None) -> None:
    """Check content: samples, rejects, shadowing, names, SQL. FOLDER holds parsers/ and rules/ to check with the built-in."""
    from logsift.content.catalog import default_roots, load_catalog
    from logsift.content.check import check as lint
    from logsift.content.errors import ContentErrors

    roots = (*default_roots(), folder) if folder else default_roots()
    if errors := lint(load_catalog(*roots)):
        raise ContentErrors(errors)
    click.echo("content is sound")


@main.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.argument("query")
def sql(run: Path, query: str) -> None:
    """Ask the tables of RUN a question in SQL."""
    from logsift.analyze import analyze as run_analysis

    store = run_analysis(run).store
    store.seal()
    click.echo(store.con.sql(query))


if __name__ == "__main__":
    sys.exit(main())
