"""One JSON object with a list for each metric."""

from __future__ import annotations

import json

import pytest

from logsift.ingest.readers.json_metrics import _histories


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(
            b'{"loss": [2.5, 2.25], "val_loss": [2.6, null]}',
            [("loss", [(1, 1.0, 2.5), (1, 2.0, 2.25)]), ("val_loss", [(1, 1.0, 2.6)])],
            id="on one line",
        ),
        pytest.param(
            json.dumps({"loss": [2.5, 2.25], "lr": [0.1, 0.01]}, indent=2).encode(),
            [("loss", [(3, 1.0, 2.5), (4, 2.0, 2.25)]), ("lr", [(7, 1.0, 0.1), (8, 2.0, 0.01)])],
            id="a line for each value",
        ),
        pytest.param(
            b'{"epoch": [5, 10], "loss": ["2.5", NaN], "classes": [1, 2, 3]}',
            [("loss", [(1, 5.0, 2.5), (1, 10.0, float("nan"))])],
            id="beside what counts, and a list of another length",
        ),
        pytest.param(
            b'{"first": {"loss": [2.5, 2.0]}, "second": {"loss": [1.5, 1.0]}}',
            [
                ("first/loss", [(1, 1.0, 2.5), (1, 2.0, 2.0)]),
                ("second/loss", [(1, 1.0, 1.5), (1, 2.0, 1.0)]),
            ],
            id="of two trainings",
        ),
        pytest.param(b'{"loss": 2.5}\n{"loss": 2.25}\n', [], id="objects, one per line"),
        pytest.param(b'{"names": ["lift", "door"], "loss": [[1, 2], [3, 4]]}', [], id="no lists of numbers"),
        pytest.param(b'{"loss": [2.5, 2.2', [], id="cut off"),
    ],
)
def test_lists_become_curves(data: bytes, expected: list[tuple[str, list[tuple[int, float, float]]]]) -> None:
    found = [(name, rows.rows()) for name, rows in _histories(data)]
    assert repr(found) == repr(expected)
