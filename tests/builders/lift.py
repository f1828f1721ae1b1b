"""A toy format and its failure, for tests of what is the same for every format: a lift that stopped, its parts listed below."""

from __future__ import annotations

from builders.grammar import grammar

LIFT = grammar(
    "Lift",
    r"""
[[pattern]]
id = "stop"
table = "lift_stop"
opens = "stop"
needle = "lift stopped at floor"
regex = '^lift stopped at floor (?P<floor>[0-9]+)$'
sample = [{ line = "lift stopped at floor 3", row = { floor = 3 } }]
[[pattern]]
id = "part"
table = "lift_part"
inside = "stop"
number = "nth"
regex = '^  part (?P<part>[a-z]+)$'
sample = [{ line = "  part door", row = { part = "door" } }]
[[pattern]]
id = "note"
inside = "stop"
append = "note"
regex = '^  note .*$'
sample = [{ line = "  note late" }]
[[pattern]]
id = "end"
inside = "stop"
closes = "stop"
regex = '^  end$'
sample = [{ line = "  end" }]
""",
    lift_stop="floor int, note text",
    lift_part="stop_line int, nth int, part text",
)


def lift_stopped(
    columns: str = "floor",
    *,
    having: str = "group by floor",
    summary: str = "The lift stopped at floor {{ floor }}",
    severity: str = "warning",
) -> str:
    """The rule lift.stopped, with `columns` beside its evidence."""
    return f"""/*
title = "The lift stopped"
severity = "{severity}"
confidence = "definite"
status = "stable"
about = "A lift stopped between floors."
summary = "{summary}"
step = [{{ say = "Take the stairs." }}]
false_positives = "Never."
*/
select list({{'file_id': file_id, 'line_no': line_no}} order by file_id, line_no) as evidence, {columns} from lift_stop {having}
"""
