"""Every step of every rule is said, by a case or in `tests/rules/test_steps.py`: held wherever all of both are run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from logsift import load_catalog
from logsift.content.model import Phrase
from logsift.judge import words

ROOT = Path(__file__).resolve().parents[1]
_said: set[str] = set()
"""The sentences (as headers have them) that were said since the test began."""
_reported: dict[str, set[str]] = {}
"""Test -> what was said in it, from all workers."""


def pytest_configure() -> None:
    """Note what is said."""
    tell = words._said

    def noted(phrase: Phrase, known: Mapping[str, Any]) -> str:
        if text := tell(phrase, known):
            _said.add(phrase.say)
        return text

    words._said = noted


@pytest.fixture(autouse=True)
def _what_is_said_is_reported(request: pytest.FixtureRequest) -> Iterator[None]:
    _said.clear()
    yield
    if _said:
        request.node.user_properties.append(("said", sorted(_said)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What a test said comes with its last report, also from another process."""
    if report.when == "teardown":
        _reported[report.nodeid] = {say for name, told in report.user_properties if name == "said" for say in told}


def unsaid() -> list[str]:
    """The steps that nothing said, where all ran that could."""
    cases = {f"tests/cases/test_cases.py::test_case[{c.parent.name}]" for c in ROOT.glob("fixtures/*/case.toml")}
    if not cases <= _reported.keys() or not any(name.startswith("tests/rules/test_steps.py") for name in _reported):
        return []
    said = set().union(*_reported.values())
    return [f"{r.id}: {p.say}" for r in load_catalog().rules for p in r.steps if p.say not in said]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a step is said by nothing."""
    if not hasattr(session.config, "workerinput") and unsaid():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell which they are."""
    for step in unsaid():
        terminalreporter.write_line(f"no case and no row of tests/rules/test_steps.py has this step: {step}", red=True)
