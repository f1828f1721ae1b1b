"""A log that was cut is told as such, with the place; one that merely has no line end, or ends early, is not."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest
from builders.clusters import AT, SECOND, Cluster

from logsift import Catalog, analyze


def hung(run: Path, tails: dict[int, tuple[int, str]]) -> Path:
    """Ranks 0, 1 and 2 time out, each in a log of its own that goes on for some seconds and ends as told."""
    c = Cluster(4)
    c.timeouts(c.others(3))
    own = {r: [line for line in c.output if line.startswith(f"[rank{r}]")] for r in range(3)}
    run.mkdir()
    for r, (seconds, end) in tails.items():
        late = AT + seconds * SECOND
        last = f"[rank{r}]:  [{late:%Y-%m-%d %H:%M:%S}] iteration       12/ 1000 | elapsed time per iteration (ms): 2000.0 | lm loss: 2.9E+00 | grad norm: 1.0 |{end}"
        (run / f"rank_{r}.log").write_text("\n".join([*own[r], last]))
    return run


def missing(run: Path, catalog: Catalog) -> list[str]:
    return [
        f"{m.what}: {m.why}" for m in analyze(run, catalog=catalog, db=None).coverage.missing if "truncated" in m.why
    ]


def test_a_log_cut_within_a_line_long_before_those_beside_it_is_told(tmp_path: Path, catalog: Catalog) -> None:
    run = hung(tmp_path / "run", {0: (1500, "\n"), 1: (1500, "\n"), 2: (700, "")})
    lines = len((run / "rank_2.log").read_text().splitlines())
    told = missing(run, catalog)
    assert len(told) == 1
    assert told[0].startswith(f"a whole rank_2.log: truncated, ends at rank_2.log:{lines} (2026-03-03 ")


@pytest.mark.parametrize(
    "tails",
    [
        pytest.param({0: (1500, "\n"), 1: (1500, "\n"), 2: (700, "\n")}, id="it ends early, with a whole line"),
        pytest.param(
            {0: (1500, "\n"), 1: (1500, "\n"), 2: (1500, "")}, id="no line end, at the same time as the others"
        ),
        pytest.param({0: (1500, ""), 1: (1500, ""), 2: (700, "")}, id="none of them has a line end"),
    ],
)
def test_what_is_usual_is_not_told(tails: dict[int, tuple[int, str]], tmp_path: Path, catalog: Catalog) -> None:
    assert missing(hung(tmp_path / "run", tails), catalog) == []


def test_a_packed_log_that_is_torn_is_told(tmp_path: Path, catalog: Catalog) -> None:
    run = hung(tmp_path / "run", {0: (1500, "\n"), 1: (1500, "\n"), 2: (1500, "\n")})
    noise = b"".join(b"%x\n" % Random(n).getrandbits(512) for n in range(2000))
    whole = gzip.compress((run / "rank_2.log").read_bytes() + noise, mtime=0)
    (run / "rank_2.log.gz").write_bytes(whole[: len(whole) // 2])
    (run / "rank_2.log").unlink()
    told = missing(run, catalog)
    assert len(told) == 1
    assert "rank_2.log.gz" in told[0]
