"""Prints what the search over series finds and what it imagines: recall by kind and size, false alarms, speed.

Run: python tests/benchmarks/series.py [curves per cell]
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from curves import FAULTS, NOISE, Made, clean, faulty  # noqa: E402

from logsift.judge.series import Excursion, curve_of, search  # noqa: E402

RIGHT = {
    "fast spike": {"rise"}, "slow spike": {"rise"}, "unrecovered spike": {"rise"}, "resume spike": {"rise"},
    "repeated data": {"dip"}, "level shift": {"shift", "trend", "rise"}, "divergence": {"trend", "shift", "rise"},
}  # fmt: skip


def found(made: Made) -> list[Excursion]:
    return search(curve_of(made.x, made.y), [made.boundary] if made.boundary else [])


def hit(made: Made, fault: str, kinds: set[str]) -> bool:
    near = max(8, 0.04 * len(made.x)) if fault in {"level shift", "slow spike"} else max(8, 0.02 * len(made.x))
    assert made.start is not None
    return any(e.kind in kinds and (abs(e.start - made.start) <= near or fault == "divergence") for e in found(made))


def recall(curves: int) -> None:
    print("\nrecall by size (standard deviations of one point; percent for divergence); in brackets: named exactly")
    for n in (250, 1000, 10_000):
        for fault in FAULTS:
            sizes = (5, 10, 30) if fault == "divergence" else (1, 2, 4) if fault == "repeated data" else (4, 8, 16)
            cells = []
            for size in sizes:
                rng = np.random.default_rng(1)
                k = exact = 0
                count = curves if n < 10_000 else max(curves // 4, 6)
                for i in range(count):
                    made = faulty(n, NOISE[i % len(NOISE)], fault, size, rng)
                    k += hit(made, fault, RIGHT[fault])
                    first = {"level shift": "shift", "divergence": "trend"}.get(fault)
                    exact += bool(first and hit(made, fault, {first}))
                cells.append(
                    f"{size:>3}: {k / count:.2f}"
                    + (f" ({exact / count:.2f})" if fault in {"level shift", "divergence"} else "")
                )
            print(f"  {n:>6} points  {fault:18} {'   '.join(cells)}")


def alarms(curves: int) -> None:
    print("\nfalse alarms on clean curves (lone points count only beside a logged change)")
    for n in (100, 300, 1000, 10_000):
        count = curves * 10 if n <= 1000 else curves * 5
        for kind in NOISE:
            rng = np.random.default_rng(2)
            bad = points = 0
            for i in range(count):
                made = clean(n, kind, rng, drop=i % 3 == 0, interval=1 if i % 2 else 20)
                bad += any(e.kind != "lone" for e in found(made))
                points += n
            print(f"  {n:>6} points  {kind:13} {bad:>3} of {count} curves, {bad / points * 1e6:.1f} per million points")


def speed() -> None:
    rng = np.random.default_rng(3)
    made = clean(1_000_000, "hard batches", rng)
    began = time.perf_counter()
    for _ in range(20):
        found(made)
    print(
        f"\n20 series of 1,000,000 points: {time.perf_counter() - began:.1f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB at most"
    )


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    recall(n)
    alarms(n)
    speed()
