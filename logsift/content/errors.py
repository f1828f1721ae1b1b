"""What is said about wrong content: every mistake at once, each with its place, its line and a help."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from logsift.errors import UserError

_SECTION = re.compile(r"\[{1,2}[A-Za-z_][A-Za-z0-9_.]*\]{1,2}\s*(?:#.*)?")
_SHOWN = 200
"""So much of a line is shown; a caret behind it would point at nothing."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a definition is: the file below the content folder `root` ("" for the built-in one), and its line (1-based)."""

    path: str
    line: int
    root: str = ""

    def __str__(self) -> str:
        return f"{Path(self.root) / self.path}:{self.line}"

    def lines(self) -> list[str]:
        """The lines of the file, none where it can't be read any more."""
        from logsift.content.locate import built_in

        root = Path(self.root) if self.root else built_in()
        try:
            return root.joinpath(self.path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return []

    def at(self, key: str) -> Origin:
        """The line of a key in the section that begins here; the section's own where it has none."""
        lines = self.lines()
        wanted = re.compile(rf"\s*\[{{0,2}}[\"']?{re.escape(key)}\b")
        in_section = bool(_SECTION.match(lines[self.line - 1])) if self.line <= len(lines) else False
        for n, line in enumerate(lines[self.line - (not in_section) :], self.line + in_section):
            if wanted.match(line):
                return replace(self, line=n)
            if in_section and _SECTION.match(line):
                break
        return self

    def section(self, header: str, nth: int) -> Origin:
        """The line of the nth `header` ([[step]], counted from 0) below; this place where there is none."""
        found = [n for n, line in enumerate(self.lines(), 1) if n >= self.line and line.strip() == header]
        return replace(self, line=found[nth]) if nth < len(found) else self


@dataclass(frozen=True, slots=True)
class ContentError:
    """One mistake in a grammar, view, seed or rule.

    `key` is the key of the section at `origin` that is wrong; `note` a text that explains it: a sample, what is left of it.
    """

    origin: Origin
    text: str
    help: str = ""
    note: str = ""
    key: str = ""

    def __str__(self) -> str:
        place = self.origin.at(self.key) if self.key else self.origin
        out = [f"error: {self.text}", f"  --> {place}", *self._quoted(place)]
        if self.note:
            out.append(f"   = note: {self.note.strip()[:_SHOWN]}")
        if self.help:
            out.append(f"   = help: {self.help}")
        return "\n".join(out)

    def _quoted(self, place: Origin) -> list[str]:
        """The line of the file, with carets under the key."""
        lines = place.lines()
        if not (0 < place.line <= len(lines)) or not re.search(r"\w", line := lines[place.line - 1].rstrip()):
            return []
        found = re.search(rf"\b{re.escape(self.key)}\b", line[:_SHOWN]) if self.key else None
        start, end = found.span() if found else (len(line) - len(line.lstrip()), min(len(line), _SHOWN))
        number = str(place.line)
        bar = f"{' ' * len(number)} |"
        return [f" {bar}", f" {number} | {line[:_SHOWN]}", f" {bar} {' ' * start}{'^' * (end - start)}"]


class ContentErrors(UserError):
    """All mistakes found in the content; its text is what the user reads."""

    def __init__(self, errors: list[ContentError]) -> None:
        self.errors = tuple(sorted(errors, key=lambda e: (e.origin.path, e.origin.line, e.text)))
        super().__init__("\n".join(str(e) for e in self.errors))
