"""Makes the pictures in the README from fixtures: PYTHONPATH=.:tests python tests/builders/screenshots.py (needs Chromium)."""

from __future__ import annotations

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
from rich.console import Console

from logsift import analyze, load_catalog
from logsift.report import html
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


def page(folder: Path) -> Path:
    """The top of the report of 64 ranks, as a browser shows it."""
    run = make("stuck data loader", 64).write(folder / "job")
    (folder / "report.html").write_text(html.render(analyze(run, catalog=load_catalog())))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1500"]
    light, shot = "--blink-settings=preferredColorScheme=1", folder / "page.png"
    subprocess.run(
        ["chromium", *options, light, f"--screenshot={shot}", (folder / "report.html").as_uri()],
        check=True, capture_output=True,
    )  # fmt: skip
    return shot


def figure(folder: Path, run: Path) -> Path:
    """A figure of a run."""
    return next(p for p in write(analyze(run, catalog=load_catalog()), folder / "figures") if p.stem == FIGURE)


def small(picture: Path, to: Path) -> None:
    """Few colours are enough for text and lines."""
    Image.open(picture).convert("RGB").quantize(48).save(to, optimize=True)


if __name__ == "__main__":
    SCREENSHOTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        for run in (TERMINAL, CURVE):
            shutil.copytree(ROOT / run, run)
        (SCREENSHOTS / "terminal.svg").write_text(terminal(TERMINAL))
        small(page(Path(made)), SCREENSHOTS / "page.png")
        small(figure(Path(made), CURVE), SCREENSHOTS / "figure.png")
    for path in sorted(SCREENSHOTS.iterdir()):
        print(f"wrote {path.name}, {path.stat().st_size:,} bytes", file=sys.stderr)
