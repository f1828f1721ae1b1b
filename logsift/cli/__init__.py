"""The command line: thin, no logic. Heavy modules are imported in the commands that use them."""

from __future__ import annotations

import click

from logsift.cli.agents import mcp, schema
from logsift.cli.ask import sql, tables
from logsift.cli.compare import diff, history
from logsift.cli.content import check, docs, explain, lookup, new, recipe, rules
from logsift.cli.group import Commands
from logsift.cli.live import capture, watch
from logsift.cli.look import plot, stacks, timeline, unread
from logsift.cli.verdict import analyze, bundle, next_, ranks, report, show


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="logsift-train")
def main() -> None:
    """Name the root cause of a failed distributed training run: logsift RUN."""


for command in (
    *(analyze, show, ranks, next_, report, bundle),
    *(timeline, stacks, plot, unread),
    *(sql, tables),
    *(mcp, schema),
    *(capture, watch),
    *(diff, history),
    *(rules, lookup, explain, check, docs, new, recipe),
):
    main.add_command(command)
