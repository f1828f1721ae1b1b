"""Who an incident names because it waited for others is told so, in every form of the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from logsift import Analysis, Catalog, analyze
from logsift.report import brief, html, markdown
from logsift.report.json import document
from logsift.report.model import who

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    "form",
    [brief.slack, html.render, markdown.render, lambda a: who(a.root) if a.root else ""],
    ids=["slack", "html", "markdown", "words"],
)
def test_ranks_that_only_waited_are_told_as_waiting(catalog: Catalog, form: Callable[[Analysis], str]) -> None:
    told = analyze(FIXTURES / "hang.collective_timeout--all-of-a-group-speak" / "run", catalog=catalog)
    assert told.root
    assert told.root.waited
    assert "waiting: rank" in form(told)


def test_ranks_that_others_waited_for_are_not(catalog: Catalog) -> None:
    told = analyze(FIXTURES / "hang.missing_rank--gloo-short-read-and-socket-closed" / "run", catalog=catalog)
    assert told.root
    assert who(told.root) == "ranks 2,5"
    assert [(i["ranks"], i["waited"]) for i in document(told)["incidents"]] == [
        ([2, 5], False),
        ([0, 1, 3, 4, 6, 7], True),
    ]
