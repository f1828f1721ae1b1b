"""Scenarios of `builders/real_runs.toml` and `gpu_runs.toml` can be played: their code compiles, their labels name rules."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from builders import real_runs

from logsift import Catalog

FOLDER = Path(real_runs.__file__).parent


@pytest.fixture(params=["real_runs.toml", "gpu_runs.toml"])
def read(request: pytest.FixtureRequest) -> dict[str, Any]:
    return tomllib.loads((FOLDER / request.param).read_text())


def test_names_of_scenarios_are_unique(read: dict[str, Any]) -> None:
    names = [s["name"] for s in read["run"]]
    assert sorted(set(names)) == sorted(names)


def test_scenarios_compile_and_name_rules(read: dict[str, Any], catalog: Catalog) -> None:
    rules = {r.id for r in catalog.rules}
    for scenario in (real_runs.Scenario(**s) for s in read["run"]):
        compile(read["job"]["extras.py"] + "\n" + scenario.code, scenario.name, "exec")
        assert {*scenario.expect, *scenario.forbid, scenario.root} - {""} <= rules, scenario.name


def test_label_tells_the_pid_of_a_rank() -> None:
    scenario = real_runs.Scenario(
        "stack-one", 'it says "wait"', root="hang.deadlock", facts={"ranks": [1], "pids": ["$1"]}
    )
    assert tomllib.loads(real_runs.label(scenario, {"1": "4711"}))["facts"] == {"ranks": [1], "pids": [4711]}
