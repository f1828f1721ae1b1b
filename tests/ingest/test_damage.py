"""Files as they are found after a crash: torn, packed, full of holes, odd in name and encoding. What is readable is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from fuzz.damage import Told

from logsift import Catalog, analyze
from logsift.analysis import Analysis
from logsift.ingest import budget
from logsift.ingest.discover import discover, known_files
from logsift.ingest.evidence import fetch
from logsift.ingest.readers import lines
from logsift.ingest.readers.opening import CutShort, open_bytes, read_whole

Make = Callable[..., Path]
Pack = Callable[[bytes], bytes]

CRASH = b"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\nKeyError: 'wanted'\n"
ZSTD = zstandard.ZstdCompressor()
PACKERS = {
    "gz": gzip.compress,
    "gz of two members": lambda d: gzip.compress(d[:9]) + gzip.compress(d[9:]),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": ZSTD.compress,
    "zst of two frames": lambda d: ZSTD.compress(d[:9]) + ZSTD.compress(d[9:]),
    "UTF-16": lambda d: d.decode().encode("utf-16"),
    "UTF-16, big end first": lambda d: b"\xfe\xff" + d.decode().encode("utf-16-be"),
    "UTF-16, unmarked": lambda d: d.decode().encode("utf-16-le"),
    "UTF-16, unmarked, big end first": lambda d: d.decode().encode("utf-16-be"),
    "UTF-32": lambda d: d.decode().encode("utf-32"),
    "UTF-16 in gz": lambda d: gzip.compress(d.decode().encode("utf-16")),
    "UTF-8 with a mark": lambda d: b"\xef\xbb\xbf" + d,
    "a block of zeros in front": lambda d: bytes(200_000) + d,
    "zeros within": lambda d: d[:-10] + bytes(5000) + d[-10:],
    "latin-1": lambda d: "Fünf Ränge\n".encode("latin-1") + d,
}  # fmt: skip


def problems(analysis: Analysis) -> list[str]:
    return [r["text"] for r in analysis.sql("SELECT text FROM problem ORDER BY line_no")]


def test_whatever_it_is_packed_in_a_file_proves_the_same(run_of: Make, catalog: Catalog) -> None:
    run = run_of({name: pack(b"step 1\n" * 50 + CRASH) for name, pack in PACKERS.items()})
    analysis = analyze(run, catalog=catalog, db=None)
    rows = analysis.sql("SELECT path, file_id, t.line_no FROM exception_line t JOIN file USING (file_id)")
    assert {r["path"] for r in rows} == set(PACKERS)
    files = known_files(run, analysis.sql("SELECT * FROM file"))
    starts = [tuple(r.values()) for r in analysis.sql("SELECT * FROM file_window ORDER BY ALL")]
    texts = fetch({(r["file_id"], r["line_no"]) for r in rows}, files, starts, analysis.spelling)
    assert set(texts.values()) == {"KeyError: 'wanted'"}
    assert problems(analysis) == []


def test_a_folder_that_is_named_like_a_column_gives_none_its_value(tmp_path: Path, catalog: Catalog) -> None:
    within, around = "lr=0.001/file_id=99/line_no=7/type=Other/a.log", "rank=3/host=a/file_id=9/type=Other"
    said = []
    for run, name in ((tmp_path / "plain", "d/a.log"), (tmp_path / "within", within), (tmp_path / around, "d/a.log")):
        (run / name).parent.mkdir(parents=True)
        (run / name).write_bytes(CRASH)
        analysis = analyze(run, catalog=catalog)
        rows = analysis.sql("SELECT * FROM exception_line")
        said.append((list(rows), [(i.rule, i.confidence, i.ranks, i.hosts) for i in analysis.incidents]))
    assert said[1] == said[2] == said[0]
    assert (said[0][0][0]["type"], said[0][0][0]["rank"], said[0][0][0]["host"]) == ("KeyError", None, None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.log.gz", "a.log.bz2", "a.log.xz", "a.log.zst"])
def test_a_large_packed_file_is_read_to_its_end(tmp_path: Path, name: str) -> None:
    """12 MB of text; LOGSIFT_PACKED_MEGABYTES=1024 for more."""
    block = b"".join(b"%s line of a log\n" % os.urandom(24).hex().encode() for _ in range(60_000))
    kind = name.rpartition(".")[2]
    opens = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open, "zst": zstandard.open}[kind]
    fast = {"gz": {"compresslevel": 1}, "bz2": {"compresslevel": 1}, "xz": {"preset": 0}, "zst": {}}[kind]
    count = max(1, int(os.environ.get("LOGSIFT_PACKED_MEGABYTES", "12")) * 1_000_000 // len(block))
    with opens(tmp_path / name, "wb", **fast) as file:  # type: ignore[operator]
        for _ in range(count):
            file.write(block)
        file.write(CRASH)
    size, last = 0, b""
    for window in lines.windows(1, tmp_path / name, 3):
        size += window.core_stop - window.core_start
        last = bytes(window.buffer[window.core_start : window.core_stop])[-len(CRASH) :]
    assert (size, last) == (count * len(block) + len(CRASH), CRASH)


@pytest.mark.parametrize("pack", [PACKERS[k] for k in ("gz", "xz", "bz2", "zst", "UTF-16")])
def test_a_packed_file_of_many_windows_has_the_lines_of_the_plain_one(tmp_path: Path, pack: Pack) -> None:
    data = b"".join(b"line %d of a log that is longer than a window\n" % n for n in range(60_000))
    for name, content in (("plain", data), ("packed", pack(data))):
        (tmp_path / name).write_bytes(content)
    got = {
        name: [
            bytes(w.buffer[w.core_start : w.core_stop]) for w in lines.windows(1, tmp_path / name, 3, size=1_000_000)
        ]
        for name in ("plain", "packed")
    }
    assert b"".join(got["plain"]) == b"".join(got["packed"]) == data


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, ZSTD.compress], ids=["gz", "xz", "zst"])
def test_what_a_torn_archive_holds_is_given_before_the_reason_why_it_ends(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a.log"
    data = os.urandom(400_000).hex("\n", 40).encode()
    path.write_bytes(pack(data)[:-200_000])
    whole, why = read_whole(path)
    assert why
    assert len(whole) > 100_000
    assert data.startswith(whole)


def test_a_file_that_is_cut_while_it_is_read_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"0123456789\n" * 100_000)
    some = lines.windows(1, path, 0, size=100_000)
    next(some)
    os.truncate(path, 350_000)
    with pytest.raises(CutShort, match="while it was read"):
        list(some)


def test_a_packed_bomb_is_read_to_its_budget(run_of: Make, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "UNPACKED_FREE_BYTES", 1 << 20)
    monkeypatch.setattr(budget, "UNPACKED_RATIO", 50)
    packers = {"a.gz": gzip.compress, "a.xz": lzma.compress, "a.zst": ZSTD.compress}
    run = run_of({name: pack(CRASH + b"nothing\n" * 1_000_000) for name, pack in packers.items()})
    analysis = analyze(run, catalog=catalog, db=None)
    assert analysis.sql("SELECT count(*) AS n FROM traceback") == [{"n": 3}]
    assert ["unpacks to far more than a log does" in said for said in problems(analysis)] == [True] * 3


def test_lines_of_megabytes_keep_no_more_of_them_than_a_margin(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress((b"x" * 5_000_000 + b"\n") * 30, 1))
    sizes = [w.size for w in lines.windows(1, path, margin_lines=4000, size=1 << 20)]
    assert max(sizes) < 3 * budget.MARGIN_BYTES


def test_a_stream_reads_lines_whatever_it_is_packed_in(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(ZSTD.compress(b"a\nb\n"))
    with open_bytes(tmp_path / "a.zst") as stream:
        assert stream.readline() == b"a\n"
        assert list(stream) == [b"b\n"]


def test_a_name_that_is_no_utf_8_is_read_and_shown(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": "step 1\n"})
    with open(os.fsencode(run) + b"/n\xf6de-1.log", "wb") as f:  # noqa: PTH123 - a name of bytes
        f.write(CRASH)
    first, again = analyze(run, catalog=catalog), analyze(run, catalog=catalog)
    for analysis in (first, again):
        assert analysis.root is not None
        assert analysis.root.evidence[0].path == r"n\xf6de-1.log"
    assert again.parsed == 0


def test_what_cannot_be_looked_into_is_told_and_the_rest_is_read(
    run_of: Make, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of({"good.log": CRASH, "locked/a.log": "x\n"})
    scan = os.scandir
    monkeypatch.setattr(
        os, "scandir", lambda p: (_ for _ in ()).throw(PermissionError(13, "denied")) if "locked" in str(p) else scan(p)
    )
    (run / "loop.log").symlink_to("loop.log")
    analysis = analyze(run, catalog=catalog, db=None)
    assert analysis.root is not None
    assert dict(analysis.coverage.unread)["locked"] == "a folder that cannot be read: denied"


def test_folders_deeper_than_anybody_makes_them_are_told(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "a.log").write_text("x\n")
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    try:
        assert [(f.name[-3:], f.reader) for f in discover(tmp_path, catalog)] == [("log", "lines"), ("d/d", "")]
    finally:  # pytest's own cleaning up calls itself for every level
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


def test_links_that_lead_out_of_the_run_are_followed_only_where_it_is_asked_for(run_of: Make, catalog: Catalog) -> None:
    run, other, third = run_of({"a.log": "x\n"}), run_of({"b.log": "y\n"}, "other"), run_of({"c.log": "z\n"}, "third")
    (run / "out.log").symlink_to(third / "c.log")
    (run / "folder").symlink_to(other)
    told = {f.name: f.reader for f in discover(run, catalog)}
    assert told == {"a.log": "lines", "folder": "", "out.log": ""}
    told = {f.name: f.reader for f in discover(run, catalog, follow=True)}
    assert told == {"a.log": "lines", "folder/b.log": "lines", "out.log": "lines"}


def test_a_file_of_the_kernel_has_no_size_and_lines_all_the_same() -> None:
    got = b"".join(bytes(w.view()) for w in lines.windows(1, Path("/proc/self/status"), 0))
    assert got.startswith(b"Name:")


@pytest.mark.parametrize(
    ("fixture", "file", "cut_bytes"),
    [
        pytest.param("hang.missing_rank--one-stopped-one-without-data", "stacks.txt", 610, id="stacks of some ranks"),
        pytest.param("healthy--strace-busy-program-left", "strace.out", 9777, id="the end of a trace"),
        pytest.param("gpu.hardware--poison-after-a-refused-access-over-nvlink", "dmesg.txt", 552, id="a torn time"),
    ],
)
def test_what_is_cut_off_at_its_start_proves_less(
    fixture: str, file: str, cut_bytes: int, run_of: Make, catalog: Catalog
) -> None:
    data = (Path(__file__).resolve().parents[2] / "fixtures" / fixture / "run" / file).read_bytes()
    analysis = analyze(run_of({file: data[cut_bytes:]}), catalog=catalog, db=None)
    assert "definite" not in {i.confidence for i in analysis.incidents}
    assert [i.rule for i in analysis.incidents if fixture.startswith("healthy") and i.severity != "info"] == []


@pytest.mark.parametrize(
    ("fixture", "file", "left"),
    [
        pytest.param("healthy--traces-that-ended", "trace-gx7-1-8101.txt", slice(1136), id="a trace of what came to its end"),
        pytest.param("hang.missing_rank--dumps-interleaved-in-one-file", "spy.log", slice(1596), id="dumps in each other"),
        pytest.param("hang.missing_rank--process-gone-when-dumped", "job.log", slice(41, None), id="who has which number"),
        pytest.param("network.peer_lost--coordination-heartbeat", "train.log", slice(413, None), id="one of three reasons"),
        pytest.param("hang.collective_timeout--gloo-receive", "rank2.err", slice(70, None), id="within the name of a source"),
    ],
)  # fmt: skip
def test_what_lost_a_part_tells_no_more_than_the_whole(
    fixture: str, file: str, left: slice, tmp_path: Path, catalog: Catalog
) -> None:
    whole = Path(__file__).resolve().parents[2] / "fixtures" / fixture / "run"
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / file).write_bytes((whole / file).read_bytes()[left])
    said = [Told.of(analyze(run, catalog=catalog, db=None)) for run in (whole, tmp_path / "run")]
    assert said[1].beyond(said[0]) == []
