"""What tests share: a run directory from texts, content of one's own, rows of a table."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from builders.stores import Bucket, s3
from hypothesis import settings

from logsift import Catalog, load_catalog
from logsift.content.load import default_roots
from logsift.places import cache_folder

pytest_plugins = ["variants"]


def pytest_configure(config: pytest.Config) -> None:
    """The tests have a cache of their own, in which compiled content stays from run to run."""
    os.environ["XDG_CACHE_HOME"] = str(config.cache.mkdir("home"))
    gc.set_threshold(20_000, 10, 10)  # to look for garbage as often as Python does takes a fifteenth of an analysis
    _keep_to_a_core()


def _keep_to_a_core() -> None:
    """Where there is a worker for every core, each keeps to its own: two that plan SQL in turns on both take a tenth longer."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER", ""), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "")
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if worker and len(cores) == int(workers):
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw"))]})


def pytest_unconfigure(config: pytest.Config) -> None:
    """What the cache holds of runs that are gone goes when the last worker has ended."""
    if not hasattr(config, "workerinput"):
        for kind in ("run", "unpacked", "joined"):
            for path in cache_folder().glob(f"{kind}-*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


# Time is shown by benchmarks: a machine that does something else as well makes no test fail.
settings.register_profile("logsift", deadline=None)
settings.load_profile("logsift")


@pytest.fixture(autouse=True)
def _nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power is not lost while tests run; the disk would be what most of them wait for."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The built-in content."""
    return load_catalog()


@pytest.fixture(scope="session")
def bucket() -> Iterator[Bucket]:
    """A bucket of a server on loopback, with credentials for it in the environment."""
    with s3() as made:
        yield made


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Path]:
    """Make a run directory of files given as name = text or bytes."""

    def make(files: Mapping[str, str | bytes], name: str = "run") -> Path:
        run = tmp_path / name
        for path, content in files.items():
            (run / path).parent.mkdir(parents=True, exist_ok=True)
            (run / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return run

    return make


@pytest.fixture
def content_of(tmp_path: Path) -> Callable[..., Catalog]:
    """A catalog of the built-in content and files given as path = text; `alone` leaves the built-in out."""

    def make(files: Mapping[str, str], *, alone: bool = False) -> Catalog:
        root = tmp_path / "content"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return load_catalog(root) if alone else load_catalog(*default_roots(), root)

    return make
