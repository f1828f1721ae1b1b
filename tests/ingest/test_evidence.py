"""The text by which a line is shown as proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze

BAR = "  {n}%|█    | {n}/100 [00:0{n}<00:40,  2.10it/s]"
END = "slurmstepd: error: *** JOB 4711 ON mesa4 CANCELLED AT 2026-03-02T10:20:31 DUE TO TIME LIMIT ***"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param("\r".join([*(BAR.format(n=n) for n in range(9)), END]), END, id="behind a bar"),
        pytest.param(
            "\r".join([*(BAR.format(n=n) for n in range(8)), BAR.format(n=8) + END]),
            BAR.format(n=8) + END,
            id="at its end",
        ),
        pytest.param("\r".join([END, BAR.format(n=1), BAR.format(n=2)]), END, id="above a bar that goes on"),
        pytest.param(END + "\r", END, id="a line of Windows"),
        pytest.param("\x1b[1;31m" + END.replace(" ", " \x1b[0m", 1) + "\x1b[0m\x1b[K", END, id="in colours"),
    ],
)
def test_proof_is_what_a_terminal_shows_of_a_line_that_was_drawn_again_or_coloured(
    line: str, shown: str, run_of: Callable[..., Path], catalog: Catalog
) -> None:
    analysis = analyze(run_of({"job.out": f"step 1 loss 2.5\n{line}\n"}), catalog=catalog, db=None)
    assert analysis.root is not None
    assert [e.text for e in analysis.root.evidence] == [shown]
