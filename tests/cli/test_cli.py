"""The commands, as a person types them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from logsift.cli import main
from logsift.report.model import fact
from logsift.report.plots import branches_of, buckets

Make = Callable[..., Path]

CRASH = """all workers are ready
Traceback (most recent call last):
  File "/work/train.py", line 81, in <module>
    main()
  File "/work/train.py", line 40, in main
    batch = next(batches)
KeyError: 'input_ids'
"""


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args])


def test_a_run_directory_alone_is_analysed(run_of: Make) -> None:
    shown = run(run_of({"rank3.log": CRASH}), "--timings")
    assert shown.exit_code == 0
    assert "crash.exception" in shown.stdout
    assert "rank3.log:7" in shown.stdout
    timed = [line.split(maxsplit=2)[2] for line in shown.stderr.splitlines() if " s  " in line]
    assert {"stage parsing", "stage rules", "rule crash.exception"} <= set(timed)
    assert any(part.startswith("table ") for part in timed)


def test_json_is_the_public_contract_and_nothing_else(run_of: Make) -> None:
    said = json.loads(run("analyze", run_of({"rank3.log": CRASH}), "--format", "json").stdout)
    assert list(said) == ["schema", "run", "logsift", "root", "decision", "incidents", "ranks", "coverage"]
    assert said["schema"] == 2
    assert said["root"] == "crash.exception"
    assert list(said["incidents"][0]) == [
        "id", "rule", "severity", "confidence", "root", "explained_by", "summary", "steps", "action", "ranks", "hosts",
        "gpus", "first", "last", "time_quality", "zone", "uncertainty_seconds", "attempt", "waited", "facts", "evidence",
    ]  # fmt: skip
    assert said["incidents"][0]["evidence"][0] == {"path": "rank3.log", "line": 7, "text": "KeyError: 'input_ids'"}
    assert list(said["coverage"]) == ["files", "lines", "not_understood", "problems", "training", "job", "missing"]


def test_a_healthy_run_has_no_root(run_of: Make) -> None:
    said = json.loads(run("analyze", run_of({"a.log": "step 1\nstep 2\n"}), "--format", "json").stdout)
    assert (said["root"], said["incidents"]) == (None, [])


def test_one_incident_the_ranks_and_what_next_are_commands_of_their_own(run_of: Make) -> None:
    crashed = run_of({"rank3.log": CRASH})
    assert "rank3.log:7" in run("show", crashed, 1).stdout
    assert (run("show", crashed, 9).exit_code, "no incident 9" in run("show", crashed, 9).output) == (2, True)
    assert re.search(r"^3 .*raised KeyError", run("ranks", crashed).stdout, re.MULTILINE)
    assert run("next", crashed).stdout == "stop\n"
    assert [run("next", crashed, *a).exit_code for a in ([], ["--exit-code"])] == [0, 11]


def test_a_report_may_go_to_stdout_into_a_form_or_a_page_with_figures(run_of: Make, tmp_path: Path) -> None:
    steps = "".join(f"step {n} of 90 | loss: {9 / n} |\n" for n in range(1, 30))
    crashed = run_of({"a$b_$.log": steps + CRASH})
    assert run("report", crashed, "-o", "-").stdout.startswith("<!-- logsift report -->")
    assert "### Versions" in run("report", crashed, "-o", "-", "--for", "pytorch").stdout
    assert "there are: cloud" in run("report", crashed, "-o", "-", "--for", "nobody").output
    assert run("report", crashed, "-o", tmp_path / "r.html", "--for", "pytorch").exit_code == 2
    assert run("report", crashed, "-o", tmp_path / "r.html", "--figures", tmp_path / "figures").exit_code == 0
    assert "KeyError" in (tmp_path / "r.html").read_text()
    assert [p.name for p in (tmp_path / "figures").iterdir()] == ["loss.png"]


def test_fail_on_tells_by_its_exit_code(run_of: Make) -> None:
    crashed, healthy = run_of({"a.log": CRASH}, "crashed"), run_of({"a.log": "step 1\n"}, "healthy")
    assert [run("analyze", d, "--fail-on", "warning").exit_code for d in (crashed, healthy)] == [1, 0]


def test_a_report_is_written_and_not_read_again(run_of: Make) -> None:
    crashed = run_of({"a.log": CRASH})
    assert run("report", crashed, "-o", crashed / "report.md").exit_code == 0
    text = (crashed / "report.md").read_text()
    assert text.startswith("<!-- logsift report -->")
    assert "KeyError" in text
    assert json.loads(run("analyze", crashed, "--format", "json").stdout)["coverage"]["files"] == 1


def test_a_report_on_a_terminal_draws_nothing(run_of: Make) -> None:
    code = "import sys; from logsift.cli import main; main([sys.argv[1]], standalone_mode=False); print(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code, str(run_of({"rank3.log": CRASH}))], capture_output=True, text=True, check=True
    )
    assert "matplotlib" not in shown.stdout.split()


@pytest.mark.parametrize(
    ("value", "said"), [(31219.0, "31219"), (2.212782472, "2.21278"), ([3, 0.5], "3,0.5"), (float("nan"), "nan")]
)
def test_a_fact_is_written_for_people(value: object, said: str) -> None:
    assert fact(value) == said


@pytest.mark.parametrize(
    ("to", "said"), [("csv", "n\n1\n"), ("json", '[\n {\n  "n": 1\n }\n]\n'), ("table", "n\n1\n1 row\n")]
)
def test_sql(run_of: Make, to: str, said: str) -> None:
    assert run("sql", run_of({"a.log": "x\n"}), "SELECT 1 AS n", "--format", to).stdout == said


def test_sql_on_a_database_that_was_sent_along(run_of: Make) -> None:
    crashed = run_of({"a.log": CRASH})
    run("analyze", crashed)
    assert "crash.exception" in run("sql", crashed / "logsift.duckdb", "SELECT rule FROM incident").stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nowhere"], "logsift: no such file or directory: nowhere"),
        (["x" * 5000], "x" * 5000),
        (["/dev/zero"], "is a device"),
        (["stack", "{run}"], "did you mean `logsift stacks`?"),
        (["sql", "{run}", "SELEC 1"], "syntax error"),
        (["sql", "{run}", "SELECT * FROM no_table"], "no_table does not exist"),
        (["rules", "crash.exceptio"], "did you mean crash.exception"),
        (["tables", "tracebac"], "did you mean traceback"),
        (["check", "nowhere"], "no such content folder"),
        (["explain", "{run}/a.log"], "say FILE:LINE"),
        (["plot", "{run}", "--extents", "-o", "x.png"], "nothing in this run has a layout to draw"),
    ],
)
def test_an_error_is_one_clear_text_and_exit_code_2(run_of: Make, args: list[str], said: str) -> None:
    shown = run(*(a.format(run=run_of({"a.log": "x\n"})) for a in args))
    assert shown.exit_code == 2
    assert said in shown.output
    assert "Traceback" not in shown.output


def test_nothing_readable(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    shown = run(tmp_path / "run")
    assert (shown.exit_code, "nothing readable" in shown.output) == (2, True)


def test_explain_says_what_becomes_of_a_line_and_why_not(run_of: Make) -> None:
    crashed = run_of({"a.log": "[rank3]: " + CRASH.replace("\n", "\n[rank3]: ")})
    said = run("explain", f"{crashed}/a.log:7").stdout
    assert "'rank': 3" in said
    assert "traceback_end" in said
    assert "no known phrase occurs in this line" in run("explain", f"{crashed}/a.log:1").stdout


def test_explain_knows_the_block_that_a_line_is_in(run_of: Make) -> None:
    crashed = run_of({"a.log": CRASH})
    frame = next(n for n, line in enumerate(CRASH.splitlines(), 1) if line.startswith("  File"))
    said = run("explain", f"{crashed}/a.log:{frame}").stdout
    assert "row       traceback_frame" in said
    assert f"opened by line {frame - 1}: 'Traceback (most recent call last):'" in said


def test_every_command_has_a_help_and_is_in_the_readme() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    assert [n for n, c in main.commands.items() if not c.help] == []
    assert [n for n in main.commands if f"logsift {n}" not in readme] == []


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    root = Path(__file__).resolve().parents[2]
    shown = set(re.findall(r"\]\((tests/report/screenshots/[^)]+)\)", (root / "README.md").read_text()))
    there = list((root / "tests" / "report" / "screenshots").iterdir())
    assert shown == {p.relative_to(root).as_posix() for p in there}
    assert sum(p.stat().st_size for p in there) < 400_000
    assert "https://cdn" not in (root / "tests" / "report" / "screenshots" / "terminal.svg").read_text()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ta", "plain,tables"),
        ("sql --na", "plain,--named"),
        ("my-run", "file,my-run"),
        ("guide ha", "plain,hardware"),
        ("rules gpu.h", "plain,gpu.hardware"),
    ],
)
def test_a_shell_completes_commands_options_and_places(typed: str, offered: str) -> None:
    asked = {
        "_LOGSIFT_COMPLETE": "bash_complete",
        "COMP_WORDS": f"logsift {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }
    assert offered in CliRunner().invoke(main, prog_name="logsift", env=asked).stdout.splitlines()


def test_help_needs_no_heavy_module() -> None:
    code = "import sys; from logsift.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"polars", "duckdb", "jinja2", "matplotlib", "numpy", "rich", "hyperscan"} & set(loaded)


def test_a_run_that_did_not_change_is_shown_without_what_reads_and_words(run_of: Make) -> None:
    known = run_of({"rank3.log": CRASH})
    run(known)
    code = (
        f"import sys; from logsift.cli import main; main([{str(known)!r}], standalone_mode=False); print(*sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "crash.exception" in shown
    assert not {"polars", "matplotlib", "numpy", "hyperscan", "jinja2"} & set(shown.splitlines()[-1].split())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_locale_from_before_utf_8_is_no_reason_to_say_nothing(
    run_of: Make, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    crashed, screen = run_of({"a\u2192b.log": CRASH}), io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(screen, encoding))
    main(["analyze", str(crashed)], standalone_mode=False)
    said = screen.getvalue().decode(encoding)
    assert said.startswith("-- root cause: crash.exception")
    assert "a\\u2192b.log:7" in said


def test_stacks_are_one_tree_with_what_stands_apart_first(run_of: Make) -> None:
    dumps = "".join(
        f'Process {p}: python train.py --rank {r}\nPython v3.11.9 (/usr/bin/python3.11)\n\nThread {p} (idle): "MainThread"\n'
        f"    {'read (data.py:9)' if r == 2 else 'all_reduce (torch/distributed/distributed_c10d.py:2810)'}\n"
        "    step (train.py:80)\n    <module> (train.py:99)\n"
        for r, p in enumerate(range(500, 504))
    )
    lines = run("stacks", run_of({"pyspy.txt": dumps})).stdout.splitlines()
    answer, tree = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert [line.split("  @ ")[1].split()[0] for line in answer[1:]] == ["2", "0-1,3"]
    assert [line.strip() for line in tree] == [
        "<module> (train.py:99)  @ 0-3",
        "step (train.py:80)",
        "read (data.py:9)  @ 2   <- blocked",
        "all_reduce (torch/distributed/distributed_c10d.py)  @ 0-1,3   <- collective-wait, waits for the other ranks of a collective",
    ]
    assert "no stacks" in run("stacks", run_of({"a.log": "x\n"}, "none")).output


def test_stacks_of_many_ranks_fit_a_line_and_name_the_host_of_the_few(run_of: Make) -> None:
    dumps = {
        f"trace-gpu-{node}.out": "".join(
            f'Process {p}: python fit.py --rank {r}\nPython v3.11.9 (/usr/bin/python3.11)\n\nThread {p} (idle): "MainThread"\n'
            f"    {'read (data.py:9)' if r == 11 else 'receive (pipe.py:4)' if r % 2 else 'send (pipe.py:7)'}\n    <module> (fit.py:99)\n"
            for r in range(node * 8, node * 8 + 8)
            for p in [700 + r]
        )
        for node in range(6)
    }
    few, *most = run("stacks", run_of(dumps)).stdout.splitlines()[1:4]
    assert "@ 11 (gpu-1, pid 711)" in few
    assert [len(line.split("  @ ")[1].split()[0]) <= 40 for line in most] == [True, True]
    assert ",…" in most[0]


def test_a_curve_is_drawn_with_its_incidents(run_of: Make, tmp_path: Path) -> None:
    said = "".join(
        f"step:{n}/400 train_loss:{9.0 if 200 <= n < 206 else 3 - n / 400 + 0.01 * (n % 7):.4f}\n"
        for n in range(1, 401)
    )
    curve = run_of({"train.log": said})
    drawn = run("plot", curve).stdout
    assert "train_loss" in drawn
    assert "^ loss." in drawn
    assert "400 points, 1 incident marked" in run("plot", curve, "-o", tmp_path / "loss.svg").stdout
    assert "loss.spike" in (tmp_path / "loss.svg").read_text()
    assert "train_loss" in run("plot", curve, "--metric", "loss").stdout, "a kind stands for what is of it"
    assert "no metric 'lost'" in run("plot", curve, "--metric", "lost").output
    assert "ends in .png or .svg" in run("plot", curve, "-o", tmp_path / "loss.picture").output


def test_a_curve_without_steps_is_not_drawn_and_the_report_does_without(run_of: Make, tmp_path: Path) -> None:
    lines = [f"{{'loss': 1.7{n}, 'grad_norm': {g}, 'epoch': 1.{n}}}\n" for n, g in ((1, 1.3), (2, 1.1), (3, "nan"))]
    curve = run_of({"train.log": "".join(lines)})
    assert "no point of loss has a step" in run("plot", curve).output
    assert run("report", curve, "-o", tmp_path / "report.html").exit_code == 0


def test_any_metric_is_drawn_and_each_of_its_writers_alone(run_of: Make) -> None:
    from logsift import analyze

    def said(low: float) -> str:
        return "".join(f"step:{n}/50 train_loss:{low + 3 - n / 50:.4f} lr:{n / 1e4:.4f}\n" for n in range(1, 51))

    two = run_of({"one/train.log": said(0), "other/train.log": said(9)})
    assert "lr  steps 1 to 50, 0.0001 to 0.005" in run("plot", two, "--metric", "lr").stdout
    for name in ("train_loss", "lr"):
        _, branches = branches_of(analyze(two), name)
        assert [(b.live, b.step.tolist()) for b in branches] == [(True, list(range(1, 51)))] * 2


def test_a_picture_of_many_points_keeps_the_highest_of_them() -> None:
    value = np.ones(1_000_000)
    value[[123_456, 500_000]] = 7, np.nan
    step, low, middle, high = buckets(np.arange(1e6), value, 2000)
    assert step[:2].tolist() == [0, 500]
    assert (high.max(), np.argmax(high), low.min(), middle.max()) == (7, 123_456 // 500, 1, 1)


def test_a_fault_of_its_own_is_exit_code_3_and_asks_for_a_report(run_of: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logsift.run.discover", lambda *_, **__: [][0])
    odd = run_of({"a.log": "x\n"})
    shown = run(odd)
    assert shown.exit_code == 3
    assert "IndexError" in shown.output
    assert "a fault of logsift itself" in shown.output.splitlines()[-2]
    assert shown.output.splitlines()[-1] == f"  logsift bundle {odd} -o issue.tar.zst"


@pytest.mark.parametrize("command", ["analyze", "ranks"])
def test_a_reader_that_has_enough_is_no_error_of_ours(run_of: Make, command: str) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as nobody_reads:
        done = subprocess.run(
            [sys.executable, "-m", "logsift", command, run_of({"rank3.log": CRASH})],
            stdout=nobody_reads,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")
