"""What lies beside a failing job, and how its logs were written, changes no verdict.

    PYTHONPATH=. python tests/fuzz/noise.py [--every N] [--seed S] [--fixtures 'hang.*'] [--kinds NAME …] [--forms N] [--seconds 600]

A folder of a real run holds more than the log of the failure. Every fixture (one in N of them, from the S-th on) is analysed
as it is, with all company beside it at once, and in each form (`--forms`: some of them, by chance). Company is what lies in `company/`, a folder a kind
(`dot-NAME` becomes `.NAME`, `NAME.as-is` becomes NAME), and what COMPANY makes: an earlier run that went well, checkpoints with
headers of text, curves, copies of files. Where company changes a verdict, each kind of it is tried alone and told by name. A form
(FORMS) is the same text written in another way: line ends, colours, prefixes of collectors, another writer's lines between.

Told is what changed: the root, its ranks, hosts, GPUs, severity or grade; other critical incidents; a healthy run that is accused.
A form may make a grade fall, and fewer be named. Some lose what a verdict rests on (LOSSY): of them only is told what goes beyond the whole. What may change is in EXCEPTIONS.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from logsift import Catalog, analyze, load_catalog
from logsift.errors import UserError

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
STARTED = datetime(2026, 1, 5, 8, tzinfo=UTC)
_STEPS = "steps are in the folder, and nobody can tell of which attempt: that the job never began is not said any more"
_OF_STEPS = (
    "checkpoints",
    "tracker",
    "earlier",
    "an earlier run that finished",
    "curves",
    "behind the steps of an earlier attempt",
)
EXCEPTIONS = {
    **{
        (fixture, kind): _STEPS
        for kind in _OF_STEPS
        for fixture in (
            "crash.config--command-not-found",
            "crash.config--image-lacks-the-command",
            "crash.config--kubelet-finds-no-command",
            "crash.config--launcher-waits-for-more-nodes",
            "crash.config--makefiles-cannot-be-bootstrapped",
            "crash.config--rank-not-set",
            "hang.init_incomplete--ray-has-no-place",
            "host.container--assigned-but-its-volume-never-mounted",
            "host.container--never-scheduled",
        )
    },
    **{
        (
            "hang.blocked_syscall--broken-off-at-the-keyboard",
            kind,
        ): "what one thread of a trace waits for is a finding where nothing else is there"
        for kind in (
            "checkpoints",
            "machine",
            "tracker",
            "earlier",
            "an earlier run that finished",
            "curves",
            "journal",
            "report",
        )
    },
    **{
        (
            "crash.config--no-interface-in-the-last-error",
            form,
        ): "the last error of the library, which tells the cause, is no line of its own"
        for form in ("indented", "numbered", "wrapped")
    },
    **{
        (
            "healthy--journal-of-a-workstation",
            form,
        ): "what shows that these are lines of a machine's journal is not at their start"
        for form in ("name of the rank", "indented")
    },
    (
        "crash.config--port-taken-under-a-terminate",
        "parallel shell",
    ): "nothing behind the names shows that they are those of hosts",
    (
        "healthy--ray-dashboard-asks-in-vain",
        "name of the rank",
    ): "behind the name of a rank these are lines of the job, not of the page that shows it",
    (
        "healthy--attempt-far-behind",
        "rotated",
    ): "an older part of a log reads like a log that ended there",
    (
        "healthy--started-again-after-out-of-memory",
        "apart",
    ): "that it was started again is in the other file",
    (
        "crash.exception--later-of-two-logs",
        "name of the rank",
    ): "two logs of one rank share a clock: which of them is the later one, nobody says",
    (
        "crash.config--option-among-the-overrides",
        "behind the steps of an earlier attempt",
    ): _STEPS,
    (
        "crash.communication--oneccl-provider-refused",
        "indented",
    ): "the number of the error is in a line of its own, which is no part of the message any more",
    (
        "crash.communication--deepep-timeout-then-trap",
        "wrapped",
    ): "the message is cut through where it names itself",
    (
        "loss.plateau_shift--in-a-rotated-log",
        "behind the steps of an earlier attempt",
    ): "the newest part of the log begins with another attempt: the loss rises where training was taken up again",
    (
        "hang.collective_timeout--two-of-four-name-their-part",
        "journal of a host",
    ): "the host in front makes a third rank known, which alone says nothing of the timeout",
    (
        "crash.exception--numbered-as-cat-does",
        "time before each line",
    ): "the six columns of a line's number are not at its start",
    (
        "loss.nan--norm-never-a-number-and-loss-level",
        "behind the steps of an earlier attempt",
    ): "the steps in front have norms that are numbers and a loss that falls",
    **{
        (
            "crash.exception--cell-of-a-notebook",
            kind,
        ): "a notebook is read where it is all there is: beside other files it is somebody's notes"
        for kind in (
            "copies of each file",
            "checkpoints",
            "cluster",
            "data",
            "earlier",
            "journal",
            "machine",
            "notebook",
            "postmortem",
            "project",
            "questions",
            "report",
            "tests",
            "tracker",
            "an earlier run that finished",
            "curves",
            "weights",
            "empty and odd files",
        )
    },
    (
        "host.preempted--loader-thread-follows-the-interrupt",
        "apart",
    ): "the name of the interrupt is in the other file",
    (
        "loss.nan--bits-per-dimension",
        "behind the steps of an earlier attempt",
    ): "a loss is there by its own name: another name is taken for one where there is none",
    **{
        (fixture, "wrapped"): "the message is cut through its figures or its names"
        for fixture in (
            "gpu.cuda_error--printed-before-it-is-raised",
            "hang.init_incomplete--third-process-never-started",
            "oom.capacity--pool-as-large-as-an-address-space",
            "oom.cgroup--systemd-oomd",
            "oom.foreign_process--in-a-container-that-holds-half",
        )
    },
    (
        "crash.communication--deepep-barrier-without-a-rank",
        "apart",
    ): "what was thrown and what it says are in two files",
    (
        "crash.unexplained--a-compiler-that-a-pool-started",
        "name of the rank",
    ): "what a rank tells of a command that failed, it had started itself",
    (
        "crash.signal--mail-of-grid-engine-without-a-limit",
        "name of the rank",
    ): "behind the name of a rank it is known who was killed",
    (
        "hang.init_incomplete--one-rank-counts-more-than-the-others",
        "name of the rank",
    ): "each line tells another rank than the library itself",
    (
        "healthy--a-service-of-the-machine-dies-of-an-exception",
        "name of the rank",
    ): "behind the name of a rank these are lines of the job, not of a service",
    (
        "crash.config--pydantic-names-a-field-below",
        "behind the steps of an earlier attempt",
    ): _STEPS,
    (
        "crash.config--image-lacks-the-command",
        "project",
    ): "beside a project's settings these four lines do not look like a run",
    (
        "healthy--ray-dashboard-asks-in-vain",
        "rotated",
    ): "what shows that this is the page beside the job is in the older part",
    (
        "healthy--load-failed-in-the-other-file-and-trained-anew",
        "indented",
    ): "behind blanks the name of Ray's actor stays in front, and the exception is a sentence",
    (
        "healthy--tracker-s-own-log-beside-a-loader-made-anew",
        "apart",
    ): "that training went on is in the other file",
    (
        "healthy--tracker-s-own-log-beside-a-loader-made-anew",
        "indented",
    ): "behind blanks the time of the tracker's lines stays in front of them",
    (
        "host.preempted--interrupted-beside-curves-without-times",
        "behind the steps of an earlier attempt",
    ): "steps are in front of the interrupt: it trained until then",
    (
        "network.connect_failure--launch-settings-pasted-with-an-indent",
        "behind the steps of an earlier attempt",
    ): "steps are in front: the store had been reached",
    (
        "healthy--tracker-s-own-log-beside-a-loader-made-anew",
        "rotated",
    ): "an older part of a log reads like a log that ended there",
    (
        "crash.unexplained--watchdog-misses-the-job",
        "cluster",
    ): "other jobs are listed: which of them this is, nobody says",
}
"""(fixture, kind) -> why its verdict may change."""

Texts = dict[Path, str]
"""The logs of a run, without what another program of one line a record wrote."""
COMPANY: dict[str, Callable[[Path], None]] = {}
FORMS: dict[str, Callable[[Texts, random.Random], None]] = {}
COLLECTOR, RANK = "node-4", 3
"""The host and the rank that forms put before each line: they may be named then."""
LOSSY = {"wrapped", "apart", "indented", "numbered"}
"""What a verdict rests on is lost: only what goes beyond the whole is told of them."""
GRADES = ("possible", "probable", "definite")


@dataclass(frozen=True)
class Verdict:
    """The root (rule, severity, grade, ranks, hosts, GPUs), and the rules of all incidents but context, by severity."""

    root: tuple[str, str, str, tuple[int, ...], tuple[str, ...], tuple[str, ...]] | None
    critical: frozenset[str]
    warning: frozenset[str]

    @classmethod
    def of(cls, run: Path, catalog: Catalog) -> Verdict:
        try:
            analysis = analyze(run, catalog=catalog, db=None)
        except UserError:  # nothing in it can be read
            return cls(None, frozenset(), frozenset())
        root = analysis.causes.root
        by = {s: frozenset(i.rule for i in analysis.incidents if i.severity == s) for s in ("critical", "warning")}
        analysis.store.close()
        who = root and (
            root.rule, root.severity, root.confidence,
            tuple(sorted(root.ranks)), tuple(sorted(root.hosts)), tuple(sorted(map(str, root.gpus))),
        )  # fmt: skip
        return cls(who or None, by["critical"], by["warning"])

    def changes(self, before: Verdict, *, lossy: bool = False, may_be_less_sure: bool = False) -> list[str]:
        """What is said otherwise than before; of what lost something, what goes beyond."""
        out = [f"+ critical {r}" for r in sorted(self.critical - before.critical)]
        if before.root is None:
            out += [f"accused of {r}" for r in sorted(self.warning - before.warning)]
        elif lossy:
            if self.root and not (self.critical | self.warning) <= before.critical | before.warning:
                out += [f"root {before.root[0]} -> {self.root[0]}"]
        elif self.root != before.root:
            a, b = before.root, self.root
            out += [f"root {a[0]} -> none"] if b is None else [
                f"{what} {x} -> {y}"
                for what, x, y in zip(("root", "severity", "grade", "ranks", "hosts", "gpus"), a, b, strict=True)
                if x != y
                and not (may_be_less_sure and is_less(what, x, y))
            ]  # fmt: skip
        if not lossy:
            kept = self.critical | self.warning if may_be_less_sure else self.critical
            out += [f"- critical {r}" for r in sorted(before.critical - kept)]
        return out


def is_less(what: str, x: str | tuple[str | int, ...], y: str | tuple[str | int, ...]) -> bool:
    """Whether a form may make this of that: a grade that falls, fewer that are named, the names that it put before each line."""
    if what == "grade":
        return GRADES.index(str(y)) < GRADES.index(str(x))
    if what == "severity":
        return y == "warning"
    return what != "root" and {*y} - {COLLECTOR, RANK} <= {*x}


def company(make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Takes it among the company, by its name."""
    COMPANY[make.__name__.replace("_", " ")] = make
    return make


