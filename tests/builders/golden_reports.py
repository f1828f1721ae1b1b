"""Writes tests/report/golden/*.md, the reports that are reviewed as diffs: PYTHONPATH=tests python tests/builders/golden_reports.py."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from builders.clusters import Cluster, make

from logsift import Analysis, Catalog, __version__, analyze, load_catalog
from logsift.report import markdown

GOLDEN = Path(__file__).resolve().parents[1] / "report" / "golden"


def healthy() -> Cluster:
    """Eight ranks that print their steps, and nothing else."""
    cluster = Cluster(8)
    cluster.begin()
    return cluster


def analyses(folder: Path, catalog: Catalog) -> dict[str, Analysis]:
    """The runs that reports are made of, by name; their paths in the reports are relative to `folder`."""
    runs = {
        "gpu-off-the-bus-64": make("gpu fell off the bus", 64),
        "stuck-data-loader-16": make("stuck data loader", 16),
        "healthy-8": healthy(),
    }
    os.chdir(folder)
    return {name: analyze(cluster.write(Path(name)), catalog=catalog) for name, cluster in runs.items()}


LARGE = "host-oom-4096"


def large(folder: Path, catalog: Catalog) -> Analysis:
    """4,096 ranks on 512 hosts, one of them out of memory; its path in reports is relative to `folder`."""
    os.chdir(folder)
    cluster = make("host OOM of a data loader", 4096, 2051)
    return analyze(cluster.write(Path(LARGE), {"flight"}), catalog=catalog)


def reports(analyses: dict[str, Analysis]) -> Iterator[tuple[str, str]]:
    """Name of a golden file and what it must hold."""
    for name, analysis in analyses.items():
        yield f"{name}.md", markdown.render(analysis)
    of = {"nvidia": "gpu-off-the-bus-64", "cloud": "gpu-off-the-bus-64"}
    for form in markdown.forms():
        analysis = analyses[of.get(form, "stuck-data-loader-16")]
        yield f"for-{form}.md", markdown.render(analysis, form)


def stable(text: str) -> str:
    """Without what changes from release to release."""
    return text.replace(f"logsift {__version__}", "logsift VERSION")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = list(reports(analyses(Path(folder), catalog := load_catalog())))
        for name, text in [*made, (f"{LARGE}.md", markdown.render(large(Path(folder), catalog)))]:
            (GOLDEN / name).write_text(stable(text))
            print(f"wrote {name}", file=sys.stderr)
