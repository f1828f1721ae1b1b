"""How often roots of each grade are right: on labelled runs as they are, and on the same runs damaged.

    python tests/benchmarks/calibration.py [FOLDER …] [--every 5] [--seed 0] [--wrong]

FOLDER holds cases (NAME/case.toml beside NAME/run/), by default the fixtures. Every case is analysed whole and then
damaged: cut at its start, at its end, every line dropped by chance, a file removed. A root is right where the label
names it, as the root or among what is to be found (`expect`): what is left of a log may show no more than that. It is
wrong where the label names another, where it is silent, or where the damaged log names a rank or host that
neither the label nor any incident of the whole one does. Grades are meant to be right in 99 % (definite), 90 % (probable) and
50 % (possible) of all cases.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logsift import analyze, load_catalog
from logsift.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsift import Catalog
    from logsift.content.incident import Incident

AIMS = {"definite": 0.99, "probable": 0.90, "possible": 0.50}


def cut_start(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """The end of a log, as a rotation leaves it."""
    return lines[chance.randrange(len(lines)) :] if lines else lines


def cut_end(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """The beginning of a log, as it was when somebody copied it."""
    return lines[: 1 + chance.randrange(len(lines))] if lines else lines


def thin(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """A third of the lines lost, as rate limits and busy collectors lose them."""
    return [line for line in lines if chance.random() > 1 / 3]


DAMAGES = {"cut at the start": cut_start, "cut at the end": cut_end, "thinned": thin}


def versions(run: Path, scratch: Path, chance: random.Random) -> Iterator[tuple[str, Path]]:
    """(what was done, where it is) of the whole run and its damaged copies."""
    yield "whole", run
    texts = [p for p in sorted(run.rglob("*")) if p.is_file() and b"\0" not in p.read_bytes()[:4096]]
    for name, damage in DAMAGES.items():
        copy = scratch / name.replace(" ", "-")
        shutil.copytree(run, copy)
        for path in texts:
            lines = path.read_bytes().splitlines(keepends=True)
            (copy / path.relative_to(run)).write_bytes(b"".join(damage(lines, chance)))
        yield name, copy
    files = [p for p in sorted(run.rglob("*")) if p.is_file()]
    if len(files) > 1:
        copy = scratch / "file-removed"
        shutil.copytree(run, copy)
        (copy / chance.choice(files).relative_to(run)).unlink()
        yield "a file removed", copy


def found(run: Path, catalog: Catalog, database: Path) -> tuple[Incident | None, list[Incident]]:
    """The root, and all incidents but context."""
    try:
        analysis = analyze(run, catalog=catalog, db=database)
    except UserError:
        return None, []
    root, loud = analysis.causes.root, [i for i in analysis.incidents if i.severity != "info"]
    analysis.store.close()
    database.unlink()
    return root, loud


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).resolve().parents[2] / "fixtures"])
    parser.add_argument("--every", type=int, default=1, help="take one case in so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", action="store_true", help="list the roots that were wrong")
    given = parser.parse_args()
    catalog = load_catalog()
    tally: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    cases = sorted(c for folder in given.folders for c in folder.glob("*/case.toml"))[:: given.every]
    for case in cases:
        label: dict[str, Any] = tomllib.loads(case.read_text())
        right = {label.get("root"), *label.get("expect", ())} - {None, ""}
        names: tuple[set[int], set[str]] = (set(), set())
        with tempfile.TemporaryDirectory() as folder:
            chance = random.Random(f"{given.seed} {case.parent.name}")
            for what, run in versions(case.parent / "run", Path(folder), chance):
                root, loud = found(run, catalog, Path(folder) / "x.duckdb")
                if what == "whole":
                    names = ({r for i in loud for r in i.ranks}, {h for i in loud for h in i.hosts})
                if root is None:
                    tally[what, "none"]["silent" if right else "right"] += 1
                    continue
                strangers = [*(root.ranks - names[0]), *(root.hosts - names[1])]
                verdict = "wrong" if root.rule not in right else "stranger" if strangers else "right"
                tally[what, root.confidence][verdict] += 1
                if verdict != "right" and given.wrong:
                    told = f"names {strangers}" if verdict == "stranger" else f"label {sorted(right) or 'nothing'}"
                    print(f"{case.parent.name}, {what}: {root.confidence} {root.rule}: {root.summary[:100]} ({told})")
                    sys.stdout.flush()
    print(f"{len(cases)} cases")
    for grade, aim in AIMS.items():
        of_all = sum((c for (_, g), c in tally.items() if g == grade), Counter())
        print(f"{grade:9} {_share(of_all)} (aim {aim:.0%})")
        for (what, g), counts in sorted(tally.items()):
            if g == grade:
                print(f"    {what:17} {_share(counts)}")
    silent = sum((c for (_, g), c in tally.items() if g == "none"), Counter())
    print(f"no root: {silent['right']} of healthy runs, {silent['silent']} of others")


def _share(counts: Counter[str]) -> str:
    n = counts.total()
    return f"{counts['right'] / max(n, 1):6.1%} right of {n:5}; {counts['wrong']} another cause, {counts['stranger']} a stranger named"


if __name__ == "__main__":
    main()
