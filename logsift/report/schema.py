"""The JSON Schema (draft 2020-12) of the document of `logsift.report.json`, made from the declarations it is made from."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from logsift.content.incident import COLUMNS, Held, Incident, Step
from logsift.content.model import Confidence, Severity
from logsift.judge.coverage import Coverage, Job, Missing
from logsift.judge.decision import Decision
from logsift.report.fates import Fate

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?$"
_NAMES = {"Confidence": Confidence, "Severity": Severity, "datetime": datetime, "Mapping": Mapping}
"""What the declarations import for their types only."""


def schema() -> dict[str, Any]:
    """The schema. Every key is always there, and no other; what is not known is null."""
    count = {"type": "integer", "minimum": 0}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The document of logsift --format json",
        **_object(
            {
                "schema": {"const": 2},
                "run": _about({"type": "string"}, "what was read, as it was named"),
                "logsift": _about({"type": "string"}, "the version that wrote this"),
                "root": _about({"type": ["string", "null"]}, "the rule of the root cause"),
                "decision": _about(_of_class(Decision), "what to do with the job; never surer than the incidents it rests on"),
                "incidents": _about({"type": "array", "items": _incident()}, "the root cause first"),
                "ranks": _about({"type": "array", "items": _fate()}, "what became of the ranks, those together that ended alike"),
                "coverage": _object(
                    {
                        **dict.fromkeys(("files", "lines", "not_understood", "problems"), count),
                        "training": _of(get_type_hints(Coverage, localns=_NAMES)["training"]),
                        "job": {"anyOf": [_of_class(Job), {"type": "null"}]},
                        "missing": {"type": "array", "items": _of_class(Missing)},
                    }
                ),
            }
        ),
    }  # fmt: skip


def _incident() -> dict[str, Any]:
    """An incident: the columns of its table but `explains`, and its lines."""
    hints = get_type_hints(Incident, include_extras=True)
    typed = {held.name or name: hint for name, hint in hints.items() if (held := _held(hint)).name != ""}
    made: dict[str, Any] = {"id": int, "action": str, "root": bool, "explained_by": int | None}
    return _object(
        {
            **{name: _about(_of((made | typed)[name]), about) for name, (_, about) in COLUMNS.items() if name != "explains"},
            "evidence": _about(
                {"type": "array", "items": _object({"path": _of(str), "line": _of(int), "text": _of(str)})},
                _held(hints["evidence"]).about,
            ),
        }
    )  # fmt: skip


def _fate() -> dict[str, Any]:
    hints = get_type_hints(Fate, localns=_NAMES)
    without_place = {name: _of(hint) for name, hint in hints.items() if name not in ("last", "path", "line")}
    return _object({**without_place, "path": _of(str | None), "line": _of(int | None)})


def _held(hint: Any) -> Held:  # noqa: ANN401 - a type as it is written
    (held,) = hint.__metadata__
    assert isinstance(held, Held)
    return held


def _of_class(declared: type) -> dict[str, Any]:
    hints = get_type_hints(declared, localns=_NAMES)
    return _object({f.name: _of(hints[f.name]) for f in fields(declared)})


def _of(hint: Any) -> dict[str, Any]:  # noqa: ANN401 - a type as it is written
    """What JSON holds for a value of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _of(inner[0])
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(i) for i in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (tuple, frozenset):
        return {"type": "array", "items": _of(inner[0])}
    if hint is type(None):
        return {"type": "null"}
    if hint is datetime:
        return {"type": "string", "pattern": _TIME}
    if hint is Step:
        return _of_class(Step)
    return {"type": _PLAIN.get(hint, "object")}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _about(schema: dict[str, Any], about: str) -> dict[str, Any]:
    return {"description": about, **schema}
