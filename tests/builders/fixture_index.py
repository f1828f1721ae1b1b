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


def index() -> str:
    """The page: a table per family."""
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
    return (
        HEAD + count + "".join(f"\n## {f}\n\n{head}" + "\n".join(rows) + "\n" for f, rows in sorted(families.items()))
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    (FIXTURES / "README.md").write_text(index())
    print("wrote fixtures/README.md", file=sys.stderr)
