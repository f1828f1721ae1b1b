"""Content: what it knows, whether it is sound, what becomes of a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from logsift.cli.common import CONTENT, PATH, catalog_of, is_built_in, offers, say
from logsift.cli.examples import Shown, ShownGroup
from logsift.content.errors import ContentErrors

if TYPE_CHECKING:
    from logsift.content.model import Catalog


def _rules() -> list[str]:
    return sorted(rule.id for rule in catalog_of(()).rules)


@click.command(cls=Shown)
@click.argument("name", required=False, shell_complete=offers(_rules))
@CONTENT
def rules(name: str | None, content: tuple[Path, ...]) -> None:
    """List the rules there are, or explain one."""
    from logsift.authoring.reference import describe_rule, list_rules

    say(describe_rule(catalog_of(content), name) if name else list_rules(catalog_of(content)))


@click.command(cls=Shown, context_settings={"ignore_unknown_options": True})  # -9 is a code
@click.argument("words", metavar="[CATALOGUE] KEY", nargs=-1)
@CONTENT
def lookup(words: tuple[str, ...], content: tuple[Path, ...]) -> None:
    """Say what a code, a name or a state means, by all catalogues.

    CATALOGUE, or a word of its name, says which is meant; alone it lists what is in it.
    """
    from logsift.ask.lookup import look_up

    say(look_up(catalog_of(content), words))


@click.command(cls=Shown)
@click.argument("place", metavar="FILE:LINE")
@CONTENT
def explain(place: str, content: tuple[Path, ...]) -> None:
    """Say what becomes of one line: needle, envelope, pattern, row - or why not."""
    from logsift.authoring.explain import explain as explained

    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise click.UsageError("say FILE:LINE, for example train.log:120")
    say(explained(PATH.convert(file, None, None), int(line), catalog_of(content)))


@click.command(cls=Shown)
@click.argument("folder", type=PATH, required=False)
@click.option(
    "--fixtures",
    type=PATH,
    metavar="DIR",
    help="Also analyse the cases in DIR, or the case that DIR is (default: FOLDER/fixtures). A second for each.",
)
@click.option("--write", is_flag=True, help="Fill in the rows of samples in FOLDER that state none, then check.")
def check(folder: Path | None, fixtures: Path | None, write: bool) -> None:
    """Check content: samples, rejects, shadowing, needles, names, SQL, words - and with fixtures, what reports say.

    FOLDER holds parsers/ and rules/ to check with the built-in.
    """
    from logsift.authoring.lint import check as lint

    catalog = catalog_of((folder,) if folder else ())
    if write:
        from logsift.authoring.new import fill_samples

        if folder is None:
            raise click.UsageError("--write changes the files of a FOLDER: name one")
        for path in fill_samples(folder, catalog):
            click.echo(f"wrote rows of samples into {path}: read them", err=True)
        catalog = catalog_of((folder,))
    if errors := lint(catalog, added=folder is not None and not is_built_in(folder)):
        raise ContentErrors(errors)
    grammars = [g for g in catalog.grammars if g.origin.root or not folder]
    patterns, own = sum(len(g.patterns) for g in grammars), [r for r in catalog.rules if r.origin.root or not folder]
    click.echo(f"content is sound: grammars {len(grammars)}, patterns {patterns}, rules {len(own)}")
    if folder and not fixtures and not is_built_in(folder) and (folder / "fixtures").is_dir():
        fixtures = folder / "fixtures"
    if fixtures:
        from logsift.authoring.cases import cases_in, failures

        cases = cases_in(fixtures)
        if errors := [e for case in cases for e in failures(case, catalog)]:
            raise ContentErrors(errors)
        click.echo(f"fixtures hold: {len(cases)}")


@click.command(cls=Shown)
@click.argument("folder", type=PATH, required=False)
def docs(folder: Path | None) -> None:
    """Write the generated references of the content (FOLDER/parsers/README.md, parsers/schema.json, rules/README.md)."""
    from logsift.authoring.reference import write
    from logsift.content.locate import built_in

    for path in write(catalog_of((folder,) if folder else ()), folder or Path(str(built_in()))):
        click.echo(f"wrote {path}", err=True)


@click.group(cls=ShownGroup)
def new() -> None:
    """Begin content of your own: a grammar from a log, a rule from its name."""


_INTO = click.option("-o", "--output", type=PATH, default=Path("content"), show_default=True, metavar="DIR",
                     help="The content folder, with parsers/ and rules/.")  # fmt: skip


@new.command(cls=Shown)
@click.argument("name")
@click.argument("log", type=click.File("rb"), default="-")
@_INTO
def parser(name: str, log: BinaryIO, output: Path) -> None:
    """Write DIR/parsers/NAME.toml: a pattern for each kind of line in LOG (or the standard input), the line as its sample."""
    from logsift.authoring import new as begin

    text = begin.parser(name, begin.lines_given(iter(lambda: log.read(1 << 20), b"")), _beside(output))
    for path in begin.write(output, {f"parsers/{name}.toml": text}):
        say(f"wrote {path}: name its kinds and columns, leave out what you do not need, then: logsift check {output}")


@new.command(cls=Shown)
@click.argument("name", metavar="FAMILY.NAME")
@click.option("--table", metavar="TABLE", help="The table that it asks (default: that of the folder's own grammar).")
@_INTO
def rule(name: str, table: str | None, output: Path) -> None:
    """Write DIR/rules/FAMILY/NAME.sql, and two fixtures: where it fires and where it must not."""
    from logsift.authoring import new as begin

    catalog = _beside(output)
    own = [t.name for t in catalog.tables.values() if t.origin.root]
    asked = table or (own[0] if own else "")
    if not asked:
        raise click.UsageError("say --table TABLE; logsift tables lists them")
    text = begin.rule(name, asked, catalog)
    files = {f"rules/{name.replace('.', '/')}.sql": text, **begin.fixtures(name)}
    for path in begin.write(output, files):
        say(f"wrote {path}")
    say(f"say what is wrong in the query, fill in the logs of the fixtures, then: logsift check {output}")


def _beside(folder: Path) -> Catalog:
    return catalog_of((folder,) if folder.is_dir() else ())
