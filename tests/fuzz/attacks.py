"""Hostile and odd runs, and every command on each of them.

    PYTHONPATH=. python tests/fuzz/attacks.py [NAME …]

A run is made for each attack, and every command is given it, in a process of its own with a limit of time and memory. A wound
is told: an exit code that says a fault of logsift itself, a traceback, a control character on the screen or in a report, a
script that got into a page, a document that is no JSON, more than SECONDS of a core, a file that an attack made outside.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import re
import resource
import shutil
import socket
import sqlite3
import struct
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import zstandard

SECONDS, GIBIBYTES, PATIENCE = 20.0, 12, 600.0
OUTSIDE = (Path("/tmp/logsift-attack"), Path("/tmp/logsift-abs.log"))
"""What an attack makes where it gets through."""
CRASH = (
    "[rank3]: Traceback (most recent call last):\n"
    '[rank3]:   File "/job/train.py", line 10, in <module>\n'
    "[rank3]:     main()\n"
    "[rank3]: ValueError: bad shape\n"
)
EVIL = (
    "\x1b[31mred\x1b]0;t\x07\u202eevil\u2066<script>alert(1)</script>|`x`$(touch /tmp/logsift-attack)'\"; DROP TABLE x;"
    " -- [/] [link=x]y ![a](http://x)"
)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
COMMANDS = [
    line.split()
    for line in (
        "analyze RUN --format json", "analyze RUN", "show RUN 1", "ranks RUN", "next RUN", "timeline RUN", "stacks RUN", "plot RUN",
        "unread RUN", "report RUN -o OUT/r.md", "report RUN -o OUT/r.html", "report RUN -o - --for github",
        "export RUN --format perfetto -o OUT/t.json", "export RUN --format speedscope -o OUT/s.json", "bundle RUN -o OUT/b.tar.zst",
        "analyze OUT/b.tar.zst", "sql RUN SELECT\u00a0*\u00a0FROM\u00a0file", "sql RUN --format md SELECT\u00a0*\u00a0FROM\u00a0problem",
        "tables RUN", "diff RUN RUN", "history RUN", "analyze RUN --format line", "analyze RUN --format slack", "analyze RUN --redact",
    )
]  # fmt: skip
"""A no-break space stands for one within a word."""
ATTACKS: dict[str, Callable[[Path], None]] = {}


def attack(make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Takes it among the attacks, by its name."""
    ATTACKS[make.__name__] = make
    return make


def put(run: Path, name: str, data: bytes | str) -> None:
    """A file of a run."""
    path = run / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))


@attack
def socket_in_run(r: Path) -> None:
    put(r, "a.log", CRASH)
    s = socket.socket(socket.AF_UNIX)
    s.bind(str(r / "s.log"))
    s.close()


@attack
def fifo_in_run(r: Path) -> None:
    put(r, "a.log", CRASH)
    os.mkfifo(r / "pipe.log")
    os.mkfifo(r / "pipe.log.gz")


@attack
def links_to_devices(r: Path) -> None:
    put(r, "a.log", CRASH)
    (r / "z.log").symlink_to("/dev/zero")
    (r / "in.log").symlink_to("/dev/stdin")
    (r / "m.log").symlink_to("/proc/self/mem")
    (r / "n.log").symlink_to("/nowhere")


@attack
def links_in_circles(r: Path) -> None:
    put(r, "d/a.log", CRASH)
    (r / "d" / "up").symlink_to("..")
    (r / "self").symlink_to("self")
    (r / "a").symlink_to("b")
    (r / "b").symlink_to("a")
    (r / "here").symlink_to(".")


@attack
def case_clashes(r: Path) -> None:
    for n in ("Rank0.log", "rank0.log", "RANK0.LOG", "rank0.Log"):
        put(r, n, CRASH.replace("rank3", "rank0"))


