"""Content: what it knows, whether it is sound, what becomes of a line."""

from __future__ import annotations

from pathlib import Path

import click

from logsift.cli.common import CONTENT, PATH, catalog_of, is_built_in, say
from logsift.content.errors import ContentErrors


@click.command()
@click.argument("name", required=False)
@CONTENT
def rules(name: str | None, content: tuple[Path, ...]) -> None:
    """List the rules there are, or explain one."""
    from logsift.authoring.reference import describe_rule, list_rules

    click.echo(describe_rule(catalog_of(content), name) if name else list_rules(catalog_of(content)))


@click.command()
@click.argument("seed")
@click.argument("key", required=False)
@CONTENT
def lookup(seed: str, key: str | None, content: tuple[Path, ...]) -> None:
    """Look up KEY in a catalogue of the content: logsift lookup xid 79."""
    from logsift.authoring.reference import look_up

    click.echo(look_up(catalog_of(content), seed, key))


@click.command()
@click.argument("name", required=False)
def recipe(name: str | None) -> None:
    """Print a script for a place where jobs run - a scheduler, a launcher, a build - or list those there are."""
    from logsift.recipes import listed, recipe

    click.echo(recipe(name) if name else listed(), nl=not name)


@click.command()
@click.argument("place", metavar="FILE:LINE")
@CONTENT
def explain(place: str, content: tuple[Path, ...]) -> None:
    """Say what becomes of one line: needle, envelope, pattern, row - or why not."""
    from logsift.authoring.explain import explain as explained

    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise click.UsageError("say FILE:LINE, for example train.log:120")
    say(explained(Path(file), int(line), catalog_of(content)))


@click.command()
@click.argument("folder", type=PATH, required=False)
@click.option(
    "--fixtures",
    type=PATH,
    metavar="DIR",
    help="Also analyse the cases in DIR, or the case that DIR is (default: FOLDER/fixtures). A second for each.",
)
def check(folder: Path | None, fixtures: Path | None) -> None:
    """Check content: samples, rejects, shadowing, needles, names, SQL, words - and with fixtures, what reports say.

    FOLDER holds parsers/ and rules/ to check with the built-in.
    """
    from logsift.authoring.lint import check as lint

    catalog = catalog_of((folder,) if folder else ())
    if errors := lint(catalog):
        raise ContentErrors(errors)
    patterns = sum(len(g.patterns) for g in catalog.grammars)
    click.echo(f"content is sound: {len(catalog.grammars)} grammars, {patterns} patterns, {len(catalog.rules)} rules")
    if folder and not fixtures and not is_built_in(folder) and (folder / "fixtures").is_dir():
        fixtures = folder / "fixtures"
    if fixtures:
        from logsift.authoring.cases import cases_in, failures

        cases = cases_in(fixtures)
        if errors := [e for case in cases for e in failures(case, catalog)]:
            raise ContentErrors(errors)
        click.echo(f"fixtures hold: {len(cases)}")


@click.command()
@click.argument("folder", type=PATH, required=False)
def docs(folder: Path | None) -> None:
    """Write the generated references of the content (FOLDER/parsers/README.md, parsers/schema.json, rules/README.md)."""
    from logsift.authoring.reference import write
    from logsift.content.locate import built_in

    for path in write(catalog_of((folder,) if folder else ()), folder or Path(str(built_in()))):
        click.echo(f"wrote {path}", err=True)
