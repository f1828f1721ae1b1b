"""What people have: every command takes a folder, a file, several, an archive, a stream, a database that was sent."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import zstandard
from click.testing import CliRunner, Result

from logsift import Analysis, Catalog, analyze
from logsift.cli import main
from logsift.errors import UserError
from logsift.ingest import budget
from logsift.ingest.archives import unpacked
from logsift.inputs import given
from logsift.report import details
from logsift.report.bundle import write
from logsift.report.model import build

Make = Callable[..., Path]

FAILURE = "2026-01-01T00:00:21Z Traceback (most recent call last):\n2026-01-01T00:00:21Z KeyError: 'wanted'\n"
LINES = "".join(f"2026-01-01T00:00:{n:02d}Z step {n} loss {2.5 - n / 100:.3f}\n" for n in range(20)) + FAILURE


def tarred(path: Path, members: dict[str, bytes | tarfile.TarInfo]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            if isinstance(content, tarfile.TarInfo):
                tar.addfile(content)
                continue
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_767_225_600
            tar.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> dict[str, list[str]]:
    """Kind -> the arguments that name it."""
    base = tmp_path_factory.mktemp("kinds")
    run = base / "run"
    (run / "node-1").mkdir(parents=True)
    (run / "node-1" / "rank3.log").write_text(LINES)
    shutil.copytree(run / "node-1", base / "more" / "node-2")
    write(analyze(run, catalog=catalog), base / "issue.tar.zst")
    shutil.move(run / "logsift.duckdb", base / "sent.duckdb")
    tar = tarred(base / "run.tar", {"run/node-1/rank3.log": LINES.encode()}).read_bytes()
    (base / "run.tar.gz").write_bytes(gzip.compress(tar))
    (base / "run.tar.zst").write_bytes(zstandard.ZstdCompressor().compress(tar))
    with zipfile.ZipFile(base / "run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run/node-1/rank3.log", LINES)
    (base / "packed").mkdir()
    shutil.copy(base / "run.zip", base / "packed")
    names = [
        "packed",
        "run.tar",
        "run.tar.gz",
        "run.tar.zst",
        "run.zip",
        "sent.duckdb",
        "issue.tar.zst",
        "run",
        "run/node-1/rank3.log",
    ]
    return {
        **{name: [str(base / name)] for name in names},
        "several": [str(base / "run"), str(base / "more")],
        "stream": ["-"],
    }


KINDS = [
    "run",
    "packed",
    "run/node-1/rank3.log",
    "several",
    "run.tar",
    "run.tar.gz",
    "run.tar.zst",
    "run.zip",
    "stream",
    "sent.duckdb",
    "issue.tar.zst",
]
COMMANDS = {
    "analyze": (["analyze"], ["--format", "json"], '"root": "crash.exception"'),
    "report": (["report"], ["-o", "-"], "KeyError"),
    "sql": (["sql"], ["SELECT rule FROM incident WHERE root"], "crash.exception"),
    "show": (["show"], ["1"], "KeyError"),
    "ranks": (["ranks"], [], "rank"),
    "next": (["next"], [], ""),
    "timeline": (["timeline"], [], "around crash.exception"),
    "stacks": (["stacks"], [], "no stacks"),
    "unread": (["unread"], [], ""),
    "plot": (["plot"], [], "loss"),
    "export": (["export"], ["--format", "perfetto", "-o", "-"], "traceEvents"),
}  # fmt: skip


# How a run comes is nothing to a command: all take what is there, what has to be made first, and what is open already.
@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (c, k)
        for c in COMMANDS
        for k in KINDS
        if c in ("analyze", "report") or k in ("run", "several", "stream", "sent.duckdb")
    ],
)
def test_every_command_takes_it(kinds: dict[str, list[str]], kind: str, command: str) -> None:
    name, options, said = COMMANDS[command]
    # A stream is read anew for each command; only one of them looks at the loss.
    stream = (LINES if command == "plot" else FAILURE) if kind == "stream" else None
    shown = CliRunner().invoke(main, [*name, *kinds[kind], *options], input=stream)
    assert said in shown.output
    assert shown.exit_code in ({2} if command == "stacks" else {0}), shown.output


def test_every_command_that_reads_runs_is_walked() -> None:
    takes = {name for name, c in main.commands.items() if any(p.name == "run" for p in c.params)}
    # These are in tests/report/test_bundle.py and tests/engines/.
    assert takes - {"bundle", "map"} == set(COMMANDS)


def run(*args: object, **more: str) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args], **more)


def test_several_are_one_job_or_with_separate_their_own(kinds: dict[str, list[str]]) -> None:
    together = json.loads(run("analyze", *kinds["several"], "--format", "json").stdout)
    assert {e["path"] for i in together["incidents"] for e in i["evidence"]} == {
        "run/node-1/rank3.log", "more/node-2/rank3.log"
    }  # fmt: skip
    apart = run("analyze", *kinds["several"], "--separate", "--format", "json").stdout
    assert apart.count('"schema"') == 2


def test_nothing_is_written_beside_an_archive_or_into_it(tmp_path: Path) -> None:
    tarred(tmp_path / "a.tar", {"a.log": LINES.encode()})
    before = (tmp_path / "a.tar").read_bytes()
    run("analyze", tmp_path / "a.tar")
    assert [p.name for p in tmp_path.iterdir()] == ["a.tar"]
    assert (tmp_path / "a.tar").read_bytes() == before


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_no_member_leads_out_of_its_archive(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    names = {
        "../outside/a.log": b"x", str(outside / "b.log"): b"x", "fine/../../outside/c.log": b"x", "good.log": LINES.encode(),
        "soft": link("soft", str(outside)), "soft/d.log": b"x", "hard.log": link("hard.log", "/etc/hostname", tarfile.LNKTYPE),
        "pipe": link("pipe", "", tarfile.FIFOTYPE), "good.log/below.log": b"x",
    }  # fmt: skip
    source = given([tarred(tmp_path / "a.tar", names)])
    assert list(outside.iterdir()) == []
    assert {p.relative_to(source.run).as_posix() for p in source.run.rglob("*") if p.is_file()} == {
        "good.log",
        "soft/d.log",
    }
    assert not any(p.is_symlink() for p in source.run.rglob("*"))
    assert {name for name, _ in source.refused} == set(names) - {"good.log", "soft/d.log"}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../outside/a.log", "x")
        archive.writestr("good.log", LINES)
    assert [name for name, _ in given([tmp_path / "a.zip"]).refused] == ["../outside/a.log"]
    assert list(outside.iterdir()) == []


def test_a_bomb_of_an_archive_gives_what_came_before(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "UNPACKED_FREE_BYTES", 1 << 20)
    monkeypatch.setattr(budget, "UNPACKED_RATIO", 10)
    tar = tarred(tmp_path / "a.tar", {"good.log": LINES.encode(), "zeros.log": bytes(30_000_000)}).read_bytes()
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(tar))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.log", LINES)
        archive.writestr("zeros.log", bytes(30_000_000))
    for name in ("a.tar.gz", "a.zip"):
        analysis = analyze(tmp_path / name, catalog=catalog, db=None)
        assert analysis.root is not None
        assert any("far more than" in why for _, why in [*given([tmp_path / name]).refused])


def test_a_torn_archive_gives_what_came_before(tmp_path: Path) -> None:
    tar = tarred(tmp_path / "a.tar", {"good.log": LINES.encode(), "more.log": os.urandom(200_000)}).read_bytes()
    (tmp_path / "torn.tar.gz").write_bytes(gzip.compress(tar)[:-100_000])
    source = given([tmp_path / "torn.tar.gz"])
    assert (source.run / "good.log").read_text() == LINES
    assert source.refused


def test_a_name_of_megabytes_is_not_read_into_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    (tmp_path / "a.tar").write_bytes(
        tarred(tmp_path / "b.tar", {"good.log": b"x\n"}).read_bytes()[:1024] + info.tobuf() + bytes(4096)
    )
    source = given([tmp_path / "a.tar"])
    assert [p.name for p in source.run.iterdir()] == ["good.log"]
    assert "a name of megabytes" in source.refused[0][1]


def test_a_database_that_was_sent_reads_no_file_and_runs_no_view_of_its_own(
    kinds: dict[str, list[str]], tmp_path: Path
) -> None:
    path = Path(shutil.copy(kinds["sent.duckdb"][0], tmp_path))
    (tmp_path / "secret.log").write_text("2026-01-01T00:00:21Z the secret\n")
    con = duckdb.connect(str(path))
    con.execute("UPDATE file SET path = '../secret.log'; UPDATE evidence SET text = 'kept'")
    con.close()
    assert "the secret" not in run("timeline", path).output
    con = duckdb.connect(str(path))
    con.execute("ALTER TABLE incident RENAME TO i; CREATE VIEW incident AS SELECT * FROM i, read_text('/etc/hostname')")
    con.close()
    shown = run("analyze", path)
    assert (shown.exit_code, "is not a logsift database" in shown.output) == (2, True)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE incident DROP COLUMN zone",
        "ALTER TABLE incident ALTER ranks TYPE VARCHAR",
        "ALTER TABLE evidence RENAME TO proof",
        "DROP TABLE decision",
        "UPDATE incident SET severity = 'huge'",
    ],
)
def test_a_database_of_another_version_is_said_to_be_one(
    kinds: dict[str, list[str]], tmp_path: Path, change: str
) -> None:
    path = Path(shutil.copy(kinds["sent.duckdb"][0], tmp_path))
    with duckdb.connect(str(path)) as con:
        con.execute(change)
    shown = run("analyze", path)
    assert (shown.exit_code, "another version of logsift" in shown.output) == (2, True)


def test_a_database_of_a_later_version_that_only_adds_is_read(kinds: dict[str, list[str]], tmp_path: Path) -> None:
    path = Path(shutil.copy(kinds["sent.duckdb"][0], tmp_path))
    with duckdb.connect(str(path)) as con:
        con.execute("ALTER TABLE incident ADD COLUMN mood VARCHAR; CREATE TABLE later (a INT)")
    assert run("analyze", path).exit_code == 0


def test_a_database_is_a_job_by_itself(kinds: dict[str, list[str]]) -> None:
    with pytest.raises(UserError, match="give it alone"):
        given([Path(kinds["sent.duckdb"][0]), Path(kinds["run"][0])])


def test_an_archive_in_a_run_is_the_folder_it_holds(tmp_path: Path, catalog: Catalog) -> None:
    run = tmp_path / "run"
    (run / "more").mkdir(parents=True)
    tar = tarred(tmp_path / "a.tar", {"rank3.log": LINES.encode(), "deeper.tar": b"x", "../out.log": b"x"}).read_bytes()
    (run / "more" / "node-1.tar.gz").write_bytes(gzip.compress(tar))
    (run / "no-archive.zip").write_text("step 1\n")
    analysis = analyze(run, catalog=catalog)
    assert analysis.root is not None
    assert {e.path for e in analysis.root.evidence} == {"more/node-1.tar.gz/rank3.log"}
    assert analysis.sql("SELECT path, host, rank, reader FROM file ORDER BY path") == [
        {"path": "more/node-1.tar.gz/../out.log", "host": "node-1", "rank": None, "reader": ""},
        {"path": "more/node-1.tar.gz/deeper.tar", "host": "node-1", "rank": None, "reader": ""},
        {"path": "more/node-1.tar.gz/rank3.log", "host": "node-1", "rank": 3, "reader": "lines"},
        {"path": "no-archive.zip", "host": None, "rank": None, "reader": "lines"},
    ]
    assert sorted(p.name for p in run.rglob("*")) == ["logsift.duckdb", "more", "no-archive.zip", "node-1.tar.gz"]
    assert "step 19 loss" in details_of(analysis), "the lines around the proof are read from it again"
    assert analyze(run, catalog=catalog).parsed == 0


def details_of(analysis: Analysis) -> str:
    """The lines around the proof."""
    assert analysis.root
    found = details.passages(analysis, [f for f in [build(analysis).root] if f], 5)
    return "\n".join(line.text for each in found.values() for p in each for line in p.lines)


def test_what_is_unpacked_of_an_archive_in_a_run_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "ARCHIVE_BYTES", 1 << 20)
    path = tarred(tmp_path / "data.tar", {"a.log": b"x\n", "weights.bin": bytes(4 << 20), "z.log": b"x\n"})
    made = unpacked(path, within=True)
    assert made
    folder, refused = made
    assert (folder / "a.log").read_text() == "x\n"
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 1 << 20
    assert ("weights.bin", "more than there is room for") in refused
    assert unpacked(path) != made


def test_what_the_disk_had_no_room_for_is_told_and_unpacked_anew_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tarred(tmp_path / "data.tar", {"a.log": b"x\n", "b.log": b"y" * 5000})
    monkeypatch.setattr("logsift.ingest.archives.room", lambda: 1000)
    cut = unpacked(path)
    assert cut is not None
    assert [name for name, _ in cut[1]] == ["b.log"]
    monkeypatch.undo()
    assert unpacked(path) == cut, "one process reads one tree"
    monkeypatch.setattr("logsift.ingest.archives._cut_short", {})
    whole = unpacked(path)
    assert whole is not None
    assert (whole[1], (whole[0] / "b.log").stat().st_size) == ((), 5000)


def test_a_bundle_that_the_disk_has_no_room_for_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tarred(tmp_path / "issue.tar", {"logsift-bundle/manifest.json": b"{}"})
    monkeypatch.setattr("logsift.ingest.archives.room", lambda: 0)
    with pytest.raises(UserError, match=r"cannot be unpacked: .*manifest\.json: more than there is room for"):
        analyze(path)
