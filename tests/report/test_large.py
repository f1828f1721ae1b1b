"""A job of 4,096 ranks in every report: the cause by name, one screen, a tracker's 60,000 characters, a page to open."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.golden_reports import GOLDEN, LARGE, large, stable
from rich.console import Console

from logsift import Analysis, Catalog
from logsift.report import brief, html, markdown
from logsift.report.terminal import show

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Iterator[Analysis]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("large"))
        yield large(Path.cwd(), catalog)


def test_root_rank_and_host_are_named(job: Analysis) -> None:
    assert job.root
    assert (job.root.rule, set(job.root.ranks), set(job.root.hosts)) == ("oom.host", {2051}, {"hgx256"})
    assert brief.line(job).startswith("oom.host (definite): ")


def test_the_report_is_as_reviewed_and_every_form_fits_a_tracker(job: Analysis) -> None:
    assert stable(markdown.render(job)) == (GOLDEN / f"{LARGE}.md").read_text(), "run tests/builders/golden_reports.py"
    for form in (None, *markdown.forms()):
        assert len(markdown.render(job, form)) <= markdown.MOST_CHARACTERS


def test_the_page_is_small(job: Analysis) -> None:
    assert len(html.render(job).encode()) < 1_000_000


@pytest.mark.parametrize("width", [60, 100])
def test_the_screen_is_one(job: Analysis, width: int) -> None:
    out = io.StringIO()
    show(job, Console(file=out, width=width, height=40, highlight=False))
    assert sum(max(1, -(-len(line) // width)) for line in out.getvalue().splitlines()) < 40
