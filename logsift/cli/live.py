"""Jobs that are still running."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from logsift.cli.common import CONTENT, PATH, catalog_of, say
from logsift.cli.examples import Shown
from logsift.errors import UserError


@click.command(cls=Shown)
@click.option("-o", "--output", type=PATH, default=Path("capture"), show_default=True, metavar="RUN",
              help="The run directory; nodes may share it, and logs may be in it already.")  # fmt: skip
@click.option("--pid", type=int, multiple=True, help="This process; may be repeated.")
@click.option("--torchrun", is_flag=True, help="Only what torchrun started.")
@click.option("--slurm", metavar="JOBID", help="Only this job.")
@click.option("--pod", metavar="NAME", help="Only this pod, by name or uid.")
@click.option("--native", is_flag=True, help="Native frames too; processes stand still for longer.")
@click.option("--no-strace", "trace", is_flag=True, flag_value=False, default=True, help="Trace no system calls.")
@click.option("--seconds", type=click.FloatRange(5, 3600), default=60, show_default=True, help="Not longer than this.")
@click.option("--how", is_flag=True, help="Print the commands that capture all nodes of a job, and do nothing.")
def capture(
    output: Path, pid: tuple[int, ...], torchrun: bool, slurm: str | None, pod: str | None, native: bool, trace: bool,
    seconds: float, how: bool,
) -> None:  # fmt: skip
    """Write down what the training processes of this node are doing: stacks twice, /proc, system calls, GPUs, kernel log."""
    run = shlex.quote(str(output.absolute()))
    if how:
        from logsift.live.how import how as commands

        say(commands(run), nl=False, whole=True)
        return
    from logsift.live.capture import capture as take
    from logsift.live.capture import told
    from logsift.live.processes import training

    ranks = training(pids=pid, torchrun=torchrun, job=slurm, pod=pod)
    captured = take(
        output,
        ranks,
        seconds=seconds,
        native=native,
        trace=trace,
        progress=lambda word: say(f"capturing {word}", err=True),
    )
    say(told(captured) + f"\nlogsift {run}")


@click.command(cls=Shown)
@click.argument("growing", metavar="RUN", type=PATH)
@click.option(
    "--on-incident", metavar="CMD", help="Run CMD for every incident; it gets the event as JSON on its standard input."
)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each event, and the verdict at the end.")
@CONTENT
def watch(growing: Path, on_incident: str | None, as_json: bool, content: tuple[Path, ...]) -> None:
    """Follow the logs of RUN while the job runs: a table of ranks, incidents as they come; Ctrl-C ends with the verdict so far."""
    from logsift.live.display import JsonLines, Screen
    from logsift.live.watch import watch as follow

    if not growing.exists():
        raise UserError(f"no such file or directory: {growing}")
    screen = JsonLines(on_incident) if as_json else Screen(on_incident)
    with screen:
        follow(growing, catalog_of(content), screen.tell, screen.show, done=screen.end)
