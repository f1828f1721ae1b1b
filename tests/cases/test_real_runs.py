"""Scenarios of `builders/real_runs.toml` can be played: their code compiles, and their labels name rules that there are."""

import tomllib
from pathlib import Path

from builders import real_runs

from logsift import Catalog

READ = tomllib.loads(Path(real_runs.__file__).with_suffix(".toml").read_text())


def test_names_of_scenarios_are_unique() -> None:
    names = [s["name"] for s in READ["run"]]
    assert sorted(set(names)) == sorted(names)


def test_scenarios_compile_and_name_rules(catalog: Catalog) -> None:
    rules = {r.id for r in catalog.rules}
    for scenario in (real_runs.Scenario(**s) for s in READ["run"]):
        compile(READ["job"]["extras.py"] + "\n" + scenario.code, scenario.name, "exec")
        assert {*scenario.expect, *scenario.forbid, scenario.root} - {""} <= rules, scenario.name


def test_label_tells_the_pid_of_a_rank() -> None:
    scenario = real_runs.Scenario(
        "stack-one", 'it says "wait"', root="hang.deadlock", facts={"ranks": [1], "pids": ["$1"]}
    )
    assert tomllib.loads(real_runs.label(scenario, {"1": "4711"}))["facts"] == {"ranks": [1], "pids": [4711]}
