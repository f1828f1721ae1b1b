"""Every code of the Xid and SXid catalogues, in the shapes of three driver generations, is read and explained."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from logsift import analyze

PARSERS = Path(__file__).resolve().parents[2] / "parsers" / "xid"
BURST = (
    "NVRM: Xid (PCI:0000:3f:00): 45, pid=411, name=python3, Ch 00000008",
    "NVRM: Xid (PCI:0000:3f:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:3f:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
)
ENVELOPES = {  # of dmesg, /dev/kmsg, the journal, syslog and what stands before them; {s} are seconds of one minute
    "raw": "[  638.{s}5561] {text}",
    "caller": "[  638.{s}5561] [ T1946] {text}",
    "priority": "<4>[  638.{s}5561] {text}",
    "decoded": "kern  :warn  : [  638.{s}5561] {text}",
    "ctime": "[Sun Feb 23 16:24:{s} 2025] {text}",
    "iso": "2025-02-23T16:24:{s},283302+00:00 {text}",
    "decoded-iso": "kern  :warn  : 2025-02-23T16:24:{s},283302+00:00 {text}",
    "human": "[  +0.0000{s}] {text}",
    "json": '{{"pri":4,"time":  638.{s}5561,"msg":"{text}"}},',
    "json-indented": '         "msg": "{text}"',
    "kmsg": "4,39{s},638{s}4307,-;{text}",
    "short": "Feb 23 16:24:{s} {host} kernel: {text}",
    "short-precise": "Feb 23 16:24:{s}.123456 {host} kernel: {text}",
    "short-iso": "2025-02-23T16:24:{s}+0100 {host} kernel: {text}",
    "short-iso-precise": "2025-02-23T16:24:{s}.123456+01:00 {host} kernel: {text}",
    "short-monotonic": "[  638.{s}5561] {host} kernel: {text}",
    "short-unix": "17403242{s}.123456 {host} kernel: {text}",
    "short-full": "Sun 2025-02-23 16:24:{s} CET {host} kernel: {text}",
    "journal-json": '{{"_HOSTNAME":"{host}","__REALTIME_TIMESTAMP":"17403242{s}123456","PRIORITY":"4","MESSAGE":"{text}","_BOOT_ID":"1f"}}',
    "cat": "{text}",
    "rfc3164": "Feb 23 16:24:{s} {host} kernel: [  638.{s}5561] {text}",
    "rsyslog": "2025-02-23T16:24:{s}.123456+01:00 {host} kernel: [  638.{s}5561] {text}",
    "rfc5424": "<4>1 2025-02-23T16:24:{s}.123456Z {host} kernel - - - {text}",
    "bare": "kernel: [  638.{s}5561] {text}",
    "talos": "{host}: kern: warning: [2025-02-23T16:24:{s}.458998481Z]: {text}",
    "cri": "2025-02-23T16:24:{s}.123456789Z stderr F {text}",
    "docker": '{{"log":"{text}\\n","stream":"stderr","time":"2025-02-23T16:24:{s}.1Z"}}',
    "pdsh": "{host}: [  638.{s}5561] {text}",
    "srun": "  3: [Sun Feb 23 16:24:{s} 2025] {text}",
}
SWITCH_SHAPES = (
    "nvidia-nvswitch{n}: SXid (PCI:0000:08:00.0): {code}, Non-fatal, Link 07 text of the code (First)",
    "nvidia-nvswitch{n}: SXid (PCI:0000:08:00.0): {code}, Severity 0 Engine instance 07 Sub-engine instance 00",
    "[Feb 27 2025 15:10:02] [ERROR] [tid 411] detected NVSwitch non-fatal error {code} on fid 0 on NVSwitch pci bus id 00000000:08:00.0 physical id {n} port 7",
)
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
    lines = [f"[{100 + n}.000001] {text}" for n, text in enumerate(xids)]
    (run / "dmesg.txt").write_text("\n".join(lines) + "\n")
    for n, shape in enumerate(SWITCH_SHAPES):
        said = [shape.format(n=n, code=row["code"]) for row in seed("sxid_catalog")]
        (run / f"switch{n}.log").write_text("\n".join(said) + "\n")
    analyze(run)
    return duckdb.connect(str(run / "logsift.duckdb"), read_only=True)


def test_every_xid_in_every_shape(store: duckdb.DuckDBPyConnection) -> None:
    want = {(int(r["code"]), r["class"], r["immediate_action"]): 3 for r in seed("xid_catalog")}
    got = store.execute("SELECT code, class, action, count(DISTINCT gpu) FROM xid GROUP BY ALL").fetchall()
    assert {(c, k, a): n for c, k, a, n in got} == want


def test_every_sxid_in_every_shape(store: duckdb.DuckDBPyConnection) -> None:
    want = {(int(r["code"]), r["class"], r["immediate_action"]): [(0, 7), (1, 7), (2, 7)] for r in seed("sxid_catalog")}
    got = store.execute("SELECT code, class, action, list((nvswitch, link) ORDER BY nvswitch) FROM sxid GROUP BY ALL")
    assert {(c, k, a): n for c, k, a, n in got.fetchall()} == want


def test_lines_of_one_switch_event_are_one(tmp_path: Path) -> None:
    text = "nvidia-nvswitch3: SXid (PCI:0000:08:00.0): {code}, "
    whole = (
        "Fatal, Link 60 text",
        "Severity 1 Engine instance 60 Sub-engine instance 00",
        "Data {{0x0000003c, 0x10000000}}",
    )
    codes = [row["code"] for row in seed("sxid_catalog")]
    lines = [
        f"[{100 + 5 * n}.00000{k}] " + (text + end).format(code=code)
        for n, code in enumerate(codes)
        for k, end in enumerate(whole)
    ]
    (tmp_path / "dmesg.txt").write_text("\n".join(lines) + "\n")
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    got = store.execute("SELECT code, fatal, severity_level FROM sxid ORDER BY line_no").fetchall()
    assert got == [(int(code), True, 1) for code in codes]


def test_root_and_followers_in_every_envelope(tmp_path: Path) -> None:
    for host, (name, envelope) in enumerate(ENVELOPES.items()):
        (tmp_path / name).mkdir()
        lines = [envelope.format(s=10 + n, host=f"gx{host}", text=text) for n, text in enumerate(BURST)]
        (tmp_path / name / "kernel.log").write_text("\n".join(lines) + "\n")
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    got = store.execute(
        "SELECT split_part(f.path, '/', 1), root_code, xids, recovery_action FROM gpu_burst JOIN file f USING (file_id)"
    )
    each = {name: (root, xids, action) for name, root, xids, action in got.fetchall()}
    assert each == dict.fromkeys(ENVELOPES, (79, [45, 79, 154], 2))
    clocks = store.execute(
        "SELECT split_part(path, '/', 1), bool_and(time IS NULL AND uptime_seconds IS NULL) FROM xid_line JOIN file f USING (file_id) GROUP BY 1"
    )
    assert {name for name, none in clocks.fetchall() if none} == {"human", "json-indented", "cat"}


def test_messages_the_journal_writes_as_numbers(tmp_path: Path) -> None:
    bytes_of = [list(f"\x1b[31m{text}\x1b[0m \xe9".encode("latin-1")) for text in BURST]
    objects = [
        f'{{"__REALTIME_TIMESTAMP":"174032421{n}123456","MESSAGE":{json.dumps(said, separators=(",", ":"))},"_HOSTNAME":"gx7"}}'
        for n, said in enumerate(bytes_of)
    ]
    (tmp_path / "journal.json").write_text("\n".join(objects) + "\n")
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    assert store.execute("SELECT code, host, line_no FROM xid_line ORDER BY line_no").fetchall() == [
        (45, "gx7", 1),
        (79, "gx7", 2),
        (154, "gx7", 3),
    ]
    assert store.execute("SELECT count(*) FROM problem").fetchone() == (0,)
    evidence = [text for (text,) in store.execute("SELECT text FROM evidence WHERE line_no = 2").fetchall()]
    assert evidence
    assert all("fallen off the bus" in text and '"_HOSTNAME":"gx7"' in text for text in evidence)


def test_bursts_end_with_a_boot(tmp_path: Path) -> None:
    first = [
        "[ 5000.000001] NVRM: Xid (PCI:0000:3f:00): 48, DBE",
        "[ 5001.000001] NVRM: Xid (PCI:0000:3f:00): 45, Ch 1",
    ]
    second = ["[ 5010.000001] NVRM: Xid (PCI:0000:3f:00): 79, GPU has fallen off the bus."]
    banner = "[    0.000000] Linux version 6.8.0-51-generic (b@b) (gcc 13) #52 SMP"
    for name, mark in {"banner": banner, "journal": f"-- Boot {'1f' * 16} --", "falls": "[  100.5000001] x"}.items():
        (tmp_path / name).mkdir()
        later = [line.replace("5010", "4900") for line in second] if name == "falls" else second
        (tmp_path / name / "kern.log").write_text("\n".join([*first, mark, *later]) + "\n")
    (tmp_path / "pstore").mkdir()
    parts = ["Panic#1 Part1", *second, "Panic#1 Part2", *[line.replace("500", "490") for line in first]]
    (tmp_path / "pstore" / "dmesg.txt").write_text("\n".join(parts) + "\n")
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    got = store.execute(
        "SELECT split_part(f.path, '/', 1), list(root_code ORDER BY root_code) FROM gpu_burst JOIN file f USING (file_id) GROUP BY 1"
    )
    assert dict(got.fetchall()) == {"banner": [48, 79], "journal": [48, 79], "falls": [48, 79], "pstore": [79]}


def test_poison_is_certain_unless_an_access_was_refused(tmp_path: Path) -> None:
    refused = "NVRM: Xid (PCI:0000:4c:00): 137, TLC RX interrupt hit on link 4 on GPU0: PRIV Error"
    poison = "NVRM: Xid (PCI:0000:4c:00): 94, Contained: SM (0x1). RST: No, D-RST: No"
    cell = "NVRM: Xid (PCI:0000:4c:00): 171, Uncorrectable DRAM error at physAddr: 0x7 partition: 1, subpartition: 0."
    cases = {"refused": [refused, poison], "cell": [refused, poison, cell], "poison": [poison]}
    got = {}
    for name, lines in cases.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "dmesg.txt").write_text("".join(f"[  638.{n}05561] {x}\n" for n, x in enumerate(lines)))
        found = analyze(tmp_path / name).incidents
        got[name] = [i.confidence for i in found if i.rule == "gpu.hardware" and i.severity == "critical"]
    assert got == {"refused": ["possible"], "cell": ["definite"], "poison": ["definite"]}


def test_every_sub_code_of_nvlink(tmp_path: Path) -> None:
    rows = seed("xid_nvlink5")
    lines = [
        f"[{1000 + 400 * n}.000001] NVRM: Xid (PCI:0000:{n // 30 + 1:02x}:{n % 30:02x}): {r['xid']}, {r['unit']}  "
        f"{'Nonfatal' if r['severity'] == 'non-fatal' else 'Fatal'}   XC0 i0 Link {n % 18:02d} "
        f"({(int(r['linkdown_reason_bits25_20']) << 20) + 0x5C6:#010x} {r['error_status']} 0x00000000 0x00000000)"
        for n, r in enumerate(rows)
    ]
    (tmp_path / "dmesg.txt").write_text("\n".join(lines) + "\n")
    analyze(tmp_path)
    store = duckdb.connect(str(tmp_path / "logsift.duckdb"), read_only=True)
    got = store.execute("SELECT code, severity, action, investigatory_action FROM xid ORDER BY line_no").fetchall()
    want = [(int(r["xid"]), r["severity"].split()[-1], r["action"], r["investigatory"]) for r in rows]
    assert got == want
    judged = dict(store.execute("SELECT line_no, verdict FROM gpu_burst").fetchall())
    serious = {n + 1 for n, r in enumerate(rows) if r["severity"] != "non-fatal" and r["action"] != "ignore"}
    assert {line for line, verdict in judged.items() if verdict == "hardware"} == serious
