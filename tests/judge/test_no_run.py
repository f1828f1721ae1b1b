"""A folder that is no run: said to be none, and nothing in it is sure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze
from logsift.report.model import NO_RUN, build

Make = Callable[..., Path]
PANIC = "Mar  2 09:20:18 tarn12 kernel: [190358.100000] Kernel panic - not syncing: Fatal exception\n"


@pytest.mark.parametrize(
    "name",
    [
        "changelog",
        "changelog.Debian",
        "NEWS",
        "README.txt",
        "CHANGES.1.2",
        "copyright",
        "Makefile",
        "Dockerfile.gpu",
        "CMakeLists.txt",
    ],
)
def test_change_logs_and_documents_are_no_evidence(catalog: Catalog, run_of: Make, name: str) -> None:
    analysis = analyze(run_of({name: PANIC, "notes.txt": "nothing\n"}), catalog=catalog, db=None)
    assert [i.rule for i in analysis.incidents] == []


def test_a_folder_without_a_sign_of_a_job_is_said_to_be_no_run(catalog: Catalog, run_of: Make) -> None:
    assert NO_RUN in build(analyze(run_of({"a.txt": "shopping list\n"}, "a"), catalog=catalog, db=None)).verdict
    assert (
        NO_RUN
        not in build(
            analyze(run_of({"a.txt": "iteration 10/ 20 | lm loss: 2.5 |\n"}, "b"), catalog=catalog, db=None)
        ).verdict
    )


def test_a_stack_alone_is_a_sign_of_a_job(catalog: Catalog, run_of: Make) -> None:
    dump = 'Process 41203: python3 train.py\nPython v3.10.12 (/usr/bin/python3.10)\n\nThread 41203 (active): "MainThread"\n    <module> (train.py:140)\n'
    assert NO_RUN not in build(analyze(run_of({"stack.txt": dump}, "stack"), catalog=catalog, db=None)).verdict


def test_among_documents_nothing_is_sure(catalog: Catalog, run_of: Make) -> None:
    documents = {f"{n}.md": "text\n" for n in range(9)}
    among = analyze(run_of(documents | {"quoted.txt": PANIC}, "among"), catalog=catalog, db=None)
    alone = analyze(run_of({"dmesg.txt": PANIC}, "alone"), catalog=catalog, db=None)
    assert [(i.rule, i.confidence) for i in among.incidents] == [("host.kernel_panic", "possible")]
    assert [(i.rule, i.confidence) for i in alone.incidents] == [("host.kernel_panic", "definite")]
    assert (build(among).doubt, build(alone).doubt) == (NO_RUN, "")


@pytest.mark.parametrize(
    ("sign", "confidence"),
    [
        pytest.param("TypeError: unsupported operand", "possible", id="an exception, which any program may raise"),
        pytest.param("iteration 10/ 20 | lm loss: 2.5 |", "definite", id="a step of training"),
    ],
)
def test_among_documents_a_sign_counts_that_only_a_job_leaves(
    catalog: Catalog, run_of: Make, sign: str, confidence: str
) -> None:
    files = {f"{n}.md": "text\n" for n in range(9)} | {"quoted.txt": PANIC}
    told = f'Traceback (most recent call last):\n  File "lift.py", line 3, in ride\n    up(1)\n{sign}\n'
    panic = analyze(run_of(files | {"other.txt": told}), catalog=catalog, db=None).incidents
    assert [i.confidence for i in panic if i.rule == "host.kernel_panic"] == [confidence]
