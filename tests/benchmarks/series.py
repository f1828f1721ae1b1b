"""Prints what the search over series finds and what it imagines: recall by size and place, false alarms, speed.

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

from builders.curves import FAULTS, NOISE, Made, clean, faulty  # noqa: E402

from logsift.derive.series import Excursion, curve_of, search  # noqa: E402

RIGHT = {
    "fast spike": {"rise"}, "slow spike": {"rise"}, "unrecovered spike": {"rise"}, "resume spike": {"rise"},
    "repeated data": {"dip"}, "level shift": {"shift", "trend", "rise"}, "divergence": {"trend", "shift", "rise"},
}  # fmt: skip
EXACT = {"level shift": "shift", "divergence": "trend"}


def found(made: Made) -> list[Excursion]:
    return search(curve_of(made.x, made.y), [made.boundary] if made.boundary else [])


def hit(made: Made, fault: str) -> Excursion | None:
    """What was found of a fault: of the right kinds, and where it is (a creeping rise has no place)."""
    assert made.start is not None
    near = max(8.0, (0.04 if fault in {"level shift", "slow spike"} else 0.02) * len(made.x))
    fits = [e for e in found(made) if e.kind in RIGHT[fault]]
    fits = [e for e in fits if fault == "divergence" or abs(e.start - made.start) <= near]
    return min(fits, key=lambda e: abs(e.start - (made.start or 0)), default=None)


def recall(curves: int) -> None:
    print(
        "\nrecall by size (standard deviations of one point; percent for divergence), then by place: first | middle | last third"
    )
    print("start, end: how far off, in points (median, 90 %); exactly: named as what it is")
    for n in (250, 1000, 10_000):
        for fault in FAULTS:
            sizes = (5, 10, 30) if fault == "divergence" else (1, 2, 4) if fault == "repeated data" else (4, 8, 16)
            cells, places = [], np.zeros((3, 2))
            starts: list[int] = []
            ends: list[int] = []
            exact = 0
            for size in sizes:
                count = curves if n < 10_000 else max(curves // 4, 6)
                k = 0
                for i in range(count):
                    made = faulty(n, NOISE[i % len(NOISE)], fault, size, np.random.default_rng([1, n, size, i]))
                    e = hit(made, fault)
                    third = min(int(((made.start or 0) / n - 0.3) / 0.4 * 3), 2)
                    places[third] += (e is not None, 1)
                    k += e is not None
                    if e is not None:
                        starts.append(abs(e.start - (made.start or 0)))
                        exact += e.kind == EXACT.get(fault, e.kind)
                        ends += [abs(e.end - made.end)] if e.end is not None and made.end is not None else []
                cells.append(f"{size:>3}: {k / count:.2f}")
            by_place = " | ".join(f"{a / max(b, 1):.2f}" for a, b in places)
            print(
                f"  {n:>6} points  {fault:18} {'  '.join(cells)}   {by_place}   start {off(starts)}  end {off(ends)}  exactly {exact / max(len(starts), 1):.2f}"
            )


def off(points: list[int]) -> str:
    return f"{np.median(points):.0f}, {np.quantile(points, 0.9):.0f}" if points else "-"


def alarms(curves: int) -> None:
    print("\nfalse alarms on clean curves (lone points count only beside a logged change)")
    for n in (100, 300, 1000, 10_000):
        loud = {kind: sum(alarm(n, kind, i) for i in range(curves * 5)) for kind in NOISE}
        bad, count = sum(loud.values()), len(NOISE) * curves * 5
        listed = ", ".join(f"{kind} {k}" for kind, k in loud.items())
        print(
            f"  {n:>6} points  {bad:>3} of {count} curves = {bad / count * 1e3:.2f} per thousand, {bad / count / n * 1e6:.2f} per million points ({listed})"
        )


def alarm(n: int, kind: str, seed: int) -> bool:
    made = clean(n, kind, np.random.default_rng([2, n, seed]), drop=seed % 3 == 0, interval=1 if seed % 2 else 20)
    return any(e.kind != "lone" for e in found(made))


def speed() -> None:
    made = clean(1_000_000, "hard batches", np.random.default_rng(3))
    began = time.process_time()
    for _ in range(20):
        found(made)
    took = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"\n20 series of 1,000,000 points: {took:.1f} s of CPU, {20 / took:.1f} million points/s, {most} MiB at most")


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    recall(n)
    alarms(n)
    speed()
