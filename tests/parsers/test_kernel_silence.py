"""What healthy machines print: the fixtures' logs are silent (tests/test_cases.py), and they are of many kinds."""

from __future__ import annotations

import re
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BEFORE = re.compile(
    r"^(?:\[[^\]]*\] |[A-Z][a-z]{2} +\d+ [\d:]+ \S+ (?:kernel: )?(?:\[[^\]]*\] )?|\d{4}-\S+ \S+ (?:kernel: )?)"
)
NUMBER = re.compile(r"0x[0-9a-f]+|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9])?|[0-9]+")


def test_ordinary_kernel_lines_of_three_hundred_kinds_and_more() -> None:
    logs = [p for name in ("ordinary", "kernel") for p in FIXTURES.glob(f"healthy--*{name}*/run/*")]
    lines = {line for p in logs for line in p.read_text().splitlines()}
    kinds = {NUMBER.sub("#", BEFORE.sub("", line)) for line in lines}
    assert len(kinds) >= 500
