"""One file for an issue: it opens again with every command, gives the same incidents, and holds no logs."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
import zstandard
from click.testing import CliRunner, Result

from logsift import Analysis, Catalog, analyze
from logsift.cli import main
from logsift.errors import UserError
from logsift.report import json as document
from logsift.report import markdown
from logsift.report.bundle import write
from logsift.report.redacted import redacted


@pytest.fixture(scope="module")
def run(stuck: Analysis) -> Path:
    return stuck.run


@pytest.fixture(scope="module")
def plain(stuck: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with all names as they are."""
    path = tmp_path_factory.mktemp("plain") / "issue.tar.zst"
    assert write(stuck, path) == []
    return path


@pytest.fixture(scope="module")
def sent(run: Path, plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle as the command makes it."""
    path = tmp_path_factory.mktemp("sent") / "issue.zip"
    said = command("bundle", run, "-o", path)
    assert said.exit_code == 0, said.output
    return path


def command(*args: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args])


def members(path: Path) -> dict[str, bytes]:
    packed = zstandard.ZstdDecompressor().decompress(path.read_bytes(), 1 << 30)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {m.name: f.read() for m in tar if (f := tar.extractfile(m))}


def test_it_gives_the_same_when_it_is_opened_again(stuck: Analysis, plain: Path, catalog: Catalog) -> None:
    opened = analyze(plain, catalog=catalog)
    before, after = (document.document(a) for a in (stuck, opened))
    assert {k: v for k, v in after.items() if k != "run"} == {k: v for k, v in before.items() if k != "run"}
    # What is read from the logs, and what is made of tables that have an order.
    named = str(stuck.run), str(plain)
    assert markdown.render(opened).replace(named[1], named[0]) == markdown.render(stuck)


def test_every_command_opens_it(sent: Path) -> None:
    asked = {
        "analyze": [], "show": ["1"], "ranks": [], "next": [], "stacks": [], "unread": [],
        "report": ["-o", "-"], "sql": ["SELECT rule, hosts FROM incident WHERE root"],
    }  # fmt: skip
    said = {name: command(name, sent, *more) for name, more in asked.items()}
    assert {name: r.output for name, r in said.items() if r.exit_code} == {}
    root = json.loads(command("analyze", sent, "--format", "json").stdout)["root"]
    assert root
    assert all(root in said[name].stdout for name in ("analyze", "show", "report", "sql"))
    assert "node01" in said["ranks"].stdout


def test_it_is_redacted_unless_that_is_refused(stuck: Analysis, plain: Path, sent: Path) -> None:
    hosts = {r["host"] for r in stuck.sql("SELECT host FROM rank WHERE host IS NOT NULL")}
    assert hosts
    with zipfile.ZipFile(sent) as archive:
        texts = {n: archive.read(n).decode() for n in archive.namelist() if not n.endswith(".parquet")}
        tables = {n: pl.read_parquet(archive.read(n)) for n in archive.namelist() if n.endswith(".parquet")}
    leaked = [n for n, text in texts.items() if any(h in text for h in hosts)]
    leaked += [n for n, table in tables.items() if any(h in str(table.to_dicts()) for h in hosts)]
    assert leaked == []
    assert any(h in members(plain)["logsift-bundle/report.md"].decode() for h in hosts)


def test_the_same_run_gives_the_same_bytes(stuck: Analysis, sent: Path, tmp_path: Path) -> None:
    write(redacted(stuck), tmp_path / "issue.zip", is_redacted=True)
    assert (tmp_path / "issue.zip").read_bytes() == sent.read_bytes()


def test_its_manifest_tells_what_is_in_it(plain: Path) -> None:
    held = members(plain)
    told = json.loads(held["logsift-bundle/manifest.json"])
    files = {name: data for name, data in held.items() if not name.endswith("manifest.json")}
    assert {f"logsift-bundle/{n}": a["sha256"] for n, a in told["files"].items()} == {
        n: hashlib.sha256(d).hexdigest() for n, d in files.items()
    }
    assert {"report.md", "report.html", "report.json", "stacks.txt", "ranks.txt", "tables/incident.parquet", "tables/rank_fate.parquet", "tables/excerpt.parquet"} <= set(told["files"])  # fmt: skip
    assert told["redacted"] is False


def test_what_has_no_room_is_left_out_and_told(stuck: Analysis, tmp_path: Path, catalog: Catalog) -> None:
    left_out = write(stuck, tmp_path / "small.tar.zst", most_bytes=150_000)
    assert left_out
    assert (tmp_path / "small.tar.zst").stat().st_size <= 150_000
    told = json.loads(members(tmp_path / "small.tar.zst")["logsift-bundle/manifest.json"])
    assert [x["name"] for x in told["left_out"]] == [x.name for x in left_out]
    assert (
        document.document(analyze(tmp_path / "small.tar.zst", catalog=catalog))["root"]
        == document.document(stuck)["root"]
    )
    with pytest.raises(UserError, match="--max-size"):
        write(stuck, tmp_path / "none.tar.zst", most_bytes=21_000)


def test_another_kind_of_file_is_refused(stuck: Analysis, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"one of \.tar\.zst"):
        write(stuck, tmp_path / "issue.rar")


def rewritten(plain: Path, path: Path, **changed: bytes) -> Path:
    """The bundle with other members, by their last name."""
    with tarfile.open(path, "w") as tar:
        for name, data in members(plain).items():
            data = changed.get(Path(name).stem, data)
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"incident": b"PAR1"}, "is not what its manifest says", id="a table that was changed"),
        pytest.param({"manifest": b"{"}, "manifest", id="a manifest that is no JSON"),
        pytest.param({"manifest": b'{"files": {"../../x": {"sha256": ""}}, "empty": {}}'}, "damaged", id="a name that leads out"),
        pytest.param({"manifest": b'{"files": {}, "empty": {"file": {"x": "INT); ATTACH \'/etc/passwd\' AS y; --"}}}'}, "columns of file", id="a type that is a statement"),
        pytest.param({"manifest": b'{"files": {}, "empty": {}}'}, "lacks the table", id="no tables"),
    ],
)  # fmt: skip
def test_a_bundle_that_was_damaged_or_forged_is_refused(
    plain: Path, tmp_path: Path, changed: dict[str, bytes], said: str
) -> None:
    told = command("analyze", rewritten(plain, tmp_path / "x.tar", **changed))
    assert (told.exit_code, said in told.output) == (2, True), told.output


def test_a_bundle_in_a_run_is_no_log_of_it(run: Path, plain: Path, stuck: Analysis, catalog: Catalog) -> None:
    copy = run / "issue.tar.zst"
    copy.write_bytes(plain.read_bytes())
    try:
        assert analyze(run, catalog=catalog).coverage.files == stuck.coverage.files
    finally:
        copy.unlink()
