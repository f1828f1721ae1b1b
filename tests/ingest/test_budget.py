"""Small files that ask for much: each ends within its budget, says so, and takes nothing from the others."""

from __future__ import annotations

import gzip
import json
import pickle
import resource
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from functools import cache
from pathlib import Path

import pytest

from logsift import Catalog, analyze
from logsift.analysis import Analysis
from logsift.ingest.readers.protobuf import fields
from logsift.ingest.readers.tensorboard import masked_crc
from logsift.ingest.readers.wandb import BLOCK, HEADER
from logsift.ingest.unpickle import odd_in, plain_values_of_torn

ROWS = [{"step": n, "loss": 2.0 + n / 100} for n in range(20)]


def laughs(levels: int = 40) -> object:
    """A list that holds the same list twice, and so on."""
    value: object = "ha"
    for _ in range(levels):
        value = [value, value]
    return value


def event(payload: bytes) -> bytes:
    head = struct.pack("<Q", len(payload))
    return head + struct.pack("<I", masked_crc(head)) + payload + struct.pack("<I", masked_crc(payload))


def wandb_record(data: bytes, kind: int) -> bytes:
    body = bytes([kind]) + data
    return struct.pack("<IH", zlib.crc32(body), len(data)) + body


def jsonl(odd: str) -> bytes:
    lines = [json.dumps(r) for r in ROWS]
    return "\n".join([*lines[:10], odd, *lines[10:], ""]).encode()


def dump(**more: object) -> bytes:
    entry = {"record_id": 1, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": 1,
             "profiling_name": "nccl:all_reduce", "state": "started", **more}  # fmt: skip
    return pickle.dumps({"version": "2.4", "entries": [entry], "pg_config": {}, "pg_status": {}}, 4)


def database(schema: str) -> bytes:
    con = sqlite3.connect(":memory:")
    con.executescript(schema)
    try:
        return con.serialize()
    finally:
        con.close()


METRICS = "CREATE TABLE metrics (key, value, timestamp, step, is_nan, run_uuid)"


@cache
def files() -> dict[str, bytes]:
    """What is read, by name; made where it is needed, which takes a second."""
    return {
        # a bad row among good ones
        "digits.jsonl": jsonl('{"step": 10, "loss": ' + "9" * 400 + "}"),
        "rank.jsonl": jsonl('{"step": 10, "loss": 2.0, "rank": 18446744073709551616}'),
        "deep.jsonl": jsonl('{"step": 10, "loss": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        "long.jsonl": jsonl('{"step": "' + "1" * 100_000 + '", "loss": 2.0}'),
        "huge.jsonl": jsonl('{"step": 10, "loss": 1e308, "time": 1e300}') + jsonl('{"step": 11, "loss": 1e308}'),
        "keys.jsonl": jsonl(json.dumps({f"k{n}": n for n in range(20_000)})),
        "quote.csv": b"step,loss,note\n" + b"".join(b'%d,%f,"\n' % (n, 2 + n / 9) for n in range(19)) + b"19,2.5,x\n",
        "text.csv": b"step,loss\n" + b"".join(b"%d,%f\n" % (n, 2 + n / 9) for n in range(3000)) + b"3000,n/a?\n",
        "wide.csv": b"step,loss," + b",".join(b"c%d" % n for n in range(6_000)) + b"\n" + b"".join(b"%d,2.%d\n" % (n, n) for n in range(20)),
        "rank.csv": b"step,loss,rank\n" + b"".join(b"%d,2.5,1e30\n" % n for n in range(20)),
        # asking for much
        "tabs.csv": b"step\t" * 13_000 + b"\n",
        "commas.csv": b"," * 65_000,
        "repeated.jsonl.gz": gzip.compress(b'{"step": 1, "loss": 2.0}\n' * 100_000),
        "shared.pickle": dump(frames=[{"name": laughs(), "filename": "a", "line": 1}]),
        "shapes.pickle": dump(input_sizes=[[1 << 62] * 50_000]),
        "laughs.pickle": dump(state=laughs(), input_sizes=laughs(), profiling_name=laughs()),
        "memo.pickle": b"\x80\x02}X\x07\x00\x00\x00entriesr\xff\xff\xff\x7f].",
        "bytes.pickle": b"\x80\x05}X\x07\x00\x00\x00entries\x96" + struct.pack("<Q", 12 << 30),
        "events.out.tfevents.1.varint": event(b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2") + event(b"\x10" + b"\xff" * 3_000_000 + b"\x01"),
        "run-a.wandb": HEADER + b"".join(
            wandb_record(b"x" * (BLOCK - 7 - (7 if n == 0 else 0)), 2 if n == 0 else 3) for n in range(400)
        ),
        "endless/mlflow.db": database(
            "CREATE VIEW metrics AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT 'loss' AS key, i AS value, i AS timestamp, i AS step, 0 AS is_nan, 'a' AS run_uuid FROM n"
        ),
        "odd/mlflow.db": database(
            METRICS + ";" + ";".join(f"INSERT INTO metrics VALUES ('loss', {2 + n / 9}, 1700000000000, {n}, 0, 'a')" for n in range(20))
            + "; INSERT INTO metrics VALUES (x'00ff', 'text', 'never', 'first', 'no', 7)"
        ),
        "pyspy.json": b"[\n" * 50_000,
        "blanks.log": b" " * 3_000_000 + b"\n",
        "crash.log": b"Traceback (most recent call last):\nKeyError: 'still read'\n",
    }  # fmt: skip


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> tuple[Analysis, float, float]:
    run = tmp_path_factory.mktemp("greedy") / "run"
    for name, content in files().items():
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_bytes(content)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    analysis = analyze(run, catalog=catalog)
    return analysis, time.process_time() - began, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def test_all_of_them_together_take_little(analysed: tuple[Analysis, float, float]) -> None:
    _, seconds, mebibytes = analysed
    assert seconds < 60
    assert mebibytes < 1500


def test_every_file_is_accounted_for(analysed: tuple[Analysis, float, float]) -> None:
    rows = analysed[0].sql("SELECT path FROM file")
    assert {r["path"] for r in rows} == set(files())
    assert analysed[0].sql("SELECT type FROM exception_line") != []


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("digits.jsonl", 20), ("rank.jsonl", 21), ("deep.jsonl", 20), ("long.jsonl", 20), ("huge.jsonl", 41), ("keys.jsonl", 20),
        ("quote.csv", 20), ("text.csv", 3000), ("wide.csv", 20), ("rank.csv", 20), ("odd/mlflow.db", 20),
    ],
)  # fmt: skip
def test_a_bad_row_takes_no_good_one_with_it(analysed: tuple[Analysis, float, float], name: str, points: int) -> None:
    told = analysed[0].sql(
        "SELECT count(*) AS n FROM metric_point p JOIN file USING (file_id) JOIN metric_curve c USING (file_id, curve)"
        f" WHERE path = '{name}' AND c.name = 'loss'"
    )
    assert told[0]["n"] >= points


