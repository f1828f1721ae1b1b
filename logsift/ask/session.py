"""What people type at the tables, line by line or as a script: SQL, and commands that begin with a dot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from logsift.ask.named import listed as named_queries
from logsift.ask.named import named
from logsift.ask.tables import columns_of, described, listed, tables
from logsift.errors import UserError, meant, offered
from logsift.report.rows import FORMATS, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from logsift.store import Store

HELP = """\
  SELECT …;          a question in SQL (DuckDB), over as many lines as it takes
  .tables [NAME]     the tables that have rows, or the columns of one; .tables --all: all there are
  .schema NAME       the statement that made a table or view
  .named [NAME]      the queries that have a name, or the answer of one
  .mode [FORMAT]     how answers are written: table, csv, json or md
  .read FILE         ask what is in a file
  .quit              leave, as Ctrl-D does"""
_COMMAND = re.compile(r"\.(?P<name>\w+)\s*(?P<rest>.*?)\s*;?\s*")


class Session:
    """Questions to one store; `width` is that of the screen."""

    def __init__(self, store: Store, mode: str = "table", width: int = 100) -> None:
        self.store, self.mode, self.width, self.ended = store, mode, width, False
        self.commands: dict[str, Callable[[str], Iterable[str]]] = {
            "tables": self._tables, "schema": self._schema, "named": self._named, "mode": self._mode, "read": self._read,
            "help": lambda _: [HELP], "quit": self._quit, "exit": self._quit,
        }  # fmt: skip

    def answers(self, text: str) -> Iterator[str]:
        """What each command and statement of a script gives, one after the other.

        Raises:
            duckdb.Error: a statement is wrong, or took too long.
            UserError: a command is wrong, or an answer gives too much.
        """
        for part in _parts(text):
            if part.startswith("."):
                yield from self._command(part)
            else:
                for statement in self.store.statements(part):
                    got = self.store.typed(statement)
                    yield written(got.names, got.rows, self.mode, got.types)

    def _command(self, line: str) -> Iterable[str]:
        asked = _COMMAND.fullmatch(line)
        name = asked["name"] if asked else line[1:]
        if asked is None or name not in self.commands:
            raise UserError(f"no command .{name}{meant(name, self.commands) or ': .help lists them'}")
        return self.commands[name](asked["rest"])

    def _tables(self, name: str) -> Iterable[str]:
        if name in ("", "--all"):
            return [listed(self.store, self.width, whole=bool(name))]
        return [described(self.store, name)]

    def _schema(self, name: str) -> Iterable[str]:
        known = [t.name for t in tables(self.store)]
        if name not in known:
            raise UserError(f"say .schema NAME{meant(name, known)}" if name else "say .schema NAME")
        (row,) = self.store.rows(
            "SELECT sql FROM duckdb_tables() WHERE database_name = current_database() AND table_name = ?"
            " UNION ALL SELECT sql FROM duckdb_views() WHERE database_name = current_database() AND view_name = ?",
            [name, name],
        )
        return [str(row["sql"])]

    def _named(self, name: str) -> Iterable[str]:
        return self.answers(named(name).sql) if name else [named_queries()]

    def _mode(self, mode: str) -> Iterable[str]:
        if mode and mode not in FORMATS:
            raise UserError(f"no format {mode!r}{offered(mode, FORMATS)}")
        self.mode = mode or self.mode
        return [] if mode else [self.mode]

    def _read(self, name: str) -> Iterable[str]:
        try:
            text = Path(name).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise UserError(
                f"{name or 'say .read FILE'}: cannot be read: {getattr(e, 'strerror', None) or e}"
            ) from None
        if any(part.startswith(".read") for part in _parts(text)):
            raise UserError(f"{name}: a file that is read reads no other")
        return self.answers(text)

    def _quit(self, _: str) -> Iterable[str]:
        self.ended = True
        return []

    def words(self, text: str) -> list[str]:
        """Names that may come next in a text that is being typed: tables, and the columns of those it names."""
        known = [t.name for t in tables(self.store) if t.kind != "own"]
        named_here = set(re.findall(r"\w+", text)) & set(known)
        columns = dict.fromkeys(c.name for each in columns_of(self.store, sorted(named_here)).values() for c in each)
        return [*columns, *known]


def _parts(text: str) -> list[str]:
    """Lines that are commands, and the SQL between them; a line within a statement is no command."""
    out: list[str] = []
    sql: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith(".") and not _is_open("\n".join(sql)):
            out += ["\n".join(sql), line.strip()]
            sql = []
        else:
            sql.append(line)
    return [part for part in [*out, "\n".join(sql)] if part.strip()]


def _is_open(sql: str) -> bool:
    """True where a statement has begun and not ended: its end is a semicolon, comments aside."""
    said = re.sub(r"--[^\n]*|/\*.*?\*/", "", sql, flags=re.DOTALL).strip()
    return bool(said) and not said.endswith(";")


def is_whole(text: str) -> bool:
    """True where what was typed can be answered: nothing, a command, or statements that are ended."""
    return text.lstrip().startswith(".") or not _is_open(text)
