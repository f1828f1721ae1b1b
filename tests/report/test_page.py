"""The report as a page: one file, nothing from outside, nothing of a log runs, its parts work in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
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


def test_ranks_over_time_are_drawn_where_their_lines_have_a_rhythm(catalog: Catalog, tmp_path: Path) -> None:
    lines = "".join(f"2026-01-01T00:00:{n:02d}Z step {n} loss {2.5 - n / 100:.3f}\n" for n in range(20))
    for rank in range(2):
        (tmp_path / f"rank{rank}.log").write_text(lines)
    assert "rank-activity" in [p.name for p in pictures(analyze(tmp_path, catalog=catalog, db=None))]


def test_figures_are_drawn_where_there_is_something_to_see(stuck: Analysis, tmp_path: Path) -> None:
    assert [p.name for p in pictures(stuck)] == ["rank-states", "rank-progress", "loss", "incidents"]
    assert sorted(p.stem for p in write(stuck, tmp_path)) == sorted(p.name for p in pictures(stuck))
    says = {p.name: p.says for p in pictures(stuck)}
    assert "rank 11 apart from the others" in says["rank-progress"]


def test_the_memory_of_a_failed_allocation_is_drawn(tmp_path: Path, catalog: Catalog) -> None:
    fixture = Path(__file__).parents[2] / "fixtures" / "oom.graph_capture--pools" / "run"
    analysis = analyze(shutil.copytree(fixture, tmp_path / "run"), catalog=catalog)
    assert [(p.name, p.says) for p in pictures(analysis)] == [("memory", "process asked for 64.00 MiB of 48.00 GiB")]


def browse(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A page in a browser without a screen."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", *options)
    return subprocess.run(
        [str(CHROMIUM), *options, path.as_uri()], capture_output=True, text=True, timeout=300, check=True
    )


def in_browser(path: Path) -> tuple[str, str]:
    """The page as it is once its script ran, and what the browser complains of."""
    done = browse(path, "--dump-dom")
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


SCHEMES = {"light": "--blink-settings=preferredColorScheme=1", "dark": "--blink-settings=preferredColorScheme=0"}


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core, which looks for what keeps people from a page; it is fetched, and not among the dependencies."""
    folder = tmp_path_factory.mktemp("axe")
    if shutil.which("npm") is None:
        pytest.skip("no npm here to fetch axe-core with")
    got = subprocess.run(
        ["npm", "pack", "axe-core@4", "--silent"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    if got.returncode:
        pytest.skip(f"axe-core cannot be had: {got.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as package:
        script = package.extractfile("package/axe.min.js")
        assert script
        return script.read().decode()


_LOOK = """axe.run(document, {resultTypes: ["violations"]}).then(found => {
  const said = document.createElement("pre");
  said.id = "axe-said";
  said.textContent = found.violations.map(v => `${v.impact} ${v.id}: ${v.nodes.map(n => n.target).join(" ; ")}`).join("\\n") || "none";
  document.body.append(said);
});"""


def violations(page: str, axe: str, path: Path, scheme: str) -> list[str]:
    """What axe-core finds, with how grave it is."""
    # The page lets no script run but its own.
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    path.write_text(page.replace("</body>", f"<script>{axe}</script><script>{_LOOK}</script></body>"))
    dom = browse(path, "--virtual-time-budget=60000", SCHEMES[scheme], "--dump-dom").stdout
    said = re.search(r'<pre id="axe-said">(.*?)</pre>', dom, re.DOTALL)
    assert said
    return said[1].splitlines()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; CI has one")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_serious_keeps_people_from_the_page(text: str, axe: str, tmp_path: Path, scheme: str) -> None:
    with_a_fault = text.replace('<main id="main">', '<main id="main"><img id="nameless" src="data:,">', 1)
    assert violations(with_a_fault, axe, tmp_path / "page.html", scheme) == ["critical image-alt: #nameless"]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; CI has one")
def test_the_page_is_seen_in_light_and_in_dark(text: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    (tmp_path / "page.html").write_text(text)
    bright = {}
    for scheme, option in SCHEMES.items():
        shot = tmp_path / f"{scheme}.png"
        browse(tmp_path / "page.html", option, "--window-size=1200,2000", f"--screenshot={shot}")
        seen = imread(shot)[:, :, :3]
        assert seen.std() > 0.05, "blank"
        bright[scheme] = float(seen.mean())
    assert bright["light"] > 0.8
    assert bright["dark"] < 0.3


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
