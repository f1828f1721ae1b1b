"""Skeletons of content: a grammar from the lines of a log, a rule from its name, and the rows of samples filled in."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import polars as pl

from logsift.authoring.lint_grammars import check_grammar, row_of_sample
from logsift.content.load import load_catalog
from logsift.errors import StorageError, UserError
from logsift.ingest.envelope import Envelopes
from logsift.ingest.readers.lines import frame, line_ends
from logsift.places import cache_folder, workplace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from logsift.content.model import Catalog, Column, Pattern

_SHAPES = 24
_LINES_OF_A_SHAPE = 64
_BYTES = 32 << 20
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_VARIES = re.compile(
    r"(?P<id>\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
    r"|(?P<path>(?<![^\s'\"=(\[])/[^\s'\"]+)"
    r"|(?P<number>(?<![0-9A-Za-z_.])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_]|\.[0-9]))"
)
"""What of a line varies: ids, paths, numbers."""
_GROUPS = {"id": "[0-9a-fx-]+", "path": "/[^ ]+"}
_INT, _FLOAT = "-?[0-9]+", r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NEEDLE_BYTES = 6
_COMMON = 0.02


@dataclass
class _Shape:
    """Lines that differ only in what varies: literal pieces around values of a kind and a name."""

    pieces: list[str]
    kinds: list[str]
    names: list[str]
    lines: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """(whole line, its values)."""
    count: int = 0

    def is_float(self, place: int) -> bool:
        """True where a value of these lines is no whole number."""
        return any(re.search(r"[.eE]", values[place]) for _, values in self.lines)


def parser(name: str, data: bytes, catalog: Catalog) -> str:
    """A grammar (TOML) with a pattern for each distinct shape of line, the line as its sample.

    What it holds passes `logsift check`: shapes without a text that only they have are left out, and named in a comment.

    Args:
        name: of the grammar; its table is NAME_line.
        data: a log, or the beginning of one.
        catalog: the content that it is to stand beside: column names mean there what they mean here.

    Raises:
        UserError: the name is no name, or is taken, or no line says anything.
    """
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} is no name of a grammar: small letters, digits and _, a letter first")
    if any(g.name == name for g in catalog.grammars) or f"{name}_line" in catalog.tables:
        raise UserError(f"there is a grammar or table of that name already: logsift tables {name}_line")
    shapes = _shapes(data[:_BYTES], catalog, name)
    if not shapes:
        raise UserError("no line says anything: give a log on the standard input")
    printed = "\n".join(s.line for g in catalog.grammars for p in g.patterns for s in p.samples)
    kept: list[tuple[_Shape, str]] = []
    left: list[tuple[_Shape, str]] = []
    for shape in shapes:
        needle = _needle(shape, printed)
        (kept if needle and len(kept) < _SHAPES else left).append((shape, needle))
    if not kept:
        raise UserError("no line has a text of its own to be known by")
    while True:
        text = _grammar(name, kept, left, catalog)
        wrong = _wrong(name, text, catalog)
        if not wrong:
            return text
        left += [k for n, k in enumerate(kept) if f"line_{n + 1}" in wrong]
        kept = [k for n, k in enumerate(kept) if f"line_{n + 1}" not in wrong]
        if not kept:
            raise UserError("no pattern could be made of these lines that tells them apart")


def rule(name: str, table: str, catalog: Catalog) -> str:
    """A rule (SQL) over a table: what has to be said is there, the query finds nothing yet.

    Raises:
        UserError: the name is no family.name, or is taken, or there is no such table.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*", name):
        raise UserError(f"{name!r} is no name of a rule: family.name, as in {catalog.rules[0].id if catalog.rules else 'lift.stopped'}")  # fmt: skip
    if any(r.id == name for r in catalog.rules):
        raise UserError(f"there is a rule {name}: logsift rules {name}")
    if table not in catalog.tables and not any(r.name == table for r in catalog.relations):
        raise UserError(f"no such table: {table}; logsift tables lists them")
    words = name.partition(".")[2].replace("_", " ")
    return f'''/*
title = "{words.capitalize()}"
severity = "warning"
confidence = "probable"
status = "experimental"
explains = []
about = """
What happens, and how it is told from what looks alike.
"""
summary = "{words.capitalize()}{{% if hosts %}} on {{{{ hosts | names }}}}{{% endif %}}"
false_positives = "When it fires and is wrong."

[[step]]
say = "See what the proof says."
*/
select [line_at(file_id, line_no)] as evidence, time as at, [host] as hosts, [rank] as ranks
from {table}
where false  -- which of its rows are wrong
'''


