"""Lays out the headers of all rules as `tests/taplo.toml` says: python tests/builders/headers.py [--check].

Taplo formats files of TOML, so it is lent each header as one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
OPEN, CLOSE = "/*\n", "\n*/\n"


def formatted(headers: list[str]) -> list[str]:
    """The headers, laid out. `subprocess.CalledProcessError` where one is no TOML."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{n}.toml" for n in range(len(headers))]
        for file, header in zip(files, headers, strict=True):
            file.write_text(header)
        command = [Path(sys.executable).with_name("taplo"), "fmt", "-c", ROOT / "tests" / "taplo.toml", *files]
        subprocess.run(command, check=True, capture_output=True)
        return [file.read_text().rstrip("\n") for file in files]


def laid_out() -> dict[Path, str]:
    """Rules whose header is not laid out, with the text that they should have."""
    rules = {rule: rule.read_text() for rule in sorted((ROOT / "rules").glob("*/*.sql"))}
    parts = {rule: text.removeprefix(OPEN).partition(CLOSE) for rule, text in rules.items() if text.startswith(OPEN)}
    wanted = {
        rule: OPEN + header + CLOSE + query
        for (rule, (_, _, query)), header in zip(parts.items(), formatted([p[0] for p in parts.values()]), strict=True)
    }
    return {rule: text for rule, text in wanted.items() if text != rules[rule]}


if __name__ == "__main__":
    changes = laid_out()
    for path, text in changes.items():
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.write_text(text)
    sys.exit("--check" in sys.argv and bool(changes))
