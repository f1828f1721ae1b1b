"""What is there to be read or taken along: pages of the guide, scripts for the places where jobs run."""

from __future__ import annotations

import shutil
import sys

import click

from logsift.cli.common import offers, say
from logsift.cli.examples import Shown


def _topics() -> tuple[str, ...]:
    from logsift.guide import TOPICS

    return TOPICS


def _recipes() -> list[str]:
    from logsift.recipes import recipes

    return sorted(recipes())


@click.command(cls=Shown)
@click.argument("topic", required=False, shell_complete=offers(_topics))
@click.option("--man", is_flag=True, help="Print the manual, logsift.1, in man's own language.")
def guide(topic: str | None, man: bool) -> None:
    """Read a page of the guide - a hang, memory, a loss, hardware, what to collect - or list those there are."""
    from logsift.guide import listed, page

    if man:
        from logsift.cli.group import Commands
        from logsift.cli.manual import manual

        main = click.get_current_context().find_root().command
        assert isinstance(main, Commands)
        click.echo(manual(main), nl=False)
    elif topic is None:
        say(listed())
    elif sys.stdout.isatty():
        click.echo_via_pager(_drawn(page(topic)), color=True)
    else:
        click.echo(page(topic), nl=False)


def _drawn(text: str) -> str:
    """Markdown for a terminal; what commands print keeps its lines."""
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    width = shutil.get_terminal_size().columns
    out = Console(file=io.StringIO(), force_terminal=True, width=min(width, 100))
    out.print(Markdown(text, code_theme="bw", hyperlinks=False))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@click.command(cls=Shown)
@click.argument("name", required=False, shell_complete=offers(_recipes))
def recipe(name: str | None) -> None:
    """Print a script for a place where jobs run - a scheduler, a launcher, a build - or list those there are."""
    from logsift.recipes import listed, recipe

    say(recipe(name) if name else listed(), nl=not name, whole=bool(name))
