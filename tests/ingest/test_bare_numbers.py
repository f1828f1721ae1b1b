"""Files of numbers and nothing else: what they are called says of what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Catalog, analyze

Points = list[tuple[str, int, float, float]]
"""Name, line, step, value."""
CURVE = [3.5, 3.0, 2.5, 2.25, 2.125]


def points(run: Path, catalog: Catalog) -> Points:
    with analyze(run, catalog=catalog, db=None) as found:
        rows = found.sql(
            "SELECT name, p.line_no, p.step, p.metric_value AS value FROM metric_point p JOIN metric_curve c USING (file_id, curve)"
            " ORDER BY name, p.line_no, p.step"
        )
        return [(r["name"], r["line_no"], r["step"], r["value"]) for r in rows]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param(
            "train_loss.txt",
            "".join(f"{v:.18e}\n" for v in CURVE),
            [("train_loss", n, float(n), v) for n, v in enumerate(CURVE, 1)],
            id="a column",
        ),
        pytest.param(
            "a/loss.csv",
            "".join(f"{20 * n};{v}\r\n" for n, v in enumerate(CURVE)),
            [("loss", n + 1, 20.0 * n, v) for n, v in enumerate(CURVE)],
            id="the first of two counts up",
        ),
        pytest.param(
            "loss.dat",
            "".join(f"  {v}   {v / 2}\n" for v in CURVE),
            [(f"loss/{c}", n, float(n), v / c) for c in (1, 2) for n, v in enumerate(CURVE, 1)],
            id="none of two counts up",
        ),
        pytest.param(
            "losses.json",
            "[3.5, 3.0, 2.5,\n 2.25, 2.125]\n",
            [("losses", 1 + (n > 3), float(n), v) for n, v in enumerate(CURVE, 1)],
            id="a list on two lines",
        ),
        pytest.param(
            "loss.txt",
            "3.5\n3.0\n2.5\n2.25\n2.125\n2.0 2.",
            [("loss", n, float(n), v) for n, v in enumerate([*CURVE, 2.0], 1)],
            id="a last row that is another",
        ),
        pytest.param(
            "loss.csv",
            "\n" + "".join(f"{20 * n},{v}\n" for n, v in enumerate(CURVE)),
            [("loss", n + 2, 20.0 * n, v) for n, v in enumerate(CURVE)],
            id="behind a line with nothing",
        ),
        pytest.param("points.txt", "".join(f"{v}\n" for v in CURVE), [], id="called after nothing that is learned"),
        pytest.param("loss.txt", "lift 3\n" + "".join(f"{v}\n" for v in CURVE), [], id="words among them"),
        pytest.param("loss.txt", "3.5\n3.0\n", [], id="too few"),
        pytest.param("loss.txt", "".join(f"{' '.join(['1.5'] * 40)}\n" for _ in CURVE), [], id="a matrix"),
    ],
)
def test_numbers_alone_are_curves(
    name: str, text: str, expected: Points, run_of: Callable[..., Path], catalog: Catalog
) -> None:
    assert points(run_of({name: text}), catalog) == expected
