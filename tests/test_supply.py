"""What development runs with is locked: every version with its hashes, from no registry by name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^([a-z0-9.-]+)==([^ ;]+)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE)


def test_the_lock_file_holds_every_dependency_with_its_hashes_and_nothing_else() -> None:
    text = (ROOT / "tests/requirements.lock").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked: dict[str, list[str]] = {}
    for name, version, _ in ENTRY.findall(text):
        locked.setdefault(name, []).append(version)
    asked = [Requirement(r) for r in (*project["dependencies"], *project["optional-dependencies"]["dev"])]
    assert [
        str(r) for r in asked if not any(r.specifier.contains(v) for v in locked.get(canonicalize_name(r.name), ()))
    ] == []
    assert ENTRY.sub("", text) == ""