@pytest.mark.parametrize("name", ["memo.pickle", "bytes.pickle", "endless/mlflow.db", "run-a.wandb"])
def test_what_is_not_read_is_told(analysed: tuple[Analysis, float, float], name: str) -> None:
    assert analysed[0].sql(f"SELECT what FROM problem JOIN file USING (file_id) WHERE path = '{name}'") != []


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_pass_whatever_way_they_were_pickled(protocol: int) -> None:
    value = {"a": [1, 2.5, -7, 1 << 62, None, True, "text " * 99], "b": ({}, [[]], (1, 2, 3, 4))}
    data = pickle.dumps(value, protocol)
    assert odd_in(data) == ""
    assert plain_values_of_torn(data) == (value, "")
    assert [odd_in(data[:n]) for n in range(len(data))] == [""] * len(data)


@pytest.mark.parametrize(
    "data",
    [b"cos\nsystem\n(S'true'\ntR.", b"\x80\x02)R.", b"]p999999999\n.", b"\x80\x02]r\xff\xff\xff\x7f.", b"Pone\n.",
     b"\x80\x05\x96" + struct.pack("<Q", 1 << 40) + b"."],
    ids=["a call", "a reduction", "a place in the memo", "a place in the memo, as bytes", "a persistent object", "a bytearray"],
)  # fmt: skip
def test_anything_else_in_a_pickle_ends_its_reading_before_it_runs(data: bytes) -> None:
    assert "more than plain values" in odd_in(data)


def test_a_number_of_protobuf_that_does_not_end_is_no_work() -> None:
    began = time.process_time()
    assert list(fields(b"\x08" + b"\xff" * 5_000_000)) == [(1, 0)]
    assert time.process_time() - began < 5


def test_nothing_is_sent_anywhere(tmp_path: Path) -> None:
    (tmp_path / "crash.log").write_bytes(files()["crash.log"])
    code = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('a socket was asked for')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse\n"
        "sys.addaudithook(lambda e, a: refuse() if e in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto') else None)\n"
        "from logsift.cli import main; main(['analyze', sys.argv[1]], standalone_mode=False)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, "KeyError" in done.stdout) == (0, True), done.stderr
