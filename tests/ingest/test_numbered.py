"""Logs whose lines a viewer numbered are read as they were; what only begins with numbers stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logsift import Catalog, analyze
from logsift.ingest import discover
from logsift.ingest.readers import numbered
from logsift.ingest.readers.lines import together
from logsift.ingest.readers.numbered import unnumbered

LOG = """\
Loading 12 shards
epoch 1 of 3

Traceback (most recent call last):
  File "/job/lift.py", line 7, in <module>
    ride(4)
  File "/job/lift.py", line 3, in ride
    raise DoorBlocked("door 4")
lift.DoorBlocked: door 4
""".splitlines()
STEPS = [f"step {n * 10} of 900 | loss {4 / n:.3f}" for n in range(1, 12)]

Shown = Callable[[int, str], str]


def without(text: str) -> list[str]:
    """The lines of a text, without numbers and blanks at their end."""
    return [line.rstrip() for line in unnumbered(text.encode()).decode().split("\n")]


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(lambda n, line: f"{n:5}  {line}", id="a viewer"),
        pytest.param(lambda n, line: f"{n:7} {line}", id="less -N"),
        pytest.param(lambda n, line: f"{n:6}\t{line}", id="cat -n"),
        pytest.param(lambda n, line: f"{n:4} | {line}", id="a bar"),
        pytest.param(lambda n, line: f"{n:4}   │ {line}", id="bat"),
        pytest.param(lambda n, line: f"{n} {line}", id="on the left"),
        pytest.param(lambda n, line: f"L{n} {line}", id="L"),
        pytest.param(lambda n, line: f"{n}: {line}", id="a colon"),
        pytest.param(lambda n, line: f"{n}{'-' if n % 3 else ':'}{line}", id="grep with lines around"),
        pytest.param(lambda n, line: f"{n:5}  {line}\r", id="line ends of Windows"),
    ],
)  # fmt: skip
def test_numbers_of_lines_are_taken_off(shown: Shown) -> None:
    text = "".join(f"{shown(n, line)}\n" for n, line in enumerate(LOG, 1))
    assert without(text) == [*LOG, ""]


def test_empty_lines_may_have_no_number() -> None:
    numbers = count(1)
    text = "".join(f"{next(numbers):6}\t{line}\n" if line else f"{' ' * 7}\n" for line in LOG)  # nl
    assert without(text) == [*LOG, ""]


def test_an_excerpt_has_what_is_around_it() -> None:
    lines = [f"{n:6}  {line}".rstrip() for n, line in enumerate(LOG, 1204)]
    text = "\n".join(["It fails like this:", *lines, "Any idea?"])
    assert unnumbered(text.encode()).decode() == "\n".join(["It fails like this:", *LOG, "Any idea?"])


def test_lines_alike_that_count_themselves_are_no_table() -> None:
    text = "\n".join(f"{n:3}  {line}" for n, line in enumerate(STEPS, 1))
    assert unnumbered(text.encode()).decode() == "\n".join(STEPS)


def rows(first: int, *texts: str, mark: str = "  ") -> str:
    return "\n".join(f"{n:4}{mark}{line}" for n, line in enumerate(texts, first)) + "\n"


LOSSES = [f"{3 / n:.4f}" for n in range(1, 30)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n".join(LOG), id="no numbers"),
        pytest.param(rows(1, *LOSSES), id="steps and losses"),
        pytest.param(rows(1, *(f"{x} {x} 12s" for x in LOSSES), mark="\t"), id="columns of numbers"),
        pytest.param(rows(1, *(f"train loss: {x}, acc: 0.5" for x in LOSSES), mark=": "), id="steps before their metrics"),
        pytest.param(rows(1, *(f"train loss {x} elapsed {7 * n}" for n, x in enumerate(LOSSES))), id="time behind the loss"),
        pytest.param(rows(1, *(f"loss {x}{' (best)' * (n % 3 == 0)}" for n, x in enumerate(LOSSES))), id="some rows have a word more"),
        pytest.param(rows(1, "loss 2.5", "loss 1.5", "loss nan", "loss inf", "loss 1e5", "loss -2"), id="values of any kind"),
        pytest.param(rows(0, *LOG[:2], *LOG[3:], mark=": "), id="one line of each rank"),
        pytest.param("".join(f"{n % 4}: {line}\n" for n, line in enumerate(LOG * 3)), id="labels of srun"),
        pytest.param("".join(f"{n}: {line}\n" for line in LOG for n in range(1, 9)), id="one line of all ranks after the other"),
        pytest.param(rows(1, *(f"02/03/2026 | 10:11:{n:02} | {kind} | Asserted" for n, kind in enumerate(["Fan 1", "Temp", "Power Supply 2", "Memory", "PCIe", "Fan"])), mark=" | "), id="an event log"),
        pytest.param(rows(4711, *(f"gpu {job} R {n}:00 2 n[1-2]" for n, job in enumerate(["fit", "eval", "my job", "prep", "x y z", "sweep"]))), id="jobs in a queue"),
        pytest.param("  PID TTY TIME CMD\n" + rows(1, "? 00:00:01 systemd", "? 00:00:00 kthreadd", "? 00:00:00 rcu_gp", "? 00:00:00 kworker/0:0H"), id="processes"),
        pytest.param("".join(f"#{n}  0x00007f in f{n} (x={n}) from lib.so\n" for n in range(9)), id="frames of a debugger"),
        pytest.param("".join(f"{n:<4}lib{n % 3}.dylib  0x00007f f + {n}\n" for n in range(9)), id="frames from 0"),
        pytest.param("\n".join(f"{n * 10:4}  {line}" for n, line in enumerate(LOG, 1)), id="every tenth step"),
        pytest.param("\n".join(f"{' ' * (n % 3)}{n}  {line}" for n, line in enumerate(LOG, 1)), id="numbers in no column"),
        pytest.param(rows(1, "first", "second door", "third"), id="a few lines"),
    ],
)  # fmt: skip
def test_what_only_begins_with_numbers_stays_as_it_is(text: str) -> None:
    data = text.encode()
    assert unnumbered(data) is data


def test_texts_that_may_be_numbered_are_found_among_others() -> None:
    of_viewer = rows(1, *LOG)
    window = together({3: "\n".join(LOG).encode(), 5: of_viewer.encode(), 9: b"[rank0]: x\n" * 5})
    assert numbered.may_be(window.buffer, window.ends, window.begins).tolist() == [1]
    assert window.file_ids[np.array([1])].tolist() == [5]


@pytest.mark.parametrize("last", ["     ", "\x1b[0m"])
@pytest.mark.parametrize("times", [1, 12_000])
def test_a_last_line_of_which_nothing_is_left_is_a_line(
    run_of: Callable[..., Path], catalog: Catalog, last: str, times: int
) -> None:
    lines = [*(f"lift {n % 13} rides {'again ' * (n % 7)}" for n in range(times)), *LOG]
    text = rows(1, *lines) + (f"{len(lines) + 1:4}{last}" if last.isspace() else last)
    with analyze(run_of({"job.log": text}), catalog=catalog, db=None) as run:
        assert run.store.rows("SELECT lines FROM file") == [{"lines": len(lines) + 1}]
        assert run.store.rows("SELECT line_no FROM exception") == [{"line_no": times + LOG.index(LOG[-1]) + 1}]
        assert not run.store.rows("SELECT * FROM problem")


def test_a_file_is_known_by_its_head_without_numbers(tmp_path: Path, content_of: Callable[..., Any]) -> None:
    owned = """\
schema = 1
title = "Trips"
about = "x"
[file]
head = '^TRIP [0-9]+$'
[tables.trip]
about = "x"
[tables.trip.columns]
name = { type = "text", about = "x" }
[[pattern]]
id = "trip"
table = "trip"
src = "x"
regex = '^to (?P<name>[a-z]+)$'
sample = [{ line = "to x", row = { name = "x" } }]
"""
    catalog = content_of({"parsers/trips.toml": owned}, alone=True)
    (tmp_path / "run").mkdir()
    lines = ["TRIP 7", "to sea", "", "  by boat", "back again, at last"]
    (tmp_path / "run" / "plain").write_text("\n".join(lines))
    (tmp_path / "run" / "shown").write_text(rows(1, *lines))
    (tmp_path / "run" / "spaced").write_text("\n".join(lines).replace(" ", "\u00a0"))
    found = discover.discover(tmp_path / "run", catalog)
    assert [f.grammar for f in found] == ["trips"] * 3
