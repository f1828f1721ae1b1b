"""Examples of every command, as its help shows them: from examples.toml, read only when help is asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

_WIDE = 46
"""Characters of a line of shell beside which there is room for what it is for."""


def examples() -> Mapping[str, Mapping[str, str]]:
    """Command, `logsift` for none -> lines of shell, each with what it is for."""
    import tomllib
    from importlib.resources import files

    text = (files("logsift.cli") / "examples.toml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(text)
    return found


def of(ctx: click.Context) -> Mapping[str, str]:
    """The examples of the command that a context is of."""
    names = []
    while ctx.parent:
        names.append(ctx.info_name or "")
        ctx = ctx.parent
    return examples().get(" ".join(reversed(names)) or "logsift", {})


class Shown(click.Command):
    """A command whose help ends with examples."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """Its first sentence up to its first mark, and where it is too long to a comma."""
        said = " ".join((self.help or "").partition("\n\n")[0].split()).rstrip(".")
        if mark := re.search(r"[:;] | - | \(", said):
            return said[: mark.start()]
        cuts = [m.start() for m in re.finditer(", ", said) if m.start() <= limit]
        return said if len(said) <= limit or not cuts else said[: cuts[-1]]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them below the options."""
        lines = of(ctx)
        if not lines:
            return
        wide = max(map(len, lines))
        with formatter.section("Examples"):
            for line, about in lines.items():
                said = f"{line:<{wide}}  {about}" if wide <= _WIDE else f"{line}\n{'':8}{about}"
                formatter.write(f"{'':{formatter.current_indent}}{said}\n")


class ShownGroup(Shown, click.Group):
    """A group whose help ends with examples."""
