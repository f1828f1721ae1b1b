"""The prompt of `logsift sql RUN`: history, completion, several lines. prompt_toolkit is imported here only."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from logsift.ask.session import is_whole
from logsift.errors import UserError
from logsift.places import state_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from logsift.ask.session import Session

_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN", "USING", "ON", "WITH", "AS", "AND", "OR",
    "NOT", "IS NULL", "DISTINCT", "HAVING", "UNION ALL", "DESCRIBE", "SUMMARIZE", "count(*)", "FILTER", "OVER",
)  # fmt: skip


class _Names(Completer):
    """Tables, columns of the tables that the text names, commands, words of SQL."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.startswith(".") and " " not in before:
            yield from (
                Completion(f".{name}", -len(before)) for name in self.session.commands if f".{name}".startswith(before)
            )
            return
        found = re.search(r"\w*$", before)
        word = found[0] if found else ""
        known: list[str] = self.session.words(document.text)
        for name in known:
            if name.startswith(word):
                yield Completion(name, -len(word))
        if not before.startswith("."):
            for keyword in _KEYWORDS:
                if keyword.lower().startswith(word.lower()) and word:
                    yield Completion(keyword, -len(word))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


def _history() -> History:
    """What was typed before, kept for the person's own eyes."""
    folder = state_folder()
    if folder:
        file = folder / "sql_history"
        with suppress(OSError):
            file.touch(mode=0o600)
            return FileHistory(str(file))
    return InMemoryHistory()


def ask(session: Session, say: Callable[[str], None]) -> None:
    """Take questions until the person leaves; what is wrong with one is said, and the next is taken."""
    prompt: PromptSession[Any] = PromptSession(
        "logsift> ", history=_history(), completer=_Names(session), complete_while_typing=False,
        lexer=PygmentsLexer(SqlLexer), multiline=Condition(lambda: True), prompt_continuation="    ...> ", key_bindings=_keys(),
    )  # fmt: skip
    while not session.ended:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            for answer in session.answers(text):
                say(answer)
        except KeyboardInterrupt:
            say("stopped")
        except (duckdb.Error, UserError) as e:
            say(str(e))
