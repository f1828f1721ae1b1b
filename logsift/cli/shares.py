"""A run read in shares, by as many processes or machines as there are, and judged by one."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click

from logsift.cli.common import CONTENT, PATH, REDACT, RUN, Runs, catalog_of, for_others, say
from logsift.cli.examples import Shown
from logsift.cli.verdict import FAIL_ON, FORMAT, VERBOSE, tell

if TYPE_CHECKING:
    from pathlib import Path


class _Shard(click.ParamType[tuple[int, int]]):
    name = "K/N"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", value)
        if found and 1 <= (shard := int(found[1])) <= (of := int(found[2])):
            return shard, of
        self.fail(f"{value!r} is no share: say 1/64 to 64/64 for 64 of them", param, ctx)


@click.command("map", cls=Shown)
@RUN
@click.option("--shard", type=_Shard(), default="1/1", show_default=True, help="Which share, of how many.")
@click.option(
    "-o", "--output", type=PATH, required=True, metavar="DIR", help="Where parts go; all shares have the same."
)
@click.option("--every-row", is_flag=True, help="Keep also the rows that no rule needs (millions of equal lines).")
@CONTENT
def map_(run: Runs, shard: tuple[int, int], output: Path, every_row: bool, content: tuple[Path, ...]) -> None:
    """Read one share of RUN into parts; `logsift reduce` makes the verdict of all. A share that died is mapped again."""
    from logsift.engines.mapping import map_share
    from logsift.report.progress import reading

    meta = click.get_current_context().meta
    meta["run"] = run
    with reading() as progress:
        done = map_share(
            run, output, catalog_of(content), *shard,
            follow=meta.get("follow", False), every_row=every_row, progress=progress,
        )  # fmt: skip
    was = "was there already" if done.done_before else f"{done.files} files, {done.bytes / 1e6:.1f} MB"
    say(f"share {shard[0]} of {shard[1]} in {output}: {was}", err=True)


@click.command(cls=Shown)
@click.argument("parts", metavar="DIR", type=PATH)
@click.option(
    "-o", "--output", type=PATH, metavar="PATH", help="Where the database goes (default: DIR/logsift.duckdb)."
)
@FORMAT
@CONTENT
@FAIL_ON
@VERBOSE
@REDACT
def reduce(
    parts: Path, output: Path | None, to: str, content: tuple[Path, ...], fail_on: str | None, verbose: bool
) -> None:
    """Say what went wrong in the run whose shares `logsift map` read into DIR. The logs are not needed."""
    from logsift.engines.reducing import reduce as united
    from logsift.report.progress import reading

    with reading() as progress:
        analysis = united(parts, catalog_of(content), db=output, progress=progress)
    if tell(for_others(analysis), to, fail_on, verbose=verbose):
        sys.exit(1)
