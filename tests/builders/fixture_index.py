"""Writes fixtures/README.md, the index of all fixtures: python tests/builders/fixture_index.py."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
HEAD = """<!-- written by tests/builders/fixture_index.py; edit the case.toml of a fixture, not this page -->
# Fixtures

Every folder is a run directory with a known cause: `run/` holds the files as a job leaves them, `case.toml` says where they
come from (`source`), what happened (`note`), and what must be found. `healthy--` runs must stay silent. Names are
`<family>.<rule>--<what is special>`.

"""
SYSTEMS = """
## Systems

The systems of four documents - a build of Transformer Engine killed for memory, a CUDA graph capture out of memory, a TPU
allocation failure, the book [Machine Learning Engineering](https://github.com/stas00/ml-engineering) - with the rules that
recognise them, where these fire, and where they must not. A fixture names its systems in `case.toml` (`systems`).

| system | recognised as | fires | must not fire |
|---|---|---|---|
"""


def index() -> str:
    """The page: the systems of the documents, and a table per family."""
    families: dict[str, list[str]] = {}
    cases = sorted(p.parent for p in FIXTURES.glob("*/case.toml"))
    for case in cases:
        spec = tomllib.loads((case / "case.toml").read_text())
        proves = ", ".join(f"`{r}`" for r in spec["expect"]) or "silence"
        silent = ", ".join(f"`{r}`" for r in spec.get("forbid", []))
        cells = (
            f"[{case.name}]({case.name})",
            spec["note"],
            spec["source"],
            proves + (f"; not {silent}" if silent else ""),
        )
        family = case.name.split("--")[0].split(".")[0]
        families.setdefault(family, []).append("| " + " | ".join(_cell(c) for c in cells) + " |")
    count = f"{len(cases)} fixtures, {len(families.get('healthy', []))} of them healthy.\n"
    head = "| fixture | what happened | source | proves |\n|---|---|---|---|\n"
    pages = (f"\n## {f}\n\n{head}" + "\n".join(rows) + "\n" for f, rows in sorted(families.items()))
    return HEAD + count + _systems() + "".join(pages)


def systems() -> dict[str, tuple[list[str], list[str], list[str]]]:
    """Each system that a fixture names: the rules that it is recognised by, fixtures where they fire, and where not."""
    out: dict[str, tuple[list[str], list[str], list[str]]] = {}
    for case in sorted(FIXTURES.glob("*/case.toml")):
        spec = tomllib.loads(case.read_text())
        for system in spec.get("systems", []):
            rules, fires, silent = out.setdefault(system, ([], [], []))
            if spec["expect"]:
                rules.append(case.parent.name.split("--")[0])
            (fires if spec["expect"] else silent).append(case.parent.name)
    return dict(sorted(out.items()))


def _systems() -> str:
    rows = (
        (system, ", ".join(f"`{r}`" for r in sorted(set(rules))), _links(fires), _links(silent))
        for system, (rules, fires, silent) in systems().items()
    )
    return SYSTEMS + "".join("| " + " | ".join(_cell(c) for c in row) + " |\n" for row in rows)


def _links(names: list[str]) -> str:
    return ", ".join(f"[{name}]({name})" for name in names)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    (FIXTURES / "README.md").write_text(index())
    print("wrote fixtures/README.md", file=sys.stderr)
