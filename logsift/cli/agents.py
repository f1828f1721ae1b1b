"""What programs and coding agents ask for: the schema of the document, a server of the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from logsift.cli.common import CONTENT, PATH, catalog_of
from logsift.cli.examples import Shown
from logsift.errors import UserError


@click.command(cls=Shown)
def schema() -> None:
    """Print the JSON Schema of the document of --format json."""
    from logsift.report.inert import to_json
    from logsift.report.schema import schema as made

    click.echo(to_json(made()))


@click.command(cls=Shown)
@click.option("--root", type=PATH, default=Path(), show_default="the working directory", metavar="DIR",
              help="Only runs below DIR are read, links followed.")  # fmt: skip
@CONTENT
def mcp(root: Path, content: tuple[Path, ...]) -> None:
    """Serve coding agents over the Model Context Protocol, on the standard input and output.

    Four tools that only read (diagnose, evidence, sql, tables); rules and the schema of the document as resources.
    Agents start it themselves: {"mcpServers": {"logsift": {"command": "logsift", "args": ["mcp", "--root", "/scratch/runs"]}}}
    in .mcp.json.
    """
    if not root.is_dir():
        raise UserError(f"no such directory: {root}")
    try:
        import mcp as _  # noqa: F401 - whether it is there
    except ImportError:
        raise UserError("the official SDK is not installed: pip install 'logsift-train[mcp]'") from None
    from logsift.agents.server import server

    server(root.resolve(), catalog_of(content)).run("stdio")
