"""The generated references: what tables, views, seeds and rules there are, and which uses which."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from logsift.content.incident import RESULT
from logsift.content.language import SECTIONS, json_schema
from logsift.content.model import COMMON, Catalog, Rule
from logsift.errors import UserError, meant
from logsift.judge.words import FILTERS, GIVEN
from logsift.store.dependencies import references

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_RULE_SECTIONS = (
    "the header of a rule", "[[summary]]", "[[step]]", "the header of a missing source", "a file of commands",
    "[commands.*]",
)  # fmt: skip
_ENVELOPE_ALONE = (
    "## When an envelope alone is enough",
    "",
    "Libraries print their messages the same in every trainer: collectives that time out, exceptions, devices that fail, memory"
    " that runs out. What a trainer of one's own adds is what it puts in front of each line. So an `[[envelopes]]` entry is all"
    " it needs where its lines differ from known ones by their front only: with time, host or rank taken off, every grammar"
    " reads the rest, and rules know who wrote it and when.",
    "",
    "A grammar with patterns is needed as well where the trainer prints what nobody else does:",
    "",
    "| it prints | what to write |",
    "|---|---|",
    "| a front of its own before known messages | an envelope |",
    "| no front at all, one file per rank or host | nothing: rank and host come from the path (`rank_3.log`, `node-7/`) |",
    "| metrics as `name: value` or `name=value`, in a shape of its own | a pattern that writes `training_line` |",
    "| why it stopped, in its own words | a table, a pattern, and a rule that reads it |",
    "",
    "`logsift explain FILE:LINE` shows which it is: `message` is what is left of the line, `envelope` what was taken off it.",
    "Known words behind an unknown front show as *its needle is there, its regex does not match*.",
    "",
)
"""What an author should know before writing more than is needed."""
_GENERATED = "<!-- written by `logsift docs`; edit the content, not this page -->"


def views(catalog: Catalog) -> dict[str, str]:
    """Views, and tables made by queries, with what is said of each."""
    return {r.name: r.about for r in sorted(catalog.relations, key=lambda r: r.name) if r.kind != "macro"}


def list_rules(catalog: Catalog) -> str:
    """All rules, a line each."""
    return _columns((r.id, f"{r.severity:8} {r.title}") for r in catalog.rules)


def describe_rule(catalog: Catalog, name: str) -> str:
    """One rule: what it says, what to do, when it errs, its query.

    Raises:
        UserError: no such rule; near names are given.
    """
    rule = next((r for r in catalog.rules if r.id == name), None)
    if rule is None:
        raise UserError(f"no rule {name!r}{meant(name, [r.id for r in catalog.rules])}")
    explains = f"\nexplains: {', '.join(sorted(rule.explains))}" if rule.explains else ""
    here = (
        f"\nexplains on the same rank, host or GPU: {', '.join(sorted(rule.explains_same_place))}"
        if rule.explains_same_place
        else ""
    )
    elsewhere = (
        f"\nexplains on other ranks: {', '.join(sorted(rule.explains_other_ranks))}"
        if rule.explains_other_ranks
        else ""
    )
    transient = "\ntransient: explains nothing that came after the job had gone on" if rule.transient else ""
    lasting = "\nlasting: may outlast an attempt of the job" if rule.lasting else ""
    after = f"\nonly after it: {', '.join(sorted(rule.explains_after))}" if rule.explains_after else ""
    gives_way = f"\ngives way to: {', '.join(sorted(rule.gives_way_to))}" if rule.gives_way_to else ""
    return (
        f"{rule.id}: {rule.title} ({rule.severity}, {rule.confidence}, {rule.status})\n\n{rule.about}\n\nwhat to do: {_steps(rule)}\n"
        f"wrong when: {rule.false_positives}{explains}{here}{elsewhere}{transient}{lasting}{after}{gives_way}\n{rule.sql.strip()}"
    )


def write(catalog: Catalog, root: Path) -> list[Path]:
    """Write the references below `root`; gives the files written."""
    pages = pages_of(catalog)
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return [root / name for name in pages]


def pages_of(catalog: Catalog) -> dict[str, str]:
    """Path below the content root -> text of every generated page."""
    return {
        "parsers/README.md": _parsers_page(catalog),
        "parsers/schema.json": json.dumps(json_schema(), indent=1) + "\n",
        "rules/README.md": _rules_page(catalog),
    }


def _parsers_page(catalog: Catalog) -> str:
    writers: dict[str, list[str]] = {}
    for g in catalog.grammars:
        for name in sorted({p.table for p in g.patterns if p.table}):
            writers.setdefault(name, []).append(g.name)
    out = [
        _GENERATED,
        "# Formats and tables",
        "",
        "A format is one file here; [the schema](schema.json) serves editors.",
        "",
    ]
    out += [
        "## How a grammar is written",
        "",
        "Read top to bottom: what the file is, what comes before its messages, the tables it fills, the shapes of its lines.",
        *_language(*(s for s in SECTIONS if s not in _RULE_SECTIONS)),
        "",
        *_ENVELOPE_ALONE,
        "## Formats",
        "",
    ]
    out += [
        "| format | what it is |",
        "|---|---|",
        *(f"| `{g.name}` | {_cell(g.title)}. {_cell(g.about)} |" for g in catalog.grammars),
        "",
    ]
    out += ["Every table also has:", "", "| column | type | |", "|---|---|---|"]
    out += [f"| `{c.name}` | {_type(c.type, c.unit)} | {_cell(c.about)} |" for c in COMMON]
    for table in sorted(catalog.tables.values(), key=lambda t: t.name):
        by = ", ".join(f"`{w}`" for w in writers.get(table.name, []))
        out += ["", f"## {table.name}", "", f"{table.about}{f' Written by {by}.' if by else ''}", ""]
        if table.columns:
            out += ["| column | type | |", "|---|---|---|"]
            out += [f"| `{c.name}` | {_type(c.type, c.unit)} | {_cell(c.about)} |" for c in table.columns]
        if table.example:
            out += ["", f"```sql\n{table.example}\n```"]
    out += [
        "",
        "# Views",
        "",
        "| view | |",
        "|---|---|",
        *(f"| `{n}` | {_cell(a)} |" for n, a in views(catalog).items()),
    ]
    out += [
        "",
        "# Catalogues",
        "",
        "| catalogue | |",
        "|---|---|",
        *(f"| `{s.name}` | {_cell(_seed_about(s.csv))} |" for s in catalog.seeds),
        "",
    ]
    return "\n".join(out)


def _rules_page(catalog: Catalog) -> str:
    sources = {*catalog.tables, *views(catalog), *(s.name for s in catalog.seeds)}
    out = [
        _GENERATED,
        "# Rules",
        "",
        "The id of a rule is its path. What explains what makes the root of a report.",
        "",
        "## How a rule is written",
        "",
        "A comment with the header in TOML, then one query. Every row of its result is an incident; these columns say who, when and how"
        " surely, and every other column is a fact that templates may name and that JSON and SQL show:",
        "",
        "| column | type | |",
        "|---|---|---|",
        *(f"| `{name}` | {_cell(sql)} | {_cell(about)} |" for name, (sql, about) in RESULT.items()),
        *_language(*_RULE_SECTIONS),
        "",
        "### Templates",
        "",
        "Templates are Jinja2, rendered in a sandbox once identities and clocks are settled. They may name every fact, and "
        + ", ".join(f"`{n}`" for n in sorted(GIVEN))
        + ". A phrase that names what is not known is left out; a value in a command is quoted for the shell. Filters:",
        "",
        "| filter | |",
        "|---|---|",
        *(f"| `{name}` | {_cell((f.__doc__ or '').splitlines()[0])} |" for name, f in sorted(FILTERS.items())),
        "",
    ]
    for rule in catalog.rules:
        out += [f"## {rule.id}", "", f"**{rule.title}** ({rule.severity}, {rule.confidence})", "", rule.about, ""]
        out += [f"*What to do.* {_steps(rule)}", "", f"*Wrong when.* {_joined(rule.false_positives)}", ""]
        if rule.explains | rule.explains_same_place | rule.explains_other_ranks:
            out += [
                f"Explains {', '.join(f'`{e}`' for e in sorted(rule.explains | rule.explains_same_place | rule.explains_other_ranks))}{', unless the job went on in between' if rule.transient else ''}.",
                "",
            ]
        out += [f"Reads {', '.join(f'`{s}`' for s in _sources(rule, sources))}.", ""]
    return "\n".join(out)


def _steps(rule: Rule) -> str:
    return " ".join(_joined(p.say) for p in rule.steps)


def _sources(rule: Rule, known: set[str]) -> list[str]:
    return sorted(known & references(rule.sql))


def _language(*sections: str) -> list[str]:
    """The keys of some sections of the language of content, as tables."""
    out = []
    for section in sections:
        out += ["", f"### {section[0].upper()}{section[1:]}", "", "| key | holds | |", "|---|---|---|"]
        for k in SECTIONS[section]:
            holds = f"{k.holds}{', required' if k.required else ''}"
            about = f"{k.about}{f' One of {_either(k.choices)}.' if k.choices else ''}{f' `{k.example}`' if k.example else ''}"
            out.append(f"| `{k.name}` | {holds} | {_cell(about)} |")
    return out


def _either(names: Iterable[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def _seed_about(csv_text: str) -> str:
    return " ".join(line.lstrip("# ") for line in csv_text.splitlines() if line.startswith("#"))


def _columns(rows: Iterable[tuple[str, str]]) -> str:
    listed = list(rows)
    width = max((len(n) for n, _ in listed), default=0)
    return "\n".join(f"  {n:{width}}  {about}".rstrip() for n, about in listed)


def _type(type_name: str, unit: str | None) -> str:
    return f"{type_name} [{unit}]" if unit else type_name


def _joined(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _joined(text).replace("|", "\\|")
