"""The tool that counts how much of a producer's messages is understood, on sources made here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from catalogues import alterations, measure
from catalogues.templates import Producer, messages

from logsift import load_catalog
from logsift.ingest.parse import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalogues.templates import Message

    from logsift import Catalog

PRODUCER = Producer(
    "lift",
    ("src/*.cc", "src/*.py"),
    {
        "WARN": ("error", "hill-1:7:8 [0] {file}:{line} NCCL WARN {text}"),
        "INFO": ("note", "hill-1:7:8 [0] NCCL INFO {text}"),
        "LOG(ERROR)": ("error", "E {text}"),
        "SAY(LOUD": ("error", "! {text}"),
        "raise": ("error", "RuntimeError: {text}"),
        ".warning": ("note", "{text}"),
    },
)
C = r"""
#define WARN(...) print(__VA_ARGS__)
// WARN("a comment prints nothing");
void lift(int floor) {
  WARN("Net : Connect to %s failed : %s", ncclSocketToString(&addr, line), strerror(errno));
  WARN("Lift %d of " "hall %s stands still, could not allocate %" PRIu64 " bytes",
       floor, hall.name(a, b), size);
  INFO(NCCL_INIT, "Door of %s is open", path);
  LOG(ERROR) << "The rope of lift " << name << " is worn";
  SAY(LOUD, "Bell %d rings twice\n", bell);
}
"""
PYTHON = """
def lift(floor):
    log.warning("door %s stays open", floor)
    if floor < 0:
        raise ValueError(f"there is no floor {floor} here")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> str:
    """A folder with one source of each language."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lift.cc").write_text(C)
    (tmp_path / "src" / "hall.py").write_text(PYTHON)
    return str(tmp_path)


@pytest.fixture
def found(checkout: str) -> list[Message]:
    return messages(checkout, PRODUCER)


def texts(found: Sequence[Message], level: str) -> set[str]:
    return {m.template.strip() for m in found if m.level == level}


def test_templates_of_every_kind_of_call_are_found_with_their_level(found: list[Message]) -> None:
    assert texts(found, "error") == {
        "Net : Connect to {} failed : {}",
        "Lift {} of hall {} stands still, could not allocate {} bytes",
        "The rope of lift {} is worn",
        "Bell {} rings twice",
        "there is no floor {} here",
    }
    assert texts(found, "note") == {"Door of {} is open", "door {} stays open"}


def test_directives_get_values_that_their_expressions_tell_of(found: list[Message]) -> None:
    lines = [m.line for m in found]
    assert "hill-1:7:8 [0] lift.cc:5 NCCL WARN Net : Connect to 10.20.0.82<38455> failed : Invalid argument" in lines
    assert "hill-1:7:8 [0] NCCL INFO Door of /sys/class/net/eth2 is open" in lines


def test_messages_are_judged_by_the_rows_they_give(found: list[Message]) -> None:
    errors = [m for m in found if m.line.startswith("hill-1") and m.level == "error"]
    verdicts = measure.judged(errors, measure.read(errors, load_catalog()))
    assert [(v.how, v.known) for v in verdicts] == [("specific", True), ("class", True)]
    assert verdicts[1].detail == "memory"


def test_an_innocuous_message_that_makes_an_incident_is_wrong(found: list[Message]) -> None:
    note = next(m for m in found if m.level == "note")
    reading = measure.Reading({1: {"nccl_socket"}}, {}, {1: "network.connect_failure"})
    assert [(v.how, v.detail) for v in measure.judged([note], reading)] == [("wrong", "network.connect_failure")]


LIFT = r"""
schema = 1
title = "Lift"
about = "A lift that stops."
[tables.lift_stop]
about = "It stopped."
[tables.lift_stop.columns]
floor = { type = "int", about = "where" }
[[pattern]]
id = "stop"
table = "lift_stop"
src = "stop.c"
needle = "stopped at floor"
regex = '^lift stopped at floor (?P<floor>[0-9]+): door blocked$'
sample = [{ line = "lift stopped at floor 3: door blocked", row = { floor = 3 } }]
reject = ["lift stopped at floor x"]
"""


def test_a_sample_survives_where_the_same_row_comes_out_of_the_altered_line(
    content_of: Callable[..., Catalog],
) -> None:
    catalog = content_of({"parsers/lift.toml": LIFT}, alone=True)
    ways = {way: alterations.WAYS[way] for way in ("coloured", "level", "last word cut", "addresses masked")}
    found = alterations.survivors(Parser(catalog), list(alterations.cases(catalog)), ways)
    assert found == {"coloured": [True], "level": [False], "last word cut": [False], "addresses masked": [None]}
