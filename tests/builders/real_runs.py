"""Makes labelled runs with the real tools: small torch jobs that hang, crash or are sound, and what people capture of them.

    python tests/builders/real_runs.py DEST [NAME ...] [--scenarios FILE] [--jobs N]

Writes DEST/NAME/run/ and DEST/NAME/case.toml for each scenario of `real_runs.toml` (beside this file) whose name begins with a NAME,
or for all. Needs Linux and, on the PATH, `torchrun` and `python` with torch (CPU will do); `py-spy`, `strace`, `gdb`,
`pystack` for the captures that call them; root for those that mount a small file system. Nothing is imported: the job is a program of
its own, written for each scenario.

A scenario is one fault and one way to look at it:

    name, note, root, expect, forbid, facts    the label; "$3" in a fact is the pid of rank 3
    world        how many ranks ($WORLD), 4 unless told; `code` says which of them is at fault
    code         Python, the job's module `extras.py`: may define `start(rank)`, before ranks meet; `step(rank, n, model)`, called at
                 each step; `sample(rank, i)`, of the data set; and settings: WORKERS, TIMEOUT (seconds), STEPS, PACE (seconds a step)
    launch       shell, in the directory of the run; torchrun on one host unless told. $TRAIN is the program, $PORT a free port
    capture      shell, once the fault has happened ($STATE/fault is there: `trip()` in `code` writes it) and `settle` seconds went by:
                 `each 'COMMAND'` runs it for all ranks, with $rank and $pid; ${pids[3]} is the pid of rank 3
                 Without a capture the run is waited for, `limit` seconds at most.

Whatever lies in the directory of the run afterwards is the run; it is copied before the job is killed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

LAUNCH = 'torchrun --nproc-per-node "$WORLD" --master-port "$PORT" "$TRAIN" > train.log 2>&1'
PRELUDE = """
shopt -s nullglob
for f in "$STATE"/pid.*; do pids[${f##*.}]=$(cat "$f"); done
each() { for rank in "${!pids[@]}"; do pid=${pids[$rank]}; eval "$1"; done; }
"""


@dataclass
class Scenario:
    """A fault, the way it is looked at, and what may be concluded from that."""

    name: str
    note: str
    code: str = ""
    launch: str = LAUNCH
    capture: str = ""
    world: int = 4
    settle: float = 6
    limit: float = 120
    root: str = ""
    expect: list[str] = field(default_factory=list)
    forbid: list[str] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def family_of(pid: int) -> list[int]:
    """A process and all that come from it: those in sessions of their own too."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            child, parent = int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        children.setdefault(parent, []).append(child)
    found = [pid]
    for p in found:
        found += children.get(p, [])
    return found


def environment(scenario: Scenario, work: Path) -> dict[str, str]:
    """What launch, capture and job are told."""
    told = {"STATE": str(work / "state"), "TRAIN": str(work / "train.py"), "WORK": str(work)}
    return {**os.environ, **told, "WORLD": str(scenario.world), "PORT": str(free_port()), "PYTHONUNBUFFERED": "1"}


def write_job(job: dict[str, str], scenario: Scenario, work: Path) -> None:
    """The program, with the fault in it."""
    (work / "state").mkdir(parents=True)
    for name, text in job.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text + (f"\n\n{scenario.code}" if name == "extras.py" else ""))


def wait_for(path: Path, job: subprocess.Popen[bytes], limit: float) -> None:
    """Until the file is there, the job has ended or the time is over."""
    until = time.monotonic() + limit
    while time.monotonic() < until and job.poll() is None and not path.exists():
        time.sleep(0.3)


def play(program: dict[str, str], scenario: Scenario, target: Path) -> None:
    """Runs the job and captures it."""
    with tempfile.TemporaryDirectory(prefix="job-") as scratch:
        work, live = Path(scratch), Path(scratch) / "run"
        write_job(program, scenario, work)
        live.mkdir()
        env = environment(scenario, work)
        shell = ["bash", "-c", scenario.launch]
        job = subprocess.Popen(shell, cwd=live, env=env, start_new_session=True, stdin=subprocess.DEVNULL)
        family = [job.pid]
        try:
            if scenario.capture:
                wait_for(work / "state" / "fault", job, scenario.limit)
                time.sleep(scenario.settle)
                script = ["bash", "-c", PRELUDE + scenario.capture]
                subprocess.run(script, cwd=live, env=env, timeout=scenario.limit, check=False, stdin=subprocess.DEVNULL)
            else:
                with suppress(subprocess.TimeoutExpired):
                    job.wait(scenario.limit)
            family = family_of(job.pid)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(live, target / "run", ignore=lambda d, n: [x for x in n if not is_plain(Path(d) / x)])
        finally:
            for pid in family:
                kill(pid)
            job.wait()
        pids = {f.suffix[1:]: f.read_text() for f in (work / "state").glob("pid.*")}
        (target / "case.toml").write_text(label(scenario, pids))


def is_plain(path: Path) -> bool:
    """A file or a directory: no pipe, no socket."""
    return path.is_dir() or path.is_file()


def kill(pid: int) -> None:
    """Ends a process of ours, stopped or not, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def label(scenario: Scenario, pids: dict[str, str]) -> str:
    """The case.toml of a run."""

    def value(told: object) -> str:
        if isinstance(told, list):
            return "[" + ", ".join(value(v) for v in told) + "]"
        if isinstance(told, str) and re.fullmatch(r"\$[0-9]+", told):
            return pids.get(told[1:], "0")
        return json.dumps(told)

    lines = ['source = "made with the real tools by tests/builders/real_runs.py"', f"note = {value(scenario.note)}"]
    lines += [f"root = {value(scenario.root)}"] if scenario.root else []
    lines += [f"expect = {value(scenario.expect)}", f"forbid = {value(scenario.forbid)}"]
    lines += ["", "[facts]", *(f"{k} = {value(v)}" for k, v in scenario.facts.items())] if scenario.facts else []
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--scenarios", type=Path, default=Path(__file__).with_suffix(".toml"))
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at a time")
    told = parser.parse_args()
    read = tomllib.loads(told.scenarios.read_text())
    scenarios = [Scenario(**s) for s in read["run"]]
    chosen = [s for s in scenarios if not told.names or s.name.startswith(tuple(told.names))]
    with concurrent.futures.ThreadPoolExecutor(told.jobs) as pool:
        plays = {pool.submit(play, read["job"], s, told.dest / s.name): s.name for s in chosen}
        failed = [f"{plays[p]}: {p.exception()}" for p in concurrent.futures.as_completed(plays) if p.exception()]
    if failed:
        raise SystemExit("\n".join(failed))


if __name__ == "__main__":
    main()
