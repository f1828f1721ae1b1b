"""logsift unread: what no grammar read, by kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Analysis, Catalog, analyze
from logsift.report.unread import unread

Make = Callable[..., Path]
LOG = "".join(
    f"door {n} could not be closed\n[rank{n % 2}]: winch {n}: FATAL: '/dev/winch{n}' is gone\n" for n in range(3)
)


def test_lines_of_one_kind_are_one_entry_with_the_first_of_them(catalog: Catalog, run_of: Make) -> None:
    said = json.loads(unread(analyze(run_of({"a.log": LOG}), catalog=catalog).store, "json"))
    assert [(e["word"], e["lines"], e["path"], e["line_no"], e["ranks"]) for e in said] == [
        ("error", 3, "a.log", 1, 0),
        ("fatal", 3, "a.log", 2, 2),
    ]
    assert [e["template"] for e in said] == ["door <n> could not be closed", "winch <n>: FATAL: <text> is gone"]


def test_the_list_for_people_tells_how_many_and_where(catalog: Catalog, run_of: Make) -> None:
    said = unread(analyze(run_of({"a.log": LOG}), catalog=catalog).store, "text").splitlines()
    assert said[0].split() == ["3", "error", "a.log:1"]
    assert said[2].split() == ["3", "fatal", "a.log:2", "2", "ranks"]
    assert said[-1].startswith("6 lines of 2 kinds")


HEAD = 'Traceback (most recent call last):\n  File "/job/ride.py", line 7, in <module>\n    fail(7)\n    ~~~~^^^\n'
RAISED = '  File "/job/ride.py", line 3, in fail\n    raise DoorError(\n        "cannot close the door"\n    )\n'


@pytest.mark.parametrize("front", ["", "[rank3]: ", "2026-03-01 10:11:12,131 - ride - ERROR - "])
def test_lines_of_code_in_a_traceback_are_part_of_it(catalog: Catalog, run_of: Make, front: str) -> None:
    log = "".join(front + line + "\n" for line in (HEAD + RAISED + "DoorError: cannot close the door").splitlines())
    found = analyze(run_of({"a.log": log}), catalog=catalog)
    assert (unread_texts(found), found.coverage.not_understood) == ([], 0)


def test_lines_of_code_are_what_is_left_of_a_traceback_that_is_cut(catalog: Catalog, run_of: Make) -> None:
    found = analyze(run_of({"a.log": HEAD + RAISED}), catalog=catalog)
    assert unread_texts(found)[:2] == ["    fail(7)", "    raise DoorError("]
    assert found.coverage.not_understood == len(unread_texts(found))


def test_what_others_wrote_between_the_lines_of_a_traceback_is_none_of_it(catalog: Catalog, run_of: Make) -> None:
    log = HEAD + "door 3 could not be closed\n" + RAISED + "DoorError: cannot close the door\n"
    found = analyze(run_of({"a.log": log}), catalog=catalog)
    assert (unread_texts(found), found.coverage.not_understood) == (["door 3 could not be closed"], 1)


def unread_texts(found: Analysis) -> list[str]:
    return [e["text"] for e in json.loads(unread(found.store, "json"))]


def test_nothing_unread_is_said_to_be_so(catalog: Catalog, run_of: Make) -> None:
    assert "gave a row" in unread(analyze(run_of({"a.log": "step 1\n"}), catalog=catalog).store, "text")


def test_a_log_cannot_act_on_the_screen(catalog: Catalog, run_of: Make) -> None:
    said = unread(
        analyze(run_of({"a.log": "door could not be closed \x1b]0;x\x07\u202e\n"}), catalog=catalog).store, "text"
    )
    assert not {"\x1b", "\x07", "\u202e"} & set(said)


STOCK = """\
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
[W301 10:11:12.123456789 socket.cpp:752] [c10d] The hostname of the client socket cannot be retrieved. err=-3
2026-03-01 10:11:12,131 ERROR could not load
\tsize mismatch for door: copying a param with shape torch.Size([8]) from checkpoint, the shape in current model is torch.Size([9]).
srun: Force Terminated StepId=411.0
srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
"""


def test_what_is_said_below_any_error_of_its_kind_is_not_listed(catalog: Catalog, run_of: Make) -> None:
    found = analyze(run_of({"a.log": STOCK}), catalog=catalog)
    assert (unread_texts(found), found.coverage.not_understood) == (["could not load"], 1)
