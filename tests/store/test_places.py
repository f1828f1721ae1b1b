"""Where logsift writes: nothing of others is overwritten or built upon, nothing is left behind, nothing is half."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from logsift import Catalog, analyze
from logsift.content.errors import ContentErrors
from logsift.errors import StorageError, UserError
from logsift.places import WORKPLACE, cache_folder, keep, publish, sweep, workplace
from logsift.run import cached_database
from logsift.store import Store

Make = Callable[..., Path]

CRASH = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    f()\nKeyError: 1\n'
ANALYZE = "import sys; from logsift.cli import main; main(['analyze', sys.argv[1], '--format', 'json'])"


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def started(run: Path, **more: object) -> subprocess.Popen[str]:
    # What a full disk cuts is of the run alone: no compiled module is written.
    alone = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", ANALYZE, str(run)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=alone, **more)  # type: ignore[call-overload, no-any-return]


def test_a_folder_to_work_in_is_private_and_gone_behind_the_block(tmp_path: Path) -> None:
    def work_and_stop() -> None:
        with workplace(tmp_path / "logsift.duckdb") as work:
            assert (work.parent, work.stat().st_mode & 0o777) == (tmp_path, 0o700)
            (work / "some").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work_and_stop()
    assert names(tmp_path) == []


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    with workplace(tmp_path / "x") as alive:
        parts = alive.name.split("-")
        gone = subprocess.Popen(["true"])
        gone.wait()
        dead = tmp_path / "-".join([*parts[:-2], f"{gone.pid:x}", "0" * 16])
        dead.mkdir()
        (dead / "lock").write_text("")
        other = tmp_path / "x.logsift-00000000-1-0123456789abcdef"
        other.mkdir()
        assert WORKPLACE.fullmatch(dead.name)
        sweep(tmp_path)
        assert names(tmp_path) == sorted([alive.name, other.name])


def test_a_link_in_the_place_of_the_database_is_replaced_not_followed(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": CRASH, "../precious": "mine"})
    (run / "logsift.duckdb").symlink_to("../precious")
    analyze(run, catalog=catalog)
    assert (run / "../precious").read_text() == "mine"
    assert not (run / "logsift.duckdb").is_symlink()


def test_a_cache_that_somebody_else_can_write_into_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "logsift"
    (tmp_path / "logsift").chmod(0o777)
    assert cache_folder() != tmp_path / "logsift"
    (tmp_path / "logsift").rmdir()
    (tmp_path / "logsift").symlink_to("/tmp")
    assert cache_folder() != tmp_path / "logsift"


def test_the_cache_holds_what_was_used_of_late_and_so_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("logsift.places.CACHE_BYTES", 40_000)
    now, hour = time.time(), 3600
    ages = {
        "run-now": 0,
        "run-hours": 2 * hour,
        "run-days": 30 * hour,
        "run-month": 720 * hour,
        "history.duckdb": 720 * hour,
    }
    for name, age in ages.items():
        (cache_folder() / name).mkdir()
        (cache_folder() / name / "data").write_bytes(b"x" * 900)
        os.utime(cache_folder() / name, (now - age, now - age))
    keep(cache_folder() / "small", b"x")
    assert names(cache_folder()) == ["history.duckdb", "run-days", "run-hours", "run-now", "small", "tidied"]
    (cache_folder() / "large").write_bytes(b"x" * 30_000)
    keep(cache_folder() / "small", b"x")
    assert "run-days" in names(cache_folder()), "it is looked at once an hour"
    (cache_folder() / "tidied").unlink()
    keep(cache_folder() / "small", b"x")
    assert names(cache_folder()) == ["history.duckdb", "large", "run-now", "small", "tidied"]


def forged(run: Path) -> None:
    """A database as logsift writes it, with another verdict."""
    con = duckdb.connect(str(run / "logsift.duckdb"))
    con.execute("UPDATE incident SET rule = 'forged.verdict'")
    con.close()


def test_a_database_that_came_with_the_run_is_not_believed(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": CRASH})
    analyze(run, catalog=catalog)
    forged(run)
    analysis = analyze(run, catalog=catalog)
    assert [i.rule for i in analysis.incidents] == ["crash.exception"]
    sent = run.parent / "sent"
    shutil.copytree(run, sent)  # sizes and times as they were
    assert analyze(sent, catalog=catalog).parsed == 1


def test_a_damaged_database_is_made_anew(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": CRASH})
    analyze(run, catalog=catalog)
    path = run / "logsift.duckdb"
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    from logsift.places import remember

    remember(path)
    assert [i.rule for i in analyze(run, catalog=catalog).incidents] == ["crash.exception"]


ATTACKS = {
    "reads a file": "SELECT * FROM read_text('/etc/hostname')",
    "writes a file": "COPY (SELECT 1) TO '{run}/stolen.csv'",
    "writes over the database": "COPY (SELECT 1) TO '{run}/logsift.duckdb' (USE_TMP_FILE false)",
    "attaches another": "ATTACH '{run}/other.duckdb'",
    "loads an extension": "LOAD '{run}/evil.duckdb_extension'",
    "opens the seal": "SET enable_external_access = true",
    "exports": "EXPORT DATABASE '{run}/out'",
    "changes a conclusion": "DELETE FROM incident",
    "says two things": "SELECT 1; SELECT 2",
    "says nothing": "",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Path:
    run = tmp_path_factory.mktemp("made") / "run"
    run.mkdir()
    (run / "a.log").write_text(CRASH)
    analyze(run, catalog=catalog)
    return run


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_query_reaches_nothing_but_the_rows(made: Path, attack: str) -> None:
    store, before = Store.open(made / "logsift.duckdb"), names(made)
    with pytest.raises((duckdb.Error, UserError)):
        store.typed(attack.format(run=made))
    assert store.rows("SELECT rule FROM incident") == [{"rule": "crash.exception"}]
    assert names(made) == before


def test_a_time_with_a_zone_is_shown_or_refused_in_words(made: Path) -> None:
    """DuckDB makes it with the library pytz up to 2.0.0, which need not be there, and from then on with Python's own."""
    store = Store.open(made / "logsift.duckdb")
    try:
        shown = store.typed("SELECT TIMESTAMPTZ '2026-03-01 10:00:00+00'").rows[0][0]
    except UserError as e:
        shown = str(e)
    assert shown == datetime(2026, 3, 1, 10, tzinfo=UTC) or "ask for (…)::TIMESTAMP" in str(shown)