@attack
def names_that_act(r: Path) -> None:
    for n in [
        "new\nline.log",
        "tab\t.log",
        "esc\x1b[31m.log",
        "bidi\u202e.log",
        "`id`.log",
        "$(touch PWNED).log",
        "<script>alert(1)<",
        "-rf",
        "--version",
        "%s%n{0}{{x}}.log",
        "'quote\".log",
        "a|b.log",
        "[/bold].log",
        "é.log",
        "é.log",
        "x" * 250 + ".log",
        " .log",
        "..log",
        "...",
        "CON.log",
        "a;b.log",
        "*.log",
        "[ab].log",
        "?.log",
        "#x.log",
        "~.log",
        "rank=3",
        "host=\x1b[31m",
    ]:
        try:
            put(r, n, CRASH)
        except OSError as e:
            print(n, e)


@attack
def names_no_utf8(r: Path) -> None:
    for n in (b"\xff\xfe.log", b"host=\xff", b"rank\xff3.log"):
        Path(os.fsdecode(os.fsencode(r) + b"/" + n)).write_bytes(CRASH.encode())


@attack
def huge_ranks(r: Path) -> None:
    put(
        r,
        "a.log",
        "".join(
            CRASH.replace("rank3", f"rank{n}")
            for n in (
                "4294967295",
                "9223372036854775807",
                "9223372036854775808",
                "1" + "0" * 30,
                "-1",
                "00007",
                "foo",
                "1e3",
                "３",
            )
        ),
    )
    put(
        r,
        "b.log",
        "NCCL INFO comm 0x1 rank 18446744073709551615 nranks 99999999999999999999 cudaDev -1 busId zz000 commId 0x1 - Init START\nmm1:1:1 [9999999999] NCCL INFO ncclCommInitRankConfig comm 0x1 rank 99999999999 nranks 999999999999 cudaDev 0 nvmlDev 0 busId 1 commId 0x2 - Init START\n",
    )
    put(r, "rank999999.log", CRASH)
    put(r, "rank_99999999999.log", CRASH)


@attack
def world_of_a_billion(r: Path) -> None:
    put(
        r,
        "a.log",
        "".join(
            f"h:{p}:{p} [0] NCCL INFO ncclCommInitRankConfig comm 0x{p} rank {p} nranks 2147483647 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x5f - Init START\n"
            for p in (0, 5, 2000000000)
        )
        + "W0512 14:16:42.000000 1 api.py:897] Sending process 71 closing signal SIGTERM\n"
        + CRASH,
    )


@attack
def ends_of_time(r: Path) -> None:
    put(
        r,
        "a.log",
        "".join(
            f"{t} h1 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=p, GPU has fallen off the bus.\n"
            for t in (
                "1970-01-01T00:00:00",
                "2106-02-07T06:28:16",
                "0001-01-01T00:00:00",
                "9999-12-31T23:59:59.999999999",
                "2026-02-30T10:00:00",
                "2026-02-28T24:00:00",
                "2016-12-31T23:59:60",
                "2026-02-28T10:00:00+99:99",
                "-2026-02-28T10:00:00",
                "292277026596-12-04T15:30:08",
                "1969-12-31T23:59:59-12:00",
            )
        ),
    )
    put(
        r,
        "b.log",
        "".join(
            f"[{t}] NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=p, GPU has fallen off the bus.\n"
            for t in (
                "-1.0",
                "99999999999999999999.9",
                "    0.000000",
                "1e308",
                "nan",
                "18446744073709551615.999999",
            )
        ),
    )


@attack
def negative_durations(r: Path) -> None:
    put(
        r,
        "a.log",
        "".join(
            (
                f"[rank0]:[E512 14:26:40.000000123 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={s}, OpType=ALLREDUCE, NumelIn={n}, NumelOut={n}, Timeout(ms)={t}) ran for {m} milliseconds before timing out.\n"
                for s, n, t, m in (
                    (-1, -5, -600000, -600052),
                    (840, 0, 0, 0),
                    (10**25, 10**25, 10**25, 10**25),
                    ("nan", "x", "", ""),
                    (840, 1, 600000, 10**17),
                )
            )
        ),
    )
    put(
        r,
        "s.log",
        '10:00:00 read(3, "", -1) = -1 <-5.000>\n10:00:01 futex(0x1, FUTEX_WAIT, 0, {tv_sec=-1, tv_nsec=-99}) = ? <unavailable>\n'
        * 40,
    )


