"""How often the last resort shows the line that matters, where logsift does not know the failure.

    python tests/benchmarks/last_resort.py [FOLDER …] [--every 5] [--missed]

FOLDER holds cases (NAME/case.toml beside NAME/run/), by default the fixtures. Every failing case whose root is found
as labelled is analysed again without the grammars that read the lines of its incidents, all patterns of these. Counted are
those where no other rule finds a root then: is one of the root's own lines among the lines of
crash.unexplained? Left out are curves, stacks and dumps, whose lines hold no words, other lines without a word of trouble
(settings, states, silence), and logs of a machine without any word of a job. Healthy cases are analysed as they are: any crash.unexplained is a false alarm.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logsift import analyze, load_catalog

if TYPE_CHECKING:
    from logsift import Analysis, Catalog

RULE = "crash.unexplained"
NO_WORDS = frozenset({"loss", "perf", "divergence"})
"""Families whose incidents rest on numbers."""
OF_A_JOB = ("job_output", "trouble_sign", "exception", "rank")


def writers(catalog: Catalog) -> dict[str, frozenset[str]]:
    """Table -> the grammars that write it."""
    out: defaultdict[str, set[str]] = defaultdict(set)
    for grammar in catalog.grammars:
        for pattern in grammar.patterns:
            out[pattern.table].add(grammar.name)
    return {table: frozenset(names) for table, names in out.items()}


def readers_of(analysis: Analysis, catalog: Catalog) -> frozenset[str]:
    """The grammars that write a table with a row of one of the incidents' lines."""
    places = {(e.file_id, e.line_no) for i in analysis.incidents if i.severity != "info" for e in i.evidence}
    listed, out = ", ".join(map(str, sorted(places))), set[str]()
    for table, names in writers(catalog).items():
        if table in catalog.tables and analysis.store.rows(
            f"SELECT 1 FROM {table} WHERE (file_id, line_no) IN (VALUES {listed}) LIMIT 1"
        ):
            out |= names
    return frozenset(out) - {g.name for g in catalog.grammars if g.leftovers}


def words_of_a_job(analysis: Analysis) -> bool:
    """True where the logs are those of a job, not of a machine alone."""
    return any(analysis.store.rows(f"SELECT 1 FROM {relation} LIMIT 1") for relation in OF_A_JOB)


def verdict(case: Path, label: dict[str, Any], catalog: Catalog, scratch: Path) -> str:
    """What becomes of a failing case."""
    analysis = analyze(case.parent / "run", catalog=catalog, db=scratch / "with.duckdb")
    root = analysis.causes.root
    if root is None or root.rule != label["root"] or root.rule == RULE:
        return "not found with all grammars"
    in_text = {r["file_id"] for r in analysis.store.rows("SELECT file_id FROM file WHERE reader = 'lines'")}
    wanted = {(e.file_id, e.line_no) for e in root.evidence if e.file_id in in_text}
    off = readers_of(analysis, catalog)
    stacks = analysis.store.rows(
        "SELECT 1 FROM evidence e JOIN stack_frame s USING (file_id, line_no) WHERE incident_id = 1 LIMIT 1"
    )
    if not wanted or not off or stacks or root.rule.split(".")[0] in NO_WORDS:
        return "no words"
    if not words_of_a_job(analysis):
        return "no word of a job"
    analysis.store.close()
    less = dataclasses.replace(catalog, grammars=tuple(g for g in catalog.grammars if g.name not in off))
    left = analyze(case.parent / "run", catalog=less, db=scratch / "without.duckdb")
    told = [i for i in left.incidents if i.rule == RULE]
    of_trouble = {(r["file_id"], r["line_no"]) for r in left.store.rows("SELECT file_id, line_no FROM unread_line")}
    left.store.close()
    if wanted.isdisjoint(of_trouble):
        return "no words"
    if not told and left.causes.root is not None:
        return "known to another rule"
    if not told:
        return "silent"
    return "shown" if wanted & {(e.file_id, e.line_no) for i in told for e in i.evidence} else "other lines"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).resolve().parents[2] / "fixtures"])
    parser.add_argument("--every", type=int, default=1, help="take one case in so many")
    parser.add_argument("--missed", action="store_true", help="list the cases whose line is not shown")
    given = parser.parse_args()
    catalog, tally = load_catalog(), Counter[str]()
    for case in sorted(c for folder in given.folders for c in folder.glob("*/case.toml"))[:: given.every]:
        label = tomllib.loads(case.read_text())
        with tempfile.TemporaryDirectory() as scratch:
            if label.get("root"):
                said = verdict(case, label, catalog, Path(scratch))
            elif label.get("expect"):
                continue
            else:
                analysis = analyze(case.parent / "run", catalog=catalog, db=Path(scratch) / "x.duckdb")
                alarm = any(i.rule == RULE for i in analysis.incidents)
                said = "healthy: false alarm" if alarm else "healthy: silent"
                analysis.store.close()
        tally[said] += 1
        if given.missed and said in {"silent", "other lines", "healthy: false alarm"}:
            print(f"{case.parent.name}: {said}", flush=True)
    unknown = tally["shown"] + tally["other lines"] + tally["silent"]
    print(
        f"shown in {tally['shown']} of {unknown} failures that nothing knows ({tally['shown'] / max(unknown, 1):.0%})"
    )
    for said, count in sorted(tally.items()):
        print(f"    {count:5} {said}")


if __name__ == "__main__":
    main()
