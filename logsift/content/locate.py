"""Where the content is: beside the engine in a wheel, above it in a checkout, and in folders of the user's own."""

from __future__ import annotations

import hashlib
import os
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from logsift.errors import UserError
from logsift.places import engine_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable

Kind = Literal["parsers", "rules"]
PACKAGES = "logsift.content"
"""The group of entry points by which packages name their content."""
KINDS: tuple[Kind, ...] = ("parsers", "rules")
_TICK_SECONDS = 2.0
"""Some file systems tell times of writing no finer: what was written within it may have been written twice."""


def built_in() -> Traversable:
    """The folder that holds the `parsers` and `rules` that come with logsift.

    The packaged place is asked first: next to an installed package there may be somebody else's `parsers`.

    Raises:
        UserError: neither the wheel's nor the checkout's content is there.
    """
    packaged = files("logsift")
    if packaged.joinpath("parsers").is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "parsers").is_dir():
        return checkout
    raise UserError("logsift's own parsers/ and rules/ are missing: install the package again")


def user_content() -> Path:
    """The user's own content folder (XDG base directories), which need not exist."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "logsift"


def installed() -> tuple[Path, ...]:
    """The content folders of installed packages that name one: `[project.entry-points."logsift.content"] lift = "lift_content"`.

    The folder is the package's own; nothing of the package is run.

    Raises:
        UserError: a package names a module that is not there.
    """
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    out = []
    for point in sorted(entry_points(group=PACKAGES), key=lambda p: p.name):
        spec = None if "." in point.module else find_spec(point.module)  # a parent would be imported
        if spec is None or not spec.submodule_search_locations:
            told = f"the entry point {point.name} = {point.value!r} ({PACKAGES}) names no package"
            raise UserError(f"{told}; one that holds parsers/ or rules/ is meant")
        out.append(Path(next(iter(spec.submodule_search_locations))))
    return tuple(out)


def walk(root: Traversable, kind: Kind) -> Iterator[tuple[str, Traversable]]:
    """Every file below `root/kind` as (path relative to root, file), in sorted order."""

    def below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
        for entry in sorted(folder.iterdir(), key=lambda e: e.name):
            path = f"{prefix}/{entry.name}"
            if entry.is_dir():
                yield from below(entry, path)
            elif not entry.name.startswith("."):
                yield path, entry

    start = root.joinpath(kind)
    if start.is_dir():
        yield from below(start, kind)


def state(roots: Sequence[Traversable]) -> str | None:
    """What changes with every name, size and time of writing below the `parsers` and `rules` of some folders.

    None where that tells nothing: one is no folder of the disk, a file cannot be looked at, or was written just now.
    """
    told, newest = hashlib.sha256(engine_digest().encode()), 0.0
    for root in roots:
        if not isinstance(root, Path):
            return None
        for kind in KINDS:
            for folder, folders, names in os.walk(root / kind):
                folders.sort()
                told.update(os.fsencode(f"\0{folder}\0"))
                for name in sorted(names):
                    try:
                        status = Path(folder, name).stat()
                    except OSError:
                        return None
                    newest = max(newest, status.st_mtime)
                    told.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
    return told.hexdigest()[:24] if newest < time.time() - _TICK_SECONDS else None
