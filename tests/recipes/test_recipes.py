"""Recipes do what they say: their scripts are sound, and what they call is called, on a run that failed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from logsift.cli import main
from logsift.recipes import recipes

ROOT = Path(__file__).resolve().parents[2]
FAILED = ROOT / "fixtures" / "crash.exception--gloo-key-error-under-torchrun" / "run"
SHELLCHECK = shutil.which("shellcheck")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What job 77 left, which failed; `logs` leads to it."""
    work = tmp_path_factory.mktemp("work")
    (work / "logs").symlink_to("77")
    return shutil.copytree(FAILED, work / "77")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a script with `logsift` on its path, and these other commands in place of the machine's."""
    tools = tmp_path / "tools"
    tools.mkdir()

    def make(name: str, script: str) -> None:
        (tools / name).write_text(f"#!/bin/bash\n{script}\n")
        (tools / name).chmod(0o755)

    def run(script: str, commands: Mapping[str, str], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        for name, text in commands.items():
            make(name, text)
        return subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, cwd=cwd, timeout=300, check=False,
            env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HERE": str(tmp_path), **env},
        )  # fmt: skip

    make("logsift", f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m logsift "$@"')
    return run


def shell_of(name: str) -> list[str]:
    """Every shell script in a recipe."""
    text = recipes()[name]
    if text.startswith("#!"):
        return [text]
    if name == "dockerfile":
        return [line.removeprefix("RUN ") for line in text.splitlines() if line.startswith("RUN ")]
    found = list[str]()

    def look(value: object) -> None:
        if isinstance(value, dict):
            if "run" in value:
                found.append(str(value["run"]))
            if value.get("command") == ["bash", "-c"]:
                found.extend(map(str, value["args"]))
            list(map(look, value.values()))
        elif isinstance(value, list):
            list(map(look, value))

    look(yaml.safe_load(text))
    return found


def test_they_are_listed_with_what_they_do_and_printed_as_they_are() -> None:
    listed = CliRunner().invoke(main, ["recipe"]).stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(recipes())
    assert all(len(line.split()) > 5 for line in listed.splitlines())
    assert [CliRunner().invoke(main, ["recipe", n]).stdout for n in recipes()] == list(recipes().values())
    assert "there are: action, dockerfile" in CliRunner().invoke(main, ["recipe", "none"]).output


@pytest.mark.parametrize("name", recipes())
def test_the_shell_of_a_recipe_is_sound(name: str) -> None:
    for script in shell_of(name):
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
        if SHELLCHECK:
            command = [SHELLCHECK, "--shell=bash", "-"]
            told = subprocess.run(command, input=script, text=True, capture_output=True, check=False)
            assert told.stdout == ""


def test_a_slurm_epilog_writes_the_report_and_sends_a_message_from_the_first_node_only(
    failed: Path, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "defaults").write_text(
        'PATH="$HERE/tools:$PATH" LOGSIFT_LOGS=%j LOGSIFT_WEBHOOK=https://chat.example.com/hook\n'
    )
    commands = {
        "runuser": 'echo "$2" >> "$HERE/users"; shift 3; exec "$@"',
        "scontrol": "printf 'node-1\\nnode-2\\n'",
        "curl": 'cat > "$HERE/sent"; echo "${@: -1}" > "$HERE/to"',
        "logger": 'cat > "$HERE/logged"',
    }
    job = {
        "LOGSIFT_DEFAULTS": str(tmp_path / "defaults"), "SLURM_JOB_ID": "77", "SLURM_JOB_USER": "ada",
        "SLURM_JOB_NODELIST": "node-[1-2]", "SLURM_JOB_WORK_DIR": str(failed.parent),
    }  # fmt: skip
    script = recipes()["slurm-epilog"]
    assert run(script, commands, tmp_path, **job, SLURMD_NODENAME="node-2").returncode == 0
    assert not (tmp_path / "users").exists()
    assert run(script, commands, tmp_path, **job, SLURMD_NODENAME="node-1").returncode == 0
    assert (failed / "logsift.html").read_text().count("<!-- logsift report -->") == 1
    assert json.loads((tmp_path / "sent").read_text())["blocks"][0]["text"]["text"].startswith("crash.exception")
    assert (tmp_path / "to").read_text() == "https://chat.example.com/hook\n"
    assert set((tmp_path / "users").read_text().split()) == {"ada"}


def test_a_pod_says_in_its_last_word_why_it_failed(failed: Path, run: Run, tmp_path: Path) -> None:
    pod = yaml.safe_load(recipes()["kubernetes"])["spec"]["template"]["spec"]
    sidecar, trainer = pod["initContainers"][0], pod["containers"][0]
    assert sidecar["restartPolicy"] == "Always"
    assert {m["mountPath"] for c in (sidecar, trainer) for m in c["volumeMounts"]} == {"/logs"}

    script = sidecar["args"][0].replace("/logs ", f"{failed} ")
    for path in (sidecar["terminationMessagePath"], "/tmp/logsift.duckdb"):
        script = script.replace(path, str(tmp_path / Path(path).name))
    ended = script.replace("while true", f"kill -{signal.SIGTERM:d} $$\nwhile true")
    assert run(ended, {}, tmp_path).returncode == 0
    last_word = (tmp_path / "termination-log").read_bytes()
    assert last_word.startswith(b"crash.exception (")
    assert last_word.count(b"\n") == 1
    assert len(last_word) < 4096


def test_a_torchrun_job_leaves_everything_in_one_folder_and_keeps_its_exit_code(run: Run, tmp_path: Path) -> None:
    stack = (
        "Traceback (most recent call last):\n  File \"train.py\", line 9, in main\n    step()\nKeyError: 'input_ids'\n"
    )
    record = {
        "message": {"message": "KeyError: 'input_ids'", "extraInfo": {"py_callstack": stack, "timestamp": "1772528400"}}
    }
    torchrun = f"""
        while [ "$1" != --log-dir ]; do shift; done
        mkdir -p "$2/0/attempt_0/3"
        TORCHELASTIC_ERROR_FILE="$2/0/attempt_0/3/error.json"
        cat > "$TORCHELASTIC_ERROR_FILE" <<'X'
{json.dumps(record)}
X
        touch "${{TORCH_NCCL_DEBUG_INFO_TEMP_FILE}}0"
        echo "${{@: -2}}"
        exit 7
    """
    done = run(
        f"{recipes()['torchrun'].replace('$@', 'train.py', 1)}",
        {"torchrun": torchrun}, tmp_path, RUN_DIR="left", LOGSIFT_WAIT="0",
    )  # fmt: skip
    assert done.returncode == 7
    assert "KeyError" in done.stderr
    assert "attempt_0/3/error.json:1" in done.stderr
    assert (tmp_path / "left" / "logsift.html").exists()
    assert {p.name for p in (tmp_path / "left").iterdir()} >= {"flight_recorder_0", "logsift.html"}


def test_a_build_gets_annotations_a_summary_and_a_report_and_fails(failed: Path, run: Run, tmp_path: Path) -> None:
    steps = yaml.safe_load(recipes()["github-actions"])["jobs"]["train"]["steps"]
    step = next(s for s in steps if s.get("name") == "What went wrong")
    done = run(f"set -eo pipefail\n{step['run']}", {}, failed.parent, GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith("::error file=logs/")
    assert "title=crash.exception" in first
    assert (tmp_path / "summary").read_text().startswith("<!-- logsift report -->")
    kept = next(s["with"]["path"] for s in steps if "upload-artifact" in s.get("uses", ""))
    assert (failed.parent / kept).exists()


def test_an_action_says_the_root_in_an_output_and_fails(failed: Path, run: Run, tmp_path: Path) -> None:
    action = yaml.safe_load(recipes()["action"])
    assert action["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in action["runs"]["steps"])
    step = next(s for s in action["runs"]["steps"] if s.get("id") == "verdict")
    assert {v.split()[1].partition(".")[2] for v in step["env"].values()} == set(action["inputs"])
    files = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    env = {"RUN": "logs", "FAIL_ON": action["inputs"]["fail-on"]["default"], "REPORT": str(tmp_path / "page.html")}
    done = run(f"set -eo pipefail\n{step['run']}", {}, failed.parent, **files, **env)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=logs/")
    assert (tmp_path / "output").read_text() == "root=crash.exception\n"
    assert (tmp_path / "summary").read_text().startswith("<!-- logsift report -->")
    assert (tmp_path / "page.html").exists()


def test_an_image_installs_what_it_starts_as_nobody_of_weight() -> None:
    lines = [line for line in recipes()["dockerfile"].splitlines() if line and not line.startswith("#")]
    said = [tuple(line.split(" ", 1)) for line in lines]
    assert {word for word, _ in said} <= {"FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert any(word == "RUN" and rest.endswith(f"pip install --no-cache-dir {project['name']}") for word, rest in said)
    entry = json.loads(dict(said)["ENTRYPOINT"])
    assert entry[0] in project["scripts"]
    assert int(dict(said)["USER"]) > 0, "Kubernetes (runAsNonRoot) knows an account by its number only"
    oldest = project["requires-python"].removeprefix(">=")
    image = re.search(r"python:([0-9.]+)", dict(said)["FROM"])
    assert image is not None
    assert tuple(map(int, image[1].split("."))) >= tuple(map(int, oldest.split(".")))


SHARES = {"LOGSIFT": "logsift", "SHARDS": "2"}


def verdict(text: str) -> bool:
    """The verdict of the run that failed, of all its files."""
    return "KeyError" in text and "is missing" not in text


def test_a_slurm_array_reads_shares_and_a_task_behind_it_judges(failed: Path, run: Run, tmp_path: Path) -> None:
    sbatch = """
        for argument; do case $argument in
            --array=*) range=${argument#--array=} ;;
            --dependency=*) echo "$argument" >> "$HERE/behind" ;;
            --*) ;;
            *) break ;;
        esac; shift; done
        if [ -z "${range:-}" ]; then exec bash "$@"; fi
        for n in $(seq "${range%-*}" "${range#*-}"); do SLURM_ARRAY_TASK_ID=$n bash "$@" >&2 || exit; done
        echo "500;cluster"
    """
    (tmp_path / "slurm-array.sh").write_text(recipes()["slurm-array"])
    done = run(f"bash ./slurm-array.sh {failed} parts --time=10", {"sbatch": sbatch}, tmp_path, **SHARES)
    assert (done.returncode, verdict(done.stdout)) == (0, True)
    assert (tmp_path / "behind").read_text() == "--dependency=afterany:500\n"
    assert {p.name for p in (tmp_path / "parts").glob("*.json")} == {"shard-1-of-2.json", "shard-2-of-2.json"}


def test_tasks_of_srun_read_a_share_each(failed: Path, run: Run, tmp_path: Path) -> None:
    srun = 'shift; for n in 0 1; do SLURM_PROCID=$n SLURM_NTASKS=2 "$@" || exit; done'
    (tmp_path / "srun.sh").write_text(recipes()["srun"])
    done = run(f"bash ./srun.sh {failed} parts", {"srun": srun}, tmp_path, **SHARES)
    assert (done.returncode, verdict(done.stdout)) == (0, True)


def test_pods_of_an_indexed_job_read_a_share_each_and_another_job_judges(
    failed: Path, run: Run, tmp_path: Path
) -> None:
    read, judge = yaml.safe_load(recipes()["kubernetes-indexed"])["items"]
    assert (read["spec"]["completionMode"], judge["spec"]["suspend"]) == ("Indexed", True)
    pod = read["spec"]["template"]["spec"]["containers"][0]
    shards = {e["name"]: e["value"] for e in pod["env"]}["SHARDS"]
    assert int(shards) == read["spec"]["completions"]
    here = {"/run/logs": str(failed), "/run/parts": str(tmp_path / "parts")}

    def script(container: dict[str, list[str]]) -> str:
        text = container["args"][0]
        for path, place in here.items():
            text = text.replace(path, place)
        return text

    for index in ("0", "1"):
        assert run(script(pod), {}, tmp_path, JOB_COMPLETION_INDEX=index, SHARDS="2").returncode == 0
    assert verdict(run(script(judge["spec"]["template"]["spec"]["containers"][0]), {}, tmp_path).stdout)
