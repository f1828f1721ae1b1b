"""Where stores lie: the user's cache, the name of one that is being written, the folder where DuckDB spills."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path


def cache_folder() -> Path:
    """Where logsift keeps what can be made again: the user's cache (XDG), else a folder of their own in /tmp."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "logsift"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"logsift-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def forget_old(kept: Path) -> None:
    """Delete what the cache keeps beside `kept` for other content, where nobody read it for a week."""
    for old in kept.parent.glob(f"{kept.name.split('-')[0]}-*{kept.suffix}"):
        if old != kept and time.time() - old.stat().st_atime > 7 * 86400:
            old.unlink(missing_ok=True)


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
