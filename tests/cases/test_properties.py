"""Four things that hold for any input."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from builders.rows import rows_read
from hypothesis import given, settings
from hypothesis import strategies as st

from logsift import analyze, load_catalog
from logsift.report.model import MARK

CATALOG = load_catalog()
SLOW = settings(max_examples=12, deadline=None)
DUMPS = [
    [
        f"Process {pid}: python train.py --rank {rank}",
        "Python v3.11.7 (/usr/bin/python3.11)",
        "",
        f'Thread {pid} (idle): "MainThread"',
        *(f"    {f} (train.py:{n + rank})" for n, f in enumerate(("wait", "step", "main"), 1)),
        f'Thread {pid + 1} (idle): "pin"',
        "    get (queue.py:10)",
    ]
    for rank, pid in ((0, 400), (1, 500))
]


def frames(files: dict[str, str]) -> set[tuple[Any, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        found = rows_read(
            Path(folder),
            "SELECT f.pid, t.tid, f.depth, f.function, f.line FROM stack_frame f"
            " JOIN stack_thread t ON t.file_id = f.file_id AND t.line_no = f.thread_line",
            CATALOG,
        )
    return {tuple(f.values()) for f in found}


@cache
def alone() -> set[tuple[Any, ...]]:
    return frames({f"{n}.log": "\n".join(dump) for n, dump in enumerate(DUMPS)})


@SLOW
@given(order=st.lists(st.booleans(), min_size=18, max_size=18))
def test_interleaved_ranks_give_the_union_of_their_dumps(order: list[bool]) -> None:
    queues = [[f"[rank{r}]: {line}" for line in dump] for r, dump in enumerate(DUMPS)]
    mixed = []
    for first in order:
        queue = queues[0 if (first and queues[0]) or not queues[1] else 1]
        if queue:
            mixed.append(queue.pop(0))
    assert frames({"all.log": "\n".join(mixed + queues[0] + queues[1])}) == alone()


@SLOW
@given(data=st.binary(max_size=3000))
def test_any_bytes_are_survived(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.log").write_bytes(data)
        (Path(folder) / "b.log").write_text("hello\n")
        assert analyze(folder, catalog=CATALOG, db=None).coverage.files == 2 - data.startswith(
            MARK.encode()
        )  # a report is no evidence


@SLOW
@given(names=st.permutations(["a.log", "b.log", "c.log"]))
def test_the_order_of_files_does_not_matter(names: list[str]) -> None:
    texts = ["\n".join(DUMPS[0]), "\n".join(DUMPS[1]), "step 1\n"]
    assert frames(dict(zip(names, texts, strict=True))) == alone()


def test_reading_twice_doubles_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "a.log").write_text("\n".join(DUMPS[0]))
    first = analyze(run, catalog=CATALOG).sql("SELECT count(*) AS n FROM stack_frame")
    (run / "b.log").write_text("step 1\n")
    assert analyze(run, catalog=CATALOG).sql("SELECT count(*) AS n FROM stack_frame") == first
    shutil.rmtree(run)
