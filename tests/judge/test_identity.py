"""Who is who: names that lines tie together reach the incidents; what contradicts is a row and fills nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from builders.clusters import START, Cluster
from builders.flight_recorder import Job
from test_causes import incident

from logsift import Catalog, analyze
from logsift.judge.identity import identify
from logsift.judge.words import facts_of
from logsift.store import Store

Runs = Callable[[Mapping[str, str]], Path]


def store_of(cluster: Cluster, run: Path, catalog: Catalog) -> Store:
    return analyze(cluster.write(run), catalog=catalog, db=None).store


def test_an_address_goes_by_the_name_of_its_host(tmp_path: Path, catalog: Catalog) -> None:
    cluster = Cluster(16)
    cluster.init(START)
    store = store_of(cluster, tmp_path / "run", catalog)
    known, unknown = (incident("network.connect_failure", hosts=[h]) for h in (cluster.address(9), "10.9.9.9"))
    assert [set(i.hosts) for i in identify([known, unknown], store)] == [{cluster.host(9)}, {"10.9.9.9"}]


def test_gpu_process_and_local_rank_name_the_rank(tmp_path: Path, catalog: Catalog) -> None:
    cluster = Cluster(16)
    cluster.init(START)
    cluster.failed(START, 9, 1)
    store, host = store_of(cluster, tmp_path / "run", catalog), cluster.host(9)
    by_gpu = incident("gpu.hardware", hosts=[f"{host}.example.org"], gpus=[cluster.gpu(9)])
    by_pid = replace(incident("crash.signal"), facts={"pid": cluster.pid(9)})
    by_place = replace(incident("crash.signal", hosts=[host]), facts={"local_rank": 1})
    assert [set(i.ranks) for i in identify([by_gpu, by_pid, by_place], store)] == [{9}, {9}, {9}]


def test_a_host_alone_names_no_rank(tmp_path: Path, catalog: Catalog) -> None:
    cluster = Cluster(16)
    cluster.init(START)
    store = store_of(cluster, tmp_path / "run", catalog)
    assert [i.ranks for i in identify([incident("host.storage", hosts=[cluster.host(9)])], store)] == [frozenset()]


def test_a_restart_keeps_host_and_gpu_of_a_rank_and_its_two_processes_are_told(
    tmp_path: Path, catalog: Catalog
) -> None:
    cluster = Cluster(16)
    cluster.init(START)
    cluster.init(START, 60_000, "abcdef34")
    store = store_of(cluster, tmp_path / "run", catalog)
    rank = store.rows("SELECT host, pid, gpu FROM rank WHERE rank = 9")
    assert rank == [{"host": cluster.host(9), "pid": None, "gpu": cluster.gpu(9)}]
    told = store.rows("SELECT what, names FROM identity_conflict WHERE of_what = 'rank 9'")
    host = cluster.host(9)
    assert told == [{"what": "process", "names": [f"{host} pid 40009", f"{host} pid 60009"]}]


def test_communicators_of_parts_of_a_job_name_no_rank_of_the_job(tmp_path: Path, catalog: Catalog) -> None:
    cluster = Cluster(8)
    cluster.init(START)
    other = Cluster(8)
    other.init(START, 50_000, "beefbeef")
    lines = [line.replace("hgx000", "hgx001").replace("[rank", "[other") for line in other.output]
    cluster.output = [line.partition(": ")[2] for line in cluster.output + lines]
    assert store_of(cluster, tmp_path / "run", catalog).rows("SELECT * FROM nccl_global_rank") == []


def test_a_rank_knows_its_parallel_groups(tmp_path: Path, catalog: Catalog) -> None:
    cluster = Cluster(4)
    cluster.init(START)
    job = Job({"0": ("default_pg", range(4)), "1": ("tp", [0, 1]), "2": ("tp", [2, 3])})
    job.collective("0")
    for r in range(3):
        cluster.add("flight", f"nccl_trace_rank_{r}", pickle.dumps(job.dump(r), protocol=2))
    store = store_of(cluster, tmp_path / "run", catalog)
    told = store.rows('SELECT "group", description, size, learnt_from FROM rank_group WHERE rank = 2 ORDER BY ALL')
    assert [tuple(r.values()) for r in told] == [
        ("0", "default_pg", 4, "flight recorder"),
        ("0xabcdef12", None, 4, "nccl init"),
        ("2", "tp", 2, "flight recorder"),
    ]
    (silent,) = store.rows('SELECT list("group") AS groups FROM rank_group WHERE rank = 3')
    assert silent == {"groups": ["0xabcdef12"]}


BUS = ["89", "a8", "c0", "d8"]
SMI = "".join(
    f"|   {n}  NVIDIA H100 80GB HBM3          On  |   00000000:{bus.upper()}:00.0 Off |                    0 |\n"
    for n, bus in enumerate(BUS, 4)
) + "".join(f"|    {n}   N/A  N/A            88120{n}      C   /usr/bin/python3    61220MiB |\n" for n in range(4, 8))


def test_a_device_number_of_a_process_that_sees_one_gpu_is_not_the_hosts(run_of: Runs) -> None:
    init = "".join(
        f"[rank{r}]: gx2:{70 + r}:{70 + r} [0] NCCL INFO comm 0x55{r} rank {r} nranks 4 cudaDev 0 busId {bus}000 - Init COMPLETE\n"
        for r, bus in enumerate(BUS)
    )
    rank = "SELECT rank, cuda_device, gpu_index FROM rank ORDER BY rank"
    alone = analyze(run_of({"train.log": init}), db=None).store.rows(rank)
    assert [(r["cuda_device"], r["gpu_index"]) for r in alone] == [(0, None)] * 4
    listed = analyze(run_of({"train.log": init, "nvidia-smi.gx2.txt": SMI}), db=None).store.rows(rank)
    assert [r["gpu_index"] for r in listed] == [4, 5, 6, 7]


def test_a_process_is_known_by_its_numbers_in_and_outside_of_its_container(run_of: Runs) -> None:
    init = "".join(
        f"[rank{r}]: gx2:{70 + r}:{70 + r} [0] NCCL INFO comm 0x55{r} rank {r} nranks 4 cudaDev 0 busId {bus}000 - Init COMPLETE\n"
        for r, bus in enumerate(BUS)
    )
    status = "Name:\tpython\nPid:\t881206\nNSpid:\t881206\t72\n"
    store = analyze(run_of({"train.log": init, "nvidia-smi.gx2.txt": SMI, "status.gx2.txt": status}), db=None).store
    told = store.rows("SELECT pid, rank, confidence FROM process WHERE pid > 1000 ORDER BY pid")
    assert [tuple(r.values()) for r in told] == [
        (881204, 0, "probable"),
        (881205, 1, "probable"),
        (881206, 2, "definite"),
        (881207, 3, "probable"),
    ]


def test_containers_of_two_hosts_whose_processes_have_the_same_numbers_are_told_apart(
    run_of: Runs, catalog: Catalog
) -> None:
    """Only one of the two processes is known by its rank: a death on the other host is not that rank's."""
    boot = "[rank5]: worker-0:76:76 [5] NCCL INFO Bootstrap: Using eth0:192.168.4.17<0>\n"
    died = (
        "E0512 14:16:43.000000 1 site-packages/torch/distributed/elastic/multiprocessing/api.py:869]"
        " failed (exitcode: -11) local_rank: 5 (pid: 76) of binary: /usr/bin/python3\n"
    )

    def ranks(host: str) -> list[object]:
        other = boot.replace("rank5", "rank12").replace(":76:76 [5]", ":75:75 [4]").replace("worker-0", host)
        run = run_of({"0.log": boot, f"{host}.log": other + died}, host)
        return [r["rank"] for r in analyze(run, catalog=catalog, db=None).store.rows("SELECT rank FROM death")]

    assert ranks("worker-0") == [5]
    assert ranks("worker-1") == [None]


@pytest.mark.parametrize("name", ["localhost", "127.0.1.1", "::1"])
def test_a_name_that_every_host_has_is_told_of_none(name: str) -> None:
    one = replace(incident("crash.signal"), facts={"host": name})
    assert facts_of(one, {}, {}, None)["host"] is None
    named = replace(incident("crash.signal", hosts=["n1"]), facts={"host": name})
    assert facts_of(named, {}, {}, None)["host"] == "n1"
