"""Makes the pictures in the README from fixtures: PYTHONPATH=.:tests python tests/builders/screenshots.py (needs Chromium).

A picture of pixels cannot be compared; it keeps a digest of the words it shows.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from builders.clusters import make
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from rich.console import Console

from logsift import Analysis, analyze, load_catalog
from logsift.report import html
from logsift.report.fates import folded
from logsift.report.figures import write
from logsift.report.terminal import show

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "tests" / "report" / "screenshots"
TERMINAL = Path("fixtures/gpu.hardware--one-of-sixteen-ranks/run")
CURVE, FIGURE = Path("fixtures/loss.rollback--rolled-back-megatron/run"), "loss"


def terminal(run: Path) -> str:
    """What `logsift RUN` prints, as SVG without fonts from elsewhere."""
    console = Console(record=True, width=100, height=40, highlight=False, force_terminal=True, file=io.StringIO())
    console.print(f"[bold]$[/] logsift {run}")
    show(analyze(run, catalog=load_catalog()), console)
    return re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title="logsift"), flags=re.DOTALL)


def job(folder: Path) -> Analysis:
    """The run of 64 ranks that the page is of."""
    return analyze(make("stuck data loader", 64).write(folder / "job"), catalog=load_catalog())


def words(analysis: Analysis) -> str:
    """A digest of what is said of a run: incidents with their steps and proof, ranks, what next."""
    said = [(i.rule, i.confidence, i.summary, i.steps, [e.text for e in i.evidence]) for i in analysis.incidents]
    ranks = [(f.said, f.ranks) for f in folded(analysis.store)]
    return hashlib.sha256(repr((said, ranks, analysis.decision.reason)).encode()).hexdigest()[:16]


def page(folder: Path, analysis: Analysis) -> Path:
    """The top of its page, as a browser shows it."""
    (folder / "report.html").write_text(html.render(analysis))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1500"]
    light, shot = "--blink-settings=preferredColorScheme=1", folder / "page.png"
    subprocess.run(
        ["chromium", *options, light, f"--screenshot={shot}", (folder / "report.html").as_uri()],
        check=True, capture_output=True,
    )  # fmt: skip
    return shot


def figure(folder: Path, analysis: Analysis) -> Path:
    """A figure of a run."""
    return next(p for p in write(analysis, folder / "figures") if p.stem == FIGURE)


def small(picture: Path, to: Path, analysis: Analysis) -> None:
    """Few colours are enough for text and lines."""
    kept = PngInfo()
    kept.add_text("words", words(analysis))
    Image.open(picture).convert("RGB").quantize(48).save(to, optimize=True, pnginfo=kept)


if __name__ == "__main__":
    SCREENSHOTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        for run in (TERMINAL, CURVE):
            shutil.copytree(ROOT / run, run)
        (SCREENSHOTS / "terminal.svg").write_text(terminal(TERMINAL))
        of_job, of_curve = job(Path(made)), analyze(CURVE, catalog=load_catalog())
        small(page(Path(made), of_job), SCREENSHOTS / "page.png", of_job)
        small(figure(Path(made), of_curve), SCREENSHOTS / "figure.png", of_curve)
    for path in sorted(SCREENSHOTS.iterdir()):
        print(f"wrote {path.name}, {path.stat().st_size:,} bytes", file=sys.stderr)
