"""A bucket and what is in it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from logsift.remote.clients import client, obstore, told
from logsift.remote.objects import FOLDER, Folder, Object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_OBJECTS = 1_100_000
"""Names of one listing: somewhat more than a run may have files."""


@cache
def store_of(url: str, login: str | None = None) -> Store:
    """The store of a URL without a path; `login` is user:password.

    Raises:
        UserError: obstore is not installed, or does not understand what the environment says of the store.
    """
    return Store(url, client(url, login))


@dataclass(slots=True, eq=False)
class Store:
    """A bucket, or a web server: its client, and what was listed of it."""

    url: str
    client: Any
    objects: dict[str, Object] = field(default_factory=dict)
    folders: dict[str, dict[str, Object | Folder]] = field(default_factory=dict)
    """What is in each folder below a place that was listed as a whole."""
    roots: set[str] = field(default_factory=set)
    lost: OSError | None = None
    """Why nothing more of it is read, until it is listed again."""

    @contextmanager
    def asked(self, key: str) -> Iterator[None]:
        """A request within; its errors become those of files."""
        try:
            yield
        except Exception as e:
            if not isinstance(e, OSError) and type(e).__module__.partition(".")[0] != "obstore":
                raise
            why = told(self.url, key, e)
            if isinstance(why, ConnectionError):
                self.lost = why
            raise why from None

    def object(self, key: str) -> Object | None:
        """The object of that name."""
        return found if isinstance(found := self.kind(key), Object) else None

    def kind(self, key: str) -> Object | Folder | None:
        """The object of that name, or that there is a folder; asked once of what was not listed."""
        if (found := self.objects.get(key)) or key in self.folders:
            return found or FOLDER
        if any(key.startswith(f"{root}/" if root else "") for root in self.roots):
            return None
        if key:
            with suppress(FileNotFoundError), self.asked(key):
                return self._met(obstore().head(self.client, key))
        return FOLDER if self.entries(key) or not key else None

    def _met(self, meta: Any, known: Mapping[str, Object] = MappingProxyType({})) -> Object:  # noqa: ANN401 - obstore's ObjectMeta
        mtime_ns = round(meta["last_modified"].timestamp() * 1e6) * 1000
        made = Object(self, meta["path"], meta["size"], mtime_ns, meta["e_tag"])
        before = known.get(made.key)
        if before and (before.size, before.mtime_ns, before.tag) == (made.size, made.mtime_ns, made.tag):
            made = before  # with what is in memory of it
        self.objects[made.key] = made
        return made

    def entries(self, key: str) -> dict[str, Object | Folder]:
        """What is in a folder: as it was listed with one around it, else as it is now."""
        if key in self.folders and key not in self.roots:
            return self.folders[key]
        before = self._forget(key)
        tree: dict[str, dict[str, Object | Folder]] = {}
        count, prefix = 0, f"{key}/" if key else ""
        with self.asked(key):
            for some in obstore().list(self.client, prefix=key or None, chunk_size=1000):
                for meta in some:
                    made = self._met(meta, before)
                    folder, _, name = made.key.removeprefix(prefix).rpartition("/")
                    tree.setdefault(folder, {})[name] = made
                count += len(some)
                if count > _OBJECTS:
                    break
        for folder in list(tree):
            while folder:
                folder, _, name = folder.rpartition("/")
                tree.setdefault(folder, {})[name] = FOLDER
        if tree:
            self.folders |= {f"{prefix}{folder}".rstrip("/"): each for folder, each in tree.items()}
            self.roots.add(key)
        return tree.get("", {})

    def _forget(self, key: str) -> dict[str, Object]:
        """What was listed before, which is listed anew; the store gets another chance."""
        self.lost = None
        within = f"{key}/" if key else ""
        self.roots = {r for r in self.roots if r != key and not r.startswith(within)}
        self.folders = {f: each for f, each in self.folders.items() if f != key and not f.startswith(within)}
        before = {k: o for k, o in self.objects.items() if k.startswith(within)}
        self.objects = {k: o for k, o in self.objects.items() if k not in before}
        return before

    def below(self, key: str) -> Sequence[tuple[str, Object]]:
        """The objects of a folder as it is now, by their names within it."""
        if key not in self.folders:
            self.entries(key)
        prefix = f"{key}/" if key else ""
        return [(k.removeprefix(prefix), o) for k, o in sorted(self.objects.items()) if k.startswith(prefix)]

    def prefetch(self, key: str) -> None:
        """Ask for the beginning of an object, which will be needed."""
        if (found := self.objects.get(key)) and found.size and not self.lost:
            found.block(0)

    def put(self, key: str, made: Path) -> None:
        """Write a file: whole or not at all."""
        self.objects.pop(key, None)
        with self.asked(key):
            obstore().put(self.client, key, made)

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects."""
        for key in keys:
            self.objects.pop(key, None)
        with self.asked(""):
            obstore().delete(self.client, keys)
