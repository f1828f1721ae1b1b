"""Of what the project is made: the lock file, known holes, the bill of materials. Needs: pip install -e '.[supply]'.

    python tests/supply.py lock             write tests/requirements.lock, what development runs with, with hashes
    python tests/supply.py audit            known holes in what is locked; exit 1 where there are some
    python tests/supply.py sbom > sbom.json a bill of materials, CycloneDX

`pip install --require-hashes -r tests/requirements.lock` and then `pip install --no-deps -e .` give that environment.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = Path("tests/requirements.lock")


def lock() -> int:
    """The newest that fits, for all systems and Pythons; of the registry that it was asked of nothing is written."""
    asked = ("--extra", "dev", "--universal", "--python-version", "3.11", "--upgrade")
    written = ("--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate")
    return subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "-q", "pyproject.toml", *asked, *written, "-o", LOCK],
        cwd=ROOT, check=False,
    ).returncode  # fmt: skip


def audit() -> int:
    command = [sys.executable, "-m", "pip_audit", "-r", LOCK, "--disable-pip", "--require-hashes", "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        print(f"skipped: {(done.stderr.strip().splitlines() or ['pip-audit says nothing'])[-1]}")
        return 0
    packages = json.loads(done.stdout)["dependencies"]
    looked_up = [p for p in packages if "vulns" in p]
    if not looked_up:
        print(f"skipped: data on none of {len(packages)} packages can be had here")
        return 0
    holes = [f"{p['name']} {p['version']}: {v['id']}" for p in looked_up for v in p["vulns"]]
    print("\n".join([*holes, f"{len(holes)} known holes in {len(looked_up)} of {len(packages)} packages"]))
    return bool(holes)


def sbom() -> int:
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", LOCK, "--pyproject", "pyproject.toml"]
    return subprocess.run([*command, "--output-reproducible"], cwd=ROOT, check=False).returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["lock", "audit", "sbom"])
    sys.exit({"lock": lock, "audit": audit, "sbom": sbom}[parser.parse_args().what]())


if __name__ == "__main__":
    main()