@pytest.mark.parametrize("change", ["DELETE FROM incident", "DROP TABLE incident", "CREATE TABLE x AS SELECT 1"])
def test_a_store_without_a_file_is_not_changed_either(made: Path, catalog: Catalog, change: str) -> None:
    with analyze(made, catalog=catalog, db=None) as analysis:
        for say in (lambda: analysis.store.typed(change), lambda: analysis.store.frame(change)):
            with pytest.raises(duckdb.Error, match="read-only"):
                say()
        with pytest.raises(duckdb.Error):
            analysis.store.typed("SELECT error('of a person')")
        assert [i["rule"] for i in analysis.sql("SELECT rule FROM incident")] == ["crash.exception"]


def test_a_query_without_end_ends(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logsift.ingest.budget.QUERY_SECONDS", 0.2)
    monkeypatch.setattr("logsift.store.database._LOOK_SECONDS", 0.1)
    store = Store.open(made / "logsift.duckdb")
    with pytest.raises(duckdb.InterruptException):
        store.typed("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b")
    monkeypatch.setattr("logsift.ingest.budget.QUERY_ROWS", 10)
    with pytest.raises(UserError, match="more than 10 rows"):
        store.typed("FROM range(20)")


CONTENT = {
    "a view that reads": ("rules/views/leak.sql", "-- view: one\nSELECT * FROM read_text('/etc/hostname')"),
    "a table that reads": ("rules/views/leak.sql", "-- table: one\nSELECT * FROM read_text('/etc/hostname')"),
    "a statement behind a view": ("rules/views/leak.sql", "-- view: one\nSELECT 1 AS one; COPY (SELECT 1) TO '{out}'"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "sql"), CONTENT.values(), ids=CONTENT)
def test_content_of_others_reads_and_writes_nothing(
    run_of: Make, content_of: Callable[..., Catalog], tmp_path: Path, path: str, sql: str
) -> None:
    out = tmp_path / "out.csv"
    with pytest.raises(ContentErrors):
        analyze(run_of({"a.log": CRASH}), catalog=content_of({path: sql.format(out=out)}, alone=True))
    assert not out.exists()


def test_nothing_that_is_worth_keeping_is_kept_aside(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"words.txt": "nothing of interest\n"})
    assert [analyze(run, catalog=catalog).parsed for _ in range(2)] == [1, 0]
    assert names(run) == ["words.txt"]


