"""What is said about wrong content: every mistake at once, each with its place, its line and a help."""

from __future__ import annotations

from dataclasses import dataclass

from logsift.errors import UserError


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a definition is: the file as shown to people, and its line (1-based)."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class ContentError:
    """One mistake in a grammar, view, seed or rule."""

    origin: Origin
    text: str
    help: str = ""
    snippet: str = ""

    def __str__(self) -> str:
        out = [f"error: {self.text}", f"  --> {self.origin}"]
        if self.snippet:
            out.append(f"   |  {self.snippet.strip()[:200]}")
        if self.help:
            out.append(f"   = help: {self.help}")
        return "\n".join(out)


class ContentErrors(UserError):
    """All mistakes found in the content; its text is what the user reads."""

    def __init__(self, errors: list[ContentError]) -> None:
        self.errors = tuple(sorted(errors, key=lambda e: (e.origin.path, e.origin.line, e.text)))
        super().__init__("\n".join(str(e) for e in self.errors))
