"""`logsift schema` describes the document of `--format json`, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from logsift import Catalog, analyze
from logsift.report.json import render
from logsift.report.schema import schema

CRASH = {
    "rank3.log": "step 1 loss 2.5\nTraceback (most recent call last):\n  File \"t.py\", line 8, in f\nKeyError: 'x'\n"
}
HEALTHY = {"train.log": "".join(f"step {n} loss {3 - n / 10:.2f}\n" for n in range(1, 8))}


@pytest.fixture(scope="module", params=[CRASH, HEALTHY], ids=["a crash", "a healthy run"])
def document(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, catalog: Catalog
) -> dict[str, Any]:
    run = tmp_path_factory.mktemp("schema")
    for name, text in request.param.items():
        (run / name).write_text(text)
    made: dict[str, Any] = json.loads(render(analyze(run, catalog=catalog, db=None)))
    assert bool(made["root"]) == (request.param is CRASH)
    return made


def errors(document: object) -> list[str]:
    return [e.message for e in Draft202012Validator(schema()).iter_errors(document)]


def objects(value: object, *, free: bool = False) -> Iterator[dict[str, Any]]:
    """Every object of a document whose keys are fixed: those of facts are not."""
    if isinstance(value, dict):
        if not free:
            yield value
        for name, inner in value.items():
            yield from objects(inner, free=free or name == "facts")
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, free=free)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


def test_a_document_holds_to_it(document: dict[str, Any]) -> None:
    assert errors(document) == []


def test_a_key_too_many_or_too_few_does_not_hold_anywhere(document: dict[str, Any]) -> None:
    for n, place in enumerate(objects(document)):
        changed = deepcopy(document)
        list(objects(changed))[n]["surplus"] = 1
        assert errors(changed), place
        for key in place:
            changed = deepcopy(document)
            del list(objects(changed))[n][key]
            assert errors(changed), (place, key)
