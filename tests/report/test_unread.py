"""logsift unread: what no grammar read, by kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from logsift import Catalog, analyze
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


def test_nothing_unread_is_said_to_be_so(catalog: Catalog, run_of: Make) -> None:
    assert "gave a row" in unread(analyze(run_of({"a.log": "step 1\n"}), catalog=catalog).store, "text")


def test_a_log_cannot_act_on_the_screen(catalog: Catalog, run_of: Make) -> None:
    said = unread(
        analyze(run_of({"a.log": "door could not be closed \x1b]0;x\x07\u202e\n"}), catalog=catalog).store, "text"
    )
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
