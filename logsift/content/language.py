"""The languages that content is written in: every key of a grammar file and of a rule's header, declared once.

From this one table come the checks of the loader, the JSON schema for editors, and the pages of reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from logsift.content.model import OMITTABLE, Confidence, Severity, Status

TYPE_NAMES = ("bool", "bytes", "duration", "float", "hex", "int", "text", "time")
"""The types of columns, see content/columns.py."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of TOML: what it holds, what it is for, and how it is written.

    `holds` is one of text, flag, texts (a list), text or texts, text or list, list, table, tables (a list of them), tables by
    name, number; with `choices` one of these texts.
    """

    name: str
    holds: str
    about: str
    example: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    may_be_empty: bool = False


_NEEDLE = Key(
    "needle", "text or texts",
    "A text that is in every line the regex matches (or several, of which one is): lines without it are never looked at.",
    'needle = "stopped at floor"',
)  # fmt: skip
_SAMPLE = Key(
    "sample", "tables", "Lines as the program prints them, each with the values it must give.",
    "sample = [{ line = 'stopped at floor 3', row = { floor = 3 } }]",
)  # fmt: skip
_REGEX = Key(
    "regex", "text",
    "The line's shape; named groups fill columns of that name. No look-around, no back-references, ASCII classes ([0-9], not \\d)."
    " Over 120 characters: begin with (?x) and write it over several lines. (?&name) stands for a shared piece.",
    "regex = '^stopped at floor (?P<floor>[0-9]+)$'", required=True,
)  # fmt: skip
_ID = Key("id", "text", "Its name in explanations, unique in the file.", 'id = "stopped"', required=True)

SECTIONS: dict[str, tuple[Key, ...]] = {
    "a grammar": (
        Key("schema", "number", "The version of this language: 1.", "schema = 1", required=True),
        Key("title", "text", "What the format is called.", 'title = "Lift controller"', required=True),
        Key("about", "text", "What prints it, and what becomes of it."),
        Key("url", "text", "Where the format is documented."),
        Key("reader", "text", "Who reads a file that is no text of lines (a store, a dump); `lines` where it is left out."),
        Key("file", "table", "How a file is recognised that this grammar reads alone."),
        Key(
            "leftovers", "flag",
            "Its patterns read only what no other grammar made anything of, of every file a bounded number of lines: the first and the last with one of its needles.",
            "leftovers = true",
        ),
        Key("envelope", "table", "what comes before this format's messages only."),
        Key("envelopes", "tables", "What launchers and loggers put in front of any message."),
        Key("pieces", "tables by name", "Parts of regexes that recur, used as (?&name)."),
        Key("tables", "tables by name", "The tables its patterns write. One that several grammars write is declared in shared.toml."),
        Key("pattern", "tables", "The shapes of its lines; the first that matches takes a line for its table, those outside of blocks before those within (`inside`)."),
    ),
    "[file]": (
        Key("head", "text or texts", "A regex that matches in the first 64 kB of such a file, or several that all do.", "head = '^LIFT [0-9]'"),
        Key("unless", "text", "A regex that matches neither there nor in the last 4 kB."),
        Key("names", "texts", "Names of such files, with * and ?.", 'names = ["lift_*.log"]'),
        Key("only_named", "texts", "What a file with such a head also has to be called, where that alone tells too little; in lower case.", 'only_named = ["*weight*"]'),
        Key("shares", "flag", "Other grammars read the lines that this one makes nothing of (a trace that the job's own output is mixed into)."),
    ),
    "[pieces.*]": (
        Key("regex", "text", "The piece, without named groups.", "regex = '[0-9]{1,3}(?:\\.[0-9]{1,3}){3}'", required=True),
        Key("about", "text", "What it matches.", required=True),
    ),
    "[tables.*]": (
        Key("about", "text", "What one row is.", required=True),
        Key("example", "text", "A query that is worth a try.", 'example = "SELECT floor FROM lift_stop"'),
        Key("columns", "tables by name", "Its columns beside those that every table has. A column `prefix` is filled with what was taken off the line before its message."),
        Key("bulk", "table", "For tables of a row per line: where a run is read in shares, more rows than these are left out, and that is told."),
        Key("omits", "texts", f"Common columns its lines never say: {', '.join(sorted(OMITTABLE))}.", 'omits = ["uptime_seconds"]'),
    ),
    "[tables.*.bulk]": (
        Key("rows", "number", "How many rows of the whole run are enough.", "rows = 1_000_000", required=True),
        Key("by", "text", "SQL expressions that tell series apart within a file: of each, the last rows are kept, and stretches of what is before.", 'by = "pid, floor"'),
        Key("always", "text", "A condition in SQL: the first rows of each series that meet it are kept wherever they are, with those just before them.", 'always = "floor < 0"'),
        Key("left_out", "text", "A column of the table that tells how many rows of the series were left out before a row.", 'left_out = "left_out"'),
    ),
    "a column": (
        Key("type", "text", "What a captured text becomes.", 'type = "int"', required=True, choices=TYPE_NAMES),
        Key("unit", "text", "Its unit, where it has one.", 'unit = "s"'),
        Key("about", "text", "What it says.", required=True),
    ),
    "an envelope": (
        Key("id", "text", "Its name in explanations.", 'id = "torchrun"'),
        _NEEDLE,
        Key(
            "regex", "text",
            "What comes before the message; captures `body` (what is left) and any of time, uptime_seconds, host, rank, local_rank, task, pid, stream.",
            "regex = '^\\[rank(?P<rank>[0-9]+)\\]: (?P<body>.*)'", required=True,
        ),
        Key("midline", "flag", "It may also be within a line, where two writers' lines were glued: a record begins there."),
        Key("byte_values", "flag", "Its body is a list of byte values (journald's JSON): it is spelled out before anything else reads the line."),
        Key("escaped", "flag", "Its body is the inside of a JSON string or of a cell of CSV: quotes and signs are read as they were; a line feed within stays `\\n`."),
        _SAMPLE,
    ),
    "[[pattern]]": (
        _ID,
        Key("table", "text", "The table its rows go to.", 'table = "lift_stop"'),
        Key("src", "text", "Where the message is printed or documented: a source file with its version, or a URL.", 'src = "lift controller 2.1, stop.c:88"'),
        _NEEDLE,
        Key("also_needs", "text or texts", "Another text, looked for only beside a needle: it spares the regex where needles are common."),
        _REGEX,
        Key("whole_line", "text", "A regex that the line matches too, with what launchers and loggers put in front of its message (a level).", "whole_line = ' ERROR '"),
        Key("set", "table", "Columns with a fixed value.", 'set = { kind = "stopped" }'),
        Key("opens", "text", "The line opens a block of that name: what follows may belong to it."),
        Key("inside", "text", "The line counts only within a block of that name; `NAME_line` is filled with the line that opened it."),
        Key("closes", "text", "The line ends a block of that name."),
        Key("append", "text", "The line's text continues that column of the block's opener (messages of several lines)."),
        Key("aside", "flag", "What it takes is said aside (who speaks, how much memory is in use): grammars of leftovers read the line as well. In one of these: no word of trouble, so it is not counted as one."),
        Key("number", "text", "A column that counts such lines within their block, from 1 (frames of a stack)."),
        _SAMPLE,
        Key("reject", "texts", "Near-misses: lines that look alike and must not match.", "reject = ['passed floor 3']"),
    ),
    "a sample": (
        Key("line", "text", "The line.", required=True, may_be_empty=True),
        Key("row", "table", "Values of the row it gives; columns that are left out are not compared."),
    ),
    "a file of commands": (Key("commands", "tables by name", "Commands that the steps of several rules give."),),
    "[commands.*]": (
        Key("about", "text", "What it does, and to what.", required=True),
        Key("run", "text", "The command, a template; `given` is what a step hands to it.", 'run = "ping -c 3 {{ given }}"', required=True),
    ),
    "the header of a rule": (
        Key("title", "text", "What is wrong, in a few words; the summary where no phrase fits.", required=True),
        Key("severity", "text", "How bad it is; `info` is context and never a finding.", required=True, choices=get_args(Severity)),
        Key("confidence", "text", "How surely, unless a row says otherwise.", required=True, choices=get_args(Confidence)),
        Key("status", "text", "`experimental` rules need no fixture yet.", required=True, choices=get_args(Status)),
        Key("explains", "texts", "Rules or families whose incidents this one explains, wherever in the job they are.", 'explains = ["hang", "network.peer_lost"]'),
        Key("explains_same_place", "texts", "Those that it explains only on the same rank, GPU or host."),
        Key("explains_other_ranks", "texts", "Those that it explains only where both name ranks and share none."),
        Key("explains_after", "texts", "Of all those, what it explains only after it: where it has no time, by their lines in one file."),
        Key("gives_way_to", "texts", "Rules that say the same better: beside a root cause of theirs that explains it, from a line that both have, its incident is context only.", 'gives_way_to = ["crash.config"]'),
        Key("transient", "flag", "Its harm is done at once: it explains nothing that came after the job had gone on."),
        Key("lasting", "flag", "It may outlast an attempt of the job: it explains what fails in later ones, and is as grave where these go on; any other is only context then."),
        Key("otherwise", "flag", "Asked only where no other rule found anything critical, or of its family; lines that others told already make no incident of it, and none is the root before one of another rule."),
        Key("about", "text", "What happens, and how it is told from what looks alike.", required=True),
        Key("summary", "text or list", "The incident in one sentence: a template, or [[summary]] phrases of which the first that fits is taken.", required=True),
        Key("step", "tables", "What to do next: [[step]] phrases, all that fit are shown in their order. Required but for severity info."),
        Key("false_positives", "text", "When it fires and is wrong.", required=True),
        Key("references", "texts", "URLs."),
    ),
    "the header of a missing source": (
        Key("what", "text", "What is not there, a template.", 'what = "kernel log of {{ host }}"', required=True),
        Key("why", "text", "What it would tell, a template.", required=True),
        Key("how", "text", "How to get it, a template; commands are in `run`."),
        Key("run", "texts", "Commands that get it, templates whose values are quoted for the shell.", 'run = ["dmesg -T > dmesg.{{ host }}.txt"]'),
        Key("order", "number", "Those of a lower order are asked for first.", "order = 3", required=True),
    ),
    "[[summary]]": (
        Key("when", "text", "A condition on the facts.", "when = \"side == 'device'\""),
        Key("say", "text", "The sentence, a template.", required=True),
    ),
    "[[step]]": (
        Key("when", "text", "A condition on the facts.", 'when = "signal == 9 and hosts"'),
        Key("say", "text", "What to do, a template that begins with a verb and ends with a full stop.", required=True),
        Key("run", "texts", "Commands to paste, templates whose values are quoted for the shell; `@name fact` stands for a shared one, see rules/commands.toml.", 'run = ["nvidia-smi -q -i {{ gpu | bus_id }}"]'),
        Key("otherwise", "flag", "Shown only where no other step fits."),
    ),
}  # fmt: skip
_HOLDS: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a text"),
    "flag": ((bool,), "true or false"),
    "texts": ((list,), "a list of texts"),
    "text or texts": ((str, list), "a text or a list of texts"),
    "text or list": ((str, list), "a text or a list of phrases"),
    "list": ((list,), "a list"),
    "table": ((dict,), "a table"),
    "tables": ((list,), "tables, each below its name in double brackets"),
    "tables by name": ((dict,), "tables, each with a name of its own"),
    "number": ((int,), "a number"),
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a key, and how it is meant."""

    key: str
    text: str
    help: str


