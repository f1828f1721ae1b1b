"""The verdict in little room: one line, a message for a chat, annotations; what a log holds acts upon none of them."""

from __future__ import annotations

import json
import re

import pytest

from logsift import Analysis, Catalog, analyze
from logsift.report import brief

EVIL = "::error::x ##[error]y <!channel> <https://evil.example|here> &amp; `@here` 100% a:b,c \x1b[31m\u202e"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    run = tmp_path_factory.mktemp("brief") / "run"
    run.mkdir()
    long = "\U0001f525" * 3000
    (run / "a:b,c%0A.log").write_text(
        f'[rank0]: Traceback (most recent call last):\n[rank0]:   File "/t.py", line 1, in <module>\n[rank0]: ValueError: {EVIL} {long}\n'
    )
    return analyze(run, catalog=catalog)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Analysis:
    run = tmp_path_factory.mktemp("brief") / "run"
    run.mkdir()
    (run / "a.log").write_text("rank 0 step 1\nrank 0 step 2\n")
    return analyze(run, catalog=catalog)


def texts(value: object) -> list[str]:
    """Every text in a document."""
    if isinstance(value, dict):
        return [t for v in value.values() for t in texts(v)]
    if isinstance(value, list):
        return [t for v in value for t in texts(v)]
    return [value] if isinstance(value, str) else []


def test_the_line_is_one_line_that_fits_the_last_word_of_a_container(hostile: Analysis) -> None:
    line = brief.line(hostile)
    assert line.startswith("crash.exception (")
    assert len(line.encode()) < 4096
    assert not [c for c in line if ord(c) < 32 or c == "\u202e"]


def test_a_run_without_a_root_cause_says_so(healthy: Analysis) -> None:
    assert brief.line(healthy).startswith("No cause was found in 2 lines.")
    assert json.loads(brief.slack(healthy))["blocks"][0]["text"]["text"] == "no root cause"
    assert brief.github(healthy).startswith("::notice title=logsift::No cause was found")


def test_a_message_is_as_a_webhook_of_slack_takes_it(hostile: Analysis) -> None:
    sent = brief.slack(hostile)
    assert "\n" not in sent
    message = json.loads(sent)
    assert [b["type"] for b in message["blocks"]] == ["header", "section", "context", "rich_text", "context"]
    assert len(message["blocks"][0]["text"]["text"]) <= 150
    assert all(0 < len(t) <= 3000 for t in texts(message))
    assert "mrkdwn" not in texts(message)
    assert message["mrkdwn"] is False
    assert "<" not in message["text"]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", "".join(texts(message)))


def test_an_annotation_is_one_command_at_the_place_that_proves_it(hostile: Analysis) -> None:
    (said,) = brief.github(hostile).splitlines()
    told = re.fullmatch(r"::error file=([^,:]+),line=3,title=([^,:]+)::(.*)", said)
    assert told
    assert told[1].endswith("a%3Ab%2Cc%250A.log")
    assert not re.search(r"%(?!25|0A)", told[3])
    assert "\x1b" not in said
