"""The content as a whole: sound, documented, free of code, and each rule proved by fixtures."""

from __future__ import annotations

import json
import re
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from builders.fixture_index import FIXTURES, index, systems

from logsift import Catalog, load_catalog
from logsift.authoring.lint import check
from logsift.authoring.lint_grammars import check_grammars, check_needles
from logsift.authoring.reference import pages_of
from logsift.content.errors import ContentErrors
from logsift.store.create import empty

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
CASES = {p.parent.name: tomllib.loads(p.read_text()) for p in (ROOT / "fixtures").glob("*/case.toml")}


def test_the_content_is_sound(catalog: Catalog) -> None:
    assert [str(e) for e in check(catalog)] == []


def test_content_holds_no_python() -> None:
    assert [p for kind in ("parsers", "rules") for p in (ROOT / kind).rglob("*.py")] == []


def test_no_line_of_sql_is_longer_than_a_screen_is_wide() -> None:
    files = [p for kind in ("parsers", "rules") for p in (ROOT / kind).rglob("*.sql")]
    long = [
        f"{p}:{n}"
        for p in files
        for n, line in enumerate(p.read_text().splitlines(), 1)
        if len(line) > 100 and "://" not in line
    ]
    assert long == []


def test_no_line_of_a_regex_is_longer_than_a_screen_is_wide() -> None:
    grammars = [tomllib.loads(p.read_text()) for p in (ROOT / "parsers").rglob("*.toml")]
    patterns = [p for g in grammars for kind in ("pattern", "envelopes") for p in g.get(kind, ())]
    assert [p["id"] for p in patterns if any(len(line) > 120 for line in p["regex"].splitlines())] == []


def test_no_regex_of_sql_is_dear_to_compile() -> None:
    """A query's regexes are compiled each time it is asked: `[^.]{0,80}` as 80 copies of all of Unicode, all letters as 600 ranges."""
    wide = re.compile(r"(?:\[\^[^\]]*\]|(?<!\\)\.)\{[0-9]*,?([0-9]+)\}|\\p")
    dear = [
        f"{p}:{n}"
        for kind in ("parsers", "rules")
        for p in (ROOT / kind).rglob("*.sql")
        for n, line in enumerate(p.read_text().splitlines(), 1)
        if not line.startswith("--") and any(int(m[1] or 999) > 60 for m in wide.finditer(line))
    ]
    assert dear == []


ANY_LINE = {"py_spy.bare_end", "python_traceback.over"}
"""Patterns that take whatever line comes next, which ends what they are in: nothing looks alike."""


def test_patterns_say_where_their_message_is_printed_and_what_looks_alike(catalog: Catalog) -> None:
    patterns = {f"{g.name}.{p.id}": p for g in catalog.grammars for p in g.patterns}
    assert [name for name, p in patterns.items() if not p.src] == []
    assert {name for name, p in patterns.items() if not p.rejects} == ANY_LINE


def test_no_window_counts_with_a_filter(catalog: Catalog) -> None:
    """DuckDB takes the square of the rows for count(*) FILTER (...) OVER; count_if(...) OVER says the same in one pass."""
    queries = {r.name: r.sql for r in catalog.relations} | {r.origin.path: r.sql for r in catalog.rules}
    slow = re.compile(r"count\(\*\)\s+FILTER\s*(\((?:[^()]|\([^()]*\))*\))\s*OVER\b", re.IGNORECASE)
    assert not [path for path, sql in queries.items() if slow.search(sql)]


def test_a_condition_that_is_negated_is_never_unknown(catalog: Catalog) -> None:
    """`NOT f(x)` is unknown where `f(x)` is, and WHERE then drops the row: what is not known must refuse nothing."""
    queries = " ".join([r.sql for r in catalog.relations] + [r.sql for r in catalog.rules])
    unknown = []
    with closing(empty(catalog)) as store:
        for macro in catalog.relations:
            if macro.kind == "macro" and re.search(rf"\bnot {macro.name}\(", queries, re.IGNORECASE):
                nothing = ", ".join("NULL::VARCHAR" for _ in macro.parameters.split(","))
                if store.rows(f"SELECT {macro.name}({nothing}) AS said")[0]["said"] is None:
                    unknown.append(str(macro.origin))
    assert unknown == []


def test_every_rule_fires_in_a_fixture(catalog: Catalog) -> None:
    fired = {rule for case in CASES.values() for rule in case["expect"]}
    assert sorted({r.id for r in catalog.rules if r.status == "stable" and r.severity != "info"} - fired) == []


def test_every_case_says_where_it_comes_from_and_what_is_true() -> None:
    assert [n for n, c in CASES.items() if not c.get("source") or not c.get("note")] == []
    assert [n for n, c in CASES.items() if n.startswith("healthy--") != (not c["expect"] and not c.get("root"))] == []


def test_each_system_of_the_documents_fires_somewhere_and_stays_silent_somewhere() -> None:
    proved = systems()
    assert len(proved) >= 40
    assert {s: (fires, silent) for s, (_, fires, silent) in proved.items() if not fires or not silent} == {}


def test_there_are_healthy_runs() -> None:
    assert sum(name.startswith("healthy--") for name in CASES) >= 10


def test_the_generated_pages_are_fresh(catalog: Catalog) -> None:
    stale = [
        name
        for name, text in pages_of(catalog).items()
        if not (ROOT / name).exists() or (ROOT / name).read_text() != text
    ]
    assert stale == [], "run `logsift docs`"


