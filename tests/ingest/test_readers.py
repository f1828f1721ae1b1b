"""Bytes to lines: nothing is lost, numbers are those an editor shows."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

from logsift.ingest.readers import lines
from logsift.ingest.readers.opening import compression_of, open_bytes


def rows(data: bytes) -> list[tuple[int, str]]:
    numbers = np.arange(1, len(lines.line_ends(data)) + 1)
    return lines.frame([(1, numbers, data)]).select("line_no", "raw").rows()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"a\nb\n", [(1, "a"), (2, "b")], id="two lines"),
        pytest.param(b"a\nb", [(1, "a"), (2, "b")], id="a last line without its end"),
        pytest.param(b"a\n\nb\n", [(1, "a"), (2, ""), (3, "b")], id="an empty line counts"),
        pytest.param(b"a\r\nb\r\n", [(1, "a"), (2, "b")], id="line ends of Windows"),
        pytest.param(
            b"10%\r90%\rdone\nnext\n",
            [(1, "10%"), (1, "90%"), (1, "done"), (2, "next")],
            id="a progress bar is one line",
        ),
        pytest.param(b"\x1b[31mred\x1b[0m\n", [(1, "red")], id="colours"),
        pytest.param(b'{"log":"\\u001b[31mred\\u001b[0m"}\n', [(1, '{"log":"red"}')], id="colours in JSON"),
        pytest.param(
            b"&lt;a&gt; &quot;b&#x27; &amp;lt; &c; a&b\n",
            [(1, "<a> \"b' &lt; &c; a&b")],
            id="signs as a page spells them",
        ),
        pytest.param(b"\x1b]0;title\x07text\n", [(1, "text")], id="a terminal's title"),
        pytest.param(b"caf\xe9\n", [(1, "caf\ufffd")], id="no UTF-8"),
        pytest.param("é…\n".encode(), [(1, "é…")], id="UTF-8"),
        pytest.param(b"a\0\0b\n", [(1, "ab")], id="NULs of a torn write"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n", [(1, "")], id="only a line end"),
    ],
)
def test_lines(data: bytes, expected: list[tuple[int, str]]) -> None:
    assert rows(data) == expected


@pytest.mark.parametrize(
    ("pasted", "written"),
    [
        pytest.param("&amp;lt;stdout&amp;gt; &lt;a&gt;", "<stdout> <a>", id="spelled by a page that quotes another"),
        pytest.param("lift \u2014doors=4 \u2013floor 3", "lift --doors=4 --floor 3", id="options behind a dash"),
        pytest.param("run \u201c\u2014doors 4\u201d", 'run "--doors 4"', id="an option in quotes"),
        pytest.param("\u2014\u2014\u2014 SIGINT \u2014-", "------ SIGINT ---", id="rulers"),
        pytest.param(
            "door 3 \u2014 open, 1\u20132 of 4, no\u2014yes",
            "door 3 \u2014 open, 1\u20132 of 4, no\u2014yes",
            id="dashes",
        ),
    ],
)
def test_signs_are_read_as_they_were_before_they_were_pasted(pasted: str, written: str) -> None:
    assert lines.undressed(pasted.encode()).decode() == written
    assert lines.is_dressed(pasted.encode()) == (pasted != written)


def test_an_overlong_line_is_cut_and_the_next_keeps_its_number() -> None:
    got = rows(b"x" * 300_000 + b"\nnext\n")
    assert [(n, len(text)) for n, text in got] == [(1, lines.LINE_BYTES), (2, 4)]


@pytest.mark.parametrize("margin", [0, 1, 3, 50])
@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_windows_cover_every_line_once_with_true_numbers(tmp_path: Path, margin: int, size: int) -> None:
    said = [f"line {n} {'x' * (n % 13)}" for n in range(1, 200)]
    path = tmp_path / "a.log"
    path.write_text("\n".join(said))
    packed = tmp_path / "a.log.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, packed):
        seen: list[tuple[int, str]] = []
        for w in lines.windows(1, file, margin, size):
            numbered = list(enumerate(bytes(w.view()).decode().splitlines(), w.first_line))
            assert all(said[n - 1] == text for n, text in numbered)
            assert w.first_line == max(1, w.core_first - margin)
            assert numbered[-1][0] == min(len(said), w.core_last + margin)
            assert path.read_bytes()[w.offset : w.offset + w.size] == bytes(w.view())
            seen += [(n, text) for n, text in numbered if w.core_first <= n <= w.core_last]
        assert seen == list(enumerate(said, 1))


@pytest.mark.parametrize(
    ("pack", "kind"),
    [
        (gzip.compress, "gz"),
        (lzma.compress, "xz"),
        (bz2.compress, "bz2"),
        (zstandard.ZstdCompressor().compress, "zst"),
        (bytes, ""),
    ],
    ids=["gz", "xz", "bz2", "zst", "plain"],
)
def test_packed_files_are_known_by_their_bytes_not_their_name(
    tmp_path: Path, pack: Callable[[bytes], bytes], kind: str
) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(pack(b"hello\n"))
    assert compression_of(path) == kind
    with open_bytes(path) as f:
        assert f.read() == b"hello\n"


def test_notes_and_sources_in_a_run_directory_are_no_evidence(tmp_path: Path) -> None:
    from logsift import analyze

    said = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\nKeyError: 'x'\n"
    names = [".train.py.swp", "NOTES.md", "notes.md.orig", "train.py", "train.py~"]
    for name in names:
        (tmp_path / name).write_text(said)
    (tmp_path / "train.log").write_text("ok\n")
    analysis = analyze(tmp_path, db=None)
    assert analysis.incidents == ()
    assert [path for path, _ in analysis.coverage.unread] == names
    assert analyze(tmp_path / "NOTES.md", db=None).root is not None


EPOCHS = "# Parameters\n\n" + "".join(f"Epoch [{n}/900], Loss: {3 / n:.4f}\n" for n in range(1, 300))
TABLE = "# Results\n\n" + "".join(f"| {n} | {3 / n:.4f} |\n" for n in range(1, 300))
FAILED = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    f()\nKeyError: 'x'\n"


@pytest.mark.parametrize(
    ("files", "read"),
    [
        pytest.param(
            {"411.md": EPOCHS, "train.py": FAILED, "b.log": "up\n"}, ["411.md", "b.log"], id="output in notes"
        ),
        pytest.param({"411.md": TABLE, "b.log": "up\n"}, ["b.log"], id="a table in notes"),
        pytest.param({"411.md": EPOCHS[:900], "b.log": "up\n"}, ["b.log"], id="an example in notes"),
        pytest.param({"411.md": FAILED}, ["411.md"], id="nothing else is there"),
        pytest.param({"README.md": FAILED}, [], id="a readme alone"),
        pytest.param({"train.py": FAILED}, [], id="source code alone"),
        pytest.param({"docs/a.md": FAILED, "docs/b.md": FAILED}, [], id="a folder of notes"),
    ],
)
def test_what_a_program_wrote_is_read_whatever_its_name(
    run_of: Callable[..., Path], files: dict[str, str], read: list[str]
) -> None:
    from logsift import load_catalog
    from logsift.ingest.discover import discover

    assert [f.name for f in discover(run_of(files), load_catalog()) if f.reader] == read


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, lzma.compress, bz2.compress, zstandard.ZstdCompressor(write_checksum=True).compress],
    ids=["gz", "xz", "bz2", "zst"],
)
@pytest.mark.parametrize("harm", ["cut", "scrambled"])
def test_a_torn_archive_gives_what_can_be_read_and_a_word_about_the_rest(
    tmp_path: Path, pack: Callable[[bytes], bytes], harm: str
) -> None:
    from logsift import analyze

    packed = pack(random.Random(1).randbytes(300_000).hex("\n", 40).encode())
    half = len(packed) // 2
    (tmp_path / "a.log").write_bytes(
        packed[:half] if harm == "cut" else packed[:half] + b"\xff" * 2000 + packed[half + 2000 :]
    )
    (tmp_path / "b.log").write_text("ok\n")
    analysis = analyze(tmp_path, db=None)
    assert analysis.coverage.files == 2
    assert analysis.coverage.problems + len(analysis.coverage.unread) >= 1


@pytest.mark.parametrize(
    ("name", "host", "rank"),
    [
        ("dmesg.gx4.txt", "gx4", None),
        ("logs/pyspy.hgx001.txt.gz", "hgx001", None),
        ("run-2/nvidia-uuids.hgx001.2026-04-02-11:20.txt", "hgx001", None),
        ("loss.v2.txt", None, None),
        ("loss.v2.2026-04-02.txt", None, None),
        ("node-3/rank_12.log", "node-3", 12),
        ("logs/none_cn4wd7eh/attempt_0/2/stderr.log", None, None),
        ("logs/job_worker12/2/stderr.log", "worker12", None),
        ("logs/fit_cn4wd7ehx/stderr.log", "cn4wd7ehx", None),
        ("logs/worker-8.err", "worker-8", None),
        ("logs/worker-18639a5843cdadc6a191a411e9fb31efe3e2e7bfcae0d02d2c9d0da4-01000000-13220.err", None, None),
        ("strace.rank3.txt", None, 3),
        ("strace.4711", None, None),
        ("gdb_worker_26346.txt", None, None),
        ("dmesg.txt", None, None),
        ("journal-2026-01-02.log", None, None),
        ("train.log", None, None),
    ],
)
def test_what_a_path_says_of_host_and_rank(name: str, host: str | None, rank: int | None) -> None:
    from logsift.ingest.discover import hints

    assert hints(name) == (host, rank)


@pytest.mark.parametrize(("kept", "told"), [(64, []), (200, []), (600, [(11, None)]), (700, [(11, 41177)])])
def test_a_core_file_that_was_cut_off_tells_what_is_left_of_it(
    kept: int, told: list[tuple[int, int | None]], tmp_path: Path
) -> None:
    from logsift import analyze

    whole = (Path(__file__).parents[2] / "fixtures/crash.signal--core-file-alone/run/core.41177").read_bytes()
    (tmp_path / "core.1").write_bytes(whole[:kept])
    analysis = analyze(tmp_path, db=None)
    assert [(r["signal"], r["pid"]) for r in analysis.store.rows("SELECT signal, pid FROM core_file")] == told
    assert (analysis.coverage.problems > 0) == (not told)
