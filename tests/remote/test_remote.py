"""A run in an object store is read as one on the disk is: by ranges, with errors for people, and nothing of a login shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import obstore
import pytest
from builders.stores import Bucket
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from obstore.store import MemoryStore

from logsift import Catalog, UserError, analyze
from logsift.cli import main
from logsift.remote import objects, place, pread, pread_into, preads, scan
from logsift.remote.clients import _aws_profile
from logsift.remote.paths import Reader
from logsift.remote.store import Store

KEPT = bytes(n * n % 251 for n in range(7000))


@pytest.fixture
def blocks_of_a_kilobyte() -> Iterator[None]:
    """Objects of some kilobytes are read in several blocks."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"_WHOLE_BYTES": 500, "_HEAD_BYTES": 300, "_BLOCK_BYTES": 1000}.items():
            patched.setattr(objects, name, value)
        yield


class Counting:
    """obstore, where every range that is asked for is noted, and `fails` may refuse one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fails: Callable[[str, Any], bool] = lambda *_: False) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.fails = fails
        monkeypatch.setattr(objects, "obstore", lambda: self)

    def get(self, client: MemoryStore, key: str, options: dict[str, Any]) -> obstore.GetResult:
        self.asked.append((key, options.get("range")))
        if self.fails(*self.asked[-1]):
            raise obstore.exceptions.GenericError("HTTP error: error sending request")
        return obstore.get(client, key, options=options)


@given(
    steps=st.lists(st.tuples(st.sampled_from(["pread", "into", "read"]), st.integers(0, 7100), st.integers(0, 3000))),
    size=st.sampled_from([0, 1, 300, 500, 501, 1000, 2001, 7000]),
)
def test_any_reading_of_an_object_gives_its_bytes(steps: list[tuple[str, int, int]], size: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"_WHOLE_BYTES": 500, "_HEAD_BYTES": 300, "_BLOCK_BYTES": 1000, "_HELD_BYTES": 2500}.items():
            patched.setattr(objects, name, value)
        store = Store("memory://", MemoryStore())
        obstore.put(store.client, "a.log", KEPT[:size])
        file = Reader(store.entries("")["a.log"])
        for how, at, wanted in steps:
            if how == "read":
                file.seek(at)
                got = file.read(wanted)
            elif how == "into":
                buffer = bytearray(wanted)
                got = bytes(buffer[: pread_into(file, memoryview(buffer), at)])
            else:
                got = pread(file, wanted, at)
            assert got == KEPT[:size][at : at + wanted]
        assert list(preads(file, [(wanted, at) for _, at, wanted in steps])) == [
            KEPT[:size][at : at + wanted] for _, at, wanted in steps
        ]


def test_only_the_ranges_that_are_needed_are_asked_for_and_each_once(
    blocks_of_a_kilobyte: None, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place(bucket.put("ranges/a.log", KEPT))
    counting = Counting(monkeypatch)
    with path.open("rb", buffering=0) as file:
        assert file.read(6) == KEPT[:6]
        assert file.read(250) == KEPT[6:256]
        assert pread(file, 20, 5100) == KEPT[5100:5120]
    assert counting.asked == [("ranges/a.log", (0, 300)), ("ranges/a.log", (5100, 5120))]


def test_an_object_that_is_replaced_while_it_is_read_is_not_two_halves(
    blocks_of_a_kilobyte: None, bucket: Bucket
) -> None:
    path = place(bucket.put("changing/a.log", KEPT))
    with path.open("rb", buffering=0) as file:
        assert file.read(100) == KEPT[:100]
        bucket.put("changing/a.log", KEPT[::-1])
        with pytest.raises(OSError, match=r"s3://runs/changing/a\.log was changed while it was read"):
            pread(file, 100, 2000)
    assert [e.name for e in scan(path.parent)] == ["a.log"]
    assert path.read_bytes() == KEPT[::-1]


def test_what_a_lost_connection_leaves_unread_is_a_problem_and_read_the_next_time(
    blocks_of_a_kilobyte: None, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, catalog: Catalog
) -> None:
    url = bucket.put("lost/a.log", b"NVRM: Xid (PCI:0000:49:00): 79, GPU has fallen off the bus.\n").rpartition("/")[0]
    bucket.put("lost/b.log", b"".join(b"step %d of 900\n" % n for n in range(8000)))
    counting = Counting(monkeypatch, lambda key, range_: key.endswith("b.log") and bool(range_) and range_[0] > 90_000)
    partly = analyze(url, catalog=catalog, db=tmp_path / "made.duckdb")
    problems = partly.sql("SELECT path, text FROM problem JOIN file USING (file_id)")
    told = "s3://runs does not answer: it cannot be reached, or the connection was lost"
    assert problems == [{"path": "b.log", "text": told}]
    assert partly.root is not None
    counting.fails = lambda *_: False
    again = analyze(url, catalog=catalog, db=tmp_path / "made.duckdb")
    assert (again.parsed, again.sql("FROM problem")) == (1, [])
    assert analyze(url, catalog=catalog, db=tmp_path / "made.duckdb").parsed == 0


def test_names_of_objects_are_kept_as_they_are(bucket: Bucket) -> None:
    names = ["a b.log", "50%.log", "a#1?.log", "größe.log", "x/y=1/z.log"]
    for name in names:
        bucket.put(f"names/{name}", name.encode())
    run = place("s3://runs/names")
    assert run.is_dir()
    assert {(run / name).read_bytes().decode() for name in names} == set(names)
    assert sorted(e.name for e in scan(run)) == sorted(n.partition("/")[0] for n in names)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        pytest.param("s3://runs/nothing", "no such file or directory: s3://runs/nothing", id="no such key"),
        pytest.param("s3://nobody/run", "no such bucket: s3://nobody", id="no such bucket"),
        pytest.param("s3://runs/odd", "holds an object with a name that is no path", id="a name that leads out"),
        pytest.param("az://runs/run", "set AZURE_STORAGE_ACCOUNT_NAME and one of", id="no credentials"),
        pytest.param("https://me:hunter2@store/run.log?sig=hunter2", "download the file", id="a signed URL"),
        pytest.param("s3://me:hunter2@runs/run", "a URL of a bucket holds no login", id="a login in a bucket's URL"),
        pytest.param("http://me:hunter2@ADDRESS/runs/public", "this server gives no lists of files", id="no WebDAV"),
        pytest.param("http://me:hunter2@127.0.0.1:9/a.log", "does not answer", id="nobody there"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_line_without_what_is_secret(
    url: str, told: str, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logsift.remote.clients._RETRIES", 0)
    bucket.put_as_is("odd/../../x.log")
    url = url.replace("ADDRESS", bucket.address.removeprefix("http://"))
    done = CliRunner().invoke(main, [url])
    assert (done.exit_code, told in done.output) == (2, True), done.output
    assert (len(done.output.splitlines()), "hunter2" in done.output) == (1, False)


def test_a_login_in_a_url_is_sent_and_never_written(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("public/a.log", b"NVRM: Xid (PCI:0000:49:00): 79, GPU has fallen off the bus.\n")
    url = f"http://me:hunter2@{bucket.address.removeprefix('http://')}/runs/public/a.log"
    done = CliRunner().invoke(main, [url, "--format", "json", "--db", str(tmp_path / "made.duckdb")])
    assert f"{bucket.address}/runs/public/a.log" in done.output
    assert "hunter2" not in done.output
    assert b"hunter2" not in (tmp_path / "made.duckdb").read_bytes()
    client = place(url)._store.client
    assert client.client_options["default_headers"]["authorization"].startswith(b"Basic ")


def test_without_obstore_a_url_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(UserError, match=r"pip install 'logsift-train\[remote\]'"):
        analyze("s3://never-asked/run")


def test_keys_of_a_profile_are_used_where_the_environment_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in os.environ if n.startswith("AWS_")]:
        monkeypatch.delenv(name)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text("[lab]\naws_access_key_id = A\naws_secret_access_key = B%c\n")
    (tmp_path / ".aws/config").write_text("[profile lab]\nregion = eu-north-1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _aws_profile() == {}
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert _aws_profile() == {"access_key_id": "A", "secret_access_key": "B%c", "region": "eu-north-1"}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "C")
    monkeypatch.setenv("AWS_REGION", "us-east-2")
    assert _aws_profile() == {}


def test_a_database_goes_into_the_bucket_only_where_that_is_said(bucket: Bucket) -> None:
    url = bucket.put("kept/a.log", b"NVRM: Xid (PCI:0000:49:00): 79, GPU has fallen off the bus.\n").rpartition("/")[0]
    assert CliRunner().invoke(main, [url, "--format", "line"]).exit_code == 0
    assert bucket.holds("kept") == ["kept/a.log"]
    first = CliRunner().invoke(main, [url, "--format", "line", "--db", "s3://runs/made/it.duckdb"])
    assert bucket.holds("made") == ["made/it.duckdb"]
    again = CliRunner().invoke(main, ["s3://runs/made/it.duckdb", "--format", "line"])
    assert again.output.rpartition(" | ")[0] == first.output.rpartition(" | ")[0] != ""
