"""Runs with something missing never tell more than whole ones.

    PYTHONPATH=. python tests/fuzz/damage.py [--way start …] [--points 20 | --sample 3] [--fixtures 'hang.*'] [--seconds 600] [--seed 1]

Every fixture is damaged in every way at so many places, and analysed; with `--sample` at so many of them, in any way: 3 of
each fixture take 20 minutes of a core. What the whole run does not say is told, with what was done: a critical incident of
another rule, a host or rank that no incident names, a grade that rose. A line that is cut through reads otherwise: what is
told of it alone, and only as possible, does not count. Places follow from the seed, so that one try can be repeated:
`--fixtures hang.one --way start`. What may be told all the same is in EXCEPTIONS.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from logsift import Catalog, analyze, load_catalog
from logsift.analysis import Analysis
from logsift.errors import UserError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
GRADES = ("possible", "probable", "definite")
WAYS = {
    "start": "one file without its beginning",
    "end": "one file without its end",
    "lines": "one file without some of its lines",
    "blocks": "two blocks of a file change places",
    "without": "one file is gone",
    "twice": "one file is there twice",
    "joined": "two files are one",
}

COPIES = ("{} (1){}", "{} copy{}", "{} - Copy{}", "Copy of {}{}")
"""What a copy is called. That a second look at a process finds it at the same place is no copy, though it says the same."""

_POD = "oom.cgroup--pod-whose-pids-the-kernel-does-not-know"
_END = "the log ends with the message: what says that the program went on is cut off"
_NUMBERS = (
    "without the numbers of the pool only the message that memory ran out is left, which is what that rule is for;"
    " that memory was free in pieces stood in what is cut off"
)
_REST = "the line that tells the cause is cut off, or cut through; what follows from it is left, which is true as well"
_DOUBT = "what makes it doubtful is cut off: of what is left there is no doubt"
_FRAMES = "a stack without some of its frames is another stack; what writes a dump loses none of its lines"
_NO_DUMP = "of a rank whose dump is cut off there is no dump, which is what the rule is for: it says possible"
_NAME = "a name that is cut through is another name"
_HEAD = "the head of a report alone: the rule says that the log ends before it tells whose memory was full"
EXCEPTIONS = {
    ("lines", "hang.init_incomplete"): "the line that says that init is complete is one of those that are gone",
    **{(way, rule): _FRAMES for way in ("lines", "blocks") for rule in ("divergence.stack", "hang.missing_rank")},
    **{
        ("blocks", rule): "the steps of a curve in another order are another curve"
        for rule in ("loss.divergence", "loss.spike", "loss.nan*")
    },
    ("end", "network.external_service"): _END,
    (
        "end",
        "crash.exception",
    ): "the message that tells the cause is cut through: that an exception ended the program is what is left of it",
    (
        "end",
        "crash.unexplained",
    ): "the line that tells the cause is cut through: what is left of it is worth reading, which is what that rule says",
    **dict.fromkeys(
        (
            ("crash.exception--renamed-by-two-ranks", "crash.config"),
            ("crash.exception--one-rank-and-echoes", "rank 0"),
            ("hang.missing_rank--in-own-words", "hang.collective_timeout"),
            ("hang.missing_rank--in-own-words", "hang.init_incomplete"),
            ("hang.missing_rank--counted-at-a-barrier", "hang.collective_timeout"),
            ("hang.missing_rank--barrier-in-words", "crash.communication"),
            ("hang.missing_rank--horovod-one-went-another-way", "rank *"),
            ("hang.missing_rank--one-stopped-one-without-data", "hang.dataloader"),
            ("crash.config--told-before-ranks-miss-each-other", "hang.init_incomplete"),
            ("crash.config--shared-object-too-short", "host pine-3"),
            ("crash.config--shared-object-too-short", "rank 1"),
            ("crash.exception--a-port-flapped-hours-before", "rank 0"),
            ("crash.exception--uncaught-far-before-the-end", "rank 0"),
            ("crash.signal--ray-train-worker-killed", "oom.host"),
            ("crash.signal--srun-cancels-the-failed-step", "host mesa-11"),
            ("gpu.application--page-fault-on-a-new-amd-kernel", "gpu.hardware"),
            ("gpu.hardware--contained_dram_error", "gpu.application"),
            ("hang.collective_timeout--half-of-them-silent", "crash.signal"),
            ("hang.collective_timeout--of-a-group-the-others-are-not-in", "crash.signal"),
            ("hang.init_incomplete--gloo-address-not-left", "host oxbow-4"),
            ("hang.init_incomplete--gloo-address-not-left", "rank 0"),
            ("hang.init_incomplete--store-names-no-keys", "host pine-3"),
            ("hang.init_incomplete--store-names-no-keys", "rank 0"),
            ("hang.missing_rank--coll-lines-stop", "crash.signal"),
            ("hang.missing_rank--silent-in-one-log", "crash.signal"),
            ("host.node_lost--node-fail", "crash.signal"),
            ("host.node_lost--node-fail", "host gx4"),
            ("host.node_lost--node-fail", "rank *"),
            ("host.preempted--time-limit-outlasted-by-processes", "host.node_lost"),
            ("oom.cgroup--cancelled-from-the-first-node", "host kite9"),
            ("oom.cgroup--slurm-alone", "oom.host"),
            ("oom.shared_memory--nccl", "host.disk_full"),
            ("host.disk_full--where-an-image-was-unpacked", "host gx07"),
            ("crash.config--a-module-that-lmod-does-not-know", "host gx07"),
            ("network.connect_failure--hccl-link-in-its-log", "crash.communication"),
            ("host.container--driver-not-loaded-on-the-node", "host gx07"),
            ("oom.cgroup--systemd-oomd", "oom.host"),
            ("crash.exception--then-the-agent-is-told-to-stop", "host.preempted"),
            ("hang.missing_rank--horovod-shut-down-after-it", "rank 0"),
            ("hang.collective_timeout--tensorflow-collective", "network.connect_failure"),
            ("hang.collective_timeout--tensorflow-collective", "hang.init_incomplete"),
            ("hang.collective_timeout--tensorflow-collective", "host worker-1"),
            ("crash.communication--mpi-before-the-step-was-cancelled", "crash.signal"),
            ("crash.communication--mpi-before-the-step-was-cancelled", "host mesa-3"),
            ("crash.communication--mpi-before-the-step-was-cancelled", "rank *"),
            ("host.disk_error--and-a-file-on-it", "host.storage"),
            ("host.limits--network-card-has-no-more-contexts", "network.ib_error"),
            ("hang.missing_rank--jax-barrier-of-a-checkpoint", "hang.collective_timeout"),
            ("hang.collective_timeout--port-was-taken-for-another-start", "crash.config"),
            ("hang.collective_timeout--two-of-four-name-their-part", "hang.init_incomplete"),
            ("host.storage--away-for-a-second-and-hung-since", "host.storage"),
            ("crash.exception--rank-1-built-another-model", "hang.collective_timeout"),
            ("crash.exception--rank-1-built-another-model", "hang.missing_rank"),
            ("crash.exception--rank-1-built-another-model", "rank *"),
            ("crash.exception--backend-refuses-in-words-of-its-own", "host cn118"),
            ("crash.exception--submitit-task-misses-a-file", "crash.config"),
            ("crash.exception--a-command-of-a-rank-fails", "rank 2"),
            ("crash.exception--two-roles-interleaved", "host mesa-9"),
            ("crash.exception--workers-ended-with-sigterm-after", "host.preempted"),
            ("crash.checkpoint--written-in-part-by-a-mended-start", "crash.config"),
            ("crash.communication--oneccl-provider-refused", "oom.host"),
            ("crash.config--ranks-and-parts-differ", "rank 3"),
            ("crash.unexplained--launcher-says-only-that-it-ended", "host mesa-4"),
            ("gpu.cuda_error--launcher-knows-which-rank", "crash.signal"),
            ("gpu.cuda_error--nccl-tests-of-another-gpu", "host kiln-2"),
            ("gpu.cuda_error--paddle-trainer-of-four", "rank 1"),
            ("network.connect_failure--as-xla-quotes-nccl", "crash.communication"),
            ("oom.cgroup--mail-of-grid-engine", "crash.signal"),
            ("oom.cgroup--slurm-and-the-shell-of-the-job", "crash.signal"),
            ("oom.host--kubelet-names-the-node", "host.node_lost"),
        ),
        _REST,
    ),
    **dict.fromkeys(
        (
            ("healthy--module-done-without", "env.incompatible"),
            ("healthy--module-done-without", "crash.exception"),
            ("healthy--nan-then-begun-anew", "loss.nan"),
            ("healthy--loss-scale-falls-while-the-loss-does", "loss.nan"),
            ("healthy--structlog-s-exception-as-a-warning", "crash.config"),
            ("healthy--runtimes-that-try-again", "oom.capacity"),
            ("crash.config--trains-on-the-cpu-since-the-tpu-is-held", "crash.config"),
            ("healthy--strace-connections-that-may-break", "network.connect_failure"),
            ("healthy--errors-of-the-system-in-passing", "host.limits"),
            ("healthy--errors-of-the-system-in-passing", "rank 0"),
            ("healthy--interrupted-an-hour-after-its-last-line", "host.preempted"),
            ("healthy--kernel-near-misses", "host.storage"),
            ("healthy--kernel-near-misses", "host gx4"),
            ("healthy--kubelet-finds-nobody-to-evict", "host.container"),
            ("healthy--kubelet-was-restarted", "host.node_lost"),
            ("healthy--kubelet-was-restarted", "host birch-02"),
            ("healthy--tools-that-a-go-program-does-without", "crash.config"),
            ("healthy--unknown-modules-and-all-tasks-done", "crash.config"),
        ),
        _END,
    ),
    ("healthy--counted-values-of-many-starts", "loss.spike"): "what tells that a start began is gone",
    **dict.fromkeys(
        (
            ("host.node_lost--kubectl-describes-a-node", "host heron-a"),
            ("healthy--ray-actor-dies-once", "host 10.4.0.7"),
            ("host.preempted--spot-instance-taken-back", "host node0"),
            ("network.peer_lost--paddle-aborts-with-gloo", "rank 1"),
            ("network.peer_lost--xgboost-worker-gone", "host worker1"),
        ),
        "behind the head or the file of another, lines are that other's",
    ),
    (
        "crash.communication--mpi-before-the-step-was-cancelled",
        "host mesa-0",
    ): "what was cancelled before MPI's words does not come of them",
    (
        "crash.communication--oneccl-cannot-pin-its-thread",
        "crash.communication probable",
    ): "an exception that ends a log ended its program, also where its line was moved there",
    ("hang.missing_rank--counted-at-a-barrier", "rank 1"): "a number that is cut through is another number",
    (
        "crash.config--command-not-found",
        "host mesa4",
    ): "of several hosts whose tasks ended so the first alone is left",
    (
        "crash.signal--strace-segv",
        "hang.blocked_syscall",
    ): "a call that is cut within its arguments reads like one that has not returned",
    (
        "hang.collective_timeout--part-of-a-log-with-aborts",
        "rank 15",
    ): "of this rank's lines only one is left, which does not say that it waited too",
    **dict.fromkeys(
        (
            # The last error of the library, and that communication failed.
            ("crash.config--no-interface-in-the-last-error", "crash.communication"),
            ("crash.communication--c10d-last-words-alone", "hang.collective_timeout"),
            ("gpu.cuda_error--number-alone", "crash.exception"),
            ("hang.collective_timeout--hccl-notify-wait", "rank 3"),
            ("hang.init_incomplete--store-barrier-counts-too-many", "hang.collective_timeout"),
            ("hang.missing_rank--monitored-barrier-names-one", "network.connect_failure"),
            ("network.ib_error--nvshmem-completion-status", "crash.config"),
            ("network.peer_lost--coordination-heartbeat", "host.node_lost"),
            ("network.peer_lost--coordination-heartbeat", "network.external_service"),
            ("oom.cgroup--limit-of-a-supervisor", "host.limits"),
            ("oom.capacity--paddle-on-a-full-card", "oom.host"),
            ("oom.foreign_process--two-of-a-size-in-a-container", "gpu.cuda_error"),
            ("oom.build--ninja-single-job", "crash.config"),
            ("oom.host--ray-memory-monitor", "oom.capacity"),
            ("hang.missing_rank--barrier-in-words", "hang.collective_timeout"),
            ("gpu.cuda_error--nccl-does-not-say-which", "crash.communication"),
            ("gpu.cuda_error--nccl-does-not-say-which", "crash.exception"),
            ("network.link_flap--port-down-and-up", "network.ib_error"),
            ("oom.host--loader-killed-and-nothing-else", "crash.signal"),
            ("oom.shared_memory--no-semaphore", "host.disk_full"),
            ("oom.capacity--a-neuron-core-says-who-holds-it", "crash.communication"),
        ),
        _REST,
    ),
    **dict.fromkeys(
        (
            # The head of the traceback, which stands below a warning.
            ("env.incompatible--a-warning-s-traceback", "env.incompatible*"),
            ("env.incompatible--a-warning-s-traceback", "crash.exception*"),
            # That the brick is back.
            ("healthy--gluster-brick-is-back", "host.storage"),
            # That a lesson began there.
            ("healthy--lessons-of-a-curriculum", "loss.spike"),
            ("oom.capacity--little-for-a-compiled-program", "oom.capacity *"),
            # Its level: a logger's own word that this is news.
            ("healthy--parts-end-at-info", "network.connect_failure"),
            ("gpu.application--always-in-one-unit", "gpu.application *"),
            ("gpu.application--unrelated-programs-on-one-gpu", "gpu.application *"),
            ("gpu.hardware--poison-after-a-refused-access-over-nvlink", "gpu.hardware *"),
            ("oom.capacity--xpu-refused-below-the-total", "oom.capacity *"),
            # An error of the runtime as well, which memory does not explain.
            ("oom.foreign_process--two-of-a-size-in-a-container", "oom.foreign_process *"),
            # The second attempt, on the hosts of the first or others.
            ("gpu.hardware--and-another-failure-after-the-retry", "host p1"),
            # Another rank that does not wait for the others either.
            ("hang.missing_rank--one-stopped-one-without-data", "hang.missing_rank *"),
            # The second attempt, on other hosts, which makes the host of these ranks doubtful.
            ("gpu.hardware--and-another-failure-after-the-retry", "host o2"),
            # That the launcher had ended others just before.
            ("crash.signal--one-of-deepspeed-s-processes", "crash.signal *"),
            # A process was ended, and this rank may have been it.
            ("hang.collective_timeout--silent-rank-of-a-group-was-ended", "rank 4"),
        ),
        _DOUBT,
    ),
    **{
        (fixture, "rank *"): _NO_DUMP
        for fixture in (
            "hang.missing_rank--dumps-interleaved-in-one-file",
            "hang.missing_rank--one-rank-without-a-dump",
            "hang.missing_rank--process-gone-when-dumped",
            "hang.missing_rank--a-dump-is-cut-behind-its-head",
            "hang.init_incomplete--stacks-one-rank-still-prepares",
            "healthy--stacks-all-ranks-in-init",
            "healthy--stacks-tracker-and-semaphores",
            "healthy--strace-spins-for-the-gpu",
            "hang.missing_rank--stacks-child-of-a-rank",
        )
    },
    **{
        (f"oom.cgroup--{name}", "oom.host"): _HEAD
        for name in ("report-without-its-victim", "stack-of-a-cut-report", "cut-behind-the-constraint")
    },
    **{
        (f"healthy--{fixture}", told): _END
        for fixture, told in (
            ("oom-caught-and-tried-again", "oom.capacity"),
            ("json-logger-with-metrics", "network.ib_error"),
            ("errors-of-the-system-in-passing", "host.storage"),
            ("horovod-slow-validation", "hang.missing_rank"),
            ("in-own-words", "hang.collective_timeout"),
            ("ssh-until-the-host-is-up", "network.connect_failure"),
            ("managed-job-completes", "host.preempted"),
            ("links-while-a-host-boots", "host rx4"),
            ("ray-found-a-place-just-now", "hang.init_incomplete"),
        )
    },
    (
        "healthy--ray-dashboard-asks-in-vain",
        "network.connect_failure",
    ): "the frames that show that a page asked, no job, are cut off",
    (
        "healthy--harder-tasks-raise-the-loss",
        "loss.divergence",
    ): "the fall that the loss still stands far below is cut off",
    ("healthy--stacks-one-rank-builds-the-extension", "rank *"): _FRAMES,
    ("hang.deadlock--pool-worker-forked-with-a-lock", "rank 1"): _FRAMES,
    (
        "crash.communication--deepep-timeout-then-trap",
        "gpu.cuda_error",
    ): "the trap, which the time-out sprang, stands before it where blocks change places",
    (
        "healthy--texts-and-settings-beside-a-log",
        "oom.capacity",
    ): "of a data set the end of one line is left: nothing in it shows that it is one",
    **dict.fromkeys(
        (
            (f"oom.{fixture}", "oom.capacity")
            for fixture in (
                "foreign_process--end-of-the-sentence-only",
                "foreign_process--in-a-container-that-holds-half",
                "foreign_process--many-of-one-size",
                "foreign_process--process-of-the-last-run",
                "foreign_process--two-of-a-size-in-a-container",
                "fragmentation--banks-of-a-card",
                "fragmentation--expandable-already-on",
                "graph_capture--pools",
            )
        ),
        "without the numbers of the card only the message that memory ran out is left, which is what that rule is for",
    ),
    ("divergence.stack--holder-of-a-file-lock", "rank *"): _FRAMES,
    (
        "divergence.metric--weights-of-one-replica",
        "rank 0",
    ): "a log that is cut off stops before those of the others, which is what that rule is for",
    (
        "loss.divergence--cost-after-each-epoch",
        "loss.spike",
    ): "a loss that has begun to rise, and of which no more is known",
    ("network.ib_error--hosts-given-away", "host *"): _NAME,
    ("gpu.application--page-fault-on-a-new-amd-kernel", "host nel"): _NAME,
    ("oom.fragmentation--bfc-dump", "oom.capacity"): _NUMBERS,
    ("oom.fragmentation--torch-2.3", "oom.capacity"): _NUMBERS,
    (
        "gpu.cuda_error--pinned-host-memory",
        "oom.capacity",
    ): "the frames that tell that memory of the host was asked for are gone; the message is that of a full card",
    (
        "oom.graph_capture--frames",
        "oom.fragmentation",
    ): "the frames that tell of a capture are cut off: a message of memory in pieces is left",
    (
        "divergence.collective_mismatch--nccl-calls",
        "rank 2",
    ): "two ranks disagree, and the two that would outvote one of them are not heard of any more: both are named",
    (
        "divergence.stack--all-wait-at-three-places",
        "host.preempted",
    ): "without one of the stacks they prove no hang, and that the launcher was told to stop is what is left",
    **{
        (
            "gpu.hardware--srun-labels-and-a-controller-log",
            told,
        ): "lines that name no host are of the host that their file names"
        for told in ("host cn112", "rank 3")
    },
    ("loss.spike--a-layout-no-grammar-knows", "loss.spike"): "the log ends before the loss comes down again",
    **dict.fromkeys(
        (("healthy--curve-of-a-cyclic-rate", "loss.divergence"), ("loss.plateau_shift--new-level", "loss.spike")),
        "of a long curve a part is left, whose climb or jump the rest of it shows to be another one",
    ),
    **{
        (
            "healthy--uuids-of-two-runs",
            told,
        ): "a list of the GPUs of a host without one of them, which is what that rule is for"
        for told in ("gpu.hardware", "host *")
    },
    **{
        ("healthy--curve-weights-of-shards", f"rank {rank}"): "a log that is cut off stops before those of the others"
        for rank in (2, 3)
    },
    (
        "healthy--ordinary-kernel-lines",
        "host.limits",
    ): "the line that says that the host is up long after it is cut off; what is left is told as possible",
    (
        "network.slow_transport--links-of-one-node-differ",
        "host mica-11",
    ): "lines that name no host are of the host that their file names",
    (
        "divergence.environment--captured-on-three-nodes",
        "host node-2",
    ): "lines that name no host are of the host that their folder names",
    ("hang.missing_rank--one-rank-without-a-dump", "host a"): _NAME,
    ("hang.missing_rank--dumped-from-the-host-of-a-container", "host a"): _NAME,
    (
        "gpu.thermal--one-gpu-slows-all-ranks",
        "rank 4",
    ): "the heads of GPUs are gone: a state is that of the GPU whose head is above it",
    (
        "crash.exception--worker-of-ray-train",
        "host 10.0.3.11",
    ): "the lines of a traceback behind each other's: whose the last one is, their order tells",
    **dict.fromkeys(
        (("hang.dataloader--a-framework-nobody-knows", told) for told in ("rank ?", "hang.missing_rank")),
        "of the last stack one frame is left, by which nobody knows that it waits for others",
    ),
    **{
        (_POD, f"host {pod}"): "without the table of pods nobody knows which node a pod ran on: it goes by its own name"
        for pod in ("vlm-pre-master-0", "vlm-pre-worker-0")
    },
    (_POD, "host 10-7-2-31"): "of the whole log of a host one line is left, cut within the name of the host",
    (_POD, "hang.init_incomplete"): "a log that ends within init, of a job that died, reads like one that hung there;"
    " what says that the job trained for long is cut off with the rest",
    **dict.fromkeys(
        (
            ("crash.exception--rank-1-built-another-model", "hang.collective_timeout"),
            ("crash.exception--rank-1-built-another-model", "hang.missing_rank"),
            ("crash.exception--rank-1-built-another-model", "rank *"),
            ("crash.signal--core-of-an-uncaught-exception", "crash.config"),
            ("crash.signal--torchrun-s-own-traceback-is-cut", "crash.exception"),
            ("crash.communication--nccl-ep-waits-then-traps", "gpu.cuda_error"),
            ("crash.communication--nccl-ep-waits-then-traps", "host quince-n4"),
            ("crash.config--missing-file-after-a-mended-script", "crash.checkpoint"),
            ("crash.exception--first-of-two-scripts", "crash.checkpoint"),
            ("crash.exception--first-of-two-scripts", "crash.config"),
            ("crash.exception--validation-without-a-traceback", "crash.config"),
            ("network.external_service--answer-breaks-off-hours-after-a-module", "crash.config"),
            ("oom.cgroup--lsf-tells-limit-and-shell-the-process", "crash.signal"),
        ),
        _REST,
    ),
    **dict.fromkeys(
        (("healthy--ray-kills-a-worker-after-the-end", told) for told in ("host 10.1.2.3", "oom.host")),
        "the line is cut off that says that training came to its end before",
    ),
    ("healthy--stacks-a-lock-of-the-driver-in-passing", "hang.deadlock"): _FRAMES,
    ("healthy--stacks-active-rank-without-a-trace-of-it", "rank 0"): _FRAMES,
    ("host.storage--away-for-a-second-and-hung-since", "host.storage"): _END,
    (
        "hang.collective_timeout--half-of-them-silent",
        "rank 1",
    ): "a log that is cut off stops before those of the others",
    **dict.fromkeys(
        (
            ("host.node_lost--kubectl-describes-a-node", "host heron-a"),
            ("healthy--ray-actor-dies-once", "host 10.4.0.7"),
        ),
        "whose a line is, the head above it tells: lines in another order are of others",
    ),
    (
        "loss.nan--epochs-of-folds",
        "loss.nan definite",
    ): "values in another order: none is finite behind those that are not",
    ("loss.nan--layer-after-layer", "loss.spike"): "the steps of a curve in another order are another curve",
    **dict.fromkeys(
        (
            ("crash.exception--nan-printed-from-a-buffer", "loss.nan*"),
            ("crash.exception--after-a-script-was-mended", "crash.config"),
            ("crash.signal--core-of-an-uncaught-exception", "crash.config"),
            ("host.node_lost--step-s-credential-expired-on-a-node", "network.external_service"),
            ("host.storage--told-as-original-exception", "crash.checkpoint"),
            ("network.ib_error--slingshot-under-mpich", "crash.communication"),
        ),
        _REST,
    ),
    **dict.fromkeys(
        (
            ("healthy--a-volume-that-came-free-later", "host gx07"),
            ("healthy--bootstrap-warns-then-trains", "host mesa-3"),
            ("healthy--killed_by_hand", "host.storage"),
            ("healthy--links-while-a-host-boots", "network.link_flap"),
            ("healthy--loguru-tells-what-was-caught", "crash.exception"),
            ("healthy--nccl-torch-teardown", "host he2"),
            ("healthy--nccl-torch-teardown", "rank 3"),
        ),
        "what is gone says that it came back, or that nothing had failed",
    ),
    **dict.fromkeys(
        (
            ("crash.signal--torchrun-s-own-traceback-is-cut", "crash.exception"),
            ("hang.missing_rank--host-and-rank-in-front-one-silent", "host rack2-n42"),
            ("gpu.hardware--replaced-node-brings-the-same-gpus", "host mica-1*"),
            ("healthy--oom-caught-llama-cpp", "oom.capacity"),
            ("healthy--stacks-cut-within-a-dump", "host opal"),
            ("healthy--stacks-cut-within-a-dump", "rank 3"),
            ("hang.missing_rank--stopped-on-the-second-host", "rank 2"),
        ),
        "whose a line is, the name of its file and the head above it tell: lines in another order are of others",
    ),
    ("hang.missing_rank--stopped-on-the-second-host", "rank 1"): _NO_DUMP,
    ("crash.signal--jax-peer-killed-the-other-aborts", "rank 1"): "the log of the rank itself is gone, or thinned",
    ("loss.nan--a-part-of-a-sum-that-nobody-prints", "loss.nan*"): _DOUBT,
    ("loss.nan--mean-so-far", "loss.nan definite"): _DOUBT,
}
"""(fixture, or way; what is told of a damaged one, * for any) -> why it may be told. Whom an excepted rule names may be named."""


@dataclass(frozen=True)
class Told:
    """What an analysis says: rules of critical incidents, whom any incident names, the best grade of each rule."""

    critical: frozenset[str]
    named: frozenset[str]
    grades: dict[str, int]

    @classmethod
    def of(cls, analysis: Analysis, but: Collection[str] = (), cut: tuple[str, int] | None = None) -> Told:
        """What is said by all rules but these, and not of the line (path, number) alone that was cut through."""
        loud = [
            i
            for i in analysis.incidents
            if i.severity != "info"
            and i.rule not in but
            and not (i.confidence == "possible" and {(e.path, e.line_no) for e in i.evidence} == {cut})
        ]
        grades: dict[str, int] = {}
        for i in loud:
            grades[i.rule] = max(grades.get(i.rule, 0), GRADES.index(i.confidence))
        named = {f"host {h}" for i in loud for h in i.hosts} | {f"rank {r}" for i in loud for r in i.ranks}
        return cls(frozenset(i.rule for i in loud if i.severity == "critical"), frozenset(named), grades)

    def beyond(self, whole: Told) -> list[str]:
        """What is said here and not there."""
        rose = [f"{r} {GRADES[n]}" for r, n in self.grades.items() if r in whole.grades and n > whole.grades[r]]
        return sorted([*(self.critical - whole.critical), *(self.named - whole.named), *rose])


class Damage(NamedTuple):
    """What was done to a run; the line (path, number) that was cut through, if one was."""

    what: str
    cut: tuple[str, int] | None = None


def damaged(run: Path, way: str, rng: random.Random) -> Damage | None:
    """Do something to a run; None where there is nothing to be done in that way."""
    files = sorted(p for p in run.rglob("*") if p.is_file())
    file = rng.choice(files)
    data, name = file.read_bytes(), file.relative_to(run).as_posix()
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(data) + 1)
    if way == "start":
        file.write_bytes(data[at:])
        return Damage(f"{name} without its first {at} of {len(data)} bytes", (name, 1))
    if way == "end":
        file.write_bytes(data[:at])
        return Damage(f"{name} cut to {at} of {len(data)} bytes", (name, data[:at].count(b"\n") + 1))
    if way == "lines":
        share = rng.random() / 2
        file.write_bytes(b"".join(x for x in lines if rng.random() > share))
        return Damage(f"{name} without {share:.0%} of its lines")
    if way == "blocks" and len(lines) > 2:
        a, b, c = sorted(rng.randrange(len(lines) + 1) for _ in range(3))
        file.write_bytes(b"".join([*lines[:a], *lines[b:c], *lines[a:b], *lines[c:]]))
        return Damage(f"{name} with its lines {a + 1}-{b} behind {c}")
    if way == "without" and len(files) > 1:
        file.unlink()
        return Damage(f"without {name}")
    if way == "twice":
        copy = rng.choice(COPIES).format(file.stem, file.suffix)
        shutil.copyfile(file, file.with_name(copy))
        return Damage(f"{name} twice, as {copy}")
    if way == "joined" and len(files) > 1:
        other = rng.choice([f for f in files if f != file])
        other.write_bytes(other.read_bytes() + data)
        file.unlink()
        return Damage(f"{name} behind {other.relative_to(run).as_posix()}")
    return None


def told(run: Path, catalog: Catalog, but: Collection[str] = (), cut: tuple[str, int] | None = None) -> Told:
    try:
        with analyze(run, catalog=catalog, db=None) as analysis:
            return Told.of(analysis, but, cut)
    except UserError:  # nothing is left to be read
        return Told(frozenset(), frozenset(), {})


def tries(
    fixture: Path, ways: Sequence[str], points: int, seed: int, catalog: Catalog, sample: int | None = None
) -> Iterator[tuple[str, str, list[str]]]:
    """(way, what was done, what is told beyond the whole run) of one fixture; each damaged run is tried once."""
    with tempfile.TemporaryDirectory() as folder:
        copy, known, done = Path(folder) / "run", Told(frozenset(), frozenset(), {}), set[str]()
        places = [(way, n) for way in ways for n in range(points)]
        if sample is not None:
            random.Random(f"{seed} {fixture.name}").shuffle(places)
        for way, n in [("", 0), *places]:
            if len(done) == sample:
                break
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(fixture / "run", copy)
            if not way:
                known = told(copy, catalog)
                continue
            damage = damaged(copy, way, random.Random(f"{seed} {fixture.name} {way} {n}"))
            if damage is None or damage.what in done:
                continue
            done.add(damage.what)
            try:
                may = {told for where, told in EXCEPTIONS if where in (fixture.name, way)}
                more = [
                    x
                    for x in told(copy, catalog, may, damage.cut).beyond(known)
                    if not any(fnmatch.fnmatch(x, m) for m in may)
                ]
            except Exception as e:  # that is looked for too
                more = [f"{type(e).__name__}: {e}".splitlines()[0]]
            yield way, damage.what, more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", nargs="*", choices=WAYS, default=list(WAYS), help="default: all of them")
    parser.add_argument("--points", type=int, default=20, help="tries of each way for each fixture")
    parser.add_argument("--sample", type=int, help="so many tries of each fixture, of all of these")
    parser.add_argument("--fixtures", default="*", help="names of fixtures, a pattern of the shell")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop behind the fixture that is tried then"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.fsync = lambda _: None  # type: ignore[assignment]  # power is not lost meanwhile
    fixtures = sorted(p.parent for p in FIXTURES.glob(f"{given.fixtures}/run"))
    random.Random(given.seed).shuffle(fixtures)
    until, catalog = time.monotonic() + given.seconds, load_catalog()
    tried, more, seen = Counter[str](), Counter[str](), 0
    for fixture in fixtures:
        for way, what, beyond in tries(fixture, given.way, given.points, given.seed, catalog, given.sample):
            tried[way] += 1
            if beyond:
                more[way] += 1
                print(f"{fixture.name}: {what}: {', '.join(beyond)}", flush=True)
        seen += 1
        if time.monotonic() > until:
            break
    for way in given.way:
        print(f"{tried[way]:7,} tries, {more[way]:4} told more: {WAYS[way]}")
    print(
        f"{tried.total():7,} tries on {seen} of {len(fixtures)} fixtures, {more.total()} told more than the whole run"
    )


if __name__ == "__main__":
    main()