def fixtures(name: str) -> dict[str, str]:
    """The files of two fixtures, by path: where a rule fires and where it must not; their logs are to be filled in."""
    family = name.replace(".", "-").replace("_", "-")
    case = 'source = "written after …, version"\nnote = "what happened"\n'
    return {
        f"fixtures/{name}--first/case.toml": f'{case}root = "{name}"\nexpect = ["{name}"]\n',
        f"fixtures/{name}--first/run/node-1.log": "",
        f"fixtures/healthy--{family}/case.toml": f"{case}expect = []\n",
        f"fixtures/healthy--{family}/run/node-1.log": "",
    }


def write(root: Path, files: Mapping[str, str]) -> list[Path]:
    """Write files below a content folder; none is overwritten.

    Raises:
        UserError: one is there already.
        StorageError: it cannot be written.
    """
    paths = [root / name for name in files]
    if there := next((p for p in paths if p.exists()), None):
        raise UserError(f"{there} is there already")
    try:
        for path, text in zip(paths, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise StorageError(f"cannot write into {root}: {e.strerror}") from None
    return paths


_BARE_SAMPLE = re.compile(r"""\{\s*line\s*=\s*(?P<text>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')\s*,?\s*\}""")


def fill_samples(root: Path, catalog: Catalog) -> list[Path]:
    """Fill in the rows of samples in a content folder that state none; gives the files that changed.

    What a pattern makes of its sample today is written down, so that `check` tells when that changes: it has to be read.
    """
    changed = []
    for grammar in catalog.grammars:
        if not grammar.origin.root or Path(grammar.origin.root).resolve() != root.resolve():
            continue
        path = root / grammar.origin.path
        text = path.read_text(encoding="utf-8")
        rows: dict[str, str] = {}
        for pattern in grammar.patterns:
            for sample in pattern.samples:
                if not sample.row and pattern.table:
                    row = row_of_sample(catalog, grammar, pattern, sample)
                    own = _own_columns(pattern)
                    if shown := {k: v for k, v in row.items() if k in own and v is not None}:
                        rows[sample.line] = _inline(shown)

        def with_row(found: re.Match[str], rows: Mapping[str, str] = rows) -> str:
            line = tomllib.loads(f"line = {found['text']}")["line"]
            return f"{{ line = {found['text']}, row = {rows[line]} }}" if line in rows else found[0]

        filled = _BARE_SAMPLE.sub(with_row, text)
        if filled != text:
            path.write_text(filled, encoding="utf-8")
            changed.append(path)
    return changed


def _own_columns(pattern: Pattern) -> set[str]:
    return set(re.compile(pattern.regex).groupindex) | set(pattern.set)


def _inline(row: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in row.items()) + " }"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """A text as a string of TOML: literal where that is possible."""
    plain = "'" not in text and all(c.isprintable() or c == "\t" for c in text)
    return f"'{text}'" if plain else json.dumps(text, ensure_ascii=False)


def _shapes(data: bytes, catalog: Catalog, name: str) -> list[_Shape]:
    ends = line_ends(data)
    lines = frame([(1, np.arange(1, len(ends) + 1), data)])
    plain = lines.with_columns(pl.lit(True).alias("core"), pl.lit(None, pl.Datetime("us")).alias("written"))
    records = Envelopes.of(catalog.envelopes, []).strip(plain)
    known = {c.name: c for t in catalog.tables.values() for c in t.columns}
    found: dict[tuple[str, ...], _Shape] = {}
    for raw, body in records.select("raw", "body").iter_rows():
        if not re.search("[A-Za-z]{3}", body):
            continue
        pieces, kinds, values, at = [], [], [], 0
        for m in _VARIES.finditer(body):
            pieces.append(body[at : m.start()])
            kinds.append(m.lastgroup or "number")
            values.append(m[0])
            at = m.end()
        pieces.append(body[at:])
        key = (*pieces, "|", *kinds)
        shape = found.get(key)
        if shape is None:
            shape = found[key] = _Shape(pieces, kinds, _named(pieces, kinds, known, name))
        shape.count += 1
        if len(shape.lines) < _LINES_OF_A_SHAPE:
            shape.lines.append((raw, tuple(values)))
    return sorted(found.values(), key=lambda s: -s.count)


def _named(pieces: Sequence[str], kinds: Sequence[str], known: Mapping[str, Column], name: str) -> list[str]:
    """Names for the values, from the words before them, each once."""
    out: list[str] = []
    with duckdb.connect() as con:
        reserved = {r[0] for r in con.execute("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'").fetchall()}  # fmt: skip
    for piece, kind in zip(pieces, kinds, strict=False):
        words = re.findall(r"[A-Za-z][A-Za-z0-9_]*", piece)
        word = words[-1].lower() if words and kind == "number" else kind
        fits = kind == "number" and word in known and known[word].type in ("int", "float")
        if not fits and (word in known or word in reserved or len(word) < 2):
            word = f"{name}_{word}"
        number = 2
        base = word
        while word in out:
            word, number = f"{name}_{base.removeprefix(f'{name}_')}_{number}", number + 1
        out.append(word)
    return out


def _needle(shape: _Shape, printed: str) -> str:
    """A literal text that its lines have and those of other formats lack; "" where there is none."""
    whole = printed.count("\n") + 1
    for piece in sorted((p.strip() for p in shape.pieces), key=len, reverse=True):
        long_enough = len(piece.encode()) >= _NEEDLE_BYTES and re.search("[A-Za-z]{3}", piece)
        if long_enough and printed.count(piece) <= _COMMON * whole:
            return piece
    return ""


def _grammar(
    name: str, kept: Sequence[tuple[_Shape, str]], left: Sequence[tuple[_Shape, str]], catalog: Catalog
) -> str:
    known = {c.name: c for t in catalog.tables.values() for c in t.columns}
    types: dict[str, str] = {}
    for shape, _ in kept:
        for place, (column, kind) in enumerate(zip(shape.names, shape.kinds, strict=True)):
            if column in known:
                types[column] = known[column].type
            elif kind != "number":
                types[column] = "text"
            elif types.get(column) != "float":
                types[column] = "float" if shape.is_float(place) else "int"
    out = [
        "schema = 1",
        f'title = "{name.replace("_", " ").capitalize()}"',
        f'about = "What {name.replace("_", " ")} prints."',
        "",
        f"[tables.{name}_line]",
        f'about = "A line of {name.replace("_", " ")}; kind tells which."',
        f'example = "SELECT kind, count(*) FROM {name}_line GROUP BY ALL"',
        f"[tables.{name}_line.columns]",
        'kind = { type = "text", about = "which of its lines it is" }',
    ]
    for column, kind in types.items():
        if column == "kind":
            continue
        unit = f', unit = "{known[column].unit}"' if column in known and known[column].unit else ""
        about = known[column].about if column in known else f"what is printed behind {column.removeprefix(name + '_')}"
        out.append(f'{column} = {{ type = "{kind}"{unit}, about = {_quoted(about)} }}')
    for n, (shape, needle) in enumerate(kept, 1):
        out += ["", "[[pattern]]", f'id = "line_{n}"', f'table = "{name}_line"', f'src = "seen {_times(shape.count)}"']
        out += [
            f"needle = {_quoted(needle)}",
            f"regex = {_quoted(_regex(shape, types))}",
            f'set = {{ kind = "line_{n}" }}',
        ]
        line, values = shape.lines[0]
        row: dict[str, object] = {"kind": f"line_{n}"}
        for column, value in zip(shape.names, values, strict=True):
            row[column] = {"int": int, "float": float}.get(types[column], str)(value)
        out += [
            f"sample = [{{ line = {_quoted(line)}, row = {_inline(row)} }}]",
            f"reject = [{_quoted(_near_miss(shape, line))}]",
        ]
    if left:
        out += ["", f"# {len(left)} more kinds of lines have no pattern, the most frequent first:"]
        out += [f"#   {s.lines[0][0][:160]}" for s, _ in left[:20]]
    return "\n".join(out) + "\n"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _regex(shape: _Shape, types: Mapping[str, str]) -> str:
    parts = ["^"]
    for place, piece in enumerate(shape.pieces):
        parts.append(re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", piece))
        if place < len(shape.names):
            kind, column = shape.kinds[place], shape.names[place]
            pattern = _GROUPS.get(kind) or (_INT if types[column] == "int" else _FLOAT)
            parts.append(f"(?P<{column}>{pattern})")
    return "".join(parts) + "$"


def _near_miss(shape: _Shape, line: str) -> str:
    """A line that looks alike and is another: its first value is a word, or something follows."""
    _, values = shape.lines[0]
    if values and (at := line.rfind(shape.pieces[0] + values[0])) >= 0:
        start = at + len(shape.pieces[0])
        return f"{line[:start]}of it{line[start + len(values[0]) :]}"
    return f"{line} is what it said"


def _wrong(name: str, text: str, beside: Catalog) -> Counter[str]:
    """Ids of the patterns of a grammar that `check` would not let pass, read as lines are among this content."""
    with workplace(cache_folder() / "new") as work:
        (work / "content" / "parsers").mkdir(parents=True)
        (work / "content" / "parsers" / f"{name}.toml").write_text(text, encoding="utf-8")
        alone = load_catalog(work / "content")
        (grammar,) = alone.grammars
        errors = check_grammar(replace(alone, envelopes=beside.envelopes), grammar)
        return Counter(found for e in errors for found in re.findall(r"'(line_[0-9]+)'", e.text))


def lines_given(chunks: Iterable[bytes]) -> bytes:
    """The beginning of a stream, as much as is looked at."""
    out = bytearray()
    for chunk in chunks:
        out += chunk
        if len(out) >= _BYTES:
            break
    return bytes(out)
