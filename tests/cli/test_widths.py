"""What commands print on a terminal keeps its width, from 60 columns up."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.clusters import make

from logsift import Catalog, analyze
from logsift.cli import main

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\")
COMMANDS = [
    "RUN", "RUN -v", "show RUN 1", "ranks RUN", "ranks RUN --all", "next RUN", "timeline RUN", "stacks RUN", "plot RUN", "unread RUN",
    "diff RUN RUN", "history .", "tables RUN", "tables RUN incident", "tables RUN --all", "rules", "rules hang.missing_rank", "recipe", "guide",
    "lookup xid 79", "explain RUN/slurm-881.out:1", "sql RUN --named hosts", "--help", "ranks --help",
]  # fmt: skip


class Screen(io.StringIO):
    """A text that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("widths")
    hang = make("stuck data loader", 80).write(folder / "a job of 80" / "run")
    oom = Path(
        shutil.copytree(FIXTURES / "oom.capacity--own-process-above-the-cache" / "run", folder / "memory" / "run")
    )
    return {"a hang of 80 ranks": hang, "out of memory": oom}


@pytest.fixture(scope="module", params=["a hang of 80 ranks", "out of memory"])
def analysed(request: pytest.FixtureRequest, runs: dict[str, Path], catalog: Catalog) -> Iterator[Path]:
    """A run that is analysed once for all commands."""
    analysis = analyze(runs[request.param], catalog=catalog)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logsift.run.analyze", lambda *_, **__: analysis)
        patch.chdir(runs[request.param].parent)
        yield runs[request.param]


def shown(command: str, width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a command on a terminal of that width, without what colours them."""
    monkeypatch.setenv("COLUMNS", str(width))
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    main.main([*command.replace("RUN", "run").split()], prog_name="logsift", standalone_mode=False)
    assert "␛" not in screen.getvalue(), "an escape of our own is taken for one of a log"
    return ESCAPE.sub("", screen.getvalue()).splitlines()


def is_for_copying(line: str) -> bool:
    """A command, or one word: an address, a path."""
    return (
        line.strip().startswith(("$ ", "logsift ", "tables: ")) or " " not in line.strip().removeprefix("see ").strip()
    )


@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_keep_the_width(analysed: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {command: shown(command, width, monkeypatch) for command in COMMANDS}
    too_long = [(c, t) for c, told in lines.items() for t in told if len(t) > width and not is_for_copying(t)]
    assert too_long == []
    assert all(lines.values())
