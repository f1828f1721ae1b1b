"""A run directory becomes a list of source files: who reads each, and what its path says of host and rank."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logsift.errors import UserError
from logsift.ingest import budget
from logsift.ingest.archives import BUNDLE, is_named_so, printable, unpacked
from logsift.ingest.heads import head_of, in_utf8, is_binary, is_binary_behind, tail_of, with_plain_ends
from logsift.ingest.output import is_output
from logsift.ingest.readers.opening import compression_of
from logsift.remote import RemotePath, scan, upcoming

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import polars as pl

    from logsift.content.model import Catalog, Grammar

_COMPARED_BYTES = 64 << 10
"""How much is compared at three places of two files."""
_END_BYTES = 256
"""A shorter end of a log may be the end of another as well."""
_OWN_TEXT = re.compile(rb'<!-- logsift report -->|\{\s*"schema": [0-9]+,\s*"run":')
"""How the reports begin that logsift itself writes."""

# Editors' and version control's leavings, and what never is a log.
_SKIPPED_FOLDERS = frozenset({".git", ".svn", "__pycache__", "node_modules", ".ipynb_checkpoints"})
# Notes and source code quote errors that never happened; a single file that somebody points at is read whatever it is.
_NOT_LOGS = re.compile(
    r"\.(?:c|cc|cfg|cmake|cpp|css|cuh?|diff|go|h|hpp|html|ini|ipynb|j2|java|jinja2?|js|lock|md|patch|proto|pyc?|rs|rst|sw[op]|tex|tmpl|toml|tpl|ts)"
)
_NO_LOG = "source code, settings or notes, no log"
_PROSE = re.compile(r"\.(?:ipynb|md|rst)")
"""Of these, what notes are kept in: jobs write their output there as well, and people paste it."""
_SPARE = re.compile(r"(?:~|\.(?:bak|orig|rej|save))\Z")
"""How editors and version control name the copy of a file that they keep."""
_COPIED = re.compile(
    r"(?:Copy of )?(?P<stem>.+?)(?: ?\((?:[0-9]+|copy|another copy|[0-9]+[a-z]{2} copy)\)|(?: - |[ _-])copy(?: ?\(?[0-9]+\)?)?)?(?P<rest>\.[^/ ]*)?",
    re.IGNORECASE,
)
"""How browsers and file managers name a copy of a file beside it."""
_SETTINGS = re.compile(r"\.(?:bash|conf|csh|csv|env|json|properties|sbatch|service|sh|tsv|yaml|yml|zsh)")
_SCRIPTS = re.compile(r"\.(?:bash|csh|sbatch|sh|zsh)")
_OUTPUT = re.compile(r"(?:\.(?:log|out|err|txt|[oe]?[0-9]+))?")
"""What ends the name of what a job printed, be it its own script."""
_NOTES = re.compile(
    r"(?:change-?logs?|changes|news|readme|copyright|copying|licen[cs]es?|authors|contributors|release[-_]?notes|todo|faq)"
    r"(?:\.(?:debian|dch|upstream|old|txt|adoc|[0-9.]+))*(?:\.(?:gz|bz2|xz|zst))?"
    r"|(?:make|docker|container|jenkins)file(?:\..*)?|cmakelists\.txt",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(r".*\.logsift-[0-9a-f]{8}-[0-9a-f]+-[0-9a-f]{16}|(?:.*\.)?logsift\.duckdb")
"""Databases, and the folders they are made in."""
_SHUT, _COPY, _END, _LINK = "cannot be opened", "a copy of", "the end of", "a link to"
_TOLD_ANEW = (_SHUT, _COPY, _END, _LINK)
"""What may be otherwise at another time though the file did not change."""
_AT_ONCE = 256
"""Files whose heads are matched together, of at most 64 kB each."""
_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")
_RANK = re.compile(r"(?:^|[^a-z])(?:global)?_?rank[-_.=]?([0-9]{1,6})(?![0-9])", re.IGNORECASE)
# No host is what a temporary folder got at random: eight letters and digits, mixed, after a name and _. Nor is a name
# that holds an identifier, of more hexadecimal digits than an address of any kind has.
_HOST_IN_NAME = re.compile(
    r"(?:^|[-./]|_(?!(?=[a-z_]+[0-9]+[a-z_])[a-z0-9_]{8}/))"
    r"((?:(?:node|host)[-_]?|(?:worker|gpu|ip|n|dgx|h100|a100|cn|nid|x[0-9]+c[0-9]+s)-?)"
    r"(?=[0-9])(?!(?:[0-9A-Za-z]*-)*[0-9a-f]{33})[0-9A-Za-z-]*)"
    r"(?=[._/]|\Z)",
    re.IGNORECASE,
)
_TASK_BEHIND = re.compile(r"[-_](?:(?:local|global)?[-_]?rank|task|proc)[-_]?[0-9]+$", re.IGNORECASE)
"""What is no part of a host's name."""
# As captures name their folders: nobody needs to guess.
_HOST_FOLDER = re.compile(r"(?:^|/)host=([^/]+)/")
# KIND.HOST.txt or KIND.HOST.DATE.txt, as the report's own advice names what it asks for. A host's name holds a letter
# and a digit.
_HOST_AFTER_KIND = re.compile(
    r"(?:^|/)[a-z-]+\.((?=[a-z0-9-]*[0-9])(?!rank|pid|step|run|v[0-9])[a-z][a-z0-9-]*)"
    r"(?:\.20[0-9]{2}-[0-9]{2}-[0-9]{2}[0-9T:_-]*)?\.txt(?:\.[a-z0-9]+)?$",
    re.IGNORECASE,
)
Told = tuple[str, str | None, str]
"""Of a file: reader, grammar that owns it, why nobody reads it."""
LookedAt = tuple["Mapping[str, tuple[int, int]]", "Mapping[str, Told]"]
"""By name: size and time of change, and what was told of the file."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the run directory.

    `grammar` names the grammar that owns the file, None where every ordinary grammar looks into it; `reader` is ""
    where nobody can read it, `why` then says so. Sizes in bytes, times in nanoseconds since the epoch. What is before
    `start` (byte offset of a line, its number) has been read; lines that begin at `stop` or behind it others read.
    """

    file_id: int
    path: Path
    name: str
    reader: str
    grammar: str | None
    host: str | None
    rank: int | None
    size: int
    mtime_ns: int
    why: str = ""
    start: tuple[int, int] = (0, 1)
    stop: int | None = None
    is_script: bool = False
    """It is a script for a shell."""

    @property
    def is_settings(self) -> bool:
        """True of a script, of settings and of tables, whose words of trouble tell of what may happen, or are data."""
        return _SETTINGS.fullmatch(self.path.suffix) is not None or self.is_script


