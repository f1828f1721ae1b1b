"""What rules advise in variants that no fixture has: of a rule that names one failure a run, each would need a run of its own."""

from __future__ import annotations

from typing import Any

import pytest

from logsift import Catalog
from logsift.content.incident import Incident
from logsift.judge.words import facts_of, steps

STEPS: list[tuple[str, dict[str, Any], str]] = [
    ("crash.checkpoint", {"problem": "missing", "path": "/ckpt/9"}, "Check that /ckpt/9 exists on n1, is complete"),
    ("crash.checkpoint", {"problem": "mismatch"}, "Start with the settings that the checkpoint was saved with"),
    ("crash.checkpoint", {"path": "/ckpt/9"}, "Check that /ckpt/9 is readable and complete on n1"),
    ("crash.communication", {"message": "x", "class": "echo", "peer_rank": 3}, "Read the log of rank 3 first"),
    ("crash.communication", {"message": "x", "class": "memory"}, "Look at the memory of n1"),
    ("crash.communication", {"message": "x", "class": "file", "path": "/dev/shm/a"}, "Check that the process may open and map /dev/shm/a on n1"),
    ("crash.communication", {"message": "x", "class": "driver"}, "Check that driver, CUDA, NCCL and its plugins of n1 fit"),
    ("crash.communication", {"message": "x", "class": "device"}, "Look at the GPUs and their links of n1"),
    ("crash.communication", {"message": "NVLS x", "class": "device"}, "Or run without NVLink SHARP"),
    ("crash.communication", {"message": "x", "class": "transport", "peer": "n2"}, "Look at the other end first (n2)"),
    ("crash.communication", {"message": "x", "class": "usage"}, "Correct what the message names"),
    ("crash.communication", {"message": "x", "class": "internal"}, "Run again with this setting and keep the output of n1"),
    ("crash.config", {"what": "rank", "event": "invalid_rank"}, "Check how the ranks are numbered"),
    ("crash.config", {"what": "arguments", "program": "fit"}, "Correct the argument; fit lists those it takes."),
    ("crash.config", {"what": "arguments", "file": "a.py", "line": 7}, "Correct the setting that the message names; it is read at a.py:7."),
    ("crash.config", {"what": "command"}, "Load the environment of the program in the job's script"),
    ("crash.config", {"what": "missing file", "module": "apex"}, "Install apex into the environment that the job uses on n1."),
    ("crash.config", {"what": "missing file", "path": "/d/x"}, "Check that /d/x exists on n1;"),
    ("crash.config", {"what": "permission", "path": "/d/x"}, "Give the job's user the right to use /d/x"),
    ("crash.exception", {"type": "requests.exceptions.HTTPError", "kind": "own"}, "Check that n1 can reach the service"),
    ("crash.exception", {"type": "ValueError", "kind": "loss"}, "Look at the loss and the gradient norm of the steps before"),
    ("crash.exception", {"type": "RuntimeError", "kind": "writer"}, "Check the file system that the file was written to"),
    ("crash.exception", {"type": "PermissionError", "kind": "config", "path": "/d/x"}, "Check that /d/x is there and open to the job's user on n1."),
    ("crash.exception", {"type": "ModuleNotFoundError", "kind": "config"}, "Install the module in the environment that the job uses"),
    ("host.preempted", {"reason": "time_limit", "scheduler": "kubernetes"}, "Raise activeDeadlineSeconds of the job"),
    ("host.preempted", {"reason": "time_limit", "scheduler": "pbs"}, "Ask for more time (qsub -l walltime"),
    ("host.preempted", {"reason": "time_limit", "scheduler": "lsf"}, "Ask for more time (bsub -W)"),
    ("host.preempted", {"reason": "preempted", "scheduler": "slurm"}, "Submit the job to a partition or QOS that is not preempted"),
    ("host.preempted", {"reason": "preempted", "scheduler": "lsf"}, "Submit the job to a queue that is not preemptable"),
    ("host.preempted", {"reason": "requeued", "scheduler": "slurm"}, "Check that the job resumes from its last checkpoint"),
    ("host.preempted", {"reason": "cancelled", "by": "uid 411"}, "Ask whoever cancelled it;"),
    ("host.preempted", {"reason": "cancelled", "by": "mlops"}, "Ask mlops why it was ended;"),
    ("network.ib_error", {"source": "nccl", "status_name": "REM_ACCESS_ERR"}, "Leave cables alone: the card was refused access"),
    ("network.ib_error", {"source": "nccl", "status_name": "REM_INV_REQ_ERR"}, "Look for ranks that issue different collectives or sizes"),
    ("network.ib_error", {"source": "nccl", "event": "local catastrophic error"}, "Take n1 out of the pool until its network card"),
    ("network.ib_error", {"source": "nccl", "verb": "ibv_modify_qp", "device": "mlx5_0"}, "Check that both ends use the same network on mlx5_0"),
    ("network.ib_error", {"source": "kernel"}, "Look at what uses RDMA in the kernel of n1"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "facts", "step"), STEPS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_variant_has_a_step_of_its_own(catalog: Catalog, rule: str, facts: dict[str, Any], step: str) -> None:
    of = next(r for r in catalog.rules if r.id == rule)
    incident = Incident(rule, of.severity, of.confidence, (), hosts=frozenset({"n1"}), facts=facts)
    assert [s.text for s in steps(of, facts_of(incident, {}, {})) if s.text.startswith(step)], step
