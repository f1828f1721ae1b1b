"""How a watch is shown: a live table and lines above it, plain lines where that is no terminal, or lines of JSON."""

from __future__ import annotations

import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Self

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from logsift.errors import UserError
from logsift.report.inert import line, to_json

if TYPE_CHECKING:
    from types import TracebackType

    from logsift.analysis import Analysis
    from logsift.live.watch import Event, Row, Watch

_COLOUR = {"critical": "red", "warning": "yellow", "silence": "magenta", "resumed": "green", "file": "dim"}
_ROWS = 24
"""The table shows at most so many ranks, those that stand out first."""
_COMMAND_SECONDS = 60
_SHOW_SECONDS = 1.0


class _Output:
    """Tells events, and gives those of incidents to a command."""

    def __init__(self, on_incident: str | None) -> None:
        self._command = shlex.split(on_incident) if on_incident else []
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown()

    def tell(self, event: Event) -> None:
        """Tell an event."""
        if self._command and event.kind in ("incident", "silence"):
            # The event goes in as data: nothing that a log says becomes part of a command.
            self._pool.submit(self._run, to_json(event.line(), None))

    def show(self, watch: Watch) -> None:
        """Show how the ranks are."""

    def end(self, analysis: Analysis | None) -> None:
        """Show the verdict."""

    def _run(self, document: str) -> None:
        try:
            done = subprocess.run(
                self._command, input=document, text=True, timeout=_COMMAND_SECONDS, check=False, capture_output=True
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            click.echo(f"logsift: --on-incident: {e}", err=True)
            return
        if done.returncode:
            click.echo(f"logsift: --on-incident: {self._command[0]} ended with {done.returncode}", err=True)


class JsonLines(_Output):
    """Every event as a line of JSON; the last is the verdict."""

    def tell(self, event: Event) -> None:
        """Print an event."""
        super().tell(event)
        click.echo(to_json(event.line(), None))
        sys.stdout.flush()

    def end(self, analysis: Analysis | None) -> None:
        """Print the whole document, on one line."""
        from logsift.report import json

        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        root = analysis.root if analysis else None
        found = {"event": "verdict", "at": at, "said": root.summary if root else "no root cause so far"}
        click.echo(to_json({**found, "document": json.plain_document(analysis) if analysis else None}, None))


class Screen(_Output):
    """A table of ranks that is drawn anew, with what happened above it."""

    def __init__(self, on_incident: str | None) -> None:
        super().__init__(on_incident)
        self._console = Console()
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True) if self._console.is_terminal else None
        )
        self._shown = float("-inf")

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        if self._live:
            self._live.stop()
        super().__exit__(kind, e, trace)

    def tell(self, event: Event) -> None:
        """Print an event above the table."""
        super().tell(event)
        severity = str(event.fields.get("severity", event.kind))
        name = str(event.fields.get("rule", event.kind))
        text = Text(f"{event.at:%H:%M:%S}  ")
        text.append(f"{name}  ", style=_COLOUR.get(severity, ""))
        text.append(line(event.said))
        self._console.print(text)
        for proof in event.fields.get("evidence", [])[:1]:
            self._console.print(
                Text(
                    line(f"          {proof['path']}:{proof['line']}  {proof['text']}"),
                    style="dim",
                    overflow="ellipsis",
                )
            )

    def show(self, watch: Watch) -> None:
        """Draw the table."""
        if self._live and monotonic() - self._shown >= _SHOW_SECONDS:
            self._live.update(table(watch.ranks()), refresh=True)
            self._shown = monotonic()

    def end(self, analysis: Analysis | None) -> None:
        """Show the verdict so far as `logsift RUN` does."""
        from logsift.report.terminal import show

        if self._live:
            self._live.stop()
        if analysis is None:
            raise UserError("nothing was read")
        show(analysis, kept=False)


def table(rows: list[Row]) -> Table:
    """Ranks as they are now, those that stand out first where they are many."""
    drawn = Table(box=None, pad_edge=False, expand=True)
    for name, right in (
        ("rank", True),
        ("host", False),
        ("step", True),
        ("lag", True),
        ("s/step", True),
        ("loss", True),
        ("silent", True),
    ):
        drawn.add_column(name, justify="right" if right else "left", no_wrap=True)
    drawn.add_column("last word", no_wrap=True, overflow="ellipsis", ratio=1)
    odd = sorted(rows, key=lambda r: (-(r.lag or 0), -r.silent))[:_ROWS]
    for r in sorted(odd, key=lambda r: (r.rank is None, r.rank or 0)):
        drawn.add_row(
            "-" if r.rank is None else str(r.rank), line(r.host), _number(r.step), _number(r.lag), _number(r.step_seconds),
            _number(r.loss), f"{r.silent:.0f} s", Text(line(r.word)),
        )  # fmt: skip
    if len(rows) > len(odd):
        drawn.caption = f"{len(rows) - len(odd)} more ranks are no further behind"
    return drawn


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}" if abs(value) < 1e5 else f"{value:.0f}"
