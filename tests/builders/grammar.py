"""Toy grammars in TOML, short enough to be read with the test they are for."""

from __future__ import annotations

LIFT_STOP = r"""
[[pattern]]
id = "stop"
table = "lift_stop"
needle = "lift stopped at floor"
regex = '^lift stopped at floor (?P<floor>[0-9]+)$'
sample = [{ line = "lift stopped at floor 3", row = { floor = 3 } }]
"""
"""A pattern of one line that is no other grammar's, for a table `lift_stop` with a column `floor`."""


def grammar(title: str, patterns: str, *, head: str = "", **tables: str) -> str:
    """A grammar of its patterns as content writes them.

    Args:
        title: what it is called.
        patterns: its `[[pattern]]` sections.
        head: further keys, before the tables.
        tables: columns by table, "name text, mass bytes B": a type behind each name, then its unit.
    """
    lines = ["schema = 1", f'title = "{title}"', head]
    for table, columns in tables.items():
        lines += [f"[tables.{table}]", f'about = "{table}"', f"[tables.{table}.columns]"]
        for name, kind, *unit in (c.split() for c in columns.split(",")):
            of = f', unit = "{unit[0]}"' if unit else ""
            lines.append(f'{name} = {{ type = "{kind}"{of}, about = "{name}" }}')
    return "\n".join([*lines, patterns])
