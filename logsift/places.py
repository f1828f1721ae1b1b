"""Where logsift writes: the user's cache, the name of a file that is being written, the folder where DuckDB spills."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def cache_folder() -> Path:
    """Where logsift keeps what can be made again: the user's cache (XDG), else a folder of their own in /tmp, else one for this process."""
    for folder in _cache_folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        # What lies there is trusted: nobody else may have put it there.
        state = folder.stat(follow_symlinks=False)
        own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & 0o022
        if own and os.access(folder, os.W_OK):
            return folder
    return _of_this_process()


@cache
def _of_this_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="logsift-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cache_folders() -> Iterator[Path]:
    with suppress(RuntimeError):  # no HOME, and no entry in passwd either
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "logsift"
    yield Path(tempfile.gettempdir()) / f"logsift-{os.geteuid()}"


def forget_old(kept: Path) -> None:
    """Delete what the cache keeps beside `kept` for other content, where nobody read it for a week."""
    for old in list(kept.parent.glob(f"{kept.name.split('-')[0]}-*{kept.suffix}")):
        with suppress(FileNotFoundError):  # another process forgets too
            if old != kept and time.time() - old.stat().st_atime > 7 * 86400:
                old.unlink()


def copy_of(path: Path) -> Path:
    """A copy beside a database, to be changed and then renamed over it."""
    beside = beside_of(path)
    shutil.copyfile(path, beside)
    return beside


def beside_of(path: Path) -> Path:
    """The name a file is written under until it is whole."""
    return path.with_name(f"{path.name}.logsift-{os.getpid():x}")


def spilled_of(path: Path) -> Path:
    """The folder where DuckDB keeps what does not fit in memory while it works on a database."""
    return path.with_name(f"{path.name}.tmp")
