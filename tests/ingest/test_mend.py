"""Texts copied out of a terminal: lines broken at its width are read as what they were."""

from __future__ import annotations

from textwrap import wrap

import pytest

from logsift.ingest.readers.mend import mended

RECORDS = [
    f"[rank{r}]: step {s} the optimizer of layer {'abcdefghij'[: 3 + (r * s) % 7]} could not reach its peer within the time it was given, it goes on without it"
    for s in range(4)
    for r in range(3)
]


def broken(lines: list[str], width: int) -> str:
    pieces = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    return "\n".join(pieces) + "\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("width", [60, 77, 90])
def test_broken_lines_are_whole_and_keep_the_number_of_their_first_piece(width: int, ending: str) -> None:
    text = broken(RECORDS, width)
    mended_lines = mended(text.replace("\n", ending).encode()).decode().split("\n")
    assert [line for line in mended_lines if line] == RECORDS
    first_pieces = [i for i, line in enumerate(text.split("\n")) if line.startswith("[rank")]
    assert [i for i, line in enumerate(mended_lines) if line] == first_pieces
    assert len(mended_lines) == len(text.split("\n"))


def test_lines_padded_to_the_width_end_a_record() -> None:
    text = "".join(f"{piece:<77}\n" for piece in broken(RECORDS, 77).splitlines())
    assert [line.rstrip() for line in mended(text.encode()).decode().split("\n") if line.strip()] == RECORDS


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(RECORDS, id="nothing broken"),
        pytest.param([f"{t:010d},{t * 7 % 90:049d},{t:09d}" for t in range(50)], id="rows of one width"),
        pytest.param(["=" * 80, "a title", "=" * 80, "another", "=" * 80, "more of it", "=" * 80, "end"], id="rulers"),
        pytest.param(wrap(" ".join(RECORDS), 80), id="prose"),
        pytest.param([f"{name:<40}{kind:>40}" for name in ("Name", "loop0", "nvme1", "sda") for kind in ("SAME", "none", "all")], id="a table"),
        pytest.param(["RuntimeError: " + "the same thing again " * 3 + "and so", "on it goes"] * 9, id="one thing said often"),
    ],
)  # fmt: skip
def test_what_only_looks_broken_stays_as_it_is(lines: list[str]) -> None:
    data = ("\n".join(lines) + "\n").encode()
    assert mended(data) is data
