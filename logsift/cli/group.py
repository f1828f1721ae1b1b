"""The group of all commands: `logsift RUN` without a command, errors for people, ends by signals."""

from __future__ import annotations

import atexit
import gc
import io
import os
import shlex
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from logsift.cli.common import say
from logsift.cli.examples import ShownGroup
from logsift.content.errors import ContentErrors
from logsift.errors import UserError, meant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from click.shell_completion import CompletionItem


class Commands(ShownGroup):
    """A group whose first argument may also be a run directory: `logsift RUN` is `logsift analyze RUN`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*args, **kwargs)
        self.sections: dict[str, list[str]] = {}
        """Title of a part of the help -> its commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for."""
        wide = max(map(len, self.commands))
        room = formatter.width - wide - 6
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{n:<{wide}}", self.commands[n].get_short_help_str(room)) for n in names])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `analyze` in front of what is no command."""
        if args and args[0] not in self.commands and args[0] not in {"-h", "--help", "--version"}:
            if near := _meant(args[0], self.commands):
                raise click.UsageError(
                    f"no file, directory or command {args[0]!r}; did you mean `logsift {near}`?", ctx
                )
            args = ["analyze", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, or where none begins so, files and folders: a run may come first."""
        from click.shell_completion import CompletionItem

        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="file")]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - click's signature
        """What the console script calls: the process ends here."""
        try:
            return super().__call__(*args, **kwargs)
        except SystemExit as ended:
            _end(ended.code)
            raise

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run a command; what is the user's to mend is told in a line, with exit code 2, logsift's own fault with 3."""
        # Nearly all that is made stays until the end: to look for garbage as often as Python does costs a tenth of a small run.
        gc.set_threshold(100_000, 20, 50)
        # Nothing here multiplies matrices; the threads that would do it spin for 30 ms each when numpy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        _speak_any_encoding()
        with _stopped_by_signals() as stopped:
            try:
                return super().invoke(ctx)
            except (KeyboardInterrupt, SystemExit, Exception) as e:
                if isinstance(e.__context__ if isinstance(e, SystemExit) else e, BrokenPipeError):  # rich exits with 1
                    # Whoever read has enough, as `head` has; what is left in the buffer must not fail again at the end.
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                    ctx.exit(128 + signal.SIGPIPE)
                if isinstance(e, click.BadParameter) and (near := _nearest_choice(e)):
                    raise click.BadParameter(e.message + near, e.ctx, e.param, e.param_hint) from None
                if isinstance(e, (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit)):
                    raise
                # What a signal interrupts fails in ways of its own: DuckDB makes a RuntimeError of it.
                if stopped or isinstance(e, KeyboardInterrupt):
                    say("logsift: stopped, nothing is left behind", err=True)
                    ctx.exit(128 + (stopped or [2])[0])
                if told := _told(e):
                    say(told, err=True)
                    ctx.exit(2)
                say(_own_fault(ctx.meta.get("run", ()), bundles="bundle" in self.commands), err=True)
                ctx.exit(3)


def _end(code: object) -> None:
    """End the process at once: to take all objects apart that are still there costs a tenth of a small run.

    Where something cannot be written any more it is left to Python to say so.
    """
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else code is not None)


def _meant(word: str, commands: Collection[str]) -> str | None:
    """The command that somebody meant who wrote one word that is neither a command nor a place."""
    from difflib import get_close_matches
    from pathlib import Path

    if not word.isalpha() or len(word) > 2 * max(map(len, commands)) or Path(word).exists():
        return None
    return next(iter(get_close_matches(word, list(commands), 1, 0.7)), None)


def _nearest_choice(error: click.BadParameter) -> str:
    """The value that somebody meant who gave an option one that it does not take."""
    import re

    given = re.match(r"'(.*)' is not one of", error.message)
    kind = error.param.type if error.param else None
    near = meant(given[1], map(str, kind.choices), 1) if given and isinstance(kind, click.Choice) else ""
    return near.replace("; did", " Did")


def _speak_any_encoding() -> None:
    """What a stream cannot say is written by its number: a locale from before UTF-8 is no reason to say nothing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _stopped_by_signals() -> Iterator[list[int]]:
    """What asks a process to end ends it like Ctrl-C does, so that it cleans up; gives the signals that came."""
    import threading

    came: list[int] = []

    def stop(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield came
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


def _own_fault(run: Sequence[Path], *, bundles: bool) -> str:
    """What people are told of the fault that was raised: where it is, and how to report it."""
    import logging

    from logsift import __version__

    said = (
        f"logsift {__version__}: a fault of logsift itself, not of what it read. Please report it with the lines above"
    )
    if bundles and run:
        said += f", and with\n  logsift bundle {' '.join(shlex.quote(str(r)) for r in run)} -o issue.tar.zst"
    where = logging.Formatter().formatException(sys.exc_info())
    return f"{where}\n{said}"


def _told(error: Exception) -> str | None:
    """What people are told of an error that is theirs to mend, None where it is logsift's own."""
    if isinstance(error, ContentErrors):
        return str(error)
    # A query is the user's own in `sql` only, but a database that is locked or damaged concerns every command.
    asked = isinstance(error, (UserError, OSError)) or type(error).__module__.startswith(("duckdb", "_duckdb"))
    return f"logsift: {error}" if asked else None
