"""Templates over settled facts: what an incident is called, and what to do next.

A rule's header holds Jinja2 templates. They are rendered in a sandbox, once identities and clocks are settled, with
every column of the rule's result and with who it happened to. Where a template names a fact that is not known here it
is passed over, and the next one is tried: a sentence with a hole is never shown.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from logsift.content.incident import Step
from logsift.content.model import Phrase
from logsift.judge.identity import is_a_host
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from jinja2 import Environment, Template

    from logsift.content.incident import Incident
    from logsift.content.model import Missing, Rule

MOST_NAMES = 5
"""A sentence names at most this many of a list, then counts the rest."""
GIVEN: Mapping[str, str] = MappingProxyType(
    {
        "severity": "VARCHAR", "confidence": "VARCHAR", "at": "TIMESTAMP", "until": "TIMESTAMP", "ranks": "BIGINT[]",
        "hosts": "VARCHAR[]", "gpus": "VARCHAR[]", "pids": "BIGINT[]", "rank": "BIGINT", "host": "VARCHAR",
        "gpu": "VARCHAR", "pid": "BIGINT", "paths": "VARCHAR[]", "scheduler": "VARCHAR",
    }
)  # fmt: skip
"""What every template may name beside the columns of its rule, with types: who it happened to, the files of the evidence, and what started the job.

`rank`, `host`, `gpu` and `pid` are the only one of theirs, nothing where there are several.
"""


_BEFORE_MARK = re.compile(r" ([,.;:])(?= |$)")
"""A blank that an optional part has left before a mark."""


class UnknownFact(Exception):
    """A template names what is not known of this incident."""


@timed("stage", "words")
def worded(
    incidents: Iterable[Incident],
    rules: Mapping[str, Rule],
    pids: Mapping[int, int],
    paths: Mapping[int, str],
    scheduler: str | None,
    problem: Callable[[str, str], None],
) -> list[Incident]:
    """The incidents with their summaries and steps.

    Args:
        incidents: settled, that is with their ranks, hosts and times.
        rules: by id.
        pids: rank -> process id where it is known.
        paths: file_id -> path in the run directory.
        scheduler: what started the job, where it is known.
        problem: called with what failed and why; the incident then goes by its rule's title.
    """
    out = []
    for i in incidents:
        known = facts_of(i, pids, paths, scheduler)
        rule = rules[i.rule]
        try:
            said, to_do = summary(rule, known) or rule.title, steps(rule, known)
        except Exception as e:  # whatever a template does with odd values is the template's fault
            problem(f"words of rule {rule.id} failed", f"{type(e).__name__}: {e}")
            said, to_do = rule.title, ()
        if before := known.get("before_the_job"):
            said = f"{said.rstrip('.')} - {before}."
        out.append(replace(i, summary=said, steps=to_do))
    return out


def asked_for(source: Missing, known: Mapping[str, Any]) -> tuple[str, str, str, list[str]] | None:
    """What is missing, why it is wanted and how to get it, in words, and the commands in the last of these.

    None where the first two name what is not known.
    """
    what, why, how = (_said(Phrase(text), known) if text else "" for text in (source.what, source.why, source.how))
    commands = [c for template in source.run if (c := _command(template, known))]
    told = ": ".join(filter(None, (how.rstrip("."), "; ".join(commands))))
    return (what, why, told, commands) if what and why else None


def told(template: str, known: Mapping[str, Any]) -> str:
    """A template of the content in words, "" where it names what is not known."""
    return _said(Phrase(template), known)


def facts_of(i: Incident, pids: Mapping[int, int], paths: Mapping[int, str], scheduler: str | None) -> dict[str, Any]:
    """What templates may name of an incident: its facts, and GIVEN."""
    known: dict[str, Any] = {
        "severity": i.severity, "confidence": i.confidence, "at": i.at, "until": i.until, "ranks": sorted(i.ranks),
        "hosts": sorted(i.hosts, key=natural), "gpus": sorted(i.gpus),
        "paths": list(dict.fromkeys(paths[e.file_id] for e in i.evidence if e.file_id in paths)), "scheduler": scheduler,
    }  # fmt: skip
    known |= i.facts
    if isinstance(host := known.get("host"), str) and not is_a_host(host):
        known["host"] = None  # what the log calls it stays a fact; nobody finds it by that name
    if not known.get("pids"):
        pid = known.get("pid")
        known["pids"] = [pid] if pid is not None else [pids[r] for r in sorted(i.ranks) if r in pids]
    for one, several in (("rank", "ranks"), ("host", "hosts"), ("gpu", "gpus"), ("pid", "pids")):
        if known.get(one) is None:
            known[one] = known[several][0] if len(known[several]) == 1 else None
    return known


def summary(rule: Rule, known: Mapping[str, Any]) -> str:
    """The first of the rule's phrases that fits and whose facts are known, "" where none is."""
    return next((text for p in rule.summary if (text := _said(p, known))), "")