@dataclass(frozen=True, slots=True)
class Found:
    """One file of the run directory that nobody looked into: its number among all that were found, from 1."""

    file_id: int
    path: Path
    name: str
    size: int
    mtime_ns: int
    why: str = ""
    """Why it cannot be read."""


def discover(
    run: Path,
    catalog: Catalog,
    *,
    follow: bool = False,
    roots: Collection[Path] = (),
    refused: Iterable[tuple[str, str]] = (),
    seen: LookedAt | None = None,
) -> list[SourceFile]:
    """Every file below `run` (or `run` itself), in sorted order; what cannot be read is among them, with the reason.

    Args:
        run: a directory or a file.
        catalog: says who reads what.
        follow: read files that links lead to outside of `run` as well.
        roots: places that links in `run` may lead to, resolved.
        refused: names of files that could not be had, and why.
        seen: of files that were looked at before with this catalog.

    Raises:
        FileNotFoundError: `run` does not exist.
    """
    found = find(run, follow=follow, roots=roots, refused=refused)
    return look(found, catalog, alone=is_alone(run, found), seen=seen)


def is_alone(run: Path, found: Sequence[Found]) -> bool:
    """Whether there is one file only that can be meant: it is the run, or nothing but notes of a name of their own are in it."""
    if not run.is_dir():
        return True
    return len(found) == 1 and _is_prose(found[0])


def _is_prose(file: Found) -> bool:
    return _PROSE.fullmatch(file.path.suffix) is not None and not _NOTES.match(file.path.name)


