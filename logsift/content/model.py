"""The content as one immutable value: grammars, tables, relations, seeds and rules.

None of its classes has slots: every start reads ten thousand of these objects from the cache, and pickle sets the fields of a
frozen class with slots one by one, in nearly twice the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from logsift.content.errors import Origin

Severity = Literal["info", "warning", "critical"]
Confidence = Literal["definite", "probable", "possible"]
Status = Literal["experimental", "stable"]

EXACT, ZONELESS, YEARLESS, DAYTIME, BOOT = "exact", "zoneless", "yearless", "daytime", "boot"
"""How a time was printed: with its zone or as an epoch; without a zone; also without a year; also without a day; only as time since boot."""
BLOCK_LINES = 2000
"""A block ends at most this many lines after its opener, so that a truncated one cannot swallow a log."""


@dataclass(frozen=True)
class Column:
    """A column of a declared table."""

    name: str
    type: str
    unit: str | None
    about: str


@dataclass(frozen=True)
class Bulk:
    """How many rows of a table are enough for rules, where a run is read in shares."""

    rows: int
    """Of the whole run."""
    by: str
    """SQL expressions that tell the series of a file apart; empty where a file is one."""
    always: str
    """A condition in SQL on rows of which the first of each series are enough, but not to be lost; may be empty."""
    left_out: str
    """The column for how many rows of a series were left out before this one; empty where nobody asks."""


@dataclass(frozen=True)
class Table:
    """A declared table; every one also has the COMMON columns."""

    name: str
    about: str
    example: str
    columns: tuple[Column, ...]
    origin: Origin
    omits: frozenset[str] = frozenset()
    """Common columns that its lines never say. They are not stored: 20 million NULLs take half a second to write."""
    bulk: Bulk | None = None

    @property
    def stored(self) -> tuple[Column, ...]:
        """The columns that take room, common ones first."""
        return (*(c for c in COMMON if c.name not in self.omits), *self.columns)


NO_HOST = frozenset({"0.0.0.0", "::", "::1", "[::]", "[::1]", "::ffff:127.0.0.1"})
"""Addresses that every host has: any of its own, or the way to itself. All that begins with `LOOPBACK` is another."""
LOOPBACK = "127."
LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost"})
"""What a host without a name of its own calls itself: enough to tell writers apart, too little to look for it."""

COMMON: tuple[Column, ...] = (
    Column("file_id", "int", None, "the file, see table file"),
    Column("line_no", "int", None, "line (or record) number in the file, from 1"),
    Column("time", "time", "UTC", "when the line was written, as far as it can be told"),
    Column("time_quality", "text", None, "exact | zoneless | yearless | daytime | boot; empty without a time"),
    Column("uptime_seconds", "float", "s", "seconds since boot, where the line carries them"),
    Column("host", "text", None, "host as named by the line, else by the file's name"),
    Column("rank", "int", None, "global rank as named by the line, else by the file's name"),
    Column("local_rank", "int", None, "rank within the host, where a launcher printed that"),
    Column("task", "int", None, "label of the launcher's task: a rank or a node index, as the launch was made"),
    Column("pid", "int", None, "process id as printed (inside its container)"),
    Column("stream", "text", None, "what tells interleaved writers of one file apart"),
)
COMMON_NAMES = frozenset(c.name for c in COMMON)
OMITTABLE = COMMON_NAMES - {"file_id", "line_no"}
"""The common columns that a table may do without."""
PREFIX = "prefix"
"""The column that, in a table that has it, keeps what was taken off a line before its message."""
ENVELOPE_FACTS = frozenset({"time", "uptime_seconds", "host", "rank", "local_rank", "task", "pid", "stream", "body"})


@dataclass(frozen=True)
class Sample:
    """A line a pattern must match, and the values it must give."""

    line: str
    row: Mapping[str, Any]


@dataclass(frozen=True)
class Envelope:
    """what comes before a message; its regex captures `body` and facts about the writer.

    With `byte_values` the body is a list of numbers, the bytes of the text: it is spelled out before anything else reads
    the line. With `escaped` it is what stands between the quotes of a JSON string or of a cell of CSV.
    """

    id: str
    needles: tuple[str, ...]
    regex: str
    midline: bool
    byte_values: bool
    escaped: bool
    samples: tuple[Sample, ...]
    origin: Origin


@dataclass(frozen=True)
class Pattern:
    """One shape of line and the row it becomes.

    One of `needles` is in every line it matches, and one of `also_needs`, which is looked for only beside a needle: it
    spares the regex where the needles alone are in lines of many kinds. `regex` is matched against the message,
    `whole_line`, where there is one, against the line with all that launchers and loggers put in front. What it takes
    `aside` is not what the line is about: grammars of leftovers read the line as well; in one of these it is no word of
    trouble, and not counted as one.
    """

    id: str
    table: str
    src: str
    needles: tuple[str, ...]
    also_needs: tuple[str, ...]
    regex: str
    whole_line: str
    set: Mapping[str, Any]
    opens: str
    inside: str
    closes: str
    append: str
    number: str
    samples: tuple[Sample, ...]
    rejects: tuple[str, ...]
    aside: bool
    origin: Origin


@dataclass(frozen=True)
class Grammar:
    """One file of parsers/: the tables and patterns of one source of lines.

    Where it owns a file and `shares` it, the lines it makes nothing of, and what its patterns capture as `outside`, are
    read by the grammars of every text file.
    """

    name: str
    title: str
    about: str
    url: str
    reader: str
    head: tuple[str, ...]
    unless: str
    names: tuple[str, ...]
    shares: bool
    envelope: Envelope | None
    patterns: tuple[Pattern, ...]
    origin: Origin
    leftovers: bool = False
    """It reads only lines that no other grammar made anything of, and of every file only so many."""
    only_named: tuple[str, ...] = ()
    """What a file with such a head also has to be called; in lower case."""

    @property
    def owns(self) -> bool:
        """True if the grammar claims whole files instead of looking into every text file."""
        return bool(self.head or self.names)


Kind = Literal["table", "view", "macro"]


@dataclass(frozen=True)
class Relation:
    """A table or view made by a query over others, or a macro that queries call.

    `about` says what one row is, or what the macro gives.
    """

    name: str
    kind: Kind
    about: str
    sql: str
    origin: Origin
    parameters: str = ""
    """Of a macro: what is between its parentheses."""

    @property
    def gives_table(self) -> bool:
        """True of a macro that gives rows, not a value."""
        return self.kind == "macro" and self.sql[:5].lower() == "table"

    @property
    def query(self) -> str:
        """A query that reads and calls what the relation does: a macro's expression as the one column of a row."""
        if self.kind != "macro":
            return self.sql
        return self.sql[5:] if self.gives_table else f"SELECT {self.sql}"

    @property
    def definition(self) -> str:
        """The statement that creates it."""
        return f"CREATE {self.kind.upper()} {self.name}{self.parameters} AS {self.sql}"