def steps(rule: Rule, known: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps that fit and whose facts are known; without any, those that are meant for that case."""
    for otherwise in (False, True):
        made = [
            Step(text, tuple(c for template in p.run if (c := _command(template, known))))
            for p in rule.steps
            if p.otherwise == otherwise and (text := _said(p, known))
        ]
        if made:
            return tuple(made)
    return ()


def tried(phrase: Phrase, known: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The sentence of a phrase and its commands over given facts, whether it fits them or not; "" for one with a hole.

    Raises:
        Exception: whatever its templates and its condition raise.
    """
    from jinja2 import UndefinedError

    def one(text: str, *, command: bool) -> str:
        try:
            return _tidy(_template(text, command=command).render(known), command=command)
        except (UnknownFact, UndefinedError):
            return ""

    if phrase.when:
        _holds(phrase.when, known)
    return one(phrase.say, command=False), [one(c, command=True) for c in phrase.run]


_ODD = re.compile(r"\{\{|\bNone\b(?! of)|  |(?<!\.)\.\.(?![./])| [,;.](?: |$)|\bstands? in\b")
_ODD_COMMAND = re.compile(r"\{\{|\bNone\b")


def odd(text: str, *, command: bool = False) -> str:
    """What nobody would say in a sentence, or paste in a command: a hole, a mark that is doubled or stands alone; or ""."""
    found = (_ODD_COMMAND if command else _ODD).search(text)
    return found[0] if found else ""


def names_in(phrase: Phrase) -> frozenset[str]:
    """The facts that a phrase names.

    Raises:
        jinja2.TemplateSyntaxError: one of its templates is wrong.
    """
    condition = (f"{{{{ {phrase.when} }}}}",) if phrase.when else ()
    return frozenset().union(*(_names(text) for text in (phrase.say, *phrase.run, *condition)))


def plain_value(value: object) -> object:
    """A value as a sentence shows it; what is not known has no place in one."""
    if value is None or value == [] or value == "":
        raise UnknownFact
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else f"{value:.4g}"
    return value


def quoted(value: object) -> str:
    """A value as one word of a shell command, whatever a log has put into it."""
    text = str(plain_value(value))
    if text.startswith("-") or not text.isprintable():  # an option that nobody meant, or what a terminal would act upon
        raise UnknownFact
    return shlex.quote(text)


def ranges(numbers: Sequence[int]) -> str:
    """Numbers as ranges: [0, 1, 2, 5] -> 0-2,5."""
    out: list[str] = []
    for n in sorted(set(_some(numbers))):
        first, _, last = out[-1].partition("-") if out else ("", "", "")
        if first and int(last or first) == n - 1:
            out[-1] = f"{first}-{n}"
        else:
            out.append(str(n))
    return ",".join(out)


def ranks(numbers: Sequence[int], noun: str = "rank") -> str:
    """Ranks with their noun: rank 3, ranks 0-2,5."""
    return f"{noun}{agree(_some(numbers), '', 's')} {ranges(numbers)}"


def count(number: float, noun: str, several: str = "") -> str:
    """A number with its noun: 1 line, 1,024 lines."""
    number = _some(number)
    shown = f"{number:,}" if isinstance(number, int) else str(plain_value(number))
    return f"{shown} {noun if number == 1 else several or f'{noun}s'}"


def agree(items: Sequence[object] | float, one: str, several: str) -> str:
    """The word that fits the number, of a count or of how many a list holds."""
    number = len(items) if isinstance(items, (list, tuple)) else _some(items)
    return one if number == 1 else several


def names(items: Sequence[object], noun: str = "", most: int = MOST_NAMES) -> str:
    """Names in a sentence: a, b and 3 more; with a noun before them in its number: hosts a and b."""
    each = [str(x) for x in sorted({str(x) for x in _some(items)}, key=natural)]
    listed = each[:most]
    if len(each) > most:
        text = f"{', '.join(listed)} and {len(each) - most} more"
    else:
        text = " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
    return f"{noun}{agree(each, '', 's')} {text}" if noun else text


def size(number: float) -> str:
    """Bytes for people: 2.00 GiB."""
    number = _some(number)
    for unit, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(number) >= factor:
            return f"{number / factor:.2f} {unit}"
    return f"{number:.0f} B"


def duration(seconds: float) -> str:
    """Seconds for people: 90 s, 10 min, 2 h 5 min."""
    seconds = _some(seconds)
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def cut(text: str, most: int = 160) -> str:
    """The first line of a text, of at most that many characters."""
    line = str(_some(text)).strip().split("\n", 1)[0]
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def capital(text: str) -> str:
    """The text with a capital letter in front; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def bus_id(gpu: str) -> str:
    """A GPU as tools take it: a PCI address with its function, an index as it is."""
    return (
        f"{gpu}.0"
        if re.fullmatch(r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}", str(_some(gpu)))
        else str(gpu)
    )


def natural(name: str) -> list[tuple[int, int | str]]:
    """A key to sort names by, numbers in them by value: node-9 comes before node-10."""
    return [(0, int(x)) if x.isdigit() else (1, x) for x in re.split(r"([0-9]+)", str(name)) if x]


FILTERS: dict[str, Callable[..., str]] = {
    "agree": agree, "bus_id": bus_id, "capital": capital, "count": count, "cut": cut, "duration": duration,
    "names": names, "ranges": ranges, "ranks": ranks, "size": size,
}  # fmt: skip
"""What templates may pipe a fact through, beside the filters of Jinja2."""


def _some(value: Any) -> Any:  # noqa: ANN401 - whatever a fact is
    plain_value(value)
    return value


def _said(phrase: Phrase, known: Mapping[str, Any]) -> str:
    """A phrase in words, "" where it does not fit or names what is not known."""
    try:
        if phrase.when and not _holds(phrase.when, _with_blanks(phrase.when, known)):
            return ""
        return _tidy(_template(phrase.say).render(_with_blanks(phrase.say, known)))
    except _holes():
        return ""


def _command(text: str, known: Mapping[str, Any]) -> str:
    try:
        return _tidy(_template(text, command=True).render(_with_blanks(text, known)), command=True)
    except _holes():
        return ""


def _tidy(text: str, *, command: bool = False) -> str:
    """A rendered template on one line."""
    line = " ".join(text.split())
    return line if command else _BEFORE_MARK.sub(r"\1", line)


@cache
def _holes() -> tuple[type[Exception], ...]:
    """What a template raises that names what is not known: also arithmetic with it, and the first of an empty list."""
    from jinja2 import UndefinedError

    return UnknownFact, UndefinedError, TypeError


@cache
def _environment(*, command: bool = False) -> Environment:
    # Imported where words are made: a run that is only opened again needs none.
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from logsift.compiled import Compiled

    environment = ImmutableSandboxedEnvironment(
        loader=DictLoader(_texts), bytecode_cache=Compiled("commands" if command else "words"),
        cache_size=-1, auto_reload=False, undefined=StrictUndefined, autoescape=False,
        finalize=quoted if command else plain_value,
    )  # fmt: skip
    environment.filters.update(FILTERS)
    return environment


_texts: dict[str, str] = {}
"""Templates by the names that their environment knows them by: what has a name is compiled once."""


@cache
def _template(text: str, *, command: bool = False) -> Template:
    name = hashlib.sha256(text.encode()).hexdigest()
    _texts[name] = text
    return _environment(command=command).get_template(name)


def _holds(condition: str, known: Mapping[str, Any]) -> bool:
    return bool(_template(f"{{% if {condition} %}}yes{{% endif %}}").render(known))


def _with_blanks(text: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, and None for whatever else a template may name: a branch of a query need not give every fact."""
    return dict.fromkeys(_words(text)) | dict(known)


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@cache
def _words(text: str) -> frozenset[str]:
    """All words of a template: every name is among them, and to look them up in its parse takes as long as to compile it."""
    return frozenset(_WORD.findall(text)) - _environment().globals.keys()


@cache
def _names(text: str) -> frozenset[str]:
    from jinja2 import meta

    return frozenset(meta.find_undeclared_variables(_environment().parse(text)))
