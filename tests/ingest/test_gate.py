"""The gate: both scanners agree, and what passes never depends on which way it went."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog
from logsift.ingest import gate as gates
from logsift.ingest.readers import lines

NEEDLES = [b"abc", b"bc", b"zz ", b"\xc3\xa9"]


def found(scanner: gates.Scanner, data: bytes, limit: int) -> list[tuple[int, int]]:
    ends, numbers = scanner.hits(data, limit)
    return list(zip(ends.tolist(), numbers.tolist(), strict=True))


def noise(seed: int, rate: float) -> bytes:
    rng = random.Random(seed)
    words = [n for n in NEEDLES if rng.random() < 0.9]
    return b"".join(
        bytes(rng.choices(b"xyz 0123\n", k=rng.randrange(40)))
        + (rng.choice(words) if words and rng.random() < rate else b"")
        for _ in range(400)
    )


@pytest.mark.parametrize("rate", [0.0, 0.02, 1.0])
def test_the_fallback_finds_what_hyperscan_finds(rate: float) -> None:
    pytest.importorskip("hyperscan", reason="no hyperscan on this machine")
    once, fast, plain = gates._Hyperscan(NEEDLES), gates._Hyperscan(NEEDLES, places=True), gates._Plain(NEEDLES)
    for seed in range(20):
        data = noise(seed, rate)
        assert sorted(found(fast, data, 10**6)) == sorted(found(plain, data, 10**6))
        assert once.present(data) == fast.present(data) == plain.present(data)
        assert [end for end, _ in found(fast, data, 3)] == [end for end, _ in found(plain, data, 3)]


@pytest.mark.parametrize("dense_bytes", [1, 10**9], ids=["as a sparse file", "as a dense one"])
def test_lines_around_hits_pass_whole_and_with_their_numbers(
    dense_bytes: int, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "DENSE_BYTES", dense_bytes)
    said = [f"line {n}" for n in range(1, 9000)]
    said[100], said[7000] = (
        "host1:12:13 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>",
        "Traceback (most recent call last):",
    )
    path = tmp_path / "a.log"
    path.write_text("\n".join(said))
    gate = gates.Gate([g for g in catalog.grammars if g.reader == "lines" and not g.owns])
    (window,) = lines.windows(1, path, 0)
    passed = gate.pass_through(window)
    _, numbers, data = passed.core
    got = dict(zip(numbers.tolist(), data.decode().splitlines(), strict=True))
    assert all(said[n - 1] == text for n, text in got.items())
    assert {101, 7001, 7002, 8999} <= set(got)
    if dense_bytes == 1:
        assert 102 not in got


def test_the_way_through_the_gate_does_not_show_in_the_rows(
    catalog: Catalog, run_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from logsift import analyze

    text = "".join(
        f'[rank{n % 4}]: Traceback (most recent call last):\n[rank{n % 4}]:   File "a.py", line {n}, in f\n[rank{n % 4}]: KeyError: {n}\n'
        + "noise\n" * 50
        for n in range(60)
    )
    found = []
    for size in (1, 10**9):
        monkeypatch.setattr(gates, "DENSE_BYTES", size)
        found.append(
            analyze(run_of({"a.log": text}, f"run{size}"), catalog=catalog, db=None).sql(
                "SELECT * EXCLUDE (file_id) FROM traceback_end ORDER BY line_no"
            )
        )
    assert found[0] == found[1]
    assert len(found[0]) == 60


@pytest.mark.parametrize(("known_first", "known_last"), [(2000, 2000), (2000, 0), (40, 0)])
def test_what_passes_does_not_depend_on_where_hits_are_counted_first(
    known_first: int, known_last: int, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, other = "host1:12:13 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>\n", "a line of another program\n"
    path = tmp_path / "a.log"
    path.write_text(known * known_first + other * (4000 - known_first - known_last) + known * known_last)
    gate = gates.Gate([g for g in catalog.grammars if g.reader == "lines" and not g.owns])
    (window,) = lines.windows(1, path, 0)
    passed = []
    for probed_bytes in (1000, 1 << 30):
        monkeypatch.setattr(gates, "_PROBED_BYTES", probed_bytes)
        passed.append(gate.pass_through(window).core[1].tolist())
    assert passed[0] == passed[1]
    assert len(passed[0]) == (40 if known_first == 40 else 4000)
