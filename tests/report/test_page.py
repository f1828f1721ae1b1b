"""The report as a page: one file, nothing from outside, nothing of a log runs, its parts work in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from builders.clusters import make
from hypothesis import given, settings
from hypothesis import strategies as st

from logsift import Analysis, Catalog, analyze
from logsift.report import html
from logsift.report.figures import pictures, write
from logsift.report.render import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "<script>document.title='evil'</script><img src=x onerror=\"document.title='evil'\"></code></table>{{ 7*7 }}\x1b[31m"


class Parts(HTMLParser):
    """What a page is made of: tags with their attributes, ids, and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    """16 ranks, one stuck in its data loader: stacks, progress, fates."""
    return analyze(make("stuck data loader", 16).write(tmp_path_factory.mktemp("page") / "run"), catalog=catalog)


@pytest.fixture(scope="module")
def text(stuck: Analysis) -> str:
    return html.render(stuck)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> str:
    run = tmp_path_factory.mktemp("hostile") / "run"
    run.mkdir()
    (run / "<img src=x onerror=alert(1)>.log").write_text(
        f'[rank0]: Traceback (most recent call last):\n[rank0]:   File "/t.py", line 1, in <module>\n[rank0]: ValueError: {EVIL}\n'
    )
    return html.render(analyze(run, catalog=catalog))


def test_nothing_comes_from_outside_and_only_its_own_script_may_run(text: str) -> None:
    tags = Parts(text).tags
    assert [t for t, a in tags if t in ("link", "iframe", "object", "embed", "base", "form")] == []
    assert [a["src"] for t, a in tags if a.get("src") and not str(a["src"]).startswith("data:")] == []
    assert [k for _, a in tags for k in a if k.startswith("on")] == []
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\((?!#|data:)", text)


def test_every_id_is_there_once_and_every_link_within_leads_to_one(text: str) -> None:
    tags = Parts(text).tags
    ids = [a["id"] for _, a in tags if a.get("id")]
    assert len(ids) == len(set(ids))
    wanted = {str(a["href"])[1:] for t, a in tags if t == "a" and str(a.get("href", "")).startswith("#")}
    wanted |= {str(a["aria-controls"]) for _, a in tags if a.get("aria-controls")}
    assert wanted <= set(ids)


def test_a_screen_reader_is_told_what_is_what(text: str) -> None:
    tags = Parts(text).tags
    assert ("html", {"lang": "en"}) in tags
    assert all(a.get("scope") for t, a in tags if t == "th")
    assert all(a.get("aria-labelledby") for t, a in tags if t == "figure")
    assert all(a.get("aria-label") for _, a in tags if a.get("role") == "region")


def test_what_a_log_holds_is_text(hostile: str) -> None:
    tags = Parts(hostile).tags
    assert [a for t, a in tags if t == "img" or "onerror" in a] == []
    assert len([t for t, _ in tags if t == "script"]) <= 2
    assert "\x1b" not in hostile
    assert "{{ 7*7 }}" in hostile


@settings(max_examples=50)
@given(st.text())
def test_no_text_of_a_template_is_markup(value: str) -> None:
    shown = page().from_string('<p title="{{ v }}">{{ v }}</p>').render(v=value)
    assert Parts(shown).tags[0][0] == "p"
    assert len(Parts(shown).tags) == 1


def test_a_large_job_is_a_small_page(tmp_path: Path, catalog: Catalog) -> None:
    run = make("host OOM of a data loader", 1024, 259).write(tmp_path / "run", {"flight"})
    assert len(html.render(analyze(run, catalog=catalog)).encode()) < 1_000_000


def test_figures_are_drawn_where_there_is_something_to_see(stuck: Analysis, tmp_path: Path) -> None:
    assert [p.name for p in pictures(stuck)] == ["rank-states", "rank-activity", "rank-progress", "loss", "incidents"]
    assert sorted(p.stem for p in write(stuck, tmp_path)) == sorted(p.name for p in pictures(stuck))
    says = {p.name: p.says for p in pictures(stuck)}
    assert "rank 11 apart from the others" in says["rank-progress"]


def test_the_memory_of_a_failed_allocation_is_drawn(tmp_path: Path, catalog: Catalog) -> None:
    fixture = Path(__file__).parents[2] / "fixtures" / "oom.graph_capture--pools" / "run"
    analysis = analyze(shutil.copytree(fixture, tmp_path / "run"), catalog=catalog)
    assert [(p.name, p.says) for p in pictures(analysis)] == [("memory", "process asked for 64.00 MiB of 48.00 GiB")]


def in_browser(path: Path) -> tuple[str, str]:
    """The page as it is once its script ran, and what the browser complains of."""
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; CI has one")
def test_in_a_browser_the_script_runs_and_the_hostile_log_does_not(text: str, hostile: str, tmp_path: Path) -> None:
    for name, made in (("good", text), ("hostile", hostile)):
        (tmp_path / f"{name}.html").write_text(made)
    dom, complaints = in_browser(tmp_path / "good.html")
    assert complaints == ""
    assert "16 of 16 ranks" in dom
    dom, complaints = in_browser(tmp_path / "hostile.html")
    assert complaints == ""
    assert "<title>evil" not in dom
