"""A run read in shares has the tables and the verdict that it has read at once; what is missing or foreign is told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.clusters import make, with_packed_log
from builders.rows import tables
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from logsift import Catalog, UserError, analyze
from logsift.cli import main
from logsift.engines import mapping, shares
from logsift.engines.mapping import map_share
from logsift.engines.reducing import reduce
from logsift.ingest import parse

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
OF = 3


@pytest.fixture
def windows_of_a_kilobyte() -> Iterator[None]:
    """Files of some kilobytes are cut, at every second window."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse.Parser.__init__, "__defaults__", (1000,))
        patched.setattr(shares, "RANGE_BYTES", 2000)
        patched.setattr(shares, "_FILE_BYTES", 10)
        yield


MANY = FIXTURES / "gpu.cuda_error--illegal-access-two-processes" / "run"
STORE = FIXTURES / "loss.nan--metrics-event-file" / "run"
RUNS: dict[str, Callable[[Path], Path]] = {
    "many files": lambda folder: shutil.copytree(MANY, folder / "run"),
    "a binary store": lambda folder: shutil.copytree(STORE, folder / "run"),
    "a cluster": lambda folder: with_packed_log(make("gpu fell off the bus", 8, culprit=3), folder / "run"),
}


@pytest.mark.parametrize("name", RUNS)
def test_three_shares_in_any_order_one_of_them_twice_give_what_one_reading_gives(
    name: str, tmp_path: Path, catalog: Catalog
) -> None:
    run, parts = RUNS[name](tmp_path), tmp_path / "parts"
    whole = analyze(run, catalog=catalog, db=None)
    for shard in (3, 1, 2):
        map_share([run], parts, catalog, shard, OF)
    (parts / f"shard-1-of-{OF}.json").write_text("{")  # as one that died left it
    assert not map_share([run], parts, catalog, 1, OF).done_before
    assert map_share([run], parts, catalog, 1, OF).done_before
    run.rename(tmp_path / "out of reach")
    united = reduce(parts, catalog)
    assert tables(united) == tables(whole)
    assert [i.evidence for i in united.incidents] == [i.evidence for i in whole.incidents]
    assert all(e.text for i in united.incidents for e in i.evidence)


def test_one_share_is_the_whole_and_a_file_is_cut_where_windows_are(
    windows_of_a_kilobyte: None, tmp_path: Path, catalog: Catalog
) -> None:
    """Blocks that reach over a cut, and the numbers of lines and of what opens blocks behind it."""
    run = make("host OOM of a data loader", 8, culprit=3).write(tmp_path / "run")
    whole = tables(analyze(run, catalog=catalog, db=None))
    for of in (1, OF):
        for shard in range(1, of + 1):
            map_share([run], tmp_path / f"{of}", catalog, shard, of)
        assert tables(reduce(tmp_path / f"{of}", catalog)) == whole
    cut = [json.loads(p.read_text())["ranges"] for p in (tmp_path / f"{OF}").glob("shard-*.json")]
    assert sum(begin > 0 for each in cut for begin, _ in each.values()) > 1


@given(sizes=st.lists(st.integers(0, 50 << 30) | st.integers(0, 1 << 20), max_size=30), of=st.integers(1, 20))
def test_every_byte_is_in_one_share_and_no_share_is_much_larger(sizes: list[int], of: int) -> None:
    got: dict[int, list[tuple[int, int]]] = {n: [] for n in range(len(sizes))}
    weights = []
    for shard in range(1, of + 1):
        mine = shares.shares(sizes, shard, of)
        for f, (begin, end) in mine.items():
            assert begin % shares.RANGE_BYTES == 0
            got[f].append((begin, sizes[f] if end is None else end))
        weights.append(sum((end or sizes[f]) - begin for f, (begin, end) in mine.items()))
    for f, ranges in got.items():
        assert [a for a, _ in sorted(ranges)] == [0, *(b for _, b in sorted(ranges))][:-1]
        assert max(b for _, b in ranges) == sizes[f]
    fair = (sum(sizes) + len(sizes) * shares._FILE_BYTES) / of
    assert max(weights) <= fair + shares.RANGE_BYTES + shares._FILE_BYTES


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Path:
    """Shares of a run of eleven files."""
    folder = tmp_path_factory.mktemp("mapped")
    for shard in range(1, OF + 1):
        map_share([MANY], folder / "parts", catalog, shard, OF)
    return folder / "parts"


