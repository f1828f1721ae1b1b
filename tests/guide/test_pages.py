"""The pages of the guide: their commands print what they say, and every command in them exists."""

from __future__ import annotations

import os
import pty
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.guide_pages import fresh
from click.testing import CliRunner
from guide.test_skill import calls, is_known

from logsift.cli import main
from logsift.content.model import Catalog
from logsift.guide import TOPICS, listed, page, source

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_shows_what_its_commands_print(topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it does not: python tests/builders/guide_pages.py."""
    monkeypatch.chdir(tmp_path)
    assert fresh(source(topic)) == source(topic)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_command_and_rule_in_it_exists_and_every_link_leads_to_a_page(topic: str, catalog: Catalog) -> None:
    text = page(topic)
    assert [c for c in calls(source(topic)) if not is_known(c)] == []
    ids = {r.id for r in catalog.rules}
    families = "|".join({i.partition(".")[0] for i in ids})
    assert set(re.findall(rf"`((?:{families})\.[a-z_]+)`", text)) <= ids
    assert set(re.findall(r"\]\(([^)]+)\)", text)) <= {f"{t}.md" for t in TOPICS}


def test_pages_are_listed_plain_on_a_pipe_and_linked_from_the_readme() -> None:
    run: Callable[..., str] = lambda *args: CliRunner().invoke(main, ["guide", *args]).output  # noqa: E731
    assert [line.split()[0] for line in run().splitlines()] == list(TOPICS)
    assert run() == f"{listed()}\n"
    assert run("hang") == page("hang")
    assert "<!--" not in page("hang")
    assert "did you mean hardware?" in run("hardwar")
    assert [t for t in TOPICS if f"logsift/guide/{t}.md" not in README] == []


def test_every_command_in_the_readme_exists() -> None:
    said = calls(README)
    assert len(said) > 25
    assert [c for c in said if not is_known(c)] == []


@pytest.mark.slow
def test_a_page_is_drawn_on_a_terminal() -> None:
    shown = bytearray()

    def read(fd: int) -> bytes:
        shown.extend(data := os.read(fd, 4096))
        return data

    os.environ["PAGER"] = "cat"
    try:
        assert pty.spawn([sys.executable, "-m", "logsift", "guide", "verdict"], read, lambda _: b"") == 0
    finally:
        del os.environ["PAGER"]
    assert b"\x1b[1m" in shown
    assert "would settle more" in shown.decode()
    assert "```" not in shown.decode()
