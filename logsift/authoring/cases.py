"""Cases: a run whose cause is known, and what a report must say of it. `logsift check` and the tests run them."""

from __future__ import annotations

import tomllib
from contextlib import closing
from typing import TYPE_CHECKING, Any

from logsift.authoring.lint_rules import placeholders
from logsift.content.errors import ContentError, Origin
from logsift.errors import UserError
from logsift.judge.words import odd
from logsift.report.json import document
from logsift.run import analyze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from logsift.content.model import Catalog

CASE = "case.toml"
"""Beside the folder `run`: `expect` (rules that must find something), and where wanted `root`, `forbid` and `facts`."""


def cases_in(folder: Path) -> list[Path]:
    """The cases in a folder, or the one that it is.

    Raises:
        UserError: there is none.
    """
    found = [folder] if (folder / CASE).is_file() else sorted(p.parent for p in folder.glob(f"*/{CASE}"))
    if not found:
        raise UserError(f"no {CASE} in {folder} or in a folder of it")
    return found


def failures(case: Path, catalog: Catalog) -> Iterator[ContentError]:
    """What the report of a case gets wrong: what was found, and how it is told."""
    place = Origin(CASE, 1, str(case))
    try:
        want = tomllib.loads((case / CASE).read_text(encoding="utf-8"))
        analysis = analyze(case / "run", catalog=catalog, db=None)
        with closing(analysis.store):
            report = document(analysis)
    except (UserError, OSError, tomllib.TOMLDecodeError) as e:
        yield ContentError(place, f"{case.name}: {e}", "a case is a folder with run/ and case.toml")
        return
    loud: dict[str, dict[str, Any]] = {i["rule"]: i for i in reversed(report["incidents"]) if i["severity"] != "info"}
    found = f"found: {', '.join(sorted(loud)) or 'nothing'}; root: {report['root']}"
    for rule in sorted(set(want.get("expect", [])) - set(loud)):
        yield ContentError(place, f"{case.name}: {rule} finds nothing", "", found, "expect")
    for rule in sorted(set(loud) & set(want.get("forbid", []))):
        yield ContentError(place, f"{case.name}: {rule} must not fire", "", loud[rule]["summary"], "forbid")
    if not want.get("expect") and loud:
        yield ContentError(place, f"{case.name}: a healthy run must stay silent", "", found, "expect")
    if report["root"] != (want.get("root") or None):
        yield ContentError(place, f"{case.name}: another root, {report['root']}", "", found, "root")
    for rule, facts in want.get("facts", {}).items():
        of_rule = [i | i["facts"] for i in report["incidents"] if i["rule"] == rule]
        if not any({k: i.get(k) for k in facts} == facts for i in of_rule):
            known = "; ".join(str({k: i.get(k) for k in facts}) for i in of_rule) or "no incident"
            yield ContentError(place, f"{case.name}: facts of {rule} are not {facts}", "", known, "facts")
    for incident in loud.values():
        yield from _unreadable(place, f"{case.name}: {incident['rule']}", incident)


def _unreadable(place: Origin, name: str, incident: Mapping[str, Any]) -> Iterator[ContentError]:
    """What a person could not read or use of an incident."""
    steps = incident["steps"]
    if not incident["evidence"]:
        yield ContentError(place, f"{name} has no evidence", "[line_at(file_id, line_no)] AS evidence")
    if not steps:
        yield ContentError(place, f"{name} says nothing to do next", "no [[step]] fits; add one with otherwise = true")
    for text in (incident["summary"], *(s["text"] for s in steps)):
        if not text or (strange := odd(text)):
            yield ContentError(place, f"{name} reads badly: {strange if text else 'nothing'!r}", "", text)
    for step in steps:
        if not step["text"].endswith((".", ":", "?")):
            yield ContentError(place, f"{name}: a step is a sentence", "end it with a full stop", step["text"])
    known = {k for k, v in {**incident, **incident["facts"]}.items() if v not in (None, "", [])}
    known |= {one for one, several in (("rank", "ranks"), ("host", "hosts"), ("gpu", "gpus")) if incident[several]}
    for command in (c for s in steps for c in s["commands"]):
        if strange := odd(command, command=True):
            yield ContentError(place, f"{name}: a command with {strange!r}", "", command)
        for placeholder in placeholders(command, known):
            yield ContentError(place, f"{name}: {placeholder} stands for a fact that is known", "", command)
