"""Scripts for the places where jobs run; each is a file here, its first line of comment says what it does."""

from __future__ import annotations

from importlib.resources import files

from logsift.errors import UserError, offered

_SUFFIXES = (".sh", ".yaml", ".dockerfile")


def recipes() -> dict[str, str]:
    """Name -> text of every recipe, by name."""
    found = (f for f in files(__name__).iterdir() if f.name.endswith(_SUFFIXES))
    return {f.name.rpartition(".")[0]: f.read_text(encoding="utf-8") for f in sorted(found, key=lambda f: f.name)}


def recipe(name: str) -> str:
    """The text of one recipe.

    Raises:
        UserError: there is none of that name.
    """
    known = recipes()
    if name not in known:
        raise UserError(f"no recipe {name!r}{offered(name, known)}")
    return known[name]


def listed() -> str:
    """A line for each recipe: its name, and what it does."""
    known = recipes()
    wide = max(map(len, known))
    return "\n".join(f"{name:<{wide}}  {_about(text)}" for name, text in known.items())


def _about(text: str) -> str:
    return next(line[2:] for line in text.splitlines() if line.startswith("# "))