@dataclass(frozen=True)
class Seed:
    """A small table of facts that comes with the content as CSV; lines that begin with # are comments."""

    name: str
    csv: str
    origin: Origin


@dataclass(frozen=True)
class Phrase:
    """A sentence of a rule as a template, said where its condition on the facts holds and all that it names is known."""

    say: str
    when: str = ""
    run: tuple[str, ...] = ()
    """Templates of commands that go with it."""
    otherwise: bool = False
    """Meant for incidents that no other step fits."""


@dataclass(frozen=True)
class Rule:
    """A query that finds one kind of incident, and the words in which it is told."""

    id: str
    title: str
    severity: Severity
    confidence: Confidence
    status: Status
    explains: frozenset[str]
    """Rules or families it explains, wherever in the job."""
    explains_same_place: frozenset[str]
    """Explained only on the same rank, GPU or host."""
    explains_other_ranks: frozenset[str]
    """Explained only where both name ranks and share none."""
    about: str
    summary: tuple[Phrase, ...]
    """The first that fits is what an incident is called."""
    steps: tuple[Phrase, ...]
    false_positives: str
    references: tuple[str, ...]
    sql: str
    origin: Origin
    transient: bool = False
    """Its harm is done at once: what fails after the job has gone on for long has another cause."""
    lasting: bool = False
    """It may outlast an attempt of the job: it explains what fails in later ones, and is as grave where these go on."""
    explains_after: frozenset[str] = frozenset()
    """Of all those, what it does not explain where that stands before it in one file without times."""
    gives_way_to: frozenset[str] = frozenset()
    """Rules that say the same better: beside a root of theirs, and told from a line of it, its incidents are context."""
    otherwise: bool = False
    """Asked only where no other rule found anything critical or of its family; never the root before another rule's."""


@dataclass(frozen=True)
class Missing:
    """A source that would settle an open question: a query with a row for each that is not there, and how to ask for it."""

    id: str
    what: str
    why: str
    how: str
    run: tuple[str, ...]
    order: int
    """Those of a lower order are asked for first."""
    sql: str
    origin: Origin


@dataclass(frozen=True, eq=False)
class Catalog:
    """All content. `digest` changes with every byte of it and with the logsift that is installed; `content` with the bytes alone."""

    tables: Mapping[str, Table]
    grammars: tuple[Grammar, ...]
    envelopes: tuple[Envelope, ...]
    relations: tuple[Relation, ...]
    seeds: tuple[Seed, ...]
    rules: tuple[Rule, ...]
    missing: tuple[Missing, ...]
    digest: str
    content: str

    def __repr__(self) -> str:
        return f"<Catalog {self.digest[:12]}: {len(self.grammars)} grammars, {len(self.tables)} tables, {len(self.rules)} rules>"
