"""A slice of what tests/fuzz/noise.py tries on every fixture."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fuzz.noise import COMPANY, FIXTURES, FORMS, NO_OUTPUT, Verdict, made, texts_of, tries

from logsift import Catalog

CRASHED = FIXTURES / "crash.checkpoint--truncated-file"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("crash.checkpoint--truncated-file", [*COMPANY]),
        ("healthy--nccl-splits", [*COMPANY]),
        ("crash.unexplained--warning-of-nccl-that-no-rule-judges", ["data", "journal", "machine"]),
        ("crash.communication--c10d-last-words-alone", ["curves", "journal", "machine", "report"]),
    ],
    ids=["crashed", "healthy", "unexplained", "last words"],
)
def test_what_lies_beside_a_run_changes_no_verdict(name: str, kinds: list[str], catalog: Catalog) -> None:
    assert {kind: what for kind, what in tries(FIXTURES / name, kinds, 1, catalog) if what} == {}


def test_how_a_log_was_written_changes_no_verdict(catalog: Catalog) -> None:
    forms = ["container json", "journal of a host", "another writer between", "rotated", "wrapped"]
    assert dict(tries(CRASHED, forms, 1, catalog)) == {form: [] for form in forms if form != "rotated"}


def test_every_form_changes_some_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    unchanged = set()
    for name, make in FORMS.items():
        text = (
            "step 1\nWARN slow\n" * 5
            + "ValueError: a line that is longer than a terminal is wide is one that is wrapped there\n"
        )
        log.write_text(text)
        make(texts_of(tmp_path), random.Random(1))
        if log.exists() and log.read_bytes() == text.encode():
            unchanged.add(name)
    assert unchanged == set()


@pytest.mark.parametrize(
    "line",
    [
        'openat(AT_FDCWD, "m.lock", O_RDWR) = 3',
        "[pid  4121] futex(0x7f1c, FUTEX_WAIT, 0, NULL) = ?",
        "08:15:01.000203 read(3, 0x7ffd, 8) = -1 EAGAIN (Resource temporarily unavailable)",
        "4121 08:15:01.000203 read(3, ",
    ],
)
def test_a_trace_of_system_calls_is_no_output_of_a_job(line: str) -> None:
    assert NO_OUTPUT.search(f"step 1 loss 2.5\n{line}\n")
    assert not NO_OUTPUT.search("step 1 loss 2.5\nmean(x) is 3\n[pid 4121] started\n")


def test_a_verdict_that_changed_is_told(tmp_path: Path) -> None:
    root = ("oom.capacity", "critical", "definite", (3,), ("a1",), ())
    before = Verdict(root, frozenset({"oom.capacity"}), frozenset())
    other = Verdict(("oom.host", *root[1:3], (), *root[4:]), frozenset({"oom.host"}), frozenset())
    assert other.changes(before) == [
        "+ critical oom.host", "root oom.capacity -> oom.host", "ranks (3,) -> ()", "- critical oom.capacity"
    ]  # fmt: skip
    healthy = Verdict(None, frozenset(), frozenset())
    assert Verdict(None, frozenset(), frozenset({"loss.spike"})).changes(healthy) == ["accused of loss.spike"]
    assert before.changes(healthy) == ["+ critical oom.capacity"]
    less_sure = Verdict((*root[:2], "possible", *root[3:]), before.critical, frozenset())
    assert less_sure.changes(before) == ["grade definite -> possible"]
    assert less_sure.changes(before, may_be_less_sure=True) == []


def test_copies_lie_beside_what_they_are_copies_of(tmp_path: Path) -> None:
    run = made(CRASHED, tmp_path, ["copies of each file", "project"], 1)
    assert run is not None
    assert (run / "saved/latest/job.out").read_bytes() == (run / "job.out").read_bytes()
    assert (run / "project/.git/HEAD").is_file()
    assert made(CRASHED, tmp_path, ["rotated"], 1) is None