def test_files_of_a_share_that_is_missing_are_told_as_not_read(parts: Path, tmp_path: Path, catalog: Catalog) -> None:
    shutil.copytree(parts, tmp_path / "parts")
    lost = json.loads((tmp_path / "parts" / "shard-2-of-3.json").read_text())
    (tmp_path / "parts" / "shard-2-of-3.json").unlink()
    coverage = reduce(tmp_path / "parts", catalog).coverage
    assert {(row[1], "share 2 of 3 is missing") for row in lost["files"]} == set(coverage.unread)
    assert coverage.files == len(list(MANY.rglob("*.*")))


def test_the_bytes_of_a_share_that_is_missing_are_told_where_the_file_is_not(
    windows_of_a_kilobyte: None, run_of: Callable[..., Path], tmp_path: Path, catalog: Catalog
) -> None:
    run = run_of({"a.log": "".join(f"step {n} of 900\n" for n in range(1000))})
    for shard in (1, 3):
        map_share([run], tmp_path / "parts", catalog, shard, OF)
    assert reduce(tmp_path / "parts", catalog).sql("SELECT what, text FROM problem") == [
        {
            "what": "not read",
            "text": "share 2 of 3 is missing: from byte 6000 to byte 10000; lines behind have lower numbers",
        }
    ]


def _other_engine(parts: Path, run: Path, catalog: Catalog) -> None:
    path = parts / "shard-3-of-3.json"
    told = json.loads(path.read_text())
    told["identity"]["engine"] = "another"
    path.write_text(json.dumps(told))


def _run_that_grew(parts: Path, run: Path, catalog: Catalog) -> None:
    grown = shutil.copytree(run, parts / ".." / "grown")
    (grown / "new.log").write_text("hello\n")
    map_share([grown], parts, catalog, 2, OF)


def _torn(parts: Path, run: Path, catalog: Catalog) -> None:
    next(p for p in parts.rglob("*.parquet") if p.parent != parts).write_bytes(b"PAR1")


def _other_cut(parts: Path, run: Path, catalog: Catalog) -> None:
    map_share([run], parts, catalog, 1, 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            _other_engine, "shard-3-of-3 was made by another version of logsift (0.1.0) or with other content"
        ),
        pytest.param(_run_that_grew, "are not shares of one whole: files came or grew"),
        pytest.param(_other_cut, "are not shares of one whole"),
        pytest.param(_torn, "lacks parts that its manifest names: map it again"),
    ],
)
def test_what_does_not_belong_together_is_not_united(
    change: Callable[[Path, Path, Catalog], None], told: str, parts: Path, tmp_path: Path, catalog: Catalog
) -> None:
    change(shutil.copytree(parts, tmp_path / "parts"), MANY, catalog)
    with pytest.raises(UserError) as raised:
        reduce(tmp_path / "parts", catalog)
    assert told in str(raised.value)


def test_a_manifest_leads_nowhere_else(parts: Path, tmp_path: Path) -> None:
    told = json.loads((parts / "shard-1-of-3.json").read_text())
    for place in ("../other", "/etc", "a/b"):
        (tmp_path / "shard-1-of-3.json").write_text(json.dumps({**told, "parts": place}))
        assert mapping.manifest(tmp_path / "shard-1-of-3.json") is None


def test_the_two_commands(parts: Path, tmp_path: Path) -> None:
    def said(*args: str | Path) -> tuple[int, str]:
        done = CliRunner().invoke(main, list(map(str, args)))
        return done.exit_code, done.output

    assert said("map", MANY, "--shard", "2/3", "-o", parts) == (0, f"share 2 of 3 in {parts}: was there already\n")
    code, verdict = said("reduce", parts, "-o", tmp_path / "made.duckdb", "--format", "line", "--fail-on", "critical")
    assert (code, verdict.split()[0]) == (1, "gpu.cuda_error")
    code, again = said(tmp_path / "made.duckdb", "--format", "line")
    assert (code, again.rpartition(" | ")[0]) == (0, verdict.rpartition(" | ")[0])
    assert "say 1/64 to 64/64" in said("map", MANY, "--shard", "0/3", "-o", parts)[1]
    assert "is within" in said("map", MANY, "-o", MANY / "parts")[1]
    assert "make them with" in said("reduce", tmp_path)[1]
