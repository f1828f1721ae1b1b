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
    ("oom.capacity", {"variant": "token_budget"}, "Lower --max-batch-prefill-tokens"),
    ("oom.capacity", {"variant": "pool_limit", "framework": "llama.cpp"}, "Ask for smaller buffers (-ub, -b, -c)"),
    ("oom.capacity", {"variant": "pool_limit", "framework": "MLX"}, "Split the array"),
    ("oom.capacity", {"variant": "sequence_too_long", "cache_tokens": 9120}, "Lower --max-model-len to 9120 or less"),
    ("oom.capacity", {"variant": "token_pool_full"}, "Run fewer requests at once"),
    ("oom.capacity", {"variant": "kernel_exceeds_scratch_memory", "memory_space": "vmem"}, "Use smaller tiles"),
    ("oom.capacity", {"variant": "jax"}, "Lower the batch per GPU, shard more"),
    ("oom.capacity", {"variant": "onnxruntime"}, "Bound the shapes"),
    ("oom.capacity", {"variant": "rapids"}, "Hold less at once"),
    ("oom.capacity", {"variant": "neuron"}, "Shard the model over more NeuronCores"),
    ("oom.cgroup", {"manager": "docker", "limit_bytes": 2**36}, "Raise the limit of the container (docker run --memory) above 64"),
    ("oom.cgroup", {"manager": "systemd-oomd"}, "Run the job as a unit of its own that systemd-oomd avoids"),
    ("oom.cgroup", {"actor": "kernel"}, "Get the rest of the kernel log of n1"),
    ("oom.foreign_process", {"survived": True}, "Ignore this if the program skipped the batch"),
    ("oom.foreign_process", {"foreign_rank": 3, "foreign_pid": 411, "foreign_pids": [411]}, "Give each rank a card of its own"),
    ("oom.fragmentation", {"variant": "tpu_buffer"}, "Drop references to arrays that are no longer needed"),
    ("oom.fragmentation", {"variant": "tpu_compile", "fragmentation_bytes": 2**30}, "Lower the batch per core or rematerialise"),
    ("oom.fragmentation", {"variant": "jax"}, "Keep shapes constant, and give JAX a larger pool"),
    ("oom.fragmentation", {"variant": "refused"}, "Look for what refused it from outside the program"),
    ("oom.graph_capture", {"variant": "server"}, "Capture fewer batch sizes"),
    ("oom.graph_capture", {"variant": "compile"}, "Give the compiler fewer shapes to capture"),
    ("oom.host", {"kind": "swap_full", "cgroup": "/a"}, "Use less memory in /a"),
    ("oom.host", {"kind": "exception"}, "Compare what the host has with what the program asks for."),
    ("hang.init_incomplete", {"kind": "communicator", "stage": "connect"}, "The ranks found each other and could not set up"),
    ("hang.init_incomplete", {"kind": "rank_count_mismatch"}, "Start all processes with the same world size"),
    ("hang.init_incomplete", {"kind": "store", "stage": "gloo_connect"}, "Check that the hosts reach each other on the interface gloo takes"),
    ("hang.init_incomplete", {"kind": "store", "stage": "store"}, "See whether the ranks that did not come were started"),
    ("hang.blocked_syscall", {"kind": "stopped"}, "Find out what stopped it on n1"),
    ("hang.blocked_syscall", {"kind": "blocked", "waits_on": "lock", "holder_pid": 411}, "Find out what process 411 is doing with the lock"),
    ("hang.blocked_syscall", {"kind": "late", "waits_on": "lock", "path": "/d/x"}, "Find out which processes lock /d/x"),
    ("hang.blocked_syscall", {"kind": "retried", "waits_on": "lock", "path": "/d/x", "syscall": "openat"}, "Here the file itself is the lock."),
    ("hang.blocked_syscall", {"kind": "retried", "waits_on": "missing file", "path": "/d/x"}, "Find the process that should have written /d/x"),
    ("hang.blocked_syscall", {"kind": "blocked", "waits_on": "socket", "syscall": "accept4"}, "Find the process that should have connected"),
    ("hang.blocked_syscall", {"kind": "blocked", "waits_on": "pipe"}, "Find the process at the other end of the pipe"),
    ("hang.blocked_syscall", {"kind": "uninterruptible", "waits_on": "a block device"}, "Check the disk of n1 for errors"),
    ("hang.blocked_syscall", {"kind": "blocked", "waits_on": "device", "path": "/dev/kfd"}, "The driver behind /dev/kfd is not answering"),
    ("divergence.collective_mismatch", {"field": "dtype"}, "Bring the tensor to one type before the call"),
    ("divergence.collective_mismatch", {"field": "root"}, "Give all ranks the same root;"),
    ("divergence.stack", {"finding": "apart", "position_class": "file-lock"}, "Find the process that holds the file lock"),
    ("divergence.stack", {"finding": "apart", "position_class": "network-read"}, "Find the server that it reads from"),
    ("divergence.stack", {"finding": "apart", "position_class": "lock-wait"}, "Find the thread that holds the lock"),
    ("gpu.hardware", {"kind": "xid", "sub_code_investigation": "investigate_link_si"}, "Check the cables and connectors of the link"),
    ("gpu.hardware", {"kind": "xid", "sub_code_investigation": "investigate_sw"}, "Find out who took the link down"),
    ("gpu.hardware", {"kind": "xid", "sub_code_investigation": "sympathetic"}, "Look for another error of the fabric"),
    ("gpu.hardware", {"kind": "replace", "unrepairable": True, "pci": "0000:1b:00"}, "Replace GPU 0000:1b:00 (RMA)"),
    ("gpu.hardware", {"kind": "scheduler_hung", "vendor": "amd"}, "Run the job again with the newest GPU firmware"),
    ("gpu.application", {"same_unit": "GPC 5", "bursts": 4}, "Run the same program on another GPU: all 4 faults are in one unit"),
    ("gpu.thermal", {"kind": "power"}, "Check the power supplies of n1"),
    ("host.cpu_stall", {"waits_for": "disk", "waits_in": "io_schedule"}, "Look at the disks of n1"),
    ("host.disk_error", {"state": "beyond_end"}, "Compare the size of the file system with that of its device"),
    ("host.disk_full", {"error": "EDQUOT"}, "Delete what is no longer needed"),
    ("host.container", {"reason": "volume", "message": "x"}, "Check that the claim is bound"),
    ("host.limits", {"limit": "memory"}, "See whether a limit on address space is set"),
    ("host.node_lost", {"scheduler": "kubernetes"}, "Ask Kubernetes why n1 went away"),
    ("host.node_lost", {"scheduler": "pbs"}, "Ask PBS which nodes are down."),
    ("loss.resume_spike", {"resume_step": 40.0}, "Resume from the checkpoint of step 40 again"),
    ("network.external_service", {"failure": "tls"}, "Look at the proxy and its certificate on n1"),
    ("network.slow_transport", {"reason": "no_device"}, "Check on n1, inside the container, that the RDMA devices"),
    ("network.slow_transport", {"reason": "plugin_failed", "plugin": "libnccl-net.so"}, "Find out why the plugin libnccl-net.so could not start"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "facts", "step"), STEPS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_variant_has_a_step_of_its_own(catalog: Catalog, rule: str, facts: dict[str, Any], step: str) -> None:
    of = next(r for r in catalog.rules if r.id == rule)
    incident = Incident(
        rule, of.severity, of.confidence, (), ranks=frozenset({2}), hosts=frozenset({"n1"}), facts=facts
    )
    assert [s.text for s in steps(of, facts_of(incident, {}, {})) if s.text.startswith(step)], step
