"""The pictures in the README show what logsift says today; if not: PYTHONPATH=.:tests python tests/builders/screenshots.py."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from builders import screenshots
from PIL import Image

from logsift import Catalog, analyze


def without_ids(svg: str) -> str:
    """An SVG without the names that Rich gives its parts."""
    return re.sub(r"terminal-[0-9]+", "terminal", svg)


def test_the_terminal_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(screenshots.ROOT / screenshots.TERMINAL, tmp_path / screenshots.TERMINAL)
    monkeypatch.chdir(tmp_path)
    kept = (screenshots.SCREENSHOTS / "terminal.svg").read_text()
    assert without_ids(kept) == without_ids(screenshots.terminal(screenshots.TERMINAL))


def test_page_and_figure_are_of_what_is_said(tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(screenshots.ROOT / screenshots.CURVE, tmp_path / screenshots.CURVE)
    monkeypatch.chdir(tmp_path)
    said = {"page": screenshots.job(tmp_path), "figure": analyze(screenshots.CURVE, catalog=catalog)}
    for name, analysis in said.items():
        with Image.open(screenshots.SCREENSHOTS / f"{name}.png") as picture:
            assert picture.text["words"] == screenshots.words(analysis)
