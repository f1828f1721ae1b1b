"""Toy grammars in TOML, short enough to be read with the test they are for."""

from __future__ import annotations


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
