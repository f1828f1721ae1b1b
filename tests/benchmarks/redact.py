"""How fast texts are redacted: python tests/benchmarks/redact.py [--megabytes 50] [--hosts 512].

The lines are those of a large job: NCCL's, with the host in front of each, steps, tracebacks, and here and there a secret.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

from test_redact import look_alikes, planted

from logsift.report.redact import Redactor


def lines(hosts: int, size: int) -> list[str]:
    """Lines of that many characters in all."""
    block = []
    for n in range(20_000):
        host = f"hgx{n % hosts:04}"
        block.append(
            f"[rank{n % (8 * hosts)}]: {host}:{40000 + n % 977}:{41000 + n % 977} [{n % 8}] NCCL INFO Channel {n % 32:02}/0 :"
            f" {n % 8}[{n % 8}] -> {n % 7}[{n % 7}] via P2P/CUMEM"
        )
        block.append(
            f"2026-03-03 10:{n % 60:02}:{n % 59:02},{n % 1000:03} INFO step {n} loss {2 + 1 / (n + 1):.4f} grad norm 0.31"
        )
        if n % 20 == 0:
            block.append(f'  File "/home/jdoe/proj/train_{n % 40}.py", line {n % 900}, in step')
    block += [line for _, line, _ in planted(most=400)] + [line for _, line in look_alikes(most=400)]
    return block * (size // sum(map(len, block)) + 1)


def main() -> None:
    """Print the speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--hosts", type=int, default=512)
    asked = parser.parse_args()
    redactor = Redactor([f"hgx{n:04}" for n in range(asked.hosts)], ["jdoe"])
    redactor.texts(["once"])
    given = lines(asked.hosts, asked.megabytes * 10**6)
    measure(redactor, "all lines", given)
    measure(redactor, "lines that hold nothing", [line for line in given if " INFO step " in line])


def measure(redactor: Redactor, what: str, given: list[str]) -> None:
    """Print how fast these are redacted."""
    size = sum(map(len, given)) / 1e6
    began, cpu = time.perf_counter(), time.process_time()
    redactor.texts(given)
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"{what}: {size:.0f} MB, {len(given):,} lines: {size / took:.0f} MB/s ({size / cpu:.0f} MB per CPU second)")


if __name__ == "__main__":
    main()
