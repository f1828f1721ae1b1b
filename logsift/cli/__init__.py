"""The command line: thin, no logic. Heavy modules are imported in the commands that use them."""

from __future__ import annotations

import click

from logsift.cli.agents import mcp, schema
from logsift.cli.ask import sql, tables
from logsift.cli.compare import diff, history
from logsift.cli.content import check, docs, explain, lookup, new, rules
from logsift.cli.group import Commands
from logsift.cli.live import capture, watch
from logsift.cli.look import export, plot, stacks, timeline, unread
from logsift.cli.pages import guide, recipe
from logsift.cli.shares import map_, reduce
from logsift.cli.verdict import analyze, bundle, next_, ranks, report, show


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="logsift-train")
def main() -> None:
    """Name the root cause of a failed distributed training run: logsift RUN."""


for title, commands in {
    "The verdict": (analyze, show, ranks, next_),
    "To hand on": (report, bundle, export),
    "Around it": (timeline, stacks, plot, unread),
    "Questions": (sql, tables, lookup, rules),
    "Jobs that run": (capture, watch),
    "On many machines": (map_, reduce),
    "Several runs": (diff, history),
    "Programs and agents": (schema, mcp),
    "Your own content": (new, explain, check, docs),
    "To read": (guide, recipe),
}.items():
    for command in commands:
        main.add_command(command)
    main.sections[title] = [command.name or "" for command in commands]