def form(make: Callable[[Texts, random.Random], None]) -> Callable[[Texts, random.Random], None]:
    """Takes it among the forms, by its name."""
    FORMS[make.__name__.replace("_", " ")] = make
    return make


def folder(source: Path) -> Callable[[Path], None]:
    """Puts a folder of `company/` into a run."""

    def put(run: Path) -> None:
        for file in sorted(p for p in source.rglob("*") if p.is_file()):
            name = "/".join(re.sub("^dot-", ".", part) for part in file.relative_to(source).parts)
            write(run / source.name / name.removesuffix(".as-is"), file.read_bytes())

    return put


def write(path: Path, data: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


@company
def copies_of_each_file(run: Path) -> None:
    for file in [p for p in run.rglob("*") if p.is_file()]:
        write(run / "saved/latest" / file.relative_to(run), file.read_bytes())


@company
def ends_of_the_logs(run: Path) -> None:
    """As `tail` gives them to somebody who asked for the last lines."""
    for path, lines in outputs(texts_of(run)):
        if len(lines) > 8 and path.relative_to(run).parts[0] != "saved":
            write(run / "tails" / path.relative_to(run), "".join(lines[len(lines) // 3 :]))


def _typed(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@company
def its_own_curves_again(run: Path) -> None:
    """As another tracker of the same run writes them."""
    for file in sorted(p for p in run.rglob("*.jsonl") if p.relative_to(run).parts[0] != "saved"):
        try:
            rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
        except ValueError:
            continue
        if all(isinstance(r, dict) and r.keys() == rows[0].keys() and "step" in r for r in rows):
            buffer = io.StringIO()
            table = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
            write(run / "again" / f"{file.stem}.csv", buffer.getvalue())
    for file in sorted(p for p in run.rglob("*.csv") if p.relative_to(run).parts[0] not in ("again", "saved")):
        rows = list(csv.DictReader(io.StringIO(file.read_text())))
        if rows and "step" in rows[0]:
            typed = [
                {k: int(v) if k == "step" else _typed(v) for k, v in r.items() if v}
                for r in rows
                if (r["step"] or "").isdigit()
            ]
            write(run / "again" / f"{file.stem}.jsonl", "".join(json.dumps(r) + "\n" for r in typed))


COMPANY.update({source.name: folder(source) for source in sorted((HERE / "company").iterdir())})


def healthy_steps(steps: int) -> Iterator[tuple[int, float, float]]:
    """(step, loss, norm of the gradient) of a training that goes well."""
    rng = random.Random(18)
    for n in range(1, steps + 1):
        yield n, round(2.4 + 4 / (1 + n / 60) + rng.gauss(0, 0.03), 4), round(rng.uniform(0.5, 0.6), 3)


def training_log(steps: int = 300) -> str:
    return "[INFO] world size 8, starting from scratch\n" + "".join(
        f"[INFO] step {n}/{steps} loss {loss} lr 3.0e-04 grad_norm {norm} time/step 1.0{n % 10}s\n"
        for n, loss, norm in healthy_steps(steps)
    ) + "[INFO] training finished, checkpoint saved to /ckpt/final\n"  # fmt: skip


@company
def an_earlier_run_that_finished(run: Path) -> None:
    write(run / "attempt_0/logs/train.log", training_log())


@company
def curves(run: Path) -> None:
    rows = [{"step": n, "train/loss": loss, "grad_norm": norm} for n, loss, norm in healthy_steps(120)]
    write(run / "curves/metrics.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    write(
        run / "curves/metrics.csv",
        "step,train_loss,grad_norm\n" + "".join(",".join(map(str, r.values())) + "\n" for r in rows),
    )


@company
def weights(run: Path) -> None:
    head = json.dumps({"__metadata__": {"format": "pt", "note": "error died killed"}}).encode()
    write(run / "weights/model.safetensors", len(head).to_bytes(8, "little") + head + bytes(range(256)) * 8)
    write(run / "weights/optimizer.pt", b"PK\x03\x04" + bytes(range(256)) * 8 + b"RuntimeError: CUDA out of memory\n")


@company
def empty_and_odd_files(run: Path) -> None:
    for name in ("odd/empty.log", "odd/.done", "odd/core_count", "odd/lock"):
        write(run / name, "")
    write(run / "odd/SUCCESS", "ok\n")
    write(run / "odd/pid", "4121\n")


def texts_of(run: Path) -> Texts:
    """The logs of a run: lines of text, no table, no document, no dump."""
    out: Texts = {}
    for path in sorted(p for p in run.rglob("*") if p.is_file()):
        if path.suffix not in (".log", ".txt", ".out", ".err", "") or b"\0" in (data := path.read_bytes()):
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if (text.strip() and text.lstrip()[0] not in "{[|+<") or text.startswith(("[", "<")):
            out[path] = text
    return out


NO_OUTPUT = re.compile(
    r"NVRM|execve|^\d+ \d\d:\d\d:\d\d\.\d+ \w+\(|^(?:\[pid +\d+\] |\d+ +)?(?:\d\d:\d\d:\d\d(?:\.\d+)? |\d+\.\d{6} )?[a-z_]\w*\(.*\) += +(?:-?\d|0x|\?)|^Thread |Thread 0x|\(active|\(idle|kernel:|^\[ *\d+\.\d{6}\]|^[A-Z ]+\|[A-Z ]+\||^\S+ += \S|"
    r"^[A-Z]{4,} +[A-Z]{3,}|^(?:Events|Conditions):$|^#\d+ ", re.MULTILINE
)  # fmt: skip
"""What no job prints: kernel logs, traces of system calls, stacks, tables of schedulers."""


DUMPED = re.compile(r" <unfinished \.\.\.>|most recent call first|^#\d+ ", re.MULTILINE)
"""What a tool writes at once."""


def outputs(texts: Texts) -> Iterator[tuple[Path, list[str]]]:
    """What jobs printed, as lines with their ends."""
    for path, text in texts.items():
        if not NO_OUTPUT.search(text):
            yield path, text.splitlines(keepends=True)


def prefixed(texts: Texts, prefix: Callable[[int], str]) -> None:
    """Put something before each line of what jobs printed."""
    for path, lines in outputs(texts):
        write(path, "".join(prefix(n) + line for n, line in enumerate(lines)))


def undated(texts: Texts) -> Texts:
    """The only log of a run, where it tells no time itself: another one's times would be at odds with it."""
    return (
        texts
        if len(texts) == 1 and not any(re.search(r"[0-9]:[0-5][0-9]:[0-5][0-9]", t) for t in texts.values())
        else {}
    )


def times(every: float = 0.01) -> Callable[[int], datetime]:
    return lambda n: STARTED + timedelta(seconds=every * n)


@form
def crlf(texts: Texts, _: random.Random) -> None:
    for path, text in texts.items():
        write(path, re.sub(r"\r?\n", "\r\n", text))


@form
def utf_16(texts: Texts, _: random.Random) -> None:
    for path, text in texts.items():
        write(path, text.encode("utf-16"))


@form
def byte_order_mark(texts: Texts, _: random.Random) -> None:
    for path, text in texts.items():
        write(path, text.encode("utf-8-sig"))


@form
def gzipped(texts: Texts, _: random.Random) -> None:
    for path, text in texts.items():
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        path.unlink()


@form
def rotated(texts: Texts, _: random.Random) -> None:
    """The oldest third is .2.gz, the next .1. What debuggers and strace write, nobody rotates."""
    for path, text in texts.items():
        lines = text.splitlines(keepends=True)
        if len(lines) < 9 or path.suffix != ".log" or DUMPED.search(text):
            continue
        a, b = len(lines) // 3, 2 * len(lines) // 3
        path.with_name(path.name + ".2.gz").write_bytes(gzip.compress("".join(lines[:a]).encode(), mtime=0))
        write(path.with_name(path.name + ".1"), "".join(lines[a:b]))
        write(path, "".join(lines[b:]))


@form
def coloured(texts: Texts, _: random.Random) -> None:
    """Words of level in colour, and some lines as a whole."""
    for path, text in texts.items():
        words = re.sub(r"\b(INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b", "\x1b[1;31m\\1\x1b[0m", text)
        write(path, re.sub(r"(?m)^(\S*Error: .*)$", "\x1b[31m\\1\x1b[0m", words))


@form
def container_json(texts: Texts, _: random.Random) -> None:
    """The files that Docker keeps."""
    at = times()
    for path, lines in outputs(undated(texts)):
        write(
            path,
            "".join(
                json.dumps(
                    {"log": line, "stream": "stderr", "time": f"{at(n):%Y-%m-%dT%H:%M:%S.%f}000Z"},
                    ensure_ascii=False,
                    separators=(",", ":"),
                )
                .replace("<", "\\u003c")
                .replace(">", "\\u003e")
                + "\n"
                for n, line in enumerate(lines)
            ),
        )


@form
def container_runtime(texts: Texts, _: random.Random) -> None:
    at = times()
    prefixed(undated(texts), lambda n: f"{at(n):%Y-%m-%dT%H:%M:%S.%f}000Z stderr F ")


@form
def kubectl_times(texts: Texts, _: random.Random) -> None:
    at = times()
    prefixed(undated(texts), lambda n: f"{at(n):%Y-%m-%dT%H:%M:%S.%f}000Z ")


@form
def time_before_each_line(texts: Texts, _: random.Random) -> None:
    """A time alone, as `ts` writes it."""
    at = times(1)
    prefixed(undated(texts), lambda n: f"[{at(n):%Y-%m-%d %H:%M:%S}] ")


@form
def parallel_shell(texts: Texts, _: random.Random) -> None:
    prefixed(texts, lambda n: f"{COLLECTOR}: ")


@form
def journal_of_a_host(texts: Texts, _: random.Random) -> None:
    at = times(1)
    prefixed(undated(texts), lambda n: f"{at(n):%b %d %H:%M:%S} {COLLECTOR} train[4121]: ")


@form
def name_of_the_rank(texts: Texts, _: random.Random) -> None:
    """As torchrun writes it before each line, where nothing else tells of ranks."""
    prefixed({p: t for p, t in texts.items() if "rank" not in t.lower()}, lambda n: f"[rank{RANK}]: ")


@form
def another_writer_between(texts: Texts, rng: random.Random) -> None:
    for path, lines in outputs(texts):
        out = []
        for n, line in enumerate(lines):
            out.append(line)
            if rng.random() < 1 / 3 and line.endswith("\n"):
                out.append(f"INFO:trainer.loader:worker 5 batch {n} took 0.{rng.randrange(100):02d} s\n")
        write(path, "".join(out))


@form
def progress_bars_between(texts: Texts, rng: random.Random) -> None:
    for path, lines in outputs(texts):
        out = []
        for n, line in enumerate(lines):
            if rng.random() < 1 / 5:
                out.append(
                    "".join(
                        f"\rloading: {k:3}%|{'#' * (k // 10):10}| {k}/100 [00:{n % 60:02d}<00:01, 9.1it/s]"
                        for k in (10, 50, 100)
                    )
                    + "\n"
                )
            out.append(line)
        write(path, "".join(out))


@form
def blank_lines_between(texts: Texts, _: random.Random) -> None:
    for path, lines in outputs(texts):
        write(path, "".join(line if not line.strip() else line.rstrip("\n") + "\n\n" for line in lines))


@form
def no_end_of_the_last_line(texts: Texts, _: random.Random) -> None:
    for path, text in texts.items():
        write(path, text.rstrip("\n"))


@form
def numbered(texts: Texts, _: random.Random) -> None:
    """As `grep -n ''` and pages of CI systems do."""
    prefixed(texts, lambda n: f"{n + 1}: ")


@form
def quoted(texts: Texts, _: random.Random) -> None:
    """Pasted into a mail."""
    prefixed(texts, lambda n: "> ")


@form
def indented(texts: Texts, _: random.Random) -> None:
    """Pasted into a page."""
    prefixed(texts, lambda n: "    ")


@form
def behind_the_steps_of_an_earlier_attempt(texts: Texts, _: random.Random) -> None:
    """The launcher began again into the same file."""
    found = list(outputs(texts))
    if found:
        path, lines = max(found, key=lambda x: len(x[1]))
        steps = training_log().splitlines(keepends=True)[:200]
        write(path, "".join(steps) + "".join(lines))


@form
def wrapped(texts: Texts, _: random.Random) -> None:
    """Copied out of a terminal of 80 columns."""
    for path, lines in outputs(texts):
        write(path, "".join(re.sub(r"(.{80})(?=.)", "\\1\n", line) for line in lines))


@form
def apart(texts: Texts, _: random.Random) -> None:
    """What was written to standard error in a file of its own."""
    for path, lines in outputs(texts):
        if path.suffix in (".log", ".out"):
            err = [bool(re.search(r"Traceback|Error|error|WARN|^ +(File|\S)", line)) for line in lines]
            write(path, "".join(x for x, e in zip(lines, err, strict=True) if not e))
            write(path.with_suffix(".err"), "".join(x for x, e in zip(lines, err, strict=True) if e))


def made(fixture: Path, scratch: Path, kinds: Iterable[str], seed: int) -> Path | None:
    """The run of a fixture with company or in another form; None where the form changes nothing of it."""
    run = scratch / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(fixture / "run", run)
    before = {p: p.read_bytes() for p in run.rglob("*") if p.is_file()}
    for kind in kinds:
        if kind in COMPANY:
            COMPANY[kind](run)
        else:
            FORMS[kind](texts_of(run), random.Random(f"{seed} {fixture.name} {kind}"))
    return run if before != {p: p.read_bytes() for p in run.rglob("*") if p.is_file()} else None


def tries(fixture: Path, kinds: Sequence[str], seed: int, catalog: Catalog) -> Iterator[tuple[str, list[str]]]:
    """(kind, what changed) of one fixture; company that changes nothing together is tried together."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        before = Verdict.of(fixture / "run", catalog)

        def changed(*of: str) -> list[str] | None:
            run = made(fixture, scratch, of, seed)
            if run is None:
                return None
            try:
                return Verdict.of(run, catalog).changes(
                    before, lossy=bool(LOSSY & {*of}), may_be_less_sure=bool(FORMS.keys() & {*of})
                )
            except Exception as e:  # that is looked for too
                return [f"{type(e).__name__}: {e}".splitlines()[0]]

        def among(beside: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
            if what := changed(*beside) or []:
                half = len(beside) // 2
                alone = [*among(beside[:half]), *among(beside[half:])] if half else []
                yield from alone or [(" + ".join(beside), what)]

        beside = [k for k in COMPANY if k in kinds]
        found = dict(among(beside))
        yield from {**{kind: [] for kind in beside}, **found}.items()
        for kind in kinds:
            if kind in FORMS and (what := changed(kind)) is not None:
                yield kind, what


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take one fixture in so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fixtures", default="*", help="names of fixtures, a pattern of the shell")
    parser.add_argument("--forms", type=int, default=len(FORMS), help="try so many forms of each, by chance")
    parser.add_argument("--kinds", nargs="*", default=[*COMPANY, *FORMS], metavar="KIND", help="default: all of them")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop behind the fixture tried then")
    given = parser.parse_args()
    if unknown := {*given.kinds} - {*COMPANY, *FORMS}:
        sys.exit(f"no kinds: {', '.join(sorted(unknown))}; there are {', '.join([*COMPANY, *FORMS])}")
    os.fsync = lambda _: None  # type: ignore[assignment]  # power is not lost meanwhile
    fixtures = sorted(p.parent for p in FIXTURES.glob(f"{given.fixtures}/run"))[given.seed % given.every :: given.every]
    until, catalog = time.monotonic() + given.seconds, load_catalog()
    tried, other, seen = Counter[str](), Counter[str](), 0
    for fixture in fixtures:
        forms = [k for k in given.kinds if k in FORMS]
        chosen = random.Random(f"{given.seed} {fixture.name}").sample(forms, min(given.forms, len(forms)))
        kinds = [*(k for k in given.kinds if k in COMPANY), *chosen]
        for kind, what in tries(fixture, kinds, given.seed, catalog):
            tried[kind] += 1
            if what and (fixture.name, kind) not in EXCEPTIONS:
                other[kind] += 1
                print(f"{fixture.name}: {kind}: {', '.join(what)}", flush=True)
        seen += 1
        if time.monotonic() > until:
            break
    for kind in (k for k in (*COMPANY, *FORMS) if k in tried):
        print(f"{tried[kind]:7,} tries, {other[kind]:4} changed: {kind}")
    print(f"{tried.total():7,} tries on {seen} of {len(fixtures)} fixtures, {other.total()} changed the verdict")


if __name__ == "__main__":
    main()