def find(
    run: Path, *, follow: bool = False, roots: Collection[Path] = (), refused: Iterable[tuple[str, str]] = ()
) -> list[Found]:
    """What `discover` looks into, and what it cannot: the same list wherever the same files are.

    Raises:
        FileNotFoundError: `run` does not exist.
    """
    if not run.exists():
        raise FileNotFoundError(f"no such file or directory: {printable(run)}")
    base = run if run.is_dir() else run.parent
    missing = dict(refused)
    each = (
        sorted(_files(run, follow, frozenset(roots), missing), key=lambda f: f[1].parts)
        if run.is_dir()
        else [(run, run.relative_to(base), "")]
    )
    out = list[Found]()
    for path, relative, why in each:
        if not _OWN_NAME.fullmatch(path.name):
            size, mtime_ns, why = _status(path, why)
            out.append(Found(len(out) + 1, path, printable(relative), size, mtime_ns, why))
    out = _once(out)
    there = {f.name for f in out}
    for name, why in sorted(missing.items()):
        if name not in there:
            out.append(Found(len(out) + 1, base / "nowhere", name, 0, 0, why))
    return out


def _status(path: Path, why: str) -> tuple[int, int, str]:
    """Size and time of change of a file, and why it cannot be read."""
    if why:
        return 0, 0, why
    try:
        status = path.stat()
    except OSError as e:
        return 0, 0, f"{_SHUT}: {e.strerror or e}"
    return status.st_size, status.st_mtime_ns, ""


def _once(found: Sequence[Found]) -> list[Found]:
    """Each text once: of what is a link to another of these files, or a copy of one, or of its end, below a further folder, it is told.

    So it is of a copy beside its original whose name says that it is one (`dump (1).txt`). Two stacks of one moment would else look like two moments, and one witness like two. Such copies are what backups and
    trackers of experiments make (`train.log`, `wandb/latest-run/files/train.log`); logs of ranks that look alike lie side by side.
    """
    readable = {f.name: f for f in found if not f.why}
    told = dict[str, str]()
    if links := [f for f in readable.values() if f.path.is_symlink()]:
        linked = {f.name for f in links}
        at = {i: f for f in readable.values() if f.name not in linked and (i := _identity(f))}
        told = {f.name: f"{_LINK} {at[i].name}" for f in links if (i := _identity(f)) in at and i}
    for f in readable.values():
        above = (readable.get(f.name[n + 1 :]) for n, letter in enumerate(f.name) if letter == "/")
        same = next((g for g in above if g and g.name not in told and f.name not in told and _same(f, g)), None)
        if same:
            copy, kept = sorted(
                (f, same), key=lambda x: (x.size, len([h for h in hints(x.name) if h is not None]), -len(x.name))
            )
            told[copy.name] = f"{_COPY if copy.size == kept.size else _END} {kept.name}"
    for f in readable.values():
        beside = readable.get(_original(f.name))
        if not beside or beside is f or {f.name, beside.name} & told.keys():
            continue
        if f.size == beside.size and _same(f, beside):
            told[f.name] = f"{_COPY} {beside.name}"
    return [replace(f, why=told[f.name]) if f.name in told else f for f in found]


def _original(name: str) -> str:
    """What the file would be a copy of, by its name."""
    folder, _, last = name.rpartition("/")
    parts = _COPIED.fullmatch(last) if "(" in last or "copy" in last.lower() else None
    original = f"{parts['stem']}{parts['rest'] or ''}" if parts else last
    return f"{folder}/{original}" if folder else original


def _identity(file: Found) -> tuple[int, int] | None:
    """The same for every name of a file; None where it has gone since."""
    with suppress(OSError):
        status = file.path.stat()
        return status.st_dev, status.st_ino
    return None


