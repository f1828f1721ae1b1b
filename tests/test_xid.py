"""Every code of the Xid and SXid catalogues, in the shapes of three driver generations, is read and explained."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from logsift import analyze

PARSERS = Path(__file__).resolve().parents[1] / "parsers"
SHAPES = (
    "NVRM: Xid (PCI:0000:{bus:02x}:00): {code}, Ch 00000013, engmask 00000101",
    "NVRM: Xid (PCI:0000:{bus:02x}:00): {code}, pid='<unknown>', name=<unknown>, text of the code",
    "NVRM: Xid (PCI:0000:{bus:02x}:00 GPU-I:05): {code}, pid=411, name=ray::Worker, text of the code",
)


def seed(name: str) -> list[dict[str, str]]:
    """The rows of a seed table."""
    text = (PARSERS / f"{name}.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in text if not line.startswith("#")))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """One kernel log with every code in every shape, analysed."""
    run = tmp_path_factory.mktemp("run")
    xids = [shape.format(bus=n + 1, code=row["code"]) for row in seed("xid_catalog") for n, shape in enumerate(SHAPES)]
    sxids = [
        f"nvidia-nvswitch0: SXid (PCI:0000:08:00.0): {row['code']}, Non-fatal, Link 7 text"
        for row in seed("sxid_catalog")
    ]
    lines = [f"[{100 + n}.000001] {text}" for n, text in enumerate([*xids, *sxids])]
    (run / "dmesg.txt").write_text("\n".join(lines) + "\n")
    analyze(run)
    return duckdb.connect(str(run / "logsift.duckdb"), read_only=True)


def test_every_xid_in_every_shape(store: duckdb.DuckDBPyConnection) -> None:
    want = {(int(r["code"]), r["class"], r["immediate_action"]): 3 for r in seed("xid_catalog")}
    got = store.execute("SELECT code, class, action, count(DISTINCT gpu) FROM xid GROUP BY ALL").fetchall()
    assert {(c, k, a): n for c, k, a, n in got} == want


def test_every_sxid(store: duckdb.DuckDBPyConnection) -> None:
    want = {(int(r["code"]), r["class"], r["immediate_action"]) for r in seed("sxid_catalog")}
    assert set(store.execute("SELECT code, class, action FROM sxid").fetchall()) == want
