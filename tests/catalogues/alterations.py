"""How many patterns still read their samples when these are altered as loggers, launchers, terminals and people alter lines.

    PYTHONPATH=.:tests python tests/catalogues/alterations.py [--grammar nccl …] [--way JSON …] [--show 20]

Every sample of a pattern that stands for itself (outside blocks, of a grammar that looks into any file) is altered in each
way of `WAYS` and read again. It survives where a row of the same table comes out with the values the sample names; where
text was cut or masked, the row is enough. Printed: the share that survives by way and by grammar; with `--show`, the
patterns that survive least, with the ways they do not.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logsift import Catalog, load_catalog
from logsift.ingest.parse import Parser
from logsift.ingest.readers import lines as text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from logsift.content.model import Pattern, Sample

_BAR = " 45%|████▌     | 45/100 [00:12<00:15,  3.61it/s]"
_ADDRESS = re.compile(r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b")
_POINTER = re.compile(r"\b0x[0-9a-f]{6,}\b")
_HOST = re.compile(r"\b(?:gx|mesa|hgx|gpu|node|dgx|n)-?[0-9]+(?:-[0-9]+)?\b(?![ ]*[%:=][0-9])")
_JOB = re.compile(r"(?<=StepId=)[0-9]+|(?<=JobId=)[0-9]+|(?<=JOB )[0-9]+|(?<=[Jj]ob )[0-9]+|(?<=[Ss]tep )[0-9]+(?=\.)")
_PROCESS = re.compile(r"(?<=[Pp]rocess )[0-9]+|(?<=pid[ :=])[0-9]+|(?<=pid: )[0-9]+|(?<=PID )[0-9]+|(?<=PID: )[0-9]+")
_PATH = re.compile(r"(?<![0-9A-Za-z_.:/])/(?:[0-9A-Za-z_.-]+/)+")


def _before(front: str) -> Callable[[str], str]:
    return lambda line: front + line


def _in_json(key: str, **others: object) -> Callable[[str], str]:
    return lambda line: json.dumps({**others, key: line})


PREFIXES: Mapping[str, Callable[[str], str]] = {
    "logging": _before("2026-03-01 10:11:12,345 - train - ERROR - "),
    "logging, level first": _before("2026-03-01 10:11:12,345 ERROR trainer.loop: "),
    "loguru": _before("2026-03-01 10:11:12.345 | ERROR    | train:main:71 - "),
    "hydra": _before("[2026-03-01 10:11:12,345][train][ERROR] - "),
    "rich": _before("[10:11:12] ERROR    "),
    "time of day": _before("10:11:12.345 "),
    "glog": _before("E0301 10:11:12.345678 411 train.py:71] "),
    "unix time": _before("[1772359872.345] "),
    "date in brackets": _before("[2026-03-01 10:11:12] "),
    "American date": _before("03/01/2026 10:11:12 - ERROR - train - "),
    "ctime": _before("Sun Mar  1 10:11:12 2026 "),
    "ISO, offset": _before("2026-03-01T10:11:12.345+0000 "),
    "ISO, microseconds": _before("2026-03-01T10:11:12.345678+00:00 "),
    "level, time": _before("[ERROR] 2026-03-01 10:11:12,345 "),
    "level:time": _before("ERROR:2026-03-01 10:11:12,345:"),
    "Ray's logger": _before("2026-03-01 10:11:12,345 ERROR train.py:71 -- "),
    "syslog": _before("Mar  1 10:11:12 gx07 python[411]: "),
    "journal": _before("2026-03-01T10:11:12+0000 gx07 python[411]: "),
    "kubectl": _before("2026-03-01T10:11:12.345678901Z "),
    "compose": _before("trainer-1  | "),
    "ray": _before("(TrainWorker pid=411, ip=10.4.0.2) "),
    "rank": _before("[rank3]: "),
    "rank, other spelling": _before("[Rank 3] "),
    "rank in capitals": _before("[RANK 3] "),
    "tee": _before("[default3]:"),
    "srun": _before("3: "),
    "mpirun": _before("[1,3]<stderr>:"),
    "pdsh": _before("gx07: "),
    "level": _before("ERROR: "),
    "level in brackets": _before("[ERROR] "),
    "level, bar": _before("ERROR | "),
    "sign": _before("❌ "),
    "quoted": _before("> "),
    "indented": _before("    "),
}
WRAPPERS: Mapping[str, Callable[[str], str]] = {
    "JSON, message": _in_json("message", level="ERROR", timestamp="2026-03-01T10:11:12Z"),
    "JSON, log": _in_json("log", time="2026-03-01T10:11:12.5Z", stream="stderr"),
    "JSON, msg with rank": _in_json("msg", ts="2026-03-01T10:11:12Z", level="error", rank=3),
    "logfmt": lambda line: f"time=2026-03-01T10:11:12Z level=error msg={json.dumps(line)}",
    "CR": lambda line: line + "\r",
    "blanks behind": lambda line: line + "   ",
    "behind a bar": lambda line: _BAR + "\r" + line,
    "glued to a bar": lambda line: _BAR + line,
    "coloured": lambda line: f"\x1b[1;31m{line}\x1b[0m",
    "first word coloured": lambda line: re.sub(r"^(\s*)(\S+)", "\\1\x1b[33m\\2\x1b[0m", line),
}
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "two blanks": lambda line: re.sub(r"(?<=\S) (?=\S)", "  ", line),
    "blank before colon": lambda line: re.sub(r"(?<=[A-Za-z]): ", " : ", line),
    "no blank after comma": lambda line: re.sub(r", (?=\S)", ",", line),
}
LOSSES: Mapping[str, Callable[[str], str]] = {
    "last word cut": lambda line: re.sub(r"\s+\S+\s*$", "", line),
    "addresses masked": lambda line: _ADDRESS.sub("x.x.x.x", line),
    "addresses redacted": lambda line: _ADDRESS.sub("<redacted>", line),
    "paths masked": lambda line: _PATH.sub("/***/", line),
    "hosts masked": lambda line: _HOST.sub("XXXXX", line),
    "hosts in angle brackets": lambda line: _HOST.sub("<host>", line),
    "hosts starred": lambda line: _HOST.sub("***", line),
    "jobs masked": lambda line: _JOB.sub("XXXXX", line),
    "jobs in angle brackets": lambda line: _JOB.sub("<jobid>", line),
    "processes masked": lambda line: _PROCESS.sub("XXXXX", line),
    "pointers masked": lambda line: _POINTER.sub("0xXXXXXXXX", line),
}
"""Ways that take text away: the values are no longer asked for."""
WAYS = {**PREFIXES, **WRAPPERS, **SPELLINGS, **LOSSES}


@dataclass(frozen=True)
class Case:
    """A sample of a pattern."""

    grammar: str
    pattern: Pattern
    sample: Sample


def cases(catalog: Catalog, grammars: Sequence[str] = ()) -> Iterator[Case]:
    """The samples that stand for themselves."""
    for grammar in catalog.grammars:
        if (
            grammar.reader != "lines"
            or grammar.owns
            or grammar.leftovers
            or (grammars and grammar.name not in grammars)
        ):
            continue
        for pattern in grammar.patterns:
            if pattern.table and not pattern.inside:
                yield from (Case(grammar.name, pattern, s) for s in pattern.samples if "\n" not in s.line)


def read(parser: Parser, lines: Sequence[str]) -> dict[int, dict[str, list[dict[str, Any]]]]:
    """Each line, as a file of its own: its number -> table -> rows."""
    frame = text.frame([(n, np.array([1]), line.encode()) for n, line in enumerate(lines)])
    written = datetime(2026, 3, 2, tzinfo=UTC).replace(tzinfo=None)
    frame = frame.with_columns(core=pl.lit(True), marked=pl.lit(False), written=pl.lit(written).cast(pl.Datetime("us")))
    needles = frozenset(n for g in parser.everywhere for p in g.patterns for n in p.needles)
    needles |= {n for g in parser.everywhere if g.envelope for n in g.envelope.needles}
    out: dict[int, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for table, frames in parser.match(None, frame, needles).tables.items():
        for rows in frames:
            for row in rows.iter_rows(named=True):
                out[row["file_id"]][table].append(row)
    return out


def same(wanted: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """True where a row has the values that a sample names; times and places are the envelope's."""
    return all(
        str(row[k]) == str(v) or (isinstance(v, (int, float)) and row[k] is not None and abs(float(row[k]) - v) < 1e-6)
        for k, v in wanted.items()
        if k in row and k not in {"time", "host", "rank", "pid", "uptime_seconds"}
    )