@attack
def line_ends(r: Path) -> None:
    t = CRASH * 5
    put(r, "cr.log", t.replace("\n", "\r"))
    put(r, "crlf.log", t.replace("\n", "\r\n"))
    put(r, "lfcr.log", t.replace("\n", "\n\r"))
    put(r, "ff.log", t.replace("\n", "\x0c"))
    put(r, "ls.log", t.replace("\n", "\u2028"))
    put(r, "nel.log", t.replace("\n", "\x85"))
    put(r, "nul.log", t.replace("\n", "\x00"))
    put(r, "rs.log", t.replace("\n", "\x1e"))
    put(r, "mix.log", t.replace("\n", "\r\r\n", 3))


@attack
def gz_members(r: Path) -> None:
    g = b"".join(gzip.compress(CRASH.encode()) for _ in range(5))
    put(r, "a.log.gz", g)
    put(r, "b.log.gz", g + b"garbage" * 100)
    put(r, "c.log.gz", g[:-7])
    put(r, "d.log.gz", gzip.compress(b"") * 1000 + g)
    put(r, "e.gz", b"")
    put(r, "f.log.gz", CRASH)
    put(r, "g.log", g)
    put(r, "h.log.gz", g[:40] + b"\xff" * 30 + g[70:])
    put(r, "i.log.gz", gzip.compress(gzip.compress(CRASH.encode())))


