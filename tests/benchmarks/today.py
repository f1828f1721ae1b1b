"""What people read today, measured: `python tests/benchmarks/today.py [--ranks 64]`.

For every cause that the cluster generator knows: the lines that `grep -riE 'error|fail|exception|fatal|warn'` gives of its logs, whether
one that proves the cause is among them (as logsift gives them, where its verdict is the injected cause), and what torch's own
analyser of Flight Recorder dumps (`torchfrtrace`, where it is installed) says of them. The failures are made, and logsift is tested
with them: what is measured is what the others leave to be read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from builders.clusters import CAUSES, make  # noqa: E402

from logsift import analyze, load_catalog  # noqa: E402

WORDS = re.compile(rb"error|fail|exception|fatal|warn", re.IGNORECASE)
CULPRIT = 11


def found_by_grep(run: Path) -> list[tuple[str, int]]:
    """The lines (path, number) with a word of trouble, in the order in which grep gives them."""
    out = []
    for path in sorted(p for p in run.rglob("*") if p.is_file() and p.suffix in (".out", ".txt", ".log")):
        lines = path.read_bytes().split(b"\n")
        out += [(path.relative_to(run).as_posix(), n) for n, line in enumerate(lines, 1) if WORDS.search(line)]
    return out


def analyser_says(run: Path) -> str:
    """Whom torchfrtrace names by the dumps of a run, or its last word; nothing where there are none."""
    dumps = sorted(run.rglob("nccl_trace_rank_0"))
    if not dumps or not (tool := shutil.which("torchfrtrace")):
        return ""
    command = [tool, "--allow-incomplete-ranks", "--prefix", "nccl_trace_rank_", str(dumps[0].parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    names = [line for line in said if line.startswith("missing ranks") or "Culprit rank" in line]
    return [*said, *names][-1][:120] if said else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=64)
    ranks = parser.parse_args().ranks
    catalog = load_catalog()
    counts, proved = list[int](), 0
    print("cause                         lines   grep  proof among them  logsift")
    for name, cause in CAUSES.items():
        with tempfile.TemporaryDirectory() as folder:
            run = make(name, ranks, CULPRIT).write(Path(folder) / "run")
            with analyze(run, catalog=catalog, db=None) as analysis:
                root = analysis.root
                proof = {(e.path, e.line_no) for e in root.evidence} if root and root.rule == cause.root else set()
                (read,) = analysis.sql("SELECT sum(lines) AS lines FROM file")
            given = found_by_grep(run)
            among = bool(proof & set(given))
            counts.append(len(given))
            proved += among
            told = root.rule if root else "none"
            print(f"{name:<28} {read['lines']:>6} {len(given):>6}  {'yes' if among else 'no':>16}  {told}")
            if said := analyser_says(run):
                print(f"    torchfrtrace: {said}")
    print(
        f"grep: {min(counts)} to {max(counts)} lines, median {statistics.median(counts):.0f}; proof among them in {proved} of {len(counts)}"
    )


if __name__ == "__main__":
    main()
