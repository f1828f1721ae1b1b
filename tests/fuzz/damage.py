"""Runs with something missing never tell more than whole ones.

    PYTHONPATH=. python tests/fuzz/damage.py [--seconds 600] [--seed 1]

Each try takes a fixture, cuts a file at either end, drops lines, takes a file away or doubles one, and analyses what is left.
A critical incident of a rule that the whole run does not have, or one that names another host or rank than the whole run does
in any incident, is told, with what was done.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from pathlib import Path

from logsift import analyze, load_catalog
from logsift.analysis import Analysis

ROOT = Path(__file__).resolve().parents[2]


def told(analysis: Analysis) -> tuple[set[str], set[object]]:
    """Rules of critical incidents, and whom any incident names."""
    named: set[object] = {x for i in analysis.incidents for x in (*i.hosts, *i.ranks)}
    return {i.rule for i in analysis.incidents if i.severity == "critical"}, named


def damaged(run: Path, rng: random.Random) -> str:
    """Do something to a run; says what."""
    files = sorted(p for p in run.rglob("*") if p.is_file())
    file = rng.choice(files)
    data, name = file.read_bytes(), file.relative_to(run).as_posix()
    lines = data.splitlines(keepends=True)
    match rng.randrange(5):
        case 0:
            at = rng.randrange(len(data) + 1)
            file.write_bytes(data[:at])
            return f"{name} cut to {at} of {len(data)} bytes"
        case 1:
            at = rng.randrange(len(data) + 1)
            file.write_bytes(data[at:])
            return f"{name} without its first {at} of {len(data)} bytes"
        case 2:
            share = rng.random() / 2
            file.write_bytes(b"".join(x for x in lines if rng.random() > share))
            return f"{name} without {share:.0%} of its lines"
        case 3 if len(files) > 1:
            file.unlink()
            return f"without {name}"
        case _:
            shutil.copyfile(file, file.with_name(f"again-{file.name}"))
            return f"{name} twice"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng, catalog = random.Random(given.seed), load_catalog()
    runs = sorted((ROOT / "fixtures").glob("*/run"))
    whole: dict[Path, tuple[set[str], set[object]]] = {}
    until, tries, more = time.monotonic() + given.seconds, 0, 0
    while time.monotonic() < until:
        run = rng.choice(runs)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "run"
            shutil.copytree(run, copy)
            if run not in whole:
                whole[run] = told(analyze(copy, catalog=catalog, db=Path(folder) / "whole.duckdb"))
            what = damaged(copy, rng)
            try:
                rules, named = told(analyze(copy, catalog=catalog, db=Path(folder) / "damaged.duckdb"))
            except Exception as e:  # that is looked for too
                rules, named = {f"{type(e).__name__}: {e}"}, set()
        tries += 1
        if extra := [*(rules - whole[run][0]), *(str(n) for n in named - whole[run][1])]:
            more += 1
            print(f"{run.parent.name}: {what}: {', '.join(sorted(extra))}", flush=True)
    print(f"{tries} tries, {more} told more than the whole run")


if __name__ == "__main__":
    main()