def _same(a: Found, b: Found) -> bool:
    """Whether two files hold the same, or one the last lines of the other, as far as size, beginning, middle and end tell.

    Their names must tell nothing else.
    """
    short, long = sorted((a, b), key=lambda f: f.size)
    before = long.size - short.size
    if not short.size or (before and short.size < _END_BYTES) or isinstance(a.path, RemotePath):
        return False
    if any(x != y and (before or None not in (x, y)) for x, y in zip(hints(a.name), hints(b.name), strict=True)):
        return False
    with suppress(OSError), short.path.open("rb") as one, long.path.open("rb") as other:
        other.seek(max(0, before - 1))
        if before and other.read(1) != b"\n":
            return False
        for at in (0, short.size // 2, max(0, short.size - _COMPARED_BYTES)):
            one.seek(at)
            other.seek(before + at)
            if one.read(_COMPARED_BYTES) != other.read(_COMPARED_BYTES):
                return False
        return True
    return False


def look(
    found: Sequence[Found], catalog: Catalog, *, alone: bool = False, seen: LookedAt | None = None
) -> list[SourceFile]:
    """Who reads each of these files; what logsift wrote itself is left out, and its number with it.

    Args:
        found: as `find` gives them, or some of these.
        catalog: says who reads what.
        alone: it is the one file that is meant.
        seen: of files that were looked at before with this catalog.
    """
    owners = sorted((g for g in catalog.grammars if g.head), key=lambda g: g.name)
    is_any = _any_named(catalog)
    out: list[SourceFile] = []
    for some in range(0, len(found), _AT_ONCE):
        looked = [_look(f, catalog, is_any, seen) for f in upcoming(found[some : some + _AT_ONCE])]
        _match_heads([one for one in looked if one.told is None], owners)
        for one in looked:
            reader, grammar, why = one.told or ("lines", None, "")
            if why == "own":
                continue
            f = one.file
            if not alone and _is_no_log(_SPARE.sub("", f.path.name)) and not _is_output(one):
                reader, grammar, why = "", None, _NO_LOG
            host, rank = hints(f.name)
            out.append(
                SourceFile(
                    f.file_id, f.path, f.name, reader, grammar, host, rank, f.size, f.mtime_ns, why,
                    is_script=_is_script(f.path, one.head),
                )
            )  # fmt: skip
    return out


def _is_script(path: Path, head: bytes) -> bool:
    """Whether a file is a script for a shell: by its name, or by its first line where it is not named like what a job printed."""
    return _SCRIPTS.fullmatch(path.suffix) is not None or (
        head.startswith(b"#!") and _OUTPUT.fullmatch(path.suffix) is None
    )


def _is_no_log(name: str) -> bool:
    return _NOT_LOGS.fullmatch(Path(name).suffix) is not None or _NOTES.fullmatch(name) is not None


def _is_output(one: _Look) -> bool:
    """Whether a file named like notes holds what a program wrote."""
    if not _is_prose(one.file):
        return False
    if not one.head:  # as it was told before
        return one.told is not None and not one.told[2]
    return is_output(one.head)


def _path_of(base: Path, name: str) -> Path:
    """The path below a folder that `printable` wrote."""
    path = base / name
    if "\\x" in name and not path.exists():
        return base / os.fsdecode(_ESCAPED.sub(lambda m: bytes.fromhex(m[1].decode()), os.fsencode(name)))
    return path


def hints(name: str) -> tuple[str | None, int | None]:
    """What a path relative to the run directory says of host and global rank."""
    rank = None
    for part in reversed(name.split("/")):
        if found := _RANK.search(part):
            rank = int(found[1])
            break
    hosts = _HOST_FOLDER.findall(name) or _HOST_IN_NAME.findall(name) or _HOST_AFTER_KIND.findall(name)
    return (_TASK_BEHIND.sub("", hosts[-1]) if hosts else None), rank


def known_files(run: Path | None, rows: Iterable[Mapping[str, Any]]) -> dict[int, SourceFile]:
    """The source files a store was made of, by number, from the rows of its table `file`.

    Where the run is not there (None), or a name leads out of it, nobody can read them.
    """
    base = None if run is None else run if run.is_dir() else run.parent
    out = {}
    for r in rows:
        name = str(r["path"])
        inside = base is not None and not name.startswith("/") and ".." not in Path(name).parts
        out[r["file_id"]] = SourceFile(
            r["file_id"], _found_again(base, name) if inside and base else Path(name), name, r["reader"] if inside else "", r["grammar"], r["host"], r["rank"], r["bytes"],
            r["mtime_ns"], r["why"],
        )  # fmt: skip
    return out


def _found_again(base: Path, name: str) -> Path:
    """Where a file is that `discover` named, also one in an archive."""
    path = _path_of(base, name)
    for parent in path.relative_to(base).parents:
        if is_named_so(parent.name) and (base / parent).is_file():
            with suppress(OSError, UserError):
                if made := unpacked(base / parent, within=True):
                    return _path_of(made[0], printable(path.relative_to(base / parent)))
    return path


def _files(
    run: Path, follow: bool, roots: frozenset[Path], missing: dict[str, str]
) -> Iterator[tuple[Path, Path, str]]:
    """(where it is, where below the run, why it cannot be read) of files; archives are the folders they hold.

    Members that are not there are added to `missing`.
    """
    for path, why in _walk(run, follow, roots):
        relative = path.relative_to(run)
        made = None
        if not why and is_named_so(path.name):
            try:
                made = unpacked(path, within=True)
            except (OSError, UserError) as e:
                why = f"cannot be unpacked: {e}"
        if made is None:
            yield path, relative, why
            continue
        folder, refused = made
        if (folder / BUNDLE).is_dir():
            continue
        missing |= {f"{printable(relative)}/{name}": told for name, told in refused}
        for inner, told in _walk(folder, False, frozenset()):
            yield inner, relative / inner.relative_to(folder), told


def _walk(run: Path, follow: bool, roots: frozenset[Path]) -> Iterator[tuple[Path, str]]:
    """Files below a folder, and why what is there cannot be read."""
    whole, folders = run.resolve(), [(run, 1)]
    count, seen = 0, set[Path]()
    while folders:
        folder, level = folders.pop()
        try:
            entries = scan(folder)
        except OSError as e:
            yield folder, f"a folder that cannot be read: {e.strerror or e}"
            continue
        for entry in entries:
            path = folder / entry.name
            try:
                kind = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(kind):
                    if entry.name in _SKIPPED_FOLDERS or _OWN_NAME.fullmatch(entry.name):
                        continue
                    if level < budget.FOLDER_LEVELS:
                        folders.append((path, level + 1))
                    else:
                        yield path, f"folders deeper than {budget.FOLDER_LEVELS} levels are not looked into"
                    continue
                why = ""
                if stat.S_ISLNK(kind):
                    target = path.resolve()
                    outside = not any(target.is_relative_to(place) for place in (whole, *roots))
                    if target.is_dir() and ((outside and follow) or target in roots) and target not in seen:
                        seen.add(target)
                        folders.append((path, level + 1))
                        continue
                    if not target.exists() or (target.is_dir() and (follow or not outside)):
                        continue
                    if outside and not follow:
                        why = "a link that leads out of the run: --follow reads it"
                elif not stat.S_ISREG(kind):
                    continue
            except (OSError, RuntimeError) as e:  # a link into a forbidden folder, or a loop of links
                why = f"{_SHUT}: {e}"
            count += 1
            if count > budget.FILES:
                yield run, f"more than {budget.FILES} files: the others are not read"
                return
            yield path, why


@dataclass(slots=True)
class _Look:
    """A file that was looked at; `told` is None while only its head can tell."""

    file: Found
    told: Told | None = None
    head: bytes = b""


def _look(file: Found, catalog: Catalog, is_any: Callable[[str], re.Match[str] | None], seen: LookedAt | None) -> _Look:
    """What is known of a file by its size and its name."""
    if file.why:
        return _Look(file, ("", None, file.why))
    one = _Look(file)
    if (
        seen
        and seen[0].get(file.name) == (file.size, file.mtime_ns)
        and not seen[1][file.name][2].startswith(_TOLD_ANEW)
        and not (seen[1][file.name][2] == _NO_LOG and _PROSE.fullmatch(file.path.suffix))
    ):
        one.told = seen[1][file.name]
        return one
    try:
        one.head = head_of(file.path)
    except ConnectionError as e:  # at another time it may be read: it counts as changed
        one.file, one.told = replace(file, mtime_ns=0), ("", None, f"{_SHUT}: {e}")
        return one
    except Exception as e:  # also a packer that is missing
        one.told = "", None, f"{_SHUT}: {e}"
        return one
    if not one.head:
        one.told = "lines", None, ""
    elif _OWN_TEXT.match(one.head):
        one.told = "", None, "own"
    else:
        one.told = _named(file.path, file.name, catalog, is_any)
    return one


def _named(
    path: Path, name: str, catalog: Catalog, is_any: Callable[[str], re.Match[str] | None]
) -> tuple[str, str | None, str] | None:
    """Who reads a file of this name; a packed one goes by its name without the suffix."""
    plain = name.rpartition("/")[2]
    stem = plain.rpartition(".")[0] or plain
    if not (is_any(name) or is_any(plain) or is_any(stem)):
        return None
    if compression_of(path):
        plain = stem
    for grammar in catalog.grammars:
        if any(fnmatch.fnmatch(plain, g) or fnmatch.fnmatch(name, g) for g in grammar.names):
            return _told(grammar)
    return None


def _told(owner: Grammar) -> Told:
    """Who reads a file of that owner: nobody where the owner has no patterns, for it only says what the file is."""
    if owner.reader == "lines" and not owner.patterns:
        return "", owner.name, f"{owner.title[0].lower()}{owner.title[1:]}: no log"
    return owner.reader, owner.name, ""


def _any_named(catalog: Catalog) -> Callable[[str], re.Match[str] | None]:
    """Whether a name fits one that a grammar knows, in one search: most fit none."""
    globs = (glob for grammar in catalog.grammars for glob in grammar.names)
    return re.compile("|".join(map(fnmatch.translate, globs)) or r"(?!)").match


def _match_heads(looked: Sequence[_Look], owners: Sequence[Grammar]) -> None:
    """Tell of each file by its head who reads it: the first of its owners, nobody, or every ordinary grammar."""
    if not looked:
        return
    # where no file changed, none is looked at
    from logsift.ingest.readers.lines import undressed
    from logsift.ingest.readers.numbered import unnumbered

    _find_owners([(one, one.head) for one in looked], owners)
    free = [one for one in looked if one.told is None]
    # What was copied out of a page or a viewer is known by what it was there.
    written = ((one, unnumbered(undressed(with_plain_ends(one.head)))) for one in free)
    copied = [(one, head) for one, head in written if head != one.head]
    _find_owners(copied, [owner for owner in owners if owner.reader == "lines"])
    for one in free:
        if one.told is None:
            binary = is_binary(one.head) or is_binary_behind(one.file.path, one.file.size)
            one.told = ("", None, "binary, and no reader knows it") if binary else ("lines", None, "")


def _find_owners(heads: Sequence[tuple[_Look, bytes]], owners: Sequence[Grammar]) -> None:
    """Tell of each file that has an owner by its head who reads it."""
    if not heads:
        return
    import polars as pl

    texts = pl.Series([in_utf8(head) for _, head in heads], dtype=pl.Binary).cast(pl.String)
    free = pl.int_range(len(heads), eager=True)
    for owner in owners:
        fits = free
        if owner.only_named and len(free):
            plain = (heads[n][0].file.name.rpartition("/")[2].lower() for n in free)
            fits = free.filter(pl.Series([any(fnmatch.fnmatch(p, g) for g in owner.only_named) for p in plain]))
        for pattern in owner.head:
            if len(fits):  # a regex takes longer to compile than to be looked for in a few heads
                fits = fits.filter(_matches(texts.gather(fits), pattern))
        if owner.unless and len(fits):
            fits = fits.filter(~_matches(texts.gather(fits), owner.unless))
            files = [heads[n][0].file for n in fits]
            ends = pl.Series([in_utf8(tail_of(f.path, f.size)) for f in files], dtype=pl.Binary).cast(pl.String)
            fits = fits.filter(~_matches(ends, owner.unless))
        for n in fits:
            heads[n][0].told = _told(owner)
        if len(fits):
            free = free.filter(~free.is_in(fits.implode()))


def _matches(texts: pl.Series, pattern: str) -> pl.Series:
    """Whether a regex matches somewhere in each text, by an engine whose time is linear in it; ^ and $ are those of a line."""
    return texts.str.contains(f"(?m){pattern}")
