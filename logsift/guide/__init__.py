"""Pages for people, a task each: Markdown that is read on the web, and on a login node by `logsift guide TOPIC`."""

from __future__ import annotations

import re
from importlib.resources import files

from logsift.errors import UserError, offered

TOPICS = ("hang", "memory", "loss", "hardware", "collect", "verdict", "formats", "scale", "news")
"""In the order in which people need them."""
_COMMENT = re.compile(r"^<!--.*?-->\n+", re.MULTILINE | re.DOTALL)


def source(topic: str) -> str:
    """The page as it is kept, with the comments that say what its commands are run on."""
    return (files(__name__) / f"{topic}.md").read_text(encoding="utf-8")


def page(topic: str) -> str:
    """The page as people read it.

    Raises:
        UserError: there is none of that name; near names are given.
    """
    if topic not in TOPICS:
        raise UserError(f"no page {topic!r}{offered(topic, TOPICS)}")
    return _COMMENT.sub("", source(topic))


def listed() -> str:
    """A line for each page: its topic, and what it is about."""
    wide = max(map(len, TOPICS))
    return "\n".join(f"{t:<{wide}}  {page(t).splitlines()[0].removeprefix('# ')}" for t in TOPICS)
