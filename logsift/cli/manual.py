"""The manual page, logsift.1, made of the help of all commands and of their examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from logsift import __version__
from logsift.cli.examples import examples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from logsift.cli.group import Commands

_EXIT = {
    "0": "done, whatever was found",
    "1": "only with --fail-on: there is an incident of that severity or worse",
    "2": "the command or the content is wrong, or nothing can be read or written",
    "3": "a fault of logsift itself: please report it",
    "10, 11, 12": "only of logsift next --exit-code: restart without hosts, stop, unknown",
    "130, 143": "stopped",
}
_FILES = {
    "RUN/logsift.duckdb": "all that was found in RUN; may be deleted",
    "~/.config/logsift/": "parsers/ and rules/ of your own",
    "~/.cache/logsift/": "what can be made again ($XDG_CACHE_HOME)",
}


def manual(main: Commands) -> str:
    """The page in the language of man(7)."""
    about = (main.help or "").partition("\n")[0]
    out = [
        f'.TH LOGSIFT 1 "" "logsift {__version__}" "User Commands"',
        ".SH NAME",
        f"logsift \\- {_text(about[0].lower() + about[1:].partition(':')[0])}",
        ".SH SYNOPSIS",
        ".B logsift",
        _text("RUN... [OPTIONS]"),
        ".br",
        ".B logsift",
        _text("COMMAND [OPTIONS] [ARGUMENTS]"),
        ".SH DESCRIPTION",
        _text("Reads what a distributed training job left behind and names the root cause, the rank and host, with the lines that"
              " prove it. Offline."),
        ".PP",
        _text("RUN is a directory, a file, a tar or zip, a database or bundle that was sent, one of these in a store (s3://…), or"
              " - for the standard input. logsift RUN is short for logsift analyze RUN. logsift guide has pages on hangs, memory, losses and hardware."),
        ".SH COMMANDS",
    ]  # fmt: skip
    root = click.Context(main, info_name="logsift")
    for title, names in main.sections.items():
        out += [f".SS {_text(title)}"]
        for name in names:
            out += _command(root, main.commands[name], name)
    out += [".SH EXAMPLES", *_examples("logsift")]
    for heading, entries in (("EXIT STATUS", _EXIT), ("FILES", _FILES)):
        out += [f".SH {heading}", *_list(entries)]
    return "\n".join(out) + "\n"


def _command(above: click.Context, command: click.Command, name: str) -> Iterator[str]:
    ctx = click.Context(command, info_name=name, parent=above)
    path = ctx.command_path.removeprefix("logsift ")
    yield ".TP"
    yield f".B logsift {_text(path)} {_text(' '.join(command.collect_usage_pieces(ctx)))}"
    yield from _paragraphs(command.help or "")
    records = [
        r
        for p in command.get_params(ctx)
        if (r := p.get_help_record(ctx)) and isinstance(p, click.Option) and p.name != "help"
    ]
    yield ".RS"
    yield from _list(dict(records))
    yield from _examples(path)
    yield ".RE"
    if isinstance(command, click.Group):
        for sub, inner in command.commands.items():
            yield from _command(ctx, inner, sub)


def _examples(name: str) -> Iterator[str]:
    lines = [f"{line}\n{'':8}{about}" for line, about in examples()[name].items()]
    yield ".PP"
    yield ".nf"
    yield from (_text(part) for line in lines for part in line.splitlines())
    yield ".fi"


def _list(entries: Mapping[str, str]) -> Iterator[str]:
    for name, about in entries.items():
        yield from (".TP", f".B {_text(name)}", _text(about))


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.replace("\b", "").split("\n\n")):
        if number:
            yield ".IP"
        yield _text(" ".join(paragraph.split()))


def _text(text: str) -> str:
    """Text that is no request: a point or an apostrophe begins one, a backslash is an escape, a minus is to be pasted."""
    shown = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown
