"""Reports to be attached to issues: golden, short enough for a tracker at any size, and inert."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.golden_reports import GOLDEN, LARGE, analyses, reports, stable

from logsift import Analysis, Catalog, analyze
from logsift.errors import UserError
from logsift.report import markdown


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Iterator[dict[str, Analysis]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("golden"))
        yield analyses(Path.cwd(), catalog)


def test_reports_are_as_reviewed(made: dict[str, Analysis]) -> None:
    told = {name: stable(text) for name, text in reports(made)}
    assert sorted(told) == sorted(p.name for p in GOLDEN.glob("*.md") if p.stem != LARGE), (
        "run tests/builders/golden_reports.py"
    )
    for name, text in told.items():
        assert text == (GOLDEN / name).read_text(), f"{name}: run tests/builders/golden_reports.py, and review the diff"


def test_every_block_of_code_and_every_fold_is_closed(made: dict[str, Analysis]) -> None:
    for name, text in reports(made):
        fences = [line for line in text.splitlines() if re.match(r"\s*```", line)]
        assert len(fences) % 2 == 0, name
        assert text.count("<details>") == text.count("</details>"), name
        assert len(text) < 20_000, name


def test_a_form_that_is_not_known_names_those_there_are(made: dict[str, Analysis]) -> None:
    with pytest.raises(UserError, match="there are: cloud, deepspeed, megatron, nccl, nvidia, pytorch, vllm"):
        markdown.render(made["healthy-8"], "nobody")


def test_what_a_log_holds_is_no_markup(tmp_path: Path, catalog: Catalog) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "@all ![x](y).log").write_text(
        'Traceback (most recent call last):\n  File "/t.py", line 1, in <module>\n'
        "ValueError: @torvalds fixes #1 ![x](http://evil/x.png) <img src=x> ``` </details> \x1b[31m\n```\n# heading\n"
    )
    analysis = analyze(run, catalog=catalog)
    for form in (None, *markdown.forms()):
        text = markdown.render(analysis, form)
        assert "\x1b" not in text
        outside = re.sub(r"(?ms)^\s*(`{3,})\w*\n.*?\n\s*\1$", "", text)
        outside = re.sub(r"(`+).*?\1", "", outside)
        assert not re.search(r"@torvalds|#1\b|!\[|<img|# heading|@all", outside), form
