"""Templates of reports: whatever is put into one is made inert for its format, unless a filter here has made it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.judge.words import agree, count, cut, duration, names, quoted, ranges, size
from logsift.report import inert
from logsift.report.fold import shortened
from logsift.report.model import alike, fact, fate_of, flat, job_size, next_step, who

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
_SENTENCE = 600
"""Characters of a sentence that a report shows; the table `incident` holds all of them."""


@cache
def markdown() -> Environment:
    """Templates of Markdown."""
    from markupsafe import Markup

    env = _environment("markdown")

    def made(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(inert.markdown(_cut(value)))

    env.finalize = made

    def fence(value: object, language: str = "text") -> Markup:
        return Markup(inert.fence(str(value), language))

    env.filters |= {
        "code": lambda v: Markup(inert.code(_cut(v))),
        "cell": lambda v: Markup(inert.cell(inert.markdown(_cut(v)))),
        "code_cell": lambda v: Markup(inert.cell(inert.code(_cut(v)))),
        "fence": fence,
    }
    return env


@cache
def page() -> Environment:
    """Templates of HTML."""
    from markupsafe import Markup

    env = _environment("page")

    def shown(value: object) -> str:
        return value if isinstance(value, Markup) else inert.lines(value)

    env.finalize = shown
    return env


def _environment(name: str) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from logsift.compiled import Compiled

    env = Environment(
        loader=FileSystemLoader(TEMPLATES), bytecode_cache=Compiled(name), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    env.filters |= {"agree": agree, "count": count, "cut": cut, "duration": duration, "names": names, "size": size}
    env.filters |= {"ranges": _ranges, "fact": fact, "shell": quoted}
    env.globals |= {
        "alike": alike, "fate_of": fate_of, "flat": flat, "job_size": job_size, "next_step": next_step, "who": who,
    }  # fmt: skip
    return env


def _ranges(numbers: list[int] | tuple[int, ...], most: int = 200) -> str:
    """Numbers as ranges; of those that interleave only the first, and how many there are."""
    text = ranges(list(numbers)) if numbers else ""
    return text if len(text) <= most else f"{text[: text.rindex(',', 0, most)]},… ({len(numbers):,} in all)"


def _cut(value: object) -> str:
    return shortened(str(value), _SENTENCE)
