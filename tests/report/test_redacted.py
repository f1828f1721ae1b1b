"""A report that others may see: the same story with other names, in every form of it."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from logsift import Analysis, Catalog, analyze
from logsift.cli import main
from logsift.report import html, markdown
from logsift.report import json as document
from logsift.report.redact import Redactor
from logsift.report.redacted import Redacted, redacted, redacted_rows

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "gpu.hardware--one-of-sixteen-ranks" / "run"
KEY = "0123456789abcdef0123456789abcdef01234567"
BODY = "MIIEpAIBAAKCAQEAxyZ7"
SAID = [
    "[rank11]: jdoe started it",
    f"[rank11]: export WANDB_API_KEY={KEY}",
    "[rank11]: -----BEGIN RSA PRIVATE KEY-----",
    f"[rank11]: {BODY}",
    "[rank11]: -----END RSA PRIVATE KEY-----",
    '[rank11]:   File "/home/jdoe/moonshot/train.py", line 3, in <module>',
]
PRIVATE = ["hgx000", "hgx001", "jdoe", "moonshot", KEY, "10.3.0.7", "10.3.1.7"]
UUID = "GPU-00000011-1111-2222-3333-444455556666"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job whose log says what is nobody's business beside what proves the root cause."""
    path = tmp_path_factory.mktemp("home") / "run"
    shutil.copytree(FIXTURE, path)
    log = path / "slurm-881.out"
    lines = log.read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if "unspecified launch failure" in line)
    log.write_text(
        "\n".join([*lines[: at - 1], *SAID[:2], lines[at - 1], lines[at], *SAID[5:], *SAID[2:5], *lines[at + 1 :]])
        + "\n"
    )
    return path


@pytest.fixture(scope="module")
def analysis(run: Path, catalog: Catalog) -> Analysis:
    return analyze(run, catalog=catalog)


@pytest.fixture(scope="module")
def shown(analysis: Analysis) -> Redacted:
    return redacted(analysis)


@pytest.mark.parametrize("render", [markdown.render, document.render, html.render], ids=["Markdown", "JSON", "HTML"])
def test_no_form_of_the_report_says_a_name(analysis: Analysis, shown: Redacted, render: object) -> None:
    assert callable(render)
    assert "hgx001" in render(analysis)
    text = render(shown)
    assert [word for word in (*PRIVATE, UUID) if word in text] == []
    assert "node02" in text


def test_the_story_stays_one(analysis: Analysis, shown: Redacted) -> None:
    before, after = document.document(analysis), document.document(shown)
    assert [(i["rule"], i["ranks"], i["gpus"], i["first"]) for i in after["incidents"]] == [
        (i["rule"], i["ranks"], i["gpus"], i["first"]) for i in before["incidents"]
    ]
    root = after["incidents"][0]
    assert (root["hosts"], after["decision"]["hosts"]) == (["node02"], ["node02"])
    assert "node02" in root["summary"]
    assert any("nodename=node02" in command for step in root["steps"] for command in step["commands"])
    assert root["evidence"][0]["path"] == "dmesg.node02.txt"
    assert {r["host"] for r in shown.sql("SELECT host FROM rank_fate")} == {"node01", "node02"}


def test_what_is_read_from_the_logs_is_redacted_too(analysis: Analysis, shown: Redacted) -> None:
    (place,) = analysis.sql("SELECT file_id FROM file WHERE path = 'slurm-881.out'")
    wanted = {(place["file_id"], n) for n in range(60, 76)}
    plain, told = analysis.lines(wanted), shown.lines(wanted)
    assert any(KEY in text for text in plain.values())
    assert any(BODY in text for text in plain.values())
    assert plain.keys() == told.keys()
    assert [text for text in told.values() if any(word in text for word in (*PRIVATE, BODY))] == []
    assert any("user1 started it" in text for text in told.values())


def test_only_the_vendor_gets_the_numbers_of_a_board(run: Path) -> None:
    asked = ["report", str(run), "--redact", "-o", "-", "--for"]
    assert UUID in CliRunner().invoke(main, [*asked, "nvidia"]).stdout
    assert UUID not in CliRunner().invoke(main, [*asked, "nccl"]).stdout


def test_what_became_of_what_is_for_ones_own_eyes(run: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    said = CliRunner().invoke(main, ["analyze", str(run), "--redact-table", str(table)])
    assert said.exit_code == 0, said.output
    assert "hgx001" not in said.output
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert ["host", "hgx001", "node02"] in rows
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    assert KEY not in table.read_text()
    again = CliRunner().invoke(main, ["analyze", str(run), "--redact-table", str(table)])
    assert (again.exit_code, "cannot write" in again.output) == (2, True)


def test_texts_in_lists_structs_and_json_are_redacted() -> None:
    rows = [(["hgx001", None], {"host": "hgx001", "n": 1}, json.dumps({"hosts": ["hgx001"], "quote": '"'}), 7, None)]
    assert redacted_rows(Redactor(["hgx001"]), ["VARCHAR[]", "STRUCT", "JSON", "BIGINT", "VARCHAR"], rows) == [
        (["node01", None], {"host": "node01", "n": 1}, json.dumps({"hosts": ["node01"], "quote": '"'}), 7, None)
    ]
