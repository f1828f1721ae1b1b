"""Reads content folders into a catalog, with every mistake of every file at once."""

from __future__ import annotations

import copyreg
import hashlib
import pickle
import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from logsift.content import locate
from logsift.content.errors import ContentError, ContentErrors, Origin
from logsift.content.expressions import plain
from logsift.content.language import mistakes, well_shaped
from logsift.content.model import (
    COMMON_NAMES,
    ENVELOPE_FACTS,
    OMITTABLE,
    Bulk,
    Catalog,
    Column,
    Envelope,
    Grammar,
    Kind,
    Missing,
    Pattern,
    Phrase,
    Relation,
    Rule,
    Sample,
    Seed,
    Table,
)  # fmt: skip
from logsift.places import cache_folder, engine_digest, keep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable


def load_catalog(*roots: Traversable) -> Catalog:
    """Load the content of `roots` (folders holding `parsers/` and `rules/`), by default built-in and the user's own.

    What was found sound is kept in the user's cache by its digest, and the digest by the state of the files: to read all
    of them takes longer than to open a store.

    Raises:
        ContentErrors: all mistakes of all files at once.
    """
    roots = roots or default_roots()
    state = locate.state(roots)
    noted = cache_folder() / f"content-{state}.name" if state else None
    with suppress(Exception):  # what a damaged one raises is of many kinds
        if noted:
            return _kept(cache_folder() / noted.read_text())
    catalog, kept = _read(roots)
    if noted:
        keep(noted, kept.name.encode())
    return catalog


def _read(roots: Sequence[Traversable]) -> tuple[Catalog, Path]:
    """The content of some folders, and where it is kept."""
    own = locate.built_in()
    files = [
        _File(kind, path, file.read_bytes(), "" if root == own else str(root))
        for root in roots
        for kind in locate.KINDS
        for path, file in locate.walk(root, kind)
    ]
    content = hashlib.sha256()
    for f in files:
        content.update(f"\0{f.path}\0{len(f.content)}\0{not f.root}\0".encode() + f.content)
    digest = hashlib.sha256(f"{engine_digest()} {content.hexdigest()}".encode())
    # Mistakes are told with their place: the same content in another folder is another catalog, of the same digest.
    placed = hashlib.sha256("\0".join((digest.hexdigest(), *dict.fromkeys(f.root for f in files))).encode())
    kept = cache_folder() / f"content-{placed.hexdigest()[:24]}.pickle"
    with suppress(Exception):  # as above
        return _kept(kept), kept
    loader = _Loader()
    for f in files:
        loader.add(f)
    catalog = loader.finish(digest.hexdigest(), content.hexdigest()[:24])
    keep(kept, pickle.dumps(catalog, pickle.HIGHEST_PROTOCOL))
    return catalog, kept


@lru_cache(maxsize=4)
def _kept(path: Path) -> Catalog:
    """A catalog as it was kept: the same one for all runs that a process analyses."""
    return cast("Catalog", pickle.loads(path.read_bytes()))


def default_roots() -> tuple[Traversable, ...]:
    """Where content is looked for when nothing is said: logsift's own, that of installed packages, then the user's folder if it is there."""
    own = locate.user_content()
    return (locate.built_in(), *locate.installed(), *((own,) if own.is_dir() else ()))


copyreg.pickle(MappingProxyType, lambda held: (_fixed, (dict(held),)))


