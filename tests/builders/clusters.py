"""Writes run directories as a whole cluster leaves them: one injected cause, and all its echoes in every source.

The lines follow NCCL 2.27, torch 2.6, Linux 6.8 and Slurm 24; hosts' clocks differ by seconds to minutes and kernel logs
are in another zone than the job's output.
"""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

from builders.flight_recorder import Job

START = datetime(2026, 3, 3, 9, 0, 0)  # noqa: DTZ001 - job output carries no zone
STEP = timedelta(seconds=2)
AT = START + 11 * STEP
KERNEL_ZONE = timezone(timedelta(hours=1))
TIMEOUT_MS = 600_000
SEQ = 20
"""The collective that was never finished; number 19 was."""
SECOND = timedelta(seconds=1)
KernelLog = Literal["iso", "human", "syslog", "journal", "kmsg"]


@dataclass
class Cluster:
    """A job of `ranks` ranks, `per_host` on each host, and the files it has left so far, by source."""

    ranks: int = 32
    per_host: int = 8
    kernel_log: KernelLog = "iso"
    output: list[str] = field(default_factory=list)
    kernel: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, dict[str, str | bytes]] = field(default_factory=dict)

    def host(self, rank: int) -> str:
        return f"hgx{rank // self.per_host:03d}"

    @property
    def hosts(self) -> list[str]:
        return [self.host(r) for r in range(0, self.ranks, self.per_host)]

    def address(self, rank: int) -> str:
        node = rank // self.per_host
        return f"10.3.{node // 250}.{node % 250 + 2}"

    def of_host(self, rank: int) -> list[int]:
        return [r for r in range(self.ranks) if r // self.per_host == rank // self.per_host]

    def others(self, *ranks: int) -> list[int]:
        return [r for r in range(self.ranks) if r not in ranks]

    def pid(self, rank: int) -> int:
        return 40_000 + rank

    def bus(self, rank: int) -> str:
        return f"{0x19 + 0x10 * (rank % self.per_host):02x}"

    def gpu(self, rank: int) -> str:
        return f"0000:{self.bus(rank)}:00"

    def say(self, rank: int, *lines: str) -> None:
        self.output += [f"[rank{rank}]: {line}" for line in lines]

    def glog(
        self, rank: int, at: datetime, text: str, place: str = "ProcessGroupNCCL.cpp:632", severity: str = "E"
    ) -> None:
        stamp = f"{severity}{at.month}{at.day:02d} {at:%H:%M:%S}.{at.microsecond * 1000:09d}"
        self.output.append(f"[rank{rank}]:[{stamp} {place}] {text}")

    def agent(self, at: datetime, severity: str, place: str, *texts: str) -> None:
        self.output += [
            f"{severity}{at:%m%d %H:%M:%S}.{at.microsecond:06d} 900 torch/distributed/elastic/{place}] {t}"
            for t in texts
        ]

    def kern(self, host: str, at: datetime, *texts: str) -> None:
        """Kernel messages; a kernel log's clock runs some seconds off, and its zone is another."""
        wall = at.replace(tzinfo=KERNEL_ZONE) + timedelta(hours=1, seconds=3 + len(host))
        uptime = 90_000 + (at - START).total_seconds()
        head = {
            "iso": f"{wall:%Y-%m-%dT%H:%M:%S},{at.microsecond:06d}+01:00 ",
            "human": f"[{wall:%a %b} {wall.day:2d} {wall:%H:%M:%S %Y}] ",
            "syslog": f"{wall:%b} {wall.day:2d} {wall:%H:%M:%S} {host} kernel: [{uptime:.6f}] ",
            "journal": f"{wall:%Y-%m-%dT%H:%M:%S}+0100 {host} kernel: ",
            "kmsg": f"[{uptime:12.6f}] ",
        }[self.kernel_log]
        self.kernel.setdefault(host, []).extend(head + text for text in texts)

    def add(self, source: str, name: str, content: str | bytes) -> None:
        self.files.setdefault(source, {})[name] = content

    # --- what every run leaves ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Init of NCCL and some steps; ordinary kernel lines on every host."""
        self.init(START - timedelta(minutes=1))
        for h in self.hosts:
            self.kern(
                h, START - timedelta(hours=1), "mlx5_core 0000:1a:00.0 eth0: Link up", "audit: type=1400 apparmor"
            )
        self.steps(range(1, 11))
        rows = ({"step": n, "loss": 3 - n / 50, "grad_norm": 1.0} for n in range(1, 11))
        self.add("metrics", "metrics.jsonl", "".join(json.dumps(r) + "\n" for r in rows))

    def init(self, at: datetime, first_pid: int = 40_000, comm: str = "abcdef12") -> None:
        for r in range(self.ranks):
            h, p, d = self.host(r), first_pid + r, r % self.per_host
            self.say(r, f"{h}:{p}:{p} [{d}] NCCL INFO Bootstrap: Using eth0:{self.address(r)}<0>")
            line = f"ncclCommInitRankConfig comm 0x55{r:06x} rank {r} nranks {self.ranks} cudaDev {d} nvmlDev {d} busId {self.bus(r)}000 commId 0x{comm}"
            self.say(r, f"{h}:{p}:{p + 9} [{d}] NCCL INFO {line} - Init START")
            self.say(r, f"{h}:{p}:{p + 9} [{d}] NCCL INFO {line} - Init COMPLETE")

    def steps(self, numbers: Iterable[int], late: timedelta = timedelta(0)) -> None:
        for n in numbers:
            at = START + n * STEP + late
            self.say(
                self.ranks - 1,
                f" [{at:%Y-%m-%d %H:%M:%S}] iteration {n:8d}/ 1000 | elapsed time per iteration (ms): 2000.0 | lm loss: {3 - n / 50:.6E} | grad norm: 1.0 |",
            )

    # --- how a failure echoes -------------------------------------------------------------------------------------

    def timeouts(
        self,
        waiting: list[int],
        *,
        alive: Collection[int] = (),
        seq: int = SEQ,
        op: str = "ALLREDUCE",
        at: datetime = AT,
    ) -> None:
        """Ten minutes later the watchdogs of those that wait give up; `alive` are told by the store to dump as well."""
        end = at + timedelta(milliseconds=TIMEOUT_MS)
        for r in waiting:
            who, when = f"[PG ID 0 PG GUID 0(default_pg) Rank {r}]", end + timedelta(milliseconds=r)
            work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=1024, NumelOut=1024, Timeout(ms)={TIMEOUT_MS}) ran for {TIMEOUT_MS + 40 + r % 900} milliseconds before timing out."
            self.glog(r, when, f"[Rank {r}] Watchdog caught collective operation timeout: {work}")
            self.glog(
                r,
                when,
                f"{who}  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq}, last completed work: {seq - 1}",
                "ProcessGroupNCCL.cpp:2268",
            )
            if r == waiting[0]:
                self.glog(r, when, f"{who} First PG on this rank to signal dumping.", "ProcessGroupNCCL.cpp:681")
            self.glog(
                r,
                when + SECOND,
                f"{who} Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq}, last completed NCCL work: {seq - 1}.",
                "ProcessGroupNCCL.cpp:684",
            )
            self.glog(
                r,
                when + SECOND,
                f"{who} To avoid data inconsistency, we are taking the entire process down.",
                "ProcessGroupNCCL.cpp:698",
            )
        for r in waiting[:2]:
            self.output += [
                "terminate called after throwing an instance of 'c10::DistBackendError'",
                f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception: [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=1024, NumelOut=1024, Timeout(ms)={TIMEOUT_MS}) ran for {TIMEOUT_MS + 40} milliseconds before timing out.",
            ]
        for r in alive:
            who, when = f"[PG ID 0 PG GUID 0(default_pg) Rank {r}]", end + 2 * SECOND
            self.glog(
                r,
                when,
                f"{who} Observed flight recorder dump signal from another rank via TCPStore.",
                "ProcessGroupNCCL.cpp:1665",
            )
            self.glog(
                r,
                when,
                f"{who} Received a dump signal due to a collective timeout from  rank {waiting[0]} and we will try our best to dump the debug info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run.",
                "ProcessGroupNCCL.cpp:1683",
            )

    def job(self) -> Job:
        """What the Flight Recorder of every rank is asked to note, in one group, from now on."""
        at = AT.replace(tzinfo=UTC).timestamp()
        return Job({"0": ("default_pg", range(self.ranks))}, start_ns=int(at * 1_000_000_000))

    def flight(self, culprits: Collection[int], present: Iterable[int] | None = None, op: str = "all_reduce") -> None:
        """Flight Recorder dumps: the culprits have not enqueued what the others wait in."""
        job = self.job()
        for _ in range(3):
            job.collective("0", op)
        job.collective("0", op, self.others(*culprits), done=False)
        for r in range(self.ranks) if present is None else present:
            self.add("flight", f"nccl_trace_rank_{r}", pickle.dumps(job.dump(r), protocol=2))

    def stacks(self, elsewhere: dict[int, list[str]], status: str = "idle") -> None:
        """py-spy dumps of every host: all ranks reduce gradients, some stand elsewhere (frames from the inside out)."""
        reduce = [
            "all_reduce (torch/distributed/distributed_c10d.py:2810)",
            "wrapper (torch/distributed/c10d_logger.py:81)",
            "sync_gradients (train.py:88)",
        ]
        for host in self.hosts:
            text: list[str] = []
            for r in (r for r in range(self.ranks) if self.host(r) == host):
                frames = [
                    *elsewhere.get(r, reduce),
                    "step (train.py:120)",
                    "main (train.py:180)",
                    "<module> (train.py:210)",
                ]
                text += [
                    f"Process {self.pid(r)}: python -u train.py --rank {r}",
                    "Python v3.11.9 (/usr/bin/python3.11)",
                    "",
                    f'Thread {self.pid(r)} ({status if r in elsewhere else "idle"}): "MainThread"',
                ]
                text += [f"    {f}" for f in frames]
            self.add("stacks", f"pyspy.{host}.txt", "\n".join(text) + "\n")

    def closed(self, at: datetime, victims: list[int], peer: int) -> None:
        """NCCL, gloo and the store of other ranks notice that a process is gone."""
        for r in victims:
            h, p, d = self.host(r), self.pid(r), r % self.per_host
            warn = f"NCCL WARN socketProgress: Connection closed by remote peer {self.host(peer)}<{50000 + r}>"
            self.say(r, "", f"[{at:%Y-%m-%d %H:%M:%S}] {h}:{p}:{p + 20} [{d}] misc/socket.cc:71 {warn}")
        for r in victims[:1]:
            self.traceback(
                r,
                f"RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [{self.address(peer)}]:{20000 + r}",
                "barrier",
            )

    def store_gone(self, at: datetime, victims: list[int]) -> None:
        """The store's host (rank 0's) does not answer any more."""
        for r in victims:
            self.glog(
                r,
                at,
                f"[c10d] recvValue failed on SocketImpl(fd=67, addr=[{self.host(r)}]:{51000 + r % 9000}, remote=[{self.host(0)}]:29500): Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?",
                "TCPStore.cpp:125",
                "W",
            )
            self.glog(
                r,
                at,
                f'[PG ID 0 PG GUID 0(default_pg) Rank {r}] Failed to check the "should dump" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?',
                "ProcessGroupNCCL.cpp:1682",
                "W",
            )

    def failed(self, at: datetime, rank: int, exitcode: int, signal: str = "") -> None:
        """The launcher on the host of `rank` ends its other workers and tells whose failure it saw first; Slurm ends the rest."""
        for r in self.of_host(rank):
            if r != rank:
                self.agent(
                    at, "W", "multiprocessing/api.py:897", f"Sending process {self.pid(r)} closing signal SIGTERM"
                )
        self.agent(
            at,
            "E",
            "multiprocessing/api.py:869",
            f"failed (exitcode: {exitcode}) local_rank: {rank % self.per_host} (pid: {self.pid(rank)}) of binary: /usr/bin/python3.11",
        )
        tail = f" ({signal})" if signal else ""
        self.output += [
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60, "train.py FAILED", "-" * 60, "Failures:", "  <NO_OTHER_FAILURES>", "-" * 60,
            "Root Cause (first observed failure):", "[0]:", f"  time      : {at:%Y-%m-%d_%H:%M:%S}", f"  host      : {self.host(rank)}",
            f"  rank      : {rank} (local_rank: {rank % self.per_host})", f"  exitcode  : {exitcode} (pid: {self.pid(rank)}){tail}", "  error_file: <N/A>",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html", "=" * 60,
            f"srun: error: {self.host(rank)}: task {rank // self.per_host}: Exited with exit code 1",
            "srun: Terminating StepId=881.0",
            f"slurmstepd: error: *** STEP 881.0 ON {self.host(0)} CANCELLED AT {at + 20 * SECOND:%Y-%m-%dT%H:%M:%S} ***",
        ]  # fmt: skip

    def traceback(self, rank: int, last: str, where: str = "step") -> None:
        self.say(
            rank, "Traceback (most recent call last):", '  File "/work/train.py", line 210, in <module>', "    main()",
            f'  File "/work/train.py", line 120, in {where}', f"    {where}(batch)", last,
        )  # fmt: skip

    def sources(self) -> dict[str, dict[str, str | bytes]]:
        """Files by source: the job's output, kernel logs, and what the cause added."""
        out: dict[str, dict[str, str | bytes]] = {"output": {"slurm-881.out": "\n".join(self.output) + "\n"}}
        if self.kernel:
            name = "dmesg.{}.txt" if self.kernel_log in ("iso", "human", "kmsg") else "{}/messages"
            out["kernel"] = {name.format(h): "\n".join(lines) + "\n" for h, lines in self.kernel.items()}
        return out | self.files

    def write(self, run: Path, without: Collection[str] = ()) -> Path:
        """Write the run directory, leaving some sources out."""
        run.mkdir(parents=True)
        for source, files in self.sources().items():
            for name, content in files.items() if source not in without else ():
                (run / name).parent.mkdir(parents=True, exist_ok=True)
                (run / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return run


# --- causes -----------------------------------------------------------------------------------------------------------


def _bdf(c: Cluster, r: int) -> str:
    return f"PCI:0000:{c.bus(r)}:00"


def fell_off(c: Cluster, r: int) -> None:
    c.kern(
        c.host(r), AT,
        f"NVRM: GPU at {_bdf(c, r)}: GPU-{r:08d}-1111-2222-3333-444455556666",
        f"NVRM: Xid ({_bdf(c, r)}): 79, pid={c.pid(r)}, name=python, GPU has fallen off the bus.",
        f"NVRM: GPU {c.gpu(r)}.0: GPU has fallen off the bus.",
        f"NVRM: Xid ({_bdf(c, r)}): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    )  # fmt: skip
    # The links to it go down on the GPUs beside it, whose channels are then torn down.
    beside = [x for x in c.of_host(r) if x != r][:3]
    c.kern(
        c.host(r),
        AT + SECOND,
        *(
            f"NVRM: Xid ({_bdf(c, x)}): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
            for x in beside
        ),
    )
    c.kern(
        c.host(r),
        AT + 8 * SECOND,
        *(f"NVRM: Xid ({_bdf(c, x)}): 45, pid={c.pid(x)}, name=python, Ch 00000010" for x in beside),
    )
    c.traceback(r, "RuntimeError: CUDA error: unspecified launch failure")
    c.closed(AT + 4 * SECOND, c.others(r)[:4], r)
    c.timeouts(c.others(*c.of_host(r)))
    c.flight([r], c.others(*c.of_host(r)))
    c.failed(AT + 5 * SECOND, r, 1)


def contained_ecc(c: Cluster, r: int) -> None:
    """The job is restarted by its launcher and goes on."""
    c.kern(
        c.host(r), AT,
        f"NVRM: Xid ({_bdf(c, r)}): 94, pid={c.pid(r)}, name=python, Contained: SM (0x1). RST: No, D-RST: No",
        f"NVRM: Xid ({_bdf(c, r)}): 45, pid={c.pid(r)}, name=python, Ch 00000008",
        f"NVRM: Xid ({_bdf(c, r)}): 43, pid={c.pid(r)}, name=python, Ch 00000009",
    )  # fmt: skip
    c.traceback(r, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    c.closed(AT + 4 * SECOND, c.others(r)[:3], r)
    c.agent(
        AT + 5 * SECOND,
        "W",
        "multiprocessing/api.py:897",
        *(f"Sending process {c.pid(x)} closing signal SIGTERM" for x in c.of_host(r) if x != r),
    )
    c.agent(
        AT + 6 * SECOND,
        "E",
        "multiprocessing/api.py:869",
        f"failed (exitcode: 1) local_rank: {r % c.per_host} (pid: {c.pid(r)}) of binary: /usr/bin/python3.11",
    )
    c.agent(
        AT + 6 * SECOND,
        "I",
        "agent/server/api.py:879",
        "[default] Worker group FAILED. 3/3 attempts left; will restart worker group",
    )
    c.agent(
        AT + 7 * SECOND,
        "I",
        "agent/server/api.py:733",
        "[default] Stopping worker group",
        "[default] Rendezvous'ing worker group",
    )
    c.init(AT + timedelta(minutes=1), 60_000, "abcdef34")
    c.steps(range(6, 40), timedelta(minutes=2))


def port_flap(c: Cluster, r: int) -> None:
    c.kern(c.host(r), START - timedelta(hours=1), "mlx5_core 0000:5a:00.0 ibs3: Link up")
    c.kern(c.host(r), AT, "mlx5_core 0000:5a:00.0 ibs3: Link down")
    c.kern(c.host(r), AT + 30 * SECOND, "mlx5_core 0000:5a:00.0 ibs3: Link up")
    away = [x for x in range(c.ranks) if c.host(x) != c.host(r)]
    for v in away[:3]:
        h, p, d = c.host(v), c.pid(v), v % c.per_host
        warn = f"NCCL WARN NET/IB: Got completion from peer {c.address(r)}<4099> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_3"
        c.say(v, "", f"[{AT + 9 * SECOND:%Y-%m-%d %H:%M:%S}] {h}:{p}:{p + 30} [{d}] transport/net_ib.cc:1700 {warn}")
        c.traceback(
            v,
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2253, remote process exited or there was a network error, NCCL version 2.27.3",
        )
    c.timeouts(c.others(*away[:3]))
    c.flight([], c.others(*away[:3]))


def loader_oom(c: Cluster, r: int) -> None:
    victim = 51_000 + r
    c.kern(
        c.host(r), AT, "pt_data_worker invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice,task=pt_data_worker,pid={victim},uid=1000",
        f"Out of memory: Killed process {victim} (pt_data_worker) total-vm:98000000kB, anon-rss:88000000kB, file-rss:0kB, shmem-rss:1024kB, UID:1000 pgtables:190000kB oom_score_adj:0",
    )  # fmt: skip
    c.traceback(r, f"RuntimeError: DataLoader worker (pid {victim}) is killed by signal: Killed. ", "fetch")
    c.closed(AT + 4 * SECOND, c.others(r)[:2], r)
    c.timeouts(c.others(*c.of_host(r)))
    c.failed(AT + 5 * SECOND, r, 1)


def key_error(c: Cluster, r: int) -> None:
    c.traceback(r, "KeyError: 'attention_mask'")
    c.closed(AT + 4 * SECOND, c.others(r)[:4], r)
    c.timeouts(c.others(*c.of_host(r)))
    c.flight([r], c.others(*c.of_host(r)))
    c.failed(AT + 5 * SECOND, r, 1)


def stuck_loader(c: Cluster, r: int) -> None:
    """The others' launchers end their workers; the process that waits for its data has to be killed."""
    c.timeouts(c.others(r), alive=[r])
    c.flight([r])
    get = ["wait (threading.py:331)", "get (queue.py:180)", "_try_get_data (torch/utils/data/dataloader.py:1275)"]
    c.stacks(
        {
            r: [
                *get,
                "_get_data (torch/utils/data/dataloader.py:1427)",
                "_next_data (torch/utils/data/dataloader.py:1448)",
                "__next__ (torch/utils/data/dataloader.py:733)",
            ]
        }
    )
    c.failed(AT + timedelta(minutes=10, seconds=5), c.others(r)[0], -6, "Signal 6 (SIGABRT) received by PID 40000")


def endless_read(c: Cluster, r: int) -> None:
    """A rank reads its shard from a file system that does not answer; somebody traces its process."""
    c.timeouts(c.others(r), alive=[r])
    c.flight([r])
    at = AT + timedelta(minutes=5)
    lines = [f"{c.pid(r)} {at:%H:%M:%S}.400000 pread64(41</lustre/data/shard-0007.bin>,  <unfinished ...>"]
    lines.append(
        f"{c.pid(r) + 500} {at + 90 * SECOND:%H:%M:%S}.000000 futex(0x7f1c, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>"
    )
    c.add("strace", f"strace.{c.host(r)}.txt", "\n".join(lines) + "\n")
    c.failed(AT + timedelta(minutes=10, seconds=5), c.others(r)[0], -6, "Signal 6 (SIGABRT) received by PID 40000")


def other_collective(c: Cluster, r: int) -> None:
    c.timeouts(c.others(r), op="ALLREDUCE")
    c.timeouts([r], op="BROADCAST")
    job = c.job()
    job.collective("0")
    job.collective("0", ranks=c.others(r), done=False)
    job.collective("0", "broadcast", [r], done=False)
    for x in range(c.ranks):
        c.add("flight", f"nccl_trace_rank_{x}", pickle.dumps(job.dump(x), protocol=2))


def node_lost(c: Cluster, r: int) -> None:
    """Slurm notices after five minutes that the node does not answer, and ends the job."""
    c.closed(AT + 40 * SECOND, c.others(*c.of_host(r))[:4], r)
    lines = (
        f"slurmstepd-{c.host(0)}: error: *** STEP 881.0 ON {c.host(0)} CANCELLED AT {AT + timedelta(minutes=5):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"srun: error: Node failure on {c.host(r)}",
    )
    c.add("scheduler", "srun.err", "\n".join(lines) + "\n")


def node_silent(c: Cluster, r: int) -> None:
    """Nothing comes from the node any more, and nobody says why: the others' watchdogs give up."""
    rest = c.others(*c.of_host(r))
    c.kernel.pop(c.host(r), None)
    c.timeouts(rest)
    c.flight(c.of_host(r), rest)


def preempted(c: Cluster, _: int) -> None:
    c.output.append(
        f"slurmstepd: error: *** STEP 881.0 ON {c.host(0)} CANCELLED AT {AT:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    )
    for r in range(0, c.ranks, c.per_host):
        c.agent(AT, "W", "agent/server/api.py:704", "Received 15 death signal, shutting down workers")
        c.agent(
            AT,
            "W",
            "multiprocessing/api.py:897",
            *(f"Sending process {c.pid(x)} closing signal SIGTERM" for x in c.of_host(r)),
        )
        c.output.append(
            f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {900 + r} got signal: 15"
        )
    c.closed(AT + 4 * SECOND, c.others(0)[:3], 0)


def disk_full(c: Cluster, r: int) -> None:
    path = "/local/ckpt/step10/rank.pt"
    c.traceback(r, f"OSError: [Errno 28] No space left on device: '{path}'", "save_checkpoint")
    c.kern(
        c.host(r),
        AT,
        "EXT4-fs warning (device nvme1n1p1): ext4_dx_add_entry:2529: Directory (ino: 131076) index full, reach max htree level :2",
    )
    c.closed(AT + 4 * SECOND, c.others(r)[:2], r)
    c.timeouts(c.others(*c.of_host(r)))
    c.failed(AT + 5 * SECOND, r, 1)


def two_faults(c: Cluster, r: int) -> None:
    """A disk is full on one host; half an hour later, after a restart, a GPU of another host falls off its bus."""
    disk_full(c, (r + c.per_host) % c.ranks)
    fell_off(c, r)


def slow_rank(c: Cluster, r: int) -> None:
    """From step 60 on one rank needs twice the time for its own part of a step, as every rank prints it."""
    for n in range(11, 121):
        at = START + n * STEP
        c.output += [
            f"[rank{x}]:  [{at:%Y-%m-%d %H:%M:%S}] iteration {n:8d}/ 1000 | elapsed time per iteration (ms): {3900.0 if x == r and n > 60 else 1900.0 + (7 * n + x) % 11:.1f} | lm loss: {3 - n / 50:.6E} | grad norm: 1.0 |"
            for x in range(c.ranks)
        ]


@dataclass(frozen=True, slots=True)
class Cause:
    """What was injected, and what must be found."""

    root: str
    inject: Callable[[Cluster, int], None]
    names: frozenset[str] = frozenset({"rank", "host"})
    also: str = ""


_ALL = frozenset({"rank", "host", "gpu"})
CAUSES: dict[str, Cause] = {
    "gpu fell off the bus": Cause("gpu.hardware", fell_off, _ALL),
    "contained ECC error, restart": Cause("gpu.hardware", contained_ecc, _ALL),
    "port flap": Cause("network.link_flap", port_flap, frozenset({"host"})),
    "host OOM of a data loader": Cause("oom.host", loader_oom),
    "exception in one rank": Cause("crash.exception", key_error),
    "stuck data loader": Cause("hang.dataloader", stuck_loader),
    "read that does not return": Cause("hang.blocked_syscall", endless_read),
    "conditional collective": Cause("divergence.collective_mismatch", other_collective, frozenset({"rank"})),
    "node lost": Cause("host.node_lost", node_lost, frozenset({"host"})),
    "node that falls silent": Cause("hang.missing_rank", node_silent, frozenset({"host"})),
    "preemption": Cause("host.preempted", preempted, frozenset()),
    "disk full on one host": Cause("host.disk_full", disk_full),
    "slow rank": Cause("perf.slowdown", slow_rank),
    "two independent faults": Cause("gpu.hardware", two_faults, _ALL, also="host.disk_full"),
}


def make(name: str, ranks: int = 32, culprit: int = 11, kernel_log: KernelLog = "iso") -> Cluster:
    """The cluster after the cause of that name hit `culprit`."""
    cluster = Cluster(ranks, kernel_log=kernel_log)
    cluster.begin()
    CAUSES[name].inject(cluster, culprit)
    return cluster


def with_packed_log(cluster: Cluster, folder: Path) -> Path:
    """Write a cluster whose largest log is packed."""
    run = cluster.write(folder)
    largest = max((p for p in run.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    largest.with_name(f"{largest.name}.gz").write_bytes(gzip.compress(largest.read_bytes(), mtime=0))
    largest.unlink()
    return run
