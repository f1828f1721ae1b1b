"""However a run is read, its tables, its incidents and their proof are the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from builders.clusters import make, with_packed_log
from builders.rows import tables
from builders.stores import Bucket

from logsift import Analysis, Catalog, analyze
from logsift.engines.mapping import map_share
from logsift.engines.ray import analyze_on_ray
from logsift.engines.reducing import reduce
from logsift.remote import place


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, bucket: Bucket) -> Path:
    """A cluster with a packed log and a database, which is also in the bucket."""
    folder = with_packed_log(make("gpu fell off the bus", 8, culprit=3), tmp_path_factory.mktemp("ways") / "run")
    with closing(sqlite3.connect(folder / "mlflow.db")) as con:
        con.execute("CREATE TABLE metrics (key, value, timestamp, step, is_nan, run_uuid)")
        con.executemany(
            "INSERT INTO metrics VALUES ('loss', ?, ?, ?, 0, 'a')", [(2.5 - n / 100, 0, n) for n in range(9)]
        )
        con.commit()
    bucket.upload(folder, "ways")
    return folder


@pytest.fixture(scope="module")
def local(run: Path, catalog: Catalog) -> Analysis:
    return analyze(run, catalog=catalog, db=None)


def in_store(run: Path, catalog: Catalog, parts: Path) -> Analysis:
    return analyze("s3://runs/ways", catalog=catalog, db=parts / "made.duckdb")


def shares_in_store(run: Path, catalog: Catalog, parts: Path) -> Analysis:
    into = place("s3://runs/parts")
    for shard in (2, 1):
        map_share([place("s3://runs/ways")], into, catalog, shard, 2)
    assert map_share([place("s3://runs/ways")], into, catalog, 1, 2).done_before
    return reduce(into, catalog, db=parts / "made.duckdb")


def on_ray(run: Path, catalog: Catalog, parts: Path) -> Analysis:
    ray = pytest.importorskip("ray", reason="pip install -e '.[ray]'")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        told: list[tuple[str, int, int]] = []
        into = parts / "made.duckdb"
        first = analyze_on_ray([place("s3://runs/ways")], catalog, db=into, progress=lambda *said: told.append(said))
        done = [n for what, n, _ in told if what == "reading"]
        assert (done, done[-1]) == (sorted(done), told[0][2])
        assert analyze_on_ray([place("s3://runs/ways")], catalog, db=into).parsed == 0
        return first
    finally:
        ray.shutdown()


@pytest.mark.parametrize("way", [in_store, shares_in_store, on_ray])
def test_every_way_gives_what_the_local_one_gives(
    way: Callable[[Path, Catalog, Path], Analysis], run: Path, local: Analysis, catalog: Catalog, tmp_path: Path
) -> None:
    other = way(run, catalog, tmp_path)
    assert tables(other) == tables(local)
    assert [i.evidence for i in other.incidents] == [i.evidence for i in local.incidents]
    assert all(e.text for i in other.incidents for e in i.evidence)
    assert str(other.run) == "s3://runs/ways"