def _fixed(given: dict[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(given)


_HEADER = re.compile(r"\A\s*/\*(.*?)\*/", re.DOTALL)
_RELATION = re.compile(r"\A-- (?P<kind>table|view):(?P<about>[^\n]*\n(?:--[^\n]*\n)*)")
_MACRO = re.compile(
    r"(?P<note>(?:^--[^\n]*\n)*)^create macro (?P<name>\w+)(?P<parameters>\([^)]*\)) as\n(?P<body>.*?)\n;$",
    re.MULTILINE | re.DOTALL,
)
_SHARED_COMMAND = re.compile(r"@(?P<name>\w+) (?P<given>.+)")
_COMMENT_LINE = re.compile(r"^--[^\n]*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class _File:
    """A file of content below `root`, "" for logsift's own, whose regexes `check` has compiled: it costs at every start."""

    kind: str
    path: str
    content: bytes
    root: str


@dataclass
class _Loader:
    """Collects definitions and mistakes; `finish` makes the cross-checks that need everything."""

    errors: list[ContentError] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    grammars: list[Grammar] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)
    files: list[tuple[str, _Places, dict[str, Any], bool]] = field(default_factory=list)
    pieces: dict[str, str] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    seeds: list[Seed] = field(default_factory=list)
    missing: dict[str, Missing] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    rule_ids: set[str] = field(default_factory=set)
    rules: dict[str, Rule] = field(default_factory=dict)
    compile: bool = True

    def wrong(self, origin: Origin, text: str, help: str = "", note: str = "", key: str = "") -> None:
        self.errors.append(ContentError(origin, text, help, note, key))

    def add(self, file: _File) -> None:
        """Read a file of a root."""
        here = Origin(file.path, 1, file.root)
        suffix, stem = Path(file.path).suffix, Path(file.path).stem
        if suffix not in {".toml", ".sql", ".csv"}:
            if suffix == ".py":
                self.wrong(here, "Python does not belong into content", "write a grammar, a view or a rule")
            return
        try:
            text = file.content.decode()
        except UnicodeDecodeError as e:
            self.wrong(here, f"not UTF-8: {e}")
            return
        if suffix == ".toml" and file.kind == "rules":
            self.commands_of(here, text)
        elif suffix == ".toml":
            self.raw(stem, here, text, trusted=not file.root)
        elif suffix == ".csv":
            self.seeds.append(Seed(stem, text, here))
        elif file.kind == "parsers" or Path(file.path).parts[1] == "views":
            self.relations_of(stem, here, text)
        elif Path(file.path).parts[1] == "missing":
            self.missing_source(stem, here, text)
        else:
            self.rule(here, text)

    # -- grammars ------------------------------------------------------------------------------------------------

    def raw(self, stem: str, here: Origin, text: str, *, trusted: bool) -> None:
        """Read a file, and the pieces of regexes it names: all are known before the first grammar is made."""
        if (raw := self.toml(here, text)) is None:
            return
        where = _Places(here, text)
        raw = self.section("a grammar", raw, here)
        for name, piece in raw.get("pieces", {}).items():
            piece = self.section("[pieces.*]", piece, where.header(f"pieces.{name}"))
            if name in self.pieces:
                self.wrong(where.header(f"pieces.{name}"), f"piece {name!r} is declared twice")
            self.pieces[name] = str(piece.get("regex", ""))
        self.files.append((stem, where, raw, trusted))

    def toml(self, here: Origin, text: str) -> dict[str, Any] | None:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as e:
            at = re.search(r"line (\d+)", str(e))
            self.wrong(replace(here, line=int(at[1]) if at else 1), f"not TOML: {e}")
            return None

    def section(self, section: str, given: object, origin: Origin) -> dict[str, Any]:
        """What of a section can be read; every mistake in its keys is noted."""
        self.keys(section, given, origin)
        return well_shaped(section, given)

    def keys(self, section: str, given: object, origin: Origin) -> bool:
        """Note every mistake in the keys of the section at `origin`; False where there is one."""
        found = list(mistakes(section, given))
        for m in found:
            self.wrong(origin, m.text, m.help, key=m.key)
        return not found

    def grammar(self, stem: str, where: _Places, raw: Mapping[str, Any]) -> None:
        for n, one in enumerate(raw.get("envelopes", [])):
            made = self.envelope(f"{one.get('id') or f'{stem}.{n}'}", one, where.header("envelopes", n), anchored=True)
            if made:
                self.envelopes.append(made)
        for name, spec in raw.get("tables", {}).items():
            self.table(name, spec, where.table(name))
        file = self.section("[file]", raw["file"], where.header("file")) if raw.get("file") else {}
        here = where.header("file")
        head = tuple(r for one in _needles(file.get("head")) if (r := self.regex(here, one)))
        unless = self.regex(here, file.get("unless") or "")
        envelope = None
        if "envelope" in raw:
            envelope = self.envelope(stem, raw["envelope"], where.header("envelope"), anchored=False)
        patterns: list[Pattern] = []
        for n, one in enumerate(raw.get("pattern", [])):
            if made_pattern := self.pattern(one, where.header("pattern", n), owned=bool(file)):
                patterns.append(made_pattern)
        grammar = Grammar(
            stem, raw.get("title", stem), raw.get("about", ""), raw.get("url", ""), raw.get("reader", "lines"),
            head, unless or "", tuple(file.get("names", ())), bool(file.get("shares")), envelope, tuple(patterns),
            where.here, bool(raw.get("leftovers")), tuple(file.get("only_named", ())),
        )  # fmt: skip
        if patterns or grammar.owns or grammar.reader != "lines":
            self.grammars.append(grammar)
        self.blocks(grammar)

    def table(self, name: str, spec: Mapping[str, Any], origin: Origin) -> None:
        if not _NAME.match(name):
            self.wrong(origin, f"table name {name!r} is not lower_snake_case")
        if name in self.tables:
            self.wrong(
                origin,
                f"table {name!r} is declared twice",
                f"first at {self.tables[name].origin}; shared tables are in shared.toml",
            )
            return
        spec = self.section("[tables.*]", spec, origin)
        columns: list[Column] = []
        for column, given in spec.get("columns", {}).items():
            if column in COMMON_NAMES:
                self.wrong(
                    origin,
                    f"column {name}.{column} is one that every table has",
                    "leave it out: a capture of that name fills it",
                )
            elif not _NAME.match(column):
                self.wrong(origin, f"column name {column!r} is not lower_snake_case", "choose another name")
            elif self.keys("a column", given, origin):
                columns.append(Column(column, given["type"], given.get("unit"), given["about"]))
        omits = frozenset(spec.get("omits", ()))
        if unknown := sorted(omits - OMITTABLE):
            self.wrong(origin, f"table {name!r} can't omit {unknown[0]!r}", f"allowed: {_listed(OMITTABLE)}")
        bulk = self.bulk(spec["bulk"], {c.name for c in columns}, origin) if "bulk" in spec else None
        self.tables[name] = Table(
            name, spec.get("about", ""), spec.get("example", ""), tuple(columns), origin, omits, bulk
        )

    def bulk(self, given: Mapping[str, Any], columns: Collection[str], origin: Origin) -> Bulk | None:
        spec = self.section("[tables.*.bulk]", given, origin)
        if (column := spec.get("left_out", "")) and column not in columns:
            self.wrong(origin, f"no column {column!r} to count in what is left out", f"columns: {_listed(columns)}")
        if spec.get("rows", 0) < 1:
            self.wrong(origin, "bulk keeps no rows", "rows = how many are enough")
            return None
        return Bulk(spec["rows"], spec.get("by", ""), spec.get("always", ""), column)

    def envelope(self, id: str, one: Mapping[str, Any], origin: Origin, *, anchored: bool) -> Envelope | None:
        one = self.section("an envelope", one, origin)
        regex = self.regex(origin, one.get("regex", ""))
        if regex is None:
            return None
        groups = _groups(regex)
        if "body" not in groups:
            self.wrong(origin, f"envelope {id!r} captures no body", "name what is left (?P<body>.*)", regex, "regex")
        if anchored and not regex.startswith("^"):
            self.wrong(origin, f"envelope {id!r} is not anchored", "begin its regex with ^", regex, "regex")
        return Envelope(
            id,
            _needles(one.get("needle", "")),
            regex,
            bool(one.get("midline")),
            bool(one.get("byte_values")),
            bool(one.get("escaped")),
            self.samples(one, origin),
            origin,
        )

    def pattern(self, one: Mapping[str, Any], origin: Origin, *, owned: bool) -> Pattern | None:
        id = str(one.get("id", ""))
        one = self.section("[[pattern]]", one, origin)
        needles, inside = _needles(one.get("needle", "")), one.get("inside", "")
        if not needles and not inside and not owned:
            self.wrong(
                origin, f"pattern {id!r} has no needle", "give a text that is literally in every line it matches"
            )
        regex = self.regex(origin, one.get("regex", ""))
        if regex is None:
            return None
        whole_line = self.regex(origin, one.get("whole_line", "")) or ""
        return Pattern(
            id, one.get("table", ""), one.get("src", ""), needles, _needles(one.get("also_needs", "")), regex, whole_line,
            MappingProxyType(one.get("set", {})), one.get("opens", ""), inside, one.get("closes", ""),
            one.get("append", ""), one.get("number", ""), self.samples(one, origin), tuple(one.get("reject", ())),
            bool(one.get("aside")), origin,
        )  # fmt: skip

    def samples(self, one: Mapping[str, Any], origin: Origin) -> tuple[Sample, ...]:
        out = []
        for s in one.get("sample", []):
            if not self.keys("a sample", s, origin):
                continue
            out.append(Sample(s["line"], MappingProxyType(s.get("row", {}))))
        return tuple(out)

    def regex(self, origin: Origin, written: str) -> str | None:
        """A regex as the engines read it, None (and a mistake) where it is none."""
        try:
            regex = plain(written, self.pieces)
            if self.compile:
                re.compile(regex)
        except KeyError as e:
            self.wrong(origin, f"no piece {e.args[0]!r}", f"there are: {_listed(self.pieces)}", written, "regex")
        except re.error as e:
            self.wrong(origin, f"not a regular expression: {e}", note=written, key="regex")
        else:
            return regex or None
        return None

    def blocks(self, grammar: Grammar) -> None:
        opened = {p.opens for p in grammar.patterns if p.opens}
        seen: set[str] = set()
        for p in grammar.patterns:
            if p.id in seen:
                self.wrong(p.origin, f"pattern id {p.id!r} is there twice in {grammar.name}", key="id")
            seen.add(p.id)
            for key, block in (("inside", p.inside), ("closes", p.closes)):
                if block and block not in opened:
                    self.wrong(
                        p.origin,
                        f"{key} = {block!r}: no pattern opens that block",
                        f"opened here: {_listed(opened)}",
                        key=key,
                    )
            if (p.append or p.number) and not p.inside:
                self.wrong(p.origin, f"pattern {p.id!r} appends or numbers without a block", "say `inside`")

    # -- relations -----------------------------------------------------------------------------------------------

    def relations_of(self, stem: str, here: Origin, text: str) -> None:
        """The relation that a file holds, named after it, or the macros of a file that creates some."""
        if macros := list(_MACRO.finditer(text)):
            rest = _COMMENT_LINE.sub("", _MACRO.sub("", text)).strip()
            if rest:
                self.wrong(here, "SQL beside macros", "a file holds macros, or the query of one relation", rest)
            for m in macros:
                origin = replace(here, line=text.count("\n", 0, m.start("name")) + 1)
                self.relation(
                    Relation(m["name"], "macro", _said(m["note"]), m["body"].strip(), origin, m["parameters"])
                )
            return
        head = _RELATION.match(text)
        if not head:
            self.wrong(
                here, "the file does not say what it makes",
                "begin with `-- table: what one row is` or `-- view: …`, then one SELECT; macros: `create macro name(x) as`, then `;` on a line of its own",
                text.splitlines()[0] if text.strip() else "",
            )  # fmt: skip
            return
        about = _said(head["about"])
        kind: Kind = "table" if head["kind"] == "table" else "view"
        self.relation(Relation(stem, kind, about, text[head.end() :].strip().rstrip(";"), here))

    def relation(self, made: Relation) -> None:
        if not _NAME.match(made.name):
            self.wrong(made.origin, f"name {made.name!r} is not lower_snake_case")
        if made.name in self.relations:
            self.wrong(made.origin, f"{made.name!r} is made twice", f"first at {self.relations[made.name].origin}")
            return
        self.relations[made.name] = made

    # -- rules ---------------------------------------------------------------------------------------------------

    def rule(self, origin: Origin, text: str) -> None:
        parts = Path(origin.path).with_suffix("").parts[1:]
        if len(parts) != 2 or not all(_NAME.match(p) for p in parts):
            self.wrong(origin, "a rule is at rules/<family>/<name>.sql")
            return
        id = ".".join(parts)
        if not (found := self.header(f"rule {id}", origin, text)):
            return
        raw, sql = found
        where = _Places(origin, text)
        sound = self.keys("the header of a rule", raw, origin)
        raw = well_shaped("the header of a rule", raw)
        said = raw.get("summary", [])
        phrases = [("[[summary]]", n, one) for n, one in enumerate(said if isinstance(said, list) else [])]
        phrases += [("[[step]]", n, one) for n, one in enumerate(raw.get("step", []))]
        for section, n, one in phrases:
            sound = self.keys(section, one, where.header(section.strip("[]"), n)) and sound
        if raw.get("severity") != "info" and not raw.get("step"):
            self.wrong(origin, "the header of a rule lacks step", "what to do next: [[step]], then say = …")
            sound = False
        self.rule_ids.add(id)
        if not sound:
            return
        if id in self.rules:
            self.wrong(origin, f"rule {id} is there twice", f"first at {self.rules[id].origin}")
        self.rules[id] = Rule(
            id, raw["title"], raw["severity"], raw["confidence"], raw["status"], frozenset(raw.get("explains", [])),
            frozenset(raw.get("explains_same_place", [])), frozenset(raw.get("explains_other_ranks", [])), raw["about"].strip(),
            _phrases([{"say": said}] if isinstance(said, str) else said), _phrases(raw.get("step", [])),
            raw["false_positives"].strip(), tuple(raw.get("references", [])), sql, origin,
            raw.get("transient", False), raw.get("lasting", False), frozenset(raw.get("explains_after", ())),
            frozenset(raw.get("gives_way_to", ())), raw.get("otherwise", False),
        )  # fmt: skip

    def commands_of(self, here: Origin, text: str) -> None:
        """The commands of a file that the steps of several rules give."""
        where = _Places(here, text)
        raw = self.section("a file of commands", self.toml(here, text) or {}, here)
        for name, one in raw.get("commands", {}).items():
            origin = where.header(f"commands.{name}")
            if name in self.commands:
                self.wrong(origin, f"command {name!r} is declared twice")
            self.commands[name] = str(self.section("[commands.*]", one, origin).get("run", ""))

    def written_out(self, rule: Rule) -> Rule:
        """The rule with the shared commands that its steps name."""
        return replace(
            rule,
            steps=tuple(replace(s, run=tuple(self.command(c, rule.origin) for c in s.run)) for s in rule.steps),
        )

    def command(self, written: str, origin: Origin) -> str:
        if not (named := _SHARED_COMMAND.fullmatch(written)):
            return written
        if named["name"] not in self.commands:
            help = f"there are: {_listed(self.commands)}"
            self.wrong(origin, f"no command {named['name']!r}", help, written, "run")
        return f"{{% set given = {named['given']} %}}{self.commands.get(named['name'], '')}"

    def header(self, name: str, origin: Origin, text: str) -> tuple[dict[str, Any], str] | None:
        """The TOML in the comment a file begins with, and the query behind it."""
        header = _HEADER.match(text)
        if not header:
            self.wrong(origin, f"{name} has no header", "begin the file with a comment /* … */ that holds TOML")
            return None
        try:
            return tomllib.loads(header[1]), text[header.end() :]
        except tomllib.TOMLDecodeError as e:
            self.wrong(origin, f"the header is not TOML: {e}")
            return None

    def missing_source(self, stem: str, origin: Origin, text: str) -> None:
        if not (found := self.header(f"missing source {stem}", origin, text)):
            return
        raw, sql = found
        if self.keys("the header of a missing source", raw, origin):
            given = (raw["what"], raw["why"], raw.get("how", ""), tuple(raw.get("run", ())), raw["order"])
            self.missing[stem] = Missing(stem, *given, sql, origin)

    # -- everything ----------------------------------------------------------------------------------------------

    def finish(self, digest: str, content: str) -> Catalog:
        for stem, where, raw, trusted in self.files:
            self.compile = not trusted
            self.grammar(stem, where, raw)
        for grammar in self.grammars:
            for pattern in grammar.patterns:
                self.cross_check(pattern, sorts_out=grammar.leftovers)
        families = {id.split(".")[0] for id in self.rule_ids}
        for rule in self.rules.values():
            for other in rule.explains | rule.explains_same_place | rule.explains_other_ranks:
                if other not in self.rule_ids and other not in families:
                    self.wrong(
                        rule.origin, f"explains {other!r}: no such rule or family", f"families: {_listed(families)}",
                        key="explains",
                    )  # fmt: skip
            for other in rule.gives_way_to - self.rule_ids:
                self.wrong(rule.origin, f"gives way to {other!r}: no such rule", key="gives_way_to")
        rules = tuple(self.written_out(self.rules[k]) for k in sorted(self.rules))
        if self.errors:
            raise ContentErrors(self.errors)
        return Catalog(
            MappingProxyType(self.tables), tuple(self.grammars), tuple(self.envelopes), tuple(self.relations.values()),
            tuple(self.seeds), rules,
            tuple(sorted(self.missing.values(), key=lambda m: (m.order, m.id))), digest, content,
        )  # fmt: skip

    def cross_check(self, p: Pattern, *, sorts_out: bool) -> None:
        if not p.table:
            if not (p.append or p.opens or p.closes or sorts_out):
                self.wrong(p.origin, f"pattern {p.id!r} has no table", "name the [tables.*] its rows go to")
            return
        table = self.tables.get(p.table)
        if table is None:
            self.wrong(p.origin, f"table {p.table!r} is not declared", "declare it here or in shared.toml", key="table")
            return
        known = {c.name for c in table.columns} | ENVELOPE_FACTS
        own = _groups(p.regex) | set(p.set) | ({p.number} if p.number else set())
        if lost := sorted(own - known):
            self.wrong(p.origin, f"{p.table} has no column {lost[0]!r}", f"declared: {_listed(known)}")


class _Places:
    """Line numbers of the sections of one TOML text: tomllib keeps none."""

    def __init__(self, here: Origin, text: str) -> None:
        self.here = here
        self.headers: dict[str, list[int]] = {}
        for n, line in enumerate(text.splitlines(), 1):
            if line.startswith("["):
                self.headers.setdefault(line.split("]")[0].lstrip("["), []).append(n)

    def header(self, name: str, nth: int = 0) -> Origin:
        """The nth [name] or [[name]]."""
        hits = self.headers.get(name, [])
        return replace(self.here, line=hits[nth] if nth < len(hits) else 1)

    def table(self, name: str) -> Origin:
        """Where [tables.name], or its columns, begin."""
        return self.header(f"tables.{name}" if f"tables.{name}" in self.headers else f"tables.{name}.columns")


_GROUP = re.compile(r"\(\?P<([A-Za-z_][A-Za-z0-9_]*)>")


def _groups(regex: str) -> frozenset[str]:
    return frozenset(_GROUP.findall(regex))


def _needles(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,) if given else ()
    return tuple(str(g) for g in given) if isinstance(given, list) else ()


def _phrases(given: Sequence[Mapping[str, Any]]) -> tuple[Phrase, ...]:
    return tuple(Phrase(p["say"], p.get("when", ""), tuple(p.get("run", ())), p.get("otherwise", False)) for p in given)


def _said(comment: str) -> str:
    """A comment as one line of text."""
    return " ".join(line.lstrip("-").strip() for line in comment.splitlines()).strip()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
