"""Writes run directories as a whole cluster leaves them: one injected cause, and all its echoes in every rank's output.

The lines follow NCCL 2.27, torch 2.6, Linux 6.8 and Slurm 24; hosts' clocks differ by seconds to minutes and kernel logs
are in another zone than the job's output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

START = datetime(2026, 3, 3, 9, 0, 0)  # noqa: DTZ001 - job output carries no zone
STEP = timedelta(seconds=2)
KERNEL_ZONE = timezone(timedelta(hours=1))
TIMEOUT_MS = 600_000


@dataclass
class Cluster:
    """A job of `ranks` ranks, `per_host` on each host, and the lines its logs hold so far."""

    ranks: int = 16
    per_host: int = 8
    output: list[str] = field(default_factory=list)
    kernel: dict[str, list[str]] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)

    def host(self, rank: int) -> str:
        return f"hgx{rank // self.per_host:03d}"

    def pid(self, rank: int) -> int:
        return 40_000 + rank

    def bus(self, rank: int) -> str:
        return f"{0x19 + 0x10 * (rank % self.per_host):02x}"

    def gpu(self, rank: int) -> str:
        return f"0000:{self.bus(rank)}:00"

    def say(self, rank: int, *lines: str) -> None:
        self.output += [f"[rank{rank}]: {line}" for line in lines]

    def glog(self, rank: int, at: datetime, text: str, severity: str = "E") -> None:
        stamp = f"{severity}{at.month}{at.day:02d} {at:%H:%M:%S}.{at.microsecond * 1000:09d}"
        self.output.append(f"[rank{rank}]:[{stamp} ProcessGroupNCCL.cpp:632] [Rank {rank}] {text}")

    def kern(self, host: str, at: datetime, *texts: str) -> None:
        # A kernel log's clock runs some seconds off, and its zone is another.
        wall = at.replace(tzinfo=KERNEL_ZONE) + timedelta(hours=1, seconds=3 + len(host))
        stamp = f"{wall:%Y-%m-%dT%H:%M:%S},{at.microsecond:06d}+01:00"
        self.kernel.setdefault(host, []).extend(f"{stamp} {text}" for text in texts)

    def begin(self) -> None:
        """Init of NCCL and some steps; ordinary kernel lines on every host."""
        for r in range(self.ranks):
            h, p, d = self.host(r), self.pid(r), r % self.per_host
            self.say(r, f"{h}:{p}:{p} [{d}] NCCL INFO Bootstrap: Using eth0:10.3.{r // self.per_host}.7<0>")
            line = f"ncclCommInitRankConfig comm 0x55{r:06x} rank {r} nranks {self.ranks} cudaDev {d} nvmlDev {d} busId {self.bus(r)}000 commId 0xabcdef12"
            self.say(r, f"{h}:{p}:{p + 9} [{d}] NCCL INFO {line} - Init START")
            self.say(r, f"{h}:{p}:{p + 9} [{d}] NCCL INFO {line} - Init COMPLETE")
        for h in sorted({self.host(r) for r in range(self.ranks)}):
            self.kern(
                h,
                START - timedelta(hours=1),
                "mlx5_core 0000:1a:00.0 eth0: Link up",
                "systemd[1]: Started Session 4 of User train.",
            )
        for n in range(1, 11):
            at = START + n * STEP
            self.say(
                self.ranks - 1,
                f" [{at:%Y-%m-%d %H:%M:%S}] iteration {n:8d}/ 1000 | elapsed time per iteration (ms): 2000.0 | lm loss: {3 - n / 50:.6E} | grad norm: 1.0 |",
            )

    def timeouts(self, at: datetime, waiting: list[int], seq: int = 20, op: str = "ALLREDUCE") -> None:
        """Ten minutes later the others' watchdogs give up, and their launcher tells of it."""
        end = at + timedelta(milliseconds=TIMEOUT_MS)
        for r in waiting:
            self.glog(
                r,
                end + timedelta(milliseconds=r),
                f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=1024, NumelOut=1024, Timeout(ms)={TIMEOUT_MS}) ran for {TIMEOUT_MS + 40 + r} milliseconds before timing out.",
            )
            self.glog(
                r, end + timedelta(seconds=1), "To avoid data inconsistency, we are taking the entire process down."
            )

    def closed(self, at: datetime, victims: list[int], peer: int) -> None:
        for r in victims:
            h, p, d = self.host(r), self.pid(r), r % self.per_host
            stamp = f"[{at:%Y-%m-%d %H:%M:%S}]"
            self.say(
                r,
                "",
                f"{stamp} {h}:{p}:{p + 20} [{d}] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer {self.host(peer)}<{50000 + r}>",
            )

    def failed(self, at: datetime, rank: int, exitcode: int, signal: str = "") -> None:
        """The launcher's table on the host of `rank`."""
        tail = f" ({signal})" if signal else ""
        self.output += [
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60, "train.py FAILED", "-" * 60, "Failures:", "  <NO_OTHER_FAILURES>", "-" * 60,
            "Root Cause (first observed failure):", "[0]:", f"  time      : {at:%Y-%m-%d_%H:%M:%S}", f"  host      : {self.host(rank)}",
            f"  rank      : {rank} (local_rank: {rank % self.per_host})", f"  exitcode  : {exitcode} (pid: {self.pid(rank)}){tail}", "  error_file: <N/A>",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html", "=" * 60,
        ]  # fmt: skip

    def traceback(self, rank: int, last: str, where: str = "step") -> None:
        self.say(
            rank,
            "Traceback (most recent call last):",
            '  File "/work/train.py", line 210, in <module>',
            "    main()",
            f'  File "/work/train.py", line 120, in {where}',
            f"    {where}(batch)",
            last,
        )

    def write(self, run: Path, without: str = "") -> Path:
        """Write the run directory, leaving out one source: output, kernel, or the name of an extra file."""
        run.mkdir(parents=True)
        if without != "output":
            (run / "slurm-881.out").write_text("\n".join(self.output) + "\n")
        if without != "kernel":
            for host, lines in self.kernel.items():
                (run / f"dmesg.{host}.txt").write_text("\n".join(lines) + "\n")
        for name, text in self.extra.items():
            if name != without:
                (run / name).write_text(text)
        return run