def well_shaped(section: str, given: object) -> dict[str, Any]:
    """The keys of a section that there are, and that hold what they must; none where the section is no table."""
    keys = {k.name: k for k in SECTIONS[section]}
    entries = given.items() if isinstance(given, Mapping) else ()
    return {name: value for name, value in entries if name in keys and _fits(keys[name], value)}


def _fits(key: Key, value: object) -> bool:
    kinds, _ = _HOLDS[key.holds]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        return False
    match key.holds, value:
        case "tables", list():
            return all(isinstance(v, dict) for v in value)
        case "tables by name", dict():
            return all(isinstance(v, dict) for v in value.values())
        case (("texts" | "text or texts" | "text or list"), list()):
            return key.holds == "text or list" or all(isinstance(v, str) for v in value)
    return True


def mistakes(section: str, given: object) -> Iterator[Mistake]:
    """Every key of a section that is unknown, of the wrong kind, or missing."""
    if not isinstance(given, Mapping):
        yield Mistake("", f"{section} must be a table", f"with the keys {', '.join(k.name for k in SECTIONS[section])}")
        return
    keys = {k.name: k for k in SECTIONS[section]}
    for name, value in given.items():
        key = keys.get(name)
        if key is None:
            from difflib import get_close_matches

            near = get_close_matches(name, keys, 1)
            hint = f"did you mean {_synopsis(keys[near[0]])}" if near else f"allowed: {', '.join(sorted(keys))}"
            yield Mistake(name, f"unknown key {name!r} in {section}", hint)
            continue
        if not _fits(key, value):
            yield Mistake(name, f"{name} in {section} must be {_HOLDS[key.holds][1]}", _synopsis(key))
        elif key.choices and value not in key.choices:
            yield Mistake(name, f"{name} = {value!r} in {section}", f"allowed: {', '.join(key.choices)}")
    for key in keys.values():
        if key.required and (key.name not in given or (given[key.name] in ("", []) and not key.may_be_empty)):
            yield Mistake("", f"{section} lacks {key.name}", _synopsis(key))


