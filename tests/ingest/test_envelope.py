"""What stands before a message is taken off, remembered, and never mistaken for one."""

from __future__ import annotations

import polars as pl
import pytest

from logsift import Catalog
from logsift.ingest.envelope import Envelopes


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
        ("node-7:     [rank4]: Traceback", [{"body": "Traceback", "host": "node-7", "rank": 4}]),
        ("node-7:   what():  out of doors", [{"body": "what():  out of doors", "host": "node-7"}]),
    ],
)
def test_prefixes_stack_and_glued_records_part(
    envelopes: Envelopes, line: str, records: list[dict[str, object]]
) -> None:
    assert strip(envelopes, line) == records