@attack
def torn_packed(r: Path) -> None:
    z = zstandard.compress(CRASH.encode() * 3000)
    for n in (1, 3, 5, 9, len(z) // 2, len(z) - 1):
        put(r, f"z{n}.log.zst", z[:n])
    put(r, "skip.log.zst", b"P*M\x18\xff\xff\xff\x7f")
    put(r, "skip2.log.zst", b"P*M\x18\x04\x00\x00\x00abcd" + z)
    put(r, "two.log.zst", z + z)
    put(r, "junk.log.zst", z + b"junk")
    x = lzma.compress(CRASH.encode() * 3000)
    put(r, "a.log.xz", x[:-5])
    put(r, "b.log.xz", x + x)
    put(r, "c.log.xz", x[:20])
    put(r, "d.log.lzma", x)
    b = bz2.compress(CRASH.encode() * 3000)
    put(r, "a.log.bz2", b[:-5])
    put(r, "b.log.bz2", b + b)
    put(r, "c.log.bz2", b[:9])
    big = zstandard.ZstdCompressor(level=1, compression_params=zstandard.ZstdCompressionParameters(window_log=30))
    put(r, "w.log.zst", big.compress(CRASH.encode() * 100))


def tar_of(members: list[tuple[str, bytes, Any]]) -> bytes:
    o = io.BytesIO()
    t = tarfile.open(fileobj=o, mode="w")  # noqa: SIM115
    for n, kind, data in members:
        i = tarfile.TarInfo(n)
        i.type = kind
        if kind == tarfile.REGTYPE:
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
        else:
            i.linkname = data
            t.addfile(i)
    t.close()
    return o.getvalue()


@attack
def tar_slips(r: Path) -> None:
    R = tarfile.REGTYPE
    put(
        r,
        "a.tar",
        tar_of(
            [
                ("../../out.log", R, CRASH.encode()),
                ("/tmp/logsift-abs.log", R, CRASH.encode()),
                ("l", tarfile.SYMTYPE, "/etc"),
                ("l/x.log", R, CRASH.encode()),
                ("h.log", tarfile.LNKTYPE, "/etc/passwd"),
                ("dev", tarfile.CHRTYPE, ""),
                ("f.log", tarfile.FIFOTYPE, ""),
                ("ok/a.log", R, CRASH.encode()),
                ("ok/a.log", R, b"second"),
                ("x\x1b[31m.log", R, CRASH.encode()),
                ("n\nl.log", R, CRASH.encode()),
                ("a/" * 600 + "d.log", R, CRASH.encode()),
                ("ok/a.log/under", R, CRASH.encode()),
            ]
        ),
    )


@attack
def archives_in_archives(r: Path) -> None:
    d = CRASH.encode()
    n = "a.log"
    for k in range(12):
        o = io.BytesIO()
        if k % 2:
            with zipfile.ZipFile(o, "w") as z:
                z.writestr(n, d)
            n = f"{k}.zip"
        else:
            o.write(gzip.compress(tar_of([(n, tarfile.REGTYPE, d)])))
            n = f"{k}.tar.gz"
        d = o.getvalue()
    put(r, n, d)


@attack
def zips(r: Path) -> None:
    with zipfile.ZipFile(r / "a.zip", "w") as z:
        z.writestr("../../x.log", CRASH)
        z.writestr("/abs.log", CRASH)
        z.writestr("a.log", CRASH)
        z.writestr("a.log", CRASH)
        z.writestr("d/", "")
        z.writestr("C:\\x\\y.log", CRASH)
        i = zipfile.ZipInfo("link.log")
        i.external_attr = 41471 << 16
        z.writestr(i, "/etc/passwd")
    b = bytearray((r / "a.zip").read_bytes())
    put(r, "torn.zip", bytes(b[:-30]))
    put(r, "empty.zip", b"PK\x05\x06" + b"\x00" * 18)
    e = bytes(b)
    put(r, "enc.zip", e.replace(b"\x14\x00\x00\x00\x00\x00", b"\x14\x00\x01\x00\x00\x00"))
    put(r, "meth.zip", e.replace(b"\x14\x00\x00\x00\x00\x00", b"\x14\x00\x00\x00c\x00"))
    with zipfile.ZipFile(r / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("b.log", b"x" * 200000000)


@attack
def encodings(r: Path) -> None:
    put(r, "u16nobom.log", CRASH.encode("utf-16-le"))
    put(r, "u16be.log", CRASH.encode("utf-16"))
    put(r, "u32.log", CRASH.encode("utf-32"))
    put(r, "odd.log", CRASH.encode("utf-16")[:-1])
    put(r, "bommid.log", CRASH.encode() + b"\xef\xbb\xbf" + CRASH.encode())
    put(r, "u7.log", CRASH.encode("utf-7"))
    put(r, "ebc.log", CRASH.encode("cp037"))
    put(r, "sjis.log", "エラー".encode("shift-jis") + CRASH.encode())
    put(r, "surr.log", b"\xed\xa0\x80" + CRASH.encode())
    put(r, "over.log", b"\xc0\xaf" + CRASH.encode())
    put(r, "holes.log", b"\x00" * 5000 + CRASH.encode() + b"\x00" * 5000 + CRASH.encode())


@attack
def evil_lines(r: Path) -> None:
    put(
        r,
        "a.log",
        CRASH.replace("bad shape", EVIL)
        + f"Mar  3 02:10:01 {EVIL[:20]} kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name={EVIL}, GPU has fallen off the bus.\n"
        + f"step: 1 loss: 2.0 {EVIL}\n" * 5,
    )
    put(r, "host=\x1b[31mx/b.log", CRASH)


@attack
def jsonl_odd(r: Path) -> None:
    rows = [
        '{"step":1,"loss":1.0}',
        '{"step":"2","loss":"x"}',
        '{"step":-3,"loss":NaN}',
        '{"step":1e400,"loss":Infinity}',
        '{"step":true,"loss":null}',
        '{"step":99999999999999999999,"loss":1e308}',
        '{"step":4,"loss":1,"loss":2}',
        '{"step":5,"loss":{"a":[1]}}',
        "[" * 5000,
        '{"a":' * 5000,
        '{"step":6,"\\u001b[31m":1,"__proto__":2,"select":3,"":4}',
        '{"step":7,"loss":1e-400}',
        "{'step':8}",
        '{"step":9,"loss":' + "9" * 5000 + "}",
        "null",
        '"x"',
        "{}",
        '{"step":10,"loss":1.5}',
        '\ufeff{"step":11}',
        '{"step":12,"time":-1e300,"timestamp":"0000-00-00","loss":1}',
        '{"step":13,"loss":2,"_timestamp":1e308}',
    ]
    put(r, "m.jsonl", "\n".join(rows * 3))
    put(r, "metrics.json", "\n".join(rows))
    put(
        r,
        "trainer_state.json",
        json.dumps(
            {
                "log_history": [{"step": i if i % 3 else "x" * i, "loss": [i], "epoch": None} for i in range(20)],
                "global_step": "many",
            }
        ),
    )
    put(r, "deep.json", "[" * 100000)


@attack
def csv_odd(r: Path) -> None:
    put(
        r,
        "m.csv",
        'step,loss,loss,,"q""\x1b[31m",select,'
        + ",".join(f"c{i}" for i in range(5000))
        + "\n"
        + "".join(f"{i},{1 / (i + 1)}\n" for i in range(20))
        + '"unbalanced,1\n'
        + "1e999,-inf\n9999999999999999999999,nan\n",
    )
    put(r, "n.csv", "step,loss\n" + "\t" * 10000 + "\n")
    put(r, "o.csv", "step;loss\n1;2,5\n")
    put(r, "p.csv", b"step,loss\n1,\xff\xfe\n\x00\x00\x00\n")
    put(r, "q.tsv", "step\tloss\n1\t2\n")


def varint(n: int) -> bytes:
    o = b""
    while True:
        o += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return o


@attack
def tfevents_odd(r: Path) -> None:
    def rec(d: bytes) -> bytes:
        return struct.pack("<Q", len(d)) + b"\x00" * 4 + d + b"\x00" * 4

    tag = EVIL.encode()
    val = b"\n" + varint(len(tag)) + tag + b"\x15" + struct.pack("<f", 1.0)
    ev = (
        b"\t"
        + struct.pack("<d", 1e300)
        + b"\x10"
        + varint(2**64 - 1)
        + b"*"
        + varint(len(b"\n" + varint(len(val)) + val))
        + b"\n"
        + varint(len(val))
        + val
    )
    put(r, "events.out.tfevents.1.h", rec(b"\x1a\rbrain.Event:2") + rec(ev) * 5 + struct.pack("<Q", 2**63) + b"x" * 50)
    put(r, "events.out.tfevents.2.h", b"")
    put(r, "events.out.tfevents.3.\x1b[31m", rec(b"\xff" * 50) * 50)


@attack
def pickles_odd(r: Path) -> None:
    class E:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return (os.system, ("touch /tmp/logsift-attack",))

    cyc: list[Any] = []
    cyc.append(cyc)
    ent = [
        {
            "record_id": i,
            "pg_id": EVIL,
            "process_group": (1, 2, 3),
            "collective_seq_id": -i if i % 2 else "x",
            "profiling_name": EVIL,
            "input_sizes": [[10**30]],
            "state": None,
            "time_created_ns": -1,
            "frames": [{"name": EVIL, "filename": "\x1b", "line": -1}] * 3,
            "timeout_ms": 1e308,
        }
        for i in range(20)
    ]
    for n, o in {
        "nccl_trace_rank_0": {
            "version": "2.4",
            "entries": ent,
            "pg_config": {"0": {"name": EVIL, "desc": [], "ranks": "[0,1,x]"}},
            "pg_status": {"0": None},
        },
        "nccl_trace_rank_1": {"version": E()},
        "nccl_trace_rank_2": cyc,
        "nccl_trace_rank_3": [1] * 1000,
        "nccl_trace_rank_4": {"entries": {"a": 1}, "version": None},
        "nccl_trace_rank_99999999999": {"version": "2.4", "entries": []},
        "nccl_trace_rank_5": {"version": "9" * 5000, "entries": ent * 50},
    }.items():
        put(r, n, pickle.dumps(o))
    put(r, "nccl_trace_rank_6", b"\x80\x05" + b"(" * 100000)
    put(r, "nccl_trace_rank_7", b"\x80\x05\x8e\xff\xff\xff\xff\xff\xff\xff\x7f")
    put(r, "nccl_trace_rank_8", b"cos\nsystem\n(S'touch /tmp/logsift-attack'\ntR.")
    put(
        r,
        "snapshot.pickle",
        pickle.dumps(
            {
                "segments": [
                    {"address": -1, "total_size": "x", "blocks": [{"size": 10**40, "state": EVIL, "frames": cyc}]}
                ],
                "device_traces": [[{"action": "oom", "size": -5, "addr": None, "stream": EVIL, "device_free": 10**30}]]
                * 5,
            }
        ),
    )


@attack
def sqlite_odd(r: Path) -> None:
    c = sqlite3.connect(r / "mlflow.db")
    c.executescript(
        "create table metrics(key text,value real,timestamp int,run_uuid text,step int,is_nan int); create table runs(run_uuid text,name text); with recursive t(n) as (select 1 union all select n+1 from t limit 50) insert into metrics select 'loss\x1b[31m', n*1e308, -n*99999999999999, 'r', n*9223372036854775, 'x' from t; create view params as with recursive t(n) as (select 1 union all select n+1 from t) select n as key, n as value, n as run_uuid from t; create trigger tt after insert on metrics begin delete from runs; end;"
    )
    c.commit()
    c.close()
    d = (r / "mlflow.db").read_bytes()
    put(r, "torn.db", d[: len(d) // 2])
    put(r, "zero.db", b"")
    put(r, "x.sqlite", b"SQLite format 3\x00" + b"\xff" * 4096)
    put(r, "mlflow.db-wal", b"7\x7f\x06\x82" + b"\xff" * 500)


@attack
def false_database(r: Path) -> None:
    put(r, "a.log", CRASH)
    put(r, "logsift.duckdb", b"not a database" * 1000)


@attack
def database_is_a_folder(r: Path) -> None:
    put(r, "a.log", CRASH)
    (r / "logsift.duckdb").mkdir()
    put(r, "logsift.duckdb/x", b"")


@attack
def database_is_a_link(r: Path) -> None:
    put(r, "a.log", CRASH)
    put(r.parent, "victim", "precious")
    (r / "logsift.duckdb").symlink_to(r.parent / "victim")


@attack
def database_is_a_fifo(r: Path) -> None:
    put(r, "a.log", CRASH)
    os.mkfifo(r / "logsift.duckdb")


@attack
def empties(r: Path) -> None:
    for i in range(3000):
        (r / f"{i}.log").touch()
    put(r, "a.log", CRASH)


@attack
def deep_path(r: Path) -> None:
    here = Path.cwd()
    os.chdir(r)
    for _ in range(60):  # longer than a path may be
        Path("d" * 60).mkdir()
        os.chdir("d" * 60)
    Path("a.log").write_text(CRASH)
    os.chdir(here)
    put(r, "b.log", CRASH)


@attack
def one_line(r: Path) -> None:
    put(r, "a.log", "x" * 30000000 + CRASH)
    put(r, "b.log", CRASH.replace("bad shape", "y" * 3000000))


@attack
def captured(r: Path) -> None:
    for h in ("host=../../etc", "host=", "host=a\x1b[31m", "host=a/host=b", "host=" + "h" * 200):
        put(
            r,
            f"{h}/py-spy.1.txt",
            'Process 1: python train.py --rank 0\nPython v3.11 (/usr/bin/python)\n\nThread 1 (idle): "MainThread\x1b[31m"\n    wait ('
            + EVIL
            + ":-1)\n    <module> (train.py:99999999999999999999)\n",
        )
        put(r, f"{h}/py-spy.1.json", '[{"pid":"x","thread_id":-1,"frames":[{"name":null,"line":1e99}]},')
        put(r, f"{h}/nvidia-smi.txt", "GPU 00000000:XX:00.0\n    Volatile\n" * 50)
        put(r, f"{h}/environ.1.txt", "API_KEY=hunter2\nRANK=-5\nWORLD_SIZE=abc\nMASTER_ADDR=\x1b[31m\n")
        put(r, f"{h}/status.1.txt", "Name:\tpython\nPid:\t-1\nState:\tD\nNSpid:\t99999999999999999999\t1\n")
        put(r, f"{h}/capture.json", "{")


@attack
def huge_steps(r: Path) -> None:
    put(
        r,
        "t.log",
        "".join(
            (
                f"step: {s} loss: {loss}\n"
                for s, loss in [(i, 2 - i / 100) for i in range(50)]
                + [
                    (10**18, 1),
                    (-(10**18), 1),
                    (5, "1e309"),
                    (6, "-inf"),
                    (7, "nan"),
                    (2**63, 0),
                    (51, "0x10"),
                    (52, "1_000"),
                    (53, "٣"),
                ]
            )
        ),
    )


@attack
def cgroup_numbers(r: Path) -> None:
    put(
        r,
        "k.log",
        "Mar  3 02:10:01 h kernel: Memory cgroup out of memory: Killed process 99999999999999999999 (py\x1b[31m) total-vm:-5kB, anon-rss:99999999999999999999999kB, file-rss:kB, shmem-rss:0kB, UID:0\nMar  3 02:10:01 h kernel: memory: usage 99999999999999999999999kB, limit -1kB, failcnt 1\nMar  3 02:10:01 h kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=,pid=,uid=0\n",
    )


@attack
def scheduler_numbers(r: Path) -> None:
    put(
        r,
        "sacct.txt",
        "JobID|JobName|State|ExitCode|Start|End|Elapsed|NodeList|MaxRSS|ReqMem\n1|x|FAILED|999:999|Unknown|9999-99-99T00:00:00|-1-00:00:00|n[1-999999999]|-5K|99999999T\n1.batch|x|OUT_OF_MEMORY|0:125|2026-01-01T00:00:00|2026-01-01T00:00:00|00:00:00|n[[1-2],3|16?|0\n",
    )
    put(r, "scontrol.txt", "JobId=1 NodeList=n[0001-9999999999] NumNodes=-1 State=\x1b[31m\n")


def wounds(run: Path, out: Path) -> list[str]:
    """What every command does with a run that is wrong."""
    from click.testing import CliRunner

    from logsift.cli import main

    found = []
    for command in COMMANDS:
        args = [w.replace("RUN", str(run)).replace("OUT", str(out)).replace("\u00a0", " ") for w in command]
        began = time.process_time()
        done = CliRunner().invoke(main, args)
        took = time.process_time() - began
        if done.exit_code not in (0, 1, 2) or not isinstance(done.exception, SystemExit | None):
            found.append(f"{command[0]}: exit {done.exit_code}: {done.output.strip().splitlines()[-4:]}")
        if control := CONTROL.search(done.output):
            found.append(f"{command[0]}: {control[0]!r} on the screen")
        if took > SECONDS:
            found.append(f"{command[0]}: {took:.0f} s")
    for file in out.iterdir():
        text = file.read_text(errors="replace") if file.suffix in (".md", ".html", ".json") else ""
        if file.suffix == ".json" and not isinstance(json.loads(text), dict):
            found.append(f"{file.name} is no document")
        if CONTROL.search(text) or (file.suffix == ".html" and "<script>alert" in text):
            found.append(f"{file.name} holds what acts")
    return found + [f"{path} was made" for path in OUTSIDE if path.exists()]


def tried(name: str, answers: Queue[list[str]]) -> None:
    """One attack in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, GIBIBYTES << 30))
    with tempfile.TemporaryDirectory() as folder:
        run, out = Path(folder) / "run", Path(folder) / "out"
        run.mkdir()
        out.mkdir()
        ATTACKS[name](run)
        answers.put(wounds(run, out))
        shutil.rmtree(run, ignore_errors=True)  # deeper than what comes after can follow


def main() -> None:
    fork, total = get_context("fork"), 0
    names = sys.argv[1:] or list(ATTACKS)
    for name in names:
        answers = fork.Queue()
        child = fork.Process(target=tried, args=(name, answers))
        child.start()
        try:
            found = answers.get(timeout=PATIENCE)
        except Exception:  # it hangs, or died
            found = ["no answer"]
        child.join(30)
        child.kill()
        total += len(found)
        print(
            f"{name.replace('_', ' ')}: {len(COMMANDS)} commands, {len(found)} wounds", *found, sep="\n  ", flush=True
        )
    print(f"{len(names)} attacks, {len(names) * len(COMMANDS)} commands, {total} wounds")
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
