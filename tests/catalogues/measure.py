"""How much of what a producer can print is understood.

    PYTHONPATH=.:tests python tests/catalogues/measure.py PRODUCER=CHECKOUT … [--show nothing|class|wrong] [--limit 40]

CHECKOUT is a folder with the producer's sources, or `DIR@REVISION` of a git directory; the same producer may be given in
several versions. PRODUCER is a name of `producers.toml`. Every template at the level of errors is filled with values, put
into the line that the producer prints around it, and read; every informational one too, all of them as the log of a run.

Printed per version: how many templates; the share of those for errors that gives a row of a specific table, that gives
only a class of trouble (`library_trouble`), that gives nothing; the share of those with a value of which one is in a row;
and the informational ones that are evidence of an incident, which are wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from catalogues.templates import messages, producers

from logsift import Catalog, analyze, load_catalog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogues.templates import Message

CLASSED = "library_trouble"
# Tables that take every message of a producer, or say only who writes.
TAKES_ALL = frozenset({"nccl_warning", "library_message", "unread_line", "identity"})
NAMES = "peer, peer_rank::varchar, path, device, bytes::varchar, error"


@dataclass(frozen=True)
class Reading:
    """What the engine made of each line: tables with a row, classes with whether a value is known, evidence of incidents."""

    tables: dict[int, set[str]]
    classes: dict[int, tuple[str | None, bool]]
    accused: dict[int, str]


def read(found: Sequence[Message], catalog: Catalog) -> Reading:
    """All messages as one log."""
    tables: dict[int, set[str]] = {}
    accused: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir()
        (run / "job.log").write_text("".join(f"{m.line}\n" for m in found))
        analysis = analyze(run, catalog=catalog)
        for name in catalog.tables:
            for (line_no,) in analysis.store.con.execute(f'select distinct line_no from "{name}"').fetchall():
                tables.setdefault(line_no, set()).add(name)
        classes = {
            line_no: (kind, known)
            for line_no, kind, known in analysis.store.con.execute(
                f"select line_no, any_value(class), bool_or(coalesce({NAMES}) is not null) from {CLASSED} group by 1"
            ).fetchall()
        }
        for incident in analysis.incidents:
            if incident.severity != "info":
                accused |= {e.line_no: incident.rule for e in incident.evidence}
        analysis.store.close()
    return Reading(tables, classes, accused)


@dataclass
class Verdict:
    """How one message was read."""

    message: Message
    how: str
    known: bool
    detail: str


def judged(found: Sequence[Message], reading: Reading) -> list[Verdict]:
    """Specific | class | nothing for messages of errors; wrong | silent for the others."""
    verdicts = []
    for line_no, message in enumerate(found, 1):
        kind, known = reading.classes.get(line_no, (None, False))
        specific = reading.tables.get(line_no, set()) - TAKES_ALL
        if message.level == "note":
            rule = reading.accused.get(line_no)
            verdicts.append(Verdict(message, "wrong" if rule else "silent", False, rule or ""))
        elif specific:
            verdicts.append(Verdict(message, "specific", True, ", ".join(sorted(specific))))
        else:
            verdicts.append(Verdict(message, "class" if kind else "nothing", known or not message.varies, kind or ""))
    return verdicts


def share(part: int, whole: int) -> str:
    """Percent, or a dash of nothing."""
    return f"{100 * part / whole:6.1f}" if whole else "     -"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", metavar="PRODUCER=CHECKOUT")
    parser.add_argument("--show", choices=["specific", "class", "nothing", "wrong"], help="print these messages too")
    parser.add_argument("--limit", type=int, default=40, help="of how many templates per version")
    asked = parser.parse_args(arguments)
    known, catalog = producers(), load_catalog()
    print(
        f"{'producer':42} {'errors':>6} {'specif':>6} {'class':>6} {'nothing':>7} {'values':>6} {'notes':>6} {'wrong':>6}"
    )
    for given in asked.checkouts:
        name, _, checkout = given.partition("=")
        found = messages(checkout, known[name])
        # Each level is a run of its own: what notes are judged by is not to come from errors beside them.
        verdicts = [
            v
            for level in ("error", "note")
            if (own := [m for m in found if m.level == level])
            for v in judged(own, read(own, catalog))
        ]
        how = Counter(v.how for v in verdicts)
        errors, notes = how["specific"] + how["class"] + how["nothing"], how["wrong"] + how["silent"]
        values = sum(v.known for v in verdicts if v.message.level == "error" and v.how != "nothing")
        title = f"{name} {checkout.rpartition('@')[2] if '@' in checkout else ''}"
        print(
            f"{title:42} {errors:6}", share(how["specific"], errors), share(how["class"], errors), "", share(how["nothing"], errors)
            , share(values, errors), f"{notes:6}", f"{how['wrong']:6}",
        )  # fmt: skip
        for verdict in [v for v in verdicts if v.how == asked.show][: asked.limit]:
            print(f"    {verdict.detail:12} {verdict.message.place}: {verdict.message.line[:200]}")


if __name__ == "__main__":
    main()