def test_beside_a_file_where_nothing_can_be_made_nothing_is(catalog: Catalog) -> None:
    cached_database(Path("/proc/cpuinfo")).unlink(missing_ok=True)
    assert analyze(Path("/proc/cpuinfo"), catalog=catalog).incidents == ()
    assert cached_database(Path("/proc/cpuinfo")).is_file()
    with pytest.raises(StorageError, match="say --db"):
        analyze(Path("/proc/cpuinfo"), catalog=catalog, db=Path("/proc/x.duckdb"))


def test_a_file_that_cannot_be_put_in_its_place_is_an_error_and_the_old_one_stays(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("new")
    (tmp_path / "there" / "x").mkdir(parents=True)
    with pytest.raises(StorageError, match="cannot write"):
        publish(tmp_path / "made", tmp_path / "there")
    assert (tmp_path / "there" / "x").is_dir()


def test_what_gets_its_name_is_on_the_disk_before_and_the_name_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    rename = Path.replace

    def renamed(self: Path, target: Path) -> Path:
        order.append(f"{self.name} is {target.name}")
        return rename(self, target)

    monkeypatch.setattr(
        "os.fsync", lambda file: order.append(f"{Path(f'/proc/self/fd/{file}').readlink().name} is safe")
    )
    monkeypatch.setattr(Path, "replace", renamed)
    (tmp_path / "made").write_text("new")
    publish(tmp_path / "made", tmp_path / "there")
    assert order == ["made is safe", "made is there", f"{tmp_path.name} is safe"]


def limit(size: int) -> Callable[[], None]:
    def set_limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return set_limit


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_moment_is_an_error_and_never_an_answer(run_of: Make, catalog: Catalog) -> None:
    run = run_of({"a.log": CRASH + "".join(f"step:{n}/9000 train_loss:{1 / (n + 1):.6f}\n" for n in range(9000))})
    analyze(run, catalog=catalog)
    made, before = (run / "logsift.duckdb").stat().st_size, (run / "logsift.duckdb").read_bytes()
    (run / "b.log").write_text(CRASH)
    for size in (1 << 10, 1 << 16, 1 << 20, made // 2, made - 4096):
        tried = started(run, preexec_fn=limit(size))
        out, told = tried.communicate()
        assert tried.returncode == 2, (size, out[:300], told)
        assert told.startswith("logsift: ")
        assert "Traceback" not in told
        assert (run / "logsift.duckdb").read_bytes() == before
        assert names(run) == ["a.log", "b.log", "logsift.duckdb"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_nothing_and_is_one_line(run_of: Make, number: signal.Signals, code: int) -> None:
    run = run_of({"a.log": CRASH * 20_000})
    going = started(run)
    while going.poll() is None and names(run) == ["a.log"]:
        time.sleep(0.01)
    going.send_signal(number)
    _, told = going.communicate()
    assert (going.returncode, told) == (code, "logsift: stopped, nothing is left behind\n")
    assert names(run) == ["a.log"]


@pytest.mark.slow
def test_kills_at_random_moments_leave_what_the_next_call_removes(run_of: Make, catalog: Catalog) -> None:
    import random

    run, rng = run_of({"a.log": CRASH * 2000}), random.Random(18)
    for _ in range(int(os.environ.get("LOGSIFT_KILLS", "6"))):
        going = started(run)
        time.sleep(rng.uniform(0.3, 6))
        going.kill()
        going.communicate()
        assert all(n in {"a.log", "logsift.duckdb"} or WORKPLACE.fullmatch(n) for n in names(run))
    assert [i.rule for i in analyze(run, catalog=catalog).incidents] == ["crash.exception"]
    assert names(run) == ["a.log", "logsift.duckdb"]


@pytest.mark.slow
def test_many_analyses_at_once_agree(run_of: Make) -> None:
    run = run_of({"a.log": CRASH})
    said = [p.communicate()[0] for p in [started(run) for _ in range(4)]]
    assert ['"crash.exception"' in s for s in said] == [True] * 4
    assert names(run) == ["a.log", "logsift.duckdb"]