@dataclass(frozen=True)
class Cause:
    """What was injected, and what must be found."""

    root: str
    inject: Callable[[Cluster, int], None]
    names_rank: bool = True
    names_host: bool = True
    names_gpu: bool = False


def _others(c: Cluster, rank: int) -> list[int]:
    return [r for r in range(c.ranks) if r != rank]


AT = START + 11 * STEP


def fell_off(c: Cluster, r: int) -> None:
    bdf = f"PCI:0000:{c.bus(r)}:00"
    c.kern(
        c.host(r),
        AT,
        f"NVRM: GPU at {bdf}: GPU-{r:08d}-1111-2222-3333-444455556666",
        f"NVRM: Xid ({bdf}): 79, pid={c.pid(r)}, name=python, GPU has fallen off the bus.",
    )
    c.traceback(r, "RuntimeError: CUDA error: unspecified launch failure")
    c.closed(AT + timedelta(seconds=4), _others(c, r)[:3], r)
    c.timeouts(AT, _others(c, r))
    c.failed(AT + timedelta(seconds=5), r, 1)


def contained_ecc(c: Cluster, r: int) -> None:
    bdf = f"PCI:0000:{c.bus(r)}:00"
    c.kern(
        c.host(r),
        AT,
        f"NVRM: Xid ({bdf}): 94, pid={c.pid(r)}, name=python, Contained: SM (0x1). RST: No, D-RST: No",
        f"NVRM: Xid ({bdf}): 45, pid={c.pid(r)}, name=python, Ch 00000008",
    )
    c.traceback(r, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    c.timeouts(AT, _others(c, r))
    c.failed(AT + timedelta(seconds=5), r, 1)


def port_flap(c: Cluster, r: int) -> None:
    c.kern(c.host(r), START - timedelta(hours=1), "mlx5_core 0000:5a:00.0 ibs3: Link up")
    c.kern(c.host(r), AT, "mlx5_core 0000:5a:00.0 ibs3: Link down")
    c.kern(c.host(r), AT + timedelta(seconds=30), "mlx5_core 0000:5a:00.0 ibs3: Link up")
    for v in _others(c, r)[:3]:
        h, p, d = c.host(v), c.pid(v), v % c.per_host
        c.say(
            v,
            "",
            f"[{AT + timedelta(seconds=9):%Y-%m-%d %H:%M:%S}] {h}:{p}:{p + 30} [{d}] transport/net_ib.cc:1700 NCCL WARN NET/IB: Got completion from peer 10.3.{r // c.per_host}.7<4099> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_3",
        )
    c.timeouts(AT, _others(c, r))


def loader_oom(c: Cluster, r: int) -> None:
    victim = 51_000 + r
    c.kern(
        c.host(r), AT, "pt_data_worker invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice,task=pt_data_worker,pid={victim},uid=1000",
        f"Out of memory: Killed process {victim} (pt_data_worker) total-vm:98000000kB, anon-rss:88000000kB, file-rss:0kB, shmem-rss:1024kB, UID:1000 pgtables:190000kB oom_score_adj:0",
    )  # fmt: skip
    c.traceback(r, f"RuntimeError: DataLoader worker (pid {victim}) is killed by signal: Killed. ", "fetch")
    c.closed(AT + timedelta(seconds=4), _others(c, r)[:2], r)
    c.timeouts(AT, _others(c, r))
    c.failed(AT + timedelta(seconds=5), r, 1)


def key_error(c: Cluster, r: int) -> None:
    c.traceback(r, "KeyError: 'attention_mask'")
    c.closed(AT + timedelta(seconds=4), _others(c, r)[:4], r)
    c.timeouts(AT, _others(c, r))
    c.failed(AT + timedelta(seconds=5), r, 1)


def stuck_loader(c: Cluster, r: int) -> None:
    c.timeouts(AT, _others(c, r))
    for host in sorted({c.host(x) for x in range(c.ranks)}):
        text = []
        for x in (x for x in range(c.ranks) if c.host(x) == host):
            text += [
                f"Process {c.pid(x)}: python -u train.py --rank {x}",
                "Python v3.11.9 (/usr/bin/python3.11)",
                "",
                f'Thread {c.pid(x)} (idle): "MainThread"',
            ]
            if x == r:
                text += [
                    "    wait (threading.py:331)",
                    "    get (queue.py:180)",
                    "    _try_get_data (torch/utils/data/dataloader.py:1275)",
                    "    _get_data (torch/utils/data/dataloader.py:1427)",
                    "    _next_data (torch/utils/data/dataloader.py:1448)",
                    "    __next__ (torch/utils/data/dataloader.py:733)",
                ]
            else:
                text += [
                    "    all_reduce (torch/distributed/distributed_c10d.py:2810)",
                    "    wrapper (torch/distributed/c10d_logger.py:81)",
                    "    sync_gradients (train.py:88)",
                ]
            text += ["    step (train.py:120)", "    main (train.py:180)", "    <module> (train.py:210)"]
        c.extra[f"pyspy.{host}.txt"] = "\n".join(text) + "\n"


def other_collective(c: Cluster, r: int) -> None:
    c.timeouts(AT, _others(c, r), op="ALLREDUCE")
    c.timeouts(AT, [r], op="BROADCAST")


def node_lost(c: Cluster, r: int) -> None:
    lost = [x for x in range(c.ranks) if c.host(x) == c.host(r)]
    c.output.append(
        f"slurmstepd-hgx900: error: *** STEP 881.0 ON {c.host(0)} CANCELLED AT {AT + timedelta(minutes=3):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    c.output.append(f"srun: error: Node failure on {c.host(r)}")
    c.closed(AT + timedelta(seconds=40), [x for x in range(c.ranks) if x not in lost][:4], r)


def preempted(c: Cluster, _: int) -> None:
    c.output.append(
        f"slurmstepd: error: *** STEP 881.0 ON {c.host(0)} CANCELLED AT {AT:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    )
    for r in range(0, c.ranks, c.per_host):
        c.output.append(
            f"W0303 {AT:%H:%M:%S}.000000 {900 + r} torch/distributed/elastic/agent/server/api.py:704] Received 15 death signal, shutting down workers"
        )
        c.output.append(
            f"W0303 {AT:%H:%M:%S}.000000 {900 + r} torch/distributed/elastic/multiprocessing/api.py:897] Sending process {c.pid(r)} closing signal SIGTERM"
        )


def disk_full(c: Cluster, r: int) -> None:
    c.traceback(r, "OSError: [Errno 28] No space left on device: '/local/ckpt/step10/rank.pt'", "save_checkpoint")
    c.timeouts(AT, _others(c, r))
    c.failed(AT + timedelta(seconds=5), r, 1)


CAUSES: dict[str, Cause] = {
    "gpu fell off the bus": Cause("gpu.hardware", fell_off, names_gpu=True),
    "contained ECC error": Cause("gpu.hardware", contained_ecc, names_gpu=True),
    "port flap": Cause("network.link_flap", port_flap, names_rank=False),
    "host OOM of a data loader": Cause("oom.host", loader_oom),
    "exception in one rank": Cause("crash.exception", key_error),
    "stuck data loader": Cause("hang.dataloader", stuck_loader),
    "conditional collective": Cause(
        "divergence.collective_mismatch", other_collective, names_rank=False, names_host=False
    ),
    "node lost": Cause("host.node_lost", node_lost, names_rank=False),
    "preemption": Cause("host.preempted", preempted, names_rank=False, names_host=False),
    "disk full on one host": Cause("host.disk_full", disk_full),
}


def make(name: str, ranks: int = 16, culprit: int = 11) -> Cluster:
    """The cluster after the cause of that name hit `culprit`."""
    cluster = Cluster(ranks)
    cluster.begin()
    CAUSES[name].inject(cluster, culprit)
    return cluster
