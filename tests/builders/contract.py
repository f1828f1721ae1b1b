"""Writes tests/contract.txt, the names that people and programs rely on: python tests/builders/contract.py."""

from __future__ import annotations

import sys
from pathlib import Path

from logsift import Catalog, load_catalog
from logsift.cli import main
from logsift.content.incident import RESULT
from logsift.content.interface import INTERFACE
from logsift.judge.words import FILTERS, GIVEN
from logsift.store.schema import ENGINE

CONTRACT = Path(__file__).resolve().parents[1] / "contract.txt"


def names(catalog: Catalog) -> list[str]:
    """One public name a line: commands, rules, tables and columns, relations, what rules may return and templates may use."""
    out = [f"command {name}" for name in main.commands]
    out += [
        f"option {name} {o}" for name, c in main.commands.items() for p in c.params for o in p.opts if o.startswith("-")
    ]
    out += [f"rule {r.id}" for r in catalog.rules]
    out += [f"column {t.name}.{c.name} {c.type}" for t in catalog.tables.values() for c in t.columns]
    out += [
        f"column {name}.{c} {sql}"
        for name, (_, columns) in ENGINE.items()
        for c, sql in columns.items()
        if not name.startswith("content_")
    ]
    out += [f"asked {name}.{c} {sql}" for name, asked in INTERFACE.items() for c, sql in asked.columns.items()]
    out += [f"catalogue {s.name}" for s in catalog.seeds]
    out += [f"result {name} {sql}" for name, (sql, _) in RESULT.items()]
    out += [f"filter {name}" for name in FILTERS] + [f"given {name}" for name in GIVEN]
    return sorted(set(out))


if __name__ == "__main__":
    CONTRACT.write_text("\n".join(names(load_catalog())) + "\n")
    print("wrote tests/contract.txt", file=sys.stderr)
