"""Whatever a launcher or a collector puts before the lines of a job: the same root, of the same rank and host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.two_hosts import CULPRIT, HOSTS, Printed, printed

from logsift import Catalog, analyze


def _record(line: Printed) -> str:
    return json.dumps({"timestamp": line.time.isoformat(), "host": line.host, "message": line.text})


def _loki(line: Printed) -> str:
    labels = {"app": "ride", "host": line.host}
    return json.dumps({"labels": labels, "line": line.text, "timestamp": line.time.isoformat()})


OF_HOSTS: dict[str, Callable[[Printed], str]] = {
    "pdsh, clush": lambda line: f"{line.host}: {line.text}",
    "parallel --tag": lambda line: f"{line.host}\t{line.text}",
    "mpiexec --label of PALS": lambda line: f"{line.host} {line.task}: {line.text}",
    "docker service logs": lambda line: f"ride.{line.node}.z1m4tq8c0d9e@{line.host}    | {line.text}",
    "syslog": lambda line: f"{line.time:%b %e %H:%M:%S} {line.host} python3[{line.pid}]: {line.text}",
    "JSON records": _record,
    "logcli -o jsonl": _loki,
    "srun --label": lambda line: f"{line.task}: {line.text}",
    "mpirun --tag-output": lambda line: f"[1,{line.task}]<stderr>:{line.text}",
    "torchrun --tee": lambda line: f"[default{line.local_rank}]:{line.text}" if line.rank is not None else line.text,
    "[rank2]:": lambda line: f"[rank{line.rank}]: {line.text}" if line.rank is not None else line.text,
    "docker compose": lambda line: f"trainer-{line.node + 1}  | {line.text}",
    "podman-compose": lambda line: f"[trainer-{line.node + 1}]  | {line.text}",
    "kubetail": lambda line: f"[ride-worker-{line.node}] {line.text}",
    "nothing": lambda line: line.text,
}
OF_PODS: dict[str, Callable[[Printed], str]] = {
    "kubectl logs --prefix": lambda line: f"[pod/ride-worker-{line.node}/pytorch] {line.text}",
    "stern": lambda line: f"ride-worker-{line.node} pytorch {line.text}",
    "kail": lambda line: f"default/ride-worker-{line.node}[pytorch]: {line.text}",
}
"""Here the pod is the host that is named."""


@pytest.mark.parametrize("label", [*OF_HOSTS, *OF_PODS])
def test_rank_and_host_are_named_behind_any_label(label: str, tmp_path: Path, catalog: Catalog) -> None:
    before = (OF_HOSTS | OF_PODS)[label]
    log = tmp_path / "job.log"
    log.write_text("".join(f"{before(line)}\n" for line in printed()), encoding="utf-8")
    with analyze(log, catalog=catalog, db=None) as run:
        assert run.root is not None
        assert (run.root.rule, run.root.ranks) == ("oom.capacity", {CULPRIT})
        (host,) = run.root.hosts
    assert host == (HOSTS[1] if label in OF_HOSTS else "ride-worker-1")


@pytest.mark.parametrize("label", ["nothing", "docker compose", "srun --label", "JSON records"])
def test_where_the_line_with_the_rank_is_lost_no_other_is_named(label: str, tmp_path: Path, catalog: Catalog) -> None:
    log = tmp_path / "job.log"
    left = (line for line in printed() if line.text != f"  rank      : {CULPRIT} (local_rank: 0)")
    log.write_text("".join(f"{OF_HOSTS[label](line)}\n" for line in left), encoding="utf-8")
    with analyze(log, catalog=catalog, db=None) as run:
        assert run.root is not None
        assert run.root.rule == "oom.capacity"
        assert run.root.ranks <= {CULPRIT}
        assert run.root.hosts <= {HOSTS[1]}
