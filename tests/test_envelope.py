"""What stands before a message is taken off, remembered, and never mistaken for one."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pytest

from logsift import Catalog
from logsift.ingest.clock import read_times
from logsift.ingest.envelope import Envelopes

WRITTEN = datetime(2026, 3, 5)  # noqa: DTZ001 - the tables keep UTC without a zone


@pytest.fixture(scope="session")
def envelopes(catalog: Catalog) -> Envelopes:
    return Envelopes.of(catalog.envelopes, [g.envelope for g in catalog.grammars if g.envelope and not g.owns])


def strip(envelopes: Envelopes, line: str) -> list[dict[str, object]]:
    lines = pl.DataFrame({"file_id": [1], "line_no": [7], "raw": [line]})
    return [
        {k: v for k, v in r.items() if v is not None}
        for r in envelopes.strip(lines).select("body", "host", "rank", "local_rank", "task").to_dicts()
    ]


@pytest.mark.parametrize(
    ("line", "records"),
    [
        ("step 1", [{"body": "step 1"}]),
        ("[rank3]: step 1", [{"body": "step 1", "rank": 3}]),
        ("[default5]:step 1", [{"body": "step 1", "local_rank": 5}]),
        (" 1: [rank12]: step 1", [{"body": "step 1", "rank": 12, "task": 1}]),
        ("[1,12]<stderr>: oops", [{"body": "oops", "rank": 12}]),
        ("Error: no such thing", [{"body": "Error: no such thing"}]),
        ("12:30:01 is no task", [{"body": "12:30:01 is no task"}]),
        ("50%|##| 1.2it/s[rank4]: Traceback", [{"body": "50%|##| 1.2it/s"}, {"body": "Traceback", "rank": 4}]),
    ],
)
def test_prefixes_stack_and_glued_records_part(
    envelopes: Envelopes, line: str, records: list[dict[str, object]]
) -> None:
    assert strip(envelopes, line) == records


@pytest.mark.parametrize(
    ("text", "time", "quality"),
    [
        ("2026-03-03T09:00:00.5Z", "2026-03-03 09:00:00.500000", "exact"),
        ("2026-03-03T09:00:00,250000+01:00", "2026-03-03 08:00:00.250000", "exact"),
        ("2026-03-03 09:00:00,123", "2026-03-03 09:00:00.123000", "zoneless"),
        ("Tue Mar  3 09:00:00 2026", "2026-03-03 09:00:00", "zoneless"),
        ("Mar  3 09:00:00", "2026-03-03 09:00:00", "yearless"),
        ("Dec 31 23:59:59", "2025-12-31 23:59:59", "yearless"),
        ("303 09:00:00.000000001", "2026-03-03 09:00:00", "yearless"),
        ("1772528400.5", "2026-03-03 09:00:00.500000", "exact"),
        ("09:00:00", "2026-03-05 09:00:00", "daytime"),
        ("yesterday", None, None),
    ],
)
def test_printed_times(text: str, time: str | None, quality: str | None) -> None:
    row = read_times(pl.Series([text]), pl.Series([WRITTEN])).row(0)
    assert (str(row[0]) if row[0] else None, row[1]) == (time, quality)