def described(section: str, key: str) -> str:
    """What a key of a section is for, with an example."""
    return _synopsis(next(k for k in SECTIONS[section] if k.name == key))


def _synopsis(key: Key) -> str:
    example = f" ({key.example})" if key.example else ""
    return f"{key.name}: {key.about}{example}"


def json_schema() -> dict[str, Any]:
    """The JSON schema of a grammar file, for editors."""
    column = _object("a column")
    table = _object("[tables.*]", columns={"type": "object", "additionalProperties": column})
    sample = {"type": "array", "items": _object("a sample")}
    envelope = _object("an envelope", sample=sample)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "logsift grammar",
        **_object(
            "a grammar",
            schema={"const": 1},
            file=_object("[file]"),
            envelope=envelope,
            envelopes={"type": "array", "items": envelope},
            pieces={"type": "object", "additionalProperties": _object("[pieces.*]")},
            tables={"type": "object", "additionalProperties": table},
            pattern={"type": "array", "items": _object("[[pattern]]", sample=sample)},
        ),
    }


def _object(section: str, **inner: Mapping[str, Any]) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    texts = {"type": "array", "items": text}
    kinds: dict[str, dict[str, Any]] = {
        "text": text, "flag": {"type": "boolean"}, "texts": texts, "text or texts": {"anyOf": [text, texts]},
        "list": {"type": "array"}, "table": {"type": "object"}, "number": {"type": "integer"},
        "tables": {"type": "array"}, "tables by name": {"type": "object"},
    }  # fmt: skip
    properties = {
        k.name: {
            **(inner.get(k.name) or ({"enum": list(k.choices)} if k.choices else kinds[k.holds])),
            "description": k.about,
        }
        for k in SECTIONS[section]
    }
    required = [k.name for k in SECTIONS[section] if k.required]
    return {
        "type": "object",
        **({"required": required} if required else {}),
        "additionalProperties": False,
        "properties": properties,
    }
