"""Runs the rules on the sealed store: each row a rule returns is an incident with its evidence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import duckdb

from logsift.content.incident import Incident
from logsift.errors import StorageError, UserError
from logsift.store.database import parsed
from logsift.store.side_by_side import SideBySide
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from logsift.content.model import Rule
    from logsift.store import Store


@timed("stage", "rules")
def judge(
    store: Store,
    rules: Mapping[str, Rule],
    queries: Mapping[str, Sequence[str]],
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Incident]:
    """Every incident that the queries find, by rule, without words. A rule that fails on odd data is a row in `problem`, and the others go on.

    An incident that counts `otherwise` is dropped where another was found that does not follow from it. Rules for what
    others do not explain are asked only where these found nothing critical, and nothing of their family; what they show and
    others have told already is left out.
    """
    first = {r: query for r, query in queries.items() if not rules[r].otherwise}
    found = _unrivalled(_judge(store, rules, first, progress), rules)
    loud = [i for i in found if i.severity != "info"]
    families = {i.rule.split(".")[0] for i in loud}
    last = {r: query for r, query in queries.items() if r not in first and r.split(".")[0] not in families}
    if last and not any(i.severity == "critical" for i in loud):
        told = {place for i in loud for place in i.evidence}
        found += [i for i in _judge(store, rules, last, None) if not i.evidence or not told.issuperset(i.evidence)]
    return found


def _unrivalled(found: Sequence[Incident], rules: Mapping[str, Rule]) -> list[Incident]:
    """Without those that count only where all else follows from them, and something does not."""
    rivals = [i for i in found if i.severity != "info" and not i.otherwise]

    def explains(one: Incident, other: Incident) -> bool:
        named = rules[one.rule].explains if one.explains is None else one.explains
        return not named.isdisjoint((other.rule, other.rule.split(".")[0]))

    return [i for i in found if not i.otherwise or all(explains(i, other) for other in rivals)]


def _judge(
    store: Store,
    rules: Mapping[str, Rule],
    queries: Mapping[str, Sequence[str]],
    progress: Callable[[str, int, int], None] | None,
) -> list[Incident]:
    def ask(rule: str, beside: Store) -> tuple[list[Incident], str]:
        with timed("rule", rule):
            return _ask(beside, rules[rule], queries[rule])

    asked = []
    with SideBySide(store) as side:
        for answer in [side.submit(partial(ask, rule)) for rule in queries]:
            asked.append(answer.result())
            if progress:
                progress("rules", len(asked), len(queries))
    for rule, (_, failed) in zip(queries, asked, strict=True):
        if failed:
            store.problem(f"rule {rule} failed", failed)
    return [incident for incidents, _ in asked for incident in incidents]


def _ask(store: Store, rule: Rule, queries: Sequence[str]) -> tuple[list[Incident], str]:
    """A rule's incidents, and what went wrong with the first row that failed."""
    out, failed = [], ""
    try:
        for query in queries:
            names, rows = store.asked(parsed(query))
            for row in rows:
                try:
                    out.append(Incident.of_result(rule, dict(zip(names, row, strict=True))))
                except (ValueError, TypeError) as e:
                    failed = failed or str(e)
    except StorageError:
        raise
    except (duckdb.Error, UserError) as e:
        failed = str(e)
    return out, failed