def test_the_index_of_fixtures_is_fresh() -> None:
    assert (FIXTURES / "README.md").read_text() == index(), "run python tests/builders/fixture_index.py"


BAD_CONTENT = Path(__file__).parent / "bad_content"
BAD = sorted(p for p in BAD_CONTENT.iterdir() if p.is_dir())


@pytest.mark.parametrize("mistake", BAD, ids=lambda p: p.name)
def test_a_mistake_is_told_with_its_place_and_a_help(mistake: Path) -> None:
    try:
        told = "\n".join(str(e) for e in check(load_catalog(mistake)))
    except ContentErrors as e:
        told = str(e)
    assert told.replace(f"{mistake}/", "") + "\n" == (mistake / "message.txt").read_text()


def test_a_regex_that_is_none_is_told_in_content_that_is_trusted_at_every_start(catalog: Catalog) -> None:
    grammar = next(g for g in catalog.grammars if g.name == "cuda_oom")
    twice = replace(grammar.patterns[0], regex="(?P<message>door)|(?P<message>lift)")
    broken = replace(grammar, patterns=(twice, *grammar.patterns[1:]))
    grammars = tuple(broken if g is grammar else g for g in catalog.grammars)
    told = [str(e) for e in check_grammars(replace(catalog, grammars=grammars), [broken])]
    assert len([x for x in told if "duplicate capture group name" in x]) == 1


LIFT_GRAMMAR: dict[str, Any] = {
    "schema": 1,
    "title": "Lift",
    "about": "What a lift controller prints.",
    "file": {"head": "^LIFT", "names": ["lift_*.log"]},
    "pieces": {"floor": {"about": "a floor", "regex": "[0-9]+"}},
    "envelopes": [
        {"id": "lift", "needle": "LIFT ", "regex": "^LIFT (?P<body>.*)$", "sample": [{"line": "LIFT x", "row": {"body": "x"}}]}
    ],
    "tables": {"lift_stop": {"about": "A stop.", "omits": ["rank"], "bulk": {"rows": 9, "by": "floor", "always": "floor < 0"}, "columns": {"floor": {"type": "int", "about": "the floor"}}}},
    "pattern": [
        {
            "id": "stopped", "table": "lift_stop", "src": "lift.c", "needle": "stopped at ", "regex": "stopped at (?P<floor>(?&floor))",
            "set": {"floor": 3}, "sample": [{"line": "stopped at 3", "row": {"floor": 3}}], "reject": ["stopped"],
        }
    ],
}  # fmt: skip
LIFT_RULE: dict[str, Any] = {
    "title": "The lift stopped", "severity": "critical", "confidence": "probable", "status": "stable", "about": "It stopped.",
    "false_positives": "None.", "references": ["https://example.org"], "summary": [{"when": "floor", "say": "It stopped."}],
    "step": [{"when": "floor", "say": "Start it.", "run": ["ls"]}],
}  # fmt: skip


def toml(value: object) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(k)} = {toml(v)}' for k, v in value.items())} }}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def of_another_shape(tree: object) -> Iterator[object]:
    """The tree with one of its values, at any depth, replaced by one of another shape."""
    if not isinstance(tree, dict | list):
        return
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        for part in [3, "text", [3], {}, {"odd": 3}, *of_another_shape(tree[key])]:
            changed = tree.copy()
            changed[key] = part
            yield changed


@pytest.mark.parametrize(
    ("file", "head", "whole", "rest"),
    [
        ("parsers/lift.toml", "", LIFT_GRAMMAR, ""),
        ("rules/lift/stopped.sql", "/*\n", LIFT_RULE, "*/\nSELECT 3 AS floor"),
    ],
)
def test_whatever_shape_a_value_has_it_is_read_or_told(
    file: str, head: str, whole: dict[str, Any], rest: str, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(parents=True)

    def told(content: object) -> str:
        assert isinstance(content, dict)
        written = "".join(f"{key} = {toml(value)}\n" for key, value in content.items())
        (tmp_path / file).write_text(f"{head}{written}{rest}")
        try:
            load_catalog(tmp_path)
        except ContentErrors as e:
            return str(e)
        return ""

    assert told(whole) == ""
    mistakes = [text for changed in of_another_shape(whole) if (text := told(changed))]
    assert mistakes
    assert [text for text in mistakes if file not in text] == []


def test_a_needle_that_many_formats_print_is_refused(catalog: Catalog) -> None:
    grammar = catalog.grammars[0]
    pattern = replace(grammar.patterns[0], id="wide", needles=("rank",), regex="^rank of the lift")
    wide = replace(grammar, name="wide", patterns=(pattern,), head=(), names=(), reader="lines")
    told = [e.text for e in check_needles(replace(catalog, grammars=(*catalog.grammars, wide)), [wide])]
    assert len(told) == 1
    assert re.fullmatch(r"needle 'rank' is in [0-9]+ % of the lines that other formats print", told[0])


def test_a_needle_behind_which_a_block_opens_is_rare_in_its_own_format_too(catalog: Catalog) -> None:
    grammar = next(g for g in catalog.grammars if g.name == "training_log")
    pattern = replace(grammar.patterns[0], id="head", needles=("loss",), opens="table", regex="^loss of the lift$")
    wide = replace(grammar, patterns=(*grammar.patterns, pattern))
    rest = [g for g in catalog.grammars if g is not grammar]
    told = [e.text for e in check_needles(replace(catalog, grammars=(*rest, wide)), [wide])]
    assert len(told) == 1
    assert re.fullmatch(r"needle 'loss' is in [0-9]+ % of the lines that all formats print", told[0])