def survivors(
    parser: Parser, chosen: Sequence[Case], ways: Mapping[str, Callable[[str], str]]
) -> dict[str, list[bool | None]]:
    """Way -> for each case whether it is still read; None where the way changes nothing in it or it was not read before."""

    def kept(lines: Sequence[str], values: bool) -> list[bool]:
        rows = read(parser, lines)
        return [
            any(
                n in text.undressed(line.encode()).decode() for n in case.pattern.needles or ("",)
            )  # as the gate sees it
            and any(not values or same(case.sample.row, row) for row in rows[n][case.pattern.table])
            for n, (case, line) in enumerate(zip(chosen, lines, strict=True))
        ]

    plain = [c.sample.line for c in chosen]
    before = kept(plain, values=True)
    out: dict[str, list[bool | None]] = {}
    for way, alter in ways.items():
        lines = [alter(line) for line in plain]
        after = kept(lines, values=way not in LOSSES)
        out[way] = [
            a if b and line != was else None for a, b, line, was in zip(after, before, lines, plain, strict=True)
        ]
    return out


def share(found: Sequence[bool | None]) -> str:
    """Percent of those that count, and how many they are."""
    counted = [f for f in found if f is not None]
    return f"{100 * sum(counted) / len(counted):6.1f} of {len(counted):5}" if counted else "     - of     0"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grammar", nargs="*", default=(), help="only these")
    parser.add_argument("--show", type=int, default=0, help="so many patterns that survive least")
    parser.add_argument("--way", nargs="*", default=(), help="only these ways")
    asked = parser.parse_args(arguments)
    catalog = load_catalog()
    chosen = list(cases(catalog, asked.grammar))
    ways = {way: alter for way, alter in WAYS.items() if not asked.way or way in asked.way}
    found = survivors(Parser(catalog), chosen, ways)
    for way, kept in found.items():
        print(f"{share(kept)}  {way}")
    by_grammar: defaultdict[str, list[bool | None]] = defaultdict(list)
    lost: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for way, kept in found.items():
        for case, survived in zip(chosen, kept, strict=True):
            by_grammar[case.grammar].append(survived)
            if survived is False:
                lost[case.grammar, case.pattern.id].append(way)
    print()
    for grammar, kept in sorted(by_grammar.items()):
        print(f"{share(kept)}  {grammar}")
    print(f"\n{share([k for kept in found.values() for k in kept])}  all")
    for (grammar, pattern), lost_ways in sorted(lost.items(), key=lambda one: -len(one[1]))[: asked.show]:
        told = ", ".join(f"{way}{f' x{n}' if n > 1 else ''}" for way, n in Counter(lost_ways).most_common())
        print(f"{len(lost_ways):4}  {grammar}.{pattern}: {told}")


if __name__ == "__main__":
    main()
