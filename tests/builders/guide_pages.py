"""The pages of the guide, and the walk through the README: what their commands print, run as written. `python tests/builders/guide_pages.py` writes it anew."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from logsift.cli import main
from logsift.guide import TOPICS

ROOT = Path(__file__).resolve().parents[2]
WALK = ROOT / "tests" / "guide" / "walk.md"
"""What the commands of the README print."""
_RUN = re.compile(r"^<!-- (\S+): (\S+) -->$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fresh(text: str) -> str:
    """The page with what its commands print today, run one after the other in the working directory.

    A comment `<!-- runs/42: fixtures/NAME -->` makes a run of a fixture, a path behind the language of a block a file.
    """
    for run, fixture in _RUN.findall(text):
        shutil.copytree(ROOT / fixture / "run", run)

    def block(found: re.Match[str]) -> str:
        language, path, body = found.groups()
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(body)
        if language != "console":
            return found[0]
        commands = [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ ")]
        return "\n".join(["```console", *(f"$ {c}\n{_printed(c)}".rstrip("\n") for c in commands), "```"])

    return _BLOCK.sub(block, text)


def _printed(command: str) -> str:
    """What a line of shell prints: a program, `< FILE`, `> FILE`, `| head -n N`."""
    words, _, head = command.partition(" | ")
    args = shlex.split(words)
    streams = {sign: args[args.index(sign) + 1] for sign in "<>" if sign in args}
    args = args[: min((args.index(sign) for sign in streams), default=len(args))]
    if args[0] == "logsift":
        given = Path(streams["<"]).read_bytes() if "<" in streams else None
        done = CliRunner().invoke(main, args[1:], input=given)
        assert done.exit_code == 0, done.output
        out = done.output
    elif args[0] == "python":
        with contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(args[1])
        out = said.getvalue()
    elif args[0] == "mkdir":
        Path(args[-1]).mkdir(parents=True)
        out = ""
    else:
        assert args[0] in ("head", "tail"), command
        lines, number = Path(args[3]).read_text().splitlines(keepends=True), int(args[2])
        out = "".join(lines[:number] if args[0] == "head" else lines[-number:])
    if ">" in streams:
        Path(streams[">"]).write_text(out)
        return ""
    kept = int(head.removeprefix("head -n ")) if head else None
    return "\n".join(line.rstrip() for line in out.splitlines()[:kept])


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


if __name__ == "__main__":
    for topic in sys.argv[1:] or (*TOPICS, "walk"):
        page = WALK if topic == "walk" else ROOT / "logsift" / "guide" / f"{topic}.md"
        with _elsewhere():
            text = fresh(page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")
