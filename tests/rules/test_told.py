"""What sentences of programs that no grammar knows tell of, by the senses of their words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logsift import Analysis, Catalog, analyze

Make = Callable[..., Path]

TOLD = {
    "machine lift-7 stopped answering heartbeats 120 s ago, declaring it dead": "node_lost",
    "lift-7 kernel panicked and is rebooting; all rides aborted with the host": "node_lost",
    "spot capacity reclaimed by the provider: instance will be stopped in 30 s": "preempted",
    "ride 12 was displaced by ride 14, so the job ends": "preempted",
    "walltime of 24:00:00 reached, ending job 12": "time_limit",
    "time is up: 43200 s of 43200 s consumed": "time_limit",
    "run lift-a was stopped by user carla": "cancelled",
    "task 3 used 65.2 GiB of 64.0 GiB memory and was terminated": "memory",
    "guard: resident set of the winch grew to 251 GiB of 250 GiB allowed. Ending it.": "memory",
    "device heap exhausted: wanted 2.5 GiB, 611 MiB left of 79.1 GiB": "device_memory",
    "winch: GPU 2 cannot place another 4294967296 bytes": "device_memory",
    "could not obtain 64.0 GiB of host RAM for the ride book": "host_memory",
    "the lift crashed after using all available RAM": "host_memory",
    "gpu 3: row remapper failed, replace the board": "accelerator",
    "GPU 6 temperature 105 C over critical limit, forced shutdown of the board": "heat",
    "write of /lift/rides.bin failed: not enough room on this volume": "disk_full",
    "user lift is over quota on /home, write refused": "disk_full",
    "cannot open door 1021: descriptor table exhausted": "limit",
    "mount /mnt/lift does not respond since 180 s": "storage",
    "checkpoint 3 of 8 is truncated (411 of 512 MB)": "checkpoint",
    "checkpoint 5 of 8 not found, loading failed": "checkpoint",
    "saving of checkpoint 5 is stuck since 35 min, giving up": "checkpoint_hang",
    "checkpoint 6 has not finished after 3600 s (3 of 8 parts written), giving up": "checkpoint_hang",
    "data loader is stuck, no batch for 1200 s": "dataloader",
    "input pipeline starved for 900 s, giving up": "dataloader",
    "could not pull image lift.test/ride:12 (manifest unknown)": "container",
    "model hub did not answer, no rides today": "service",
    "no answer from chief at tcp://lift-0:4000 after 60 tries": "connect",
    "lift board exits because it received too many GCS RPC errors count: 41, threshold is 40.": "connect",
    "only 7 of 8 members joined within 600 s, giving up": "init",
    "this lift was built for sm_90, device 0 is sm_70": "incompatible",
    "unknown setting 'door.widht' in lift.yaml": "config",
    "error: --floors 2 must be larger than --doors 3": "config",
}
"""By sentence what it tells of."""

UNTOLD = [
    "Book of rides after the command: hit count=229, miss count=997, hit rate=0.18",
    "Load weight end. elapsed=618.01 s, quant=lift, avail mem=22.10 GB, mem usage=93.16 GB.",
    "status of cabin 3a51f8764efa0c442350cbac26e10b5d failed: not found",
    "I ActivityManager: Process lift.door (pid 7375) has died: prcp FGS",
    "volume /lift is full of rides, 4812 of them",
    "[cleanup] remove full collection of rides: /lift/data/rides",
    "removed full dataset below /lift/data/rides",
    "machine lift-7 may be reclaimed when its owner needs it back",
    "checkpoint 3 of 8 written (512 MB), none is missing",
    "data loader is ready, 8 workers, next batch in 2 s",
    "ride began with --floors 12 --doors 3 as wanted",
    "the last checkpoint was not found; starting from an empty lift",
    "/bin/sh: 22: sudo: not found",
    "could not pull image lift.test/ride:12, using the local copy",
    "GPU 4 failed 0 of 12 self-tests",
    "Images missing for tag normal",
    "error: training images not found under rides/day, 12 cameras",
    "walltime limit is 24:00:00, requested by lift-0",
    "no node was lost while the lift stopped",
    "lift-7: grace is over, reclaim complete",
    "RuntimeError: lift.cpp:134 start_rides: EXCEPTION: failed to start ride # 0",
    "The 0 stuck door info:(door_id=13).[FUNC:OpenTheDoor][FILE:door_error_proc.cc][LINE:1664]",
    "E lift_agent.cc:299] agent is set to ERROR: DEADLINE_EXCEEDED: Deadline Exceeded",
    "/usr/bin/nvcc -forward-unknown-to-host-compiler -DLIFT -gencode=arch=compute_80,code=sm_80 -g -O3 -x cu -c lift.cu",
    "[shutdown] API server: shutting down FastAPI HTTP server",
    "ERROR winch: execution timed out, LIFT_EXEC_TIMEOUT",
    "[Error]: the execution of an internal task times out.",
    "Caught OutOfRideError. Stopping the ride. 2 root error(s) found.",
    "stopped the ride: root cause is not known",
    "    reply = await self._lift_stub.AllRides(request, timeout=2)",
    "no room for the ride, 8 more needed. Pending the preemption of 1 workload(s)",
    "Error reported to Coordinator: Enqueue operation was cancelled",
    "Cancelled: Step was cancelled by an explicit call to `Ride::Close()`.",
    "door 3 did not answer, ride 7 ends here [type.googleapis.com/lift.DoorError='3']",
    "Error for Training job lift-ride-2026-01-02: Failed. Reason: UnexpectedStatus: door 3",
    "Reason: CapacityError: unable to provision the compute capacity, the ride ends",
]


BETWEEN_RANKS = {
    "error: rank 2 called all_reduce while rank 5 called broadcast": "mismatch",
    "shape mismatch in reduce_scatter: rank 0 has 1024 elements, rank 3 has 512": "mismatch",
    "ranks disagree on the next operation: rank 1 expects allgather #88, rank 4 sent alltoall #88": "mismatch",
    "collective order differs between rank 0 (seq 17) and rank 6 (seq 18)": "mismatch",
    "inconsistent dtype across ranks: rank 0 bfloat16, rank 7 float32": "mismatch",
    "xccl: allreduce aborted, error code 7": "gave_up",
    "error: communicator was destroyed while operations were in flight": "gave_up",
    "bootstrap failed: no common network interface": "gave_up",
    "NVSHMEM: symmetric heap allocation failed, out of memory": "gave_up",
    "ERROR rccl topology detection failed: invalid peer mask": "gave_up",
    "nvlink between GPU 2 and GPU 3 is broken, cannot build ring": "gave_up",
    "barrier: rank 12 has not arrived after 600 s": "missing",
    "all_gather 512 is stuck, still waiting for ranks 3, 7": "missing",
    "error: waiting for local rank 0, bailing out: 60.000 < 60.053 sec.": "init",
    "allreduce 77 incomplete, no contribution from rank 9": "missing",
    "stragglers: ranks 4-7 did not enter the barrier": "missing",
    "worker 3 never reached all_to_all 18": "missing",
    "barrier: rank 0 has not arrived after 600 s": "missing",
    "Rank 5 is missing from the collective": "missing",
    "rendezvous timed out after 900 s": "init",
    "only 6 of 8 workers joined before the deadline": "roll",
    "process group could not be formed: gave up after 10 min": "init",
    "error spawning proc mesh of the lift: statuses: Timeout(30.0s)=0..4": "init",
    "timed out waiting for 16 workers to register": "init",
    "key 'comm_id_0' was not published by rank 0 within 300 s": "init",
    "world size mismatch: 8 expected, 7 seen in bootstrap": "init",
    "rank 3 failed to register with the coordinator within 120 s": "init",
    "rank 4 registered twice, another process has its place": "init",
    "roce path failed: too many retransmissions, queue pair 12 is in error": "transport",
    "QP 71 moved to error state: completion with status 12": "transport",
    "roce: too many retransmissions, path is dead": "transport",
    "ib completion error 10 (remote access) on qp 0x8a1": "transport",
    "efa endpoint reported unrecoverable cq error": "transport",
    "cannot reach rank 4 at 10.0.3.7:40112: no route to host": "connect",
    "peer 10.1.0.9:5512 refused the connection": "connect",
    "worker lift-4 could not connect to leader lift-0:29400 (timed out)": "connect",
    "connect to coordinator 10.0.0.4:1234 timed out": "connect",
    "lift bootstrap: socket timed out while receiving from rank 4": "connect",
    "lift bootstrap failed: none of the initial peers responded (set ensure_lift=0 to ignore)": "connect",
    "error: no peers could be contacted": "connect",
    "error: the other end of the link to rank 6 hung up": "peer",
    "lost connection to worker 3": "peer",
    "rank 11 disappeared: socket eof": "peer",
    "no heartbeat from worker 12 for 90 s": "peer",
    "replica 3 is dead, its session expired": "peer",
    "broken pipe while sending to rank 2": "peer",
    "allreduce 4401 stuck for 600 s": "timeout",
    "collective #88 exceeded its deadline of 1800 s": "timeout",
    "barrier timed out": "timeout",
    "all_gather did not complete within 300 s": "timeout",
    "recv from stage 3 timed out after 120 s": "timeout",
    "rank 3 made no progress for 900 s, says the hang detector": "timeout",
    "lift 4: no step completed in the last 900 s, ending the ride": "timeout",
    "did not get subsequent heartbeat, waited 180.0 s": "timeout",
    "training stalled: global_step has not advanced since 10:00:21": "timeout",
    "training loop appears stuck (1207 s, 900 s allowed), killing process group 44": "timeout",
    "forward pass of the winch hung for 600 s": "timeout",
    "all workers hanged: no step reported for 1800 s": "timeout",
    "DeadLock detected in lift 1": "timeout",
    "rank 5 on lift-2 has not reported progress for 612 s": "missing",
    "connection to rank 6 dropped, 0 bytes read": "peer",
    "stopping training due to lack of heartbeats": "timeout",
    "lost contact with worker 3: connection reset by peer": "peer",
}
"""By sentence what it tells of trouble between the ranks of a job."""

AT_PEACE = [
    "rank 3 finished, 100 steps in 12 s",
    "rank 0 is waiting for the data loader",
    "all ranks passed the barrier in 0.2 s",
    "allreduce bandwidth 188 GB/s, 0 errors",
    "rank 3 reconnected after the connection was reset by peer",
    "lustre: connection to rank 3 lost",
    "bootstrap finished in 3.2 s on 64 ranks",
    "timeout of collectives set to 1800 s",
    "worker 2 has exited normally",
    "ring order: 0 1 2 3, no p2p between 0 and 4",
    "nccl version 2.21.5 differs from the one torch was built with",
    "rank 0 loaded checkpoint, 12 workers report ready",
    "waiting for all workers to join, 3 of 8 so far",
    "heartbeat of worker 3 ok",
    "killing process group 44 of the old lift",
    "ride_load: error: Socket timed out on send/recv operation",
    "forward pass took 31 s, backward pass 40 s",
    "    _store_based_barrier(rank, store, timeout)",
    "    work = group.barrier_timed_out(rank=rank, timeout=timeout)",
    "[2026-10-09 14:16:40,137 I 375 375] (raylet) node_manager.cc:1050: Killing leased worker because its owner died. worker_id=aa7b",
]


@pytest.fixture(scope="module")
def told(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Each sentence is a line of a log of its own, so that none takes back another."""
    run = tmp_path_factory.mktemp("told")
    for n, sentence in enumerate([*TOLD, *UNTOLD, *BETWEEN_RANKS, *AT_PEACE]):
        (run / f"{n}.log").write_text(f"{sentence}\n")
    return analyze(run, catalog=catalog, db=None)


def test_what_a_sentence_tells_is_told_by_its_words_in_any_order(told: Analysis) -> None:
    concepts = concepts_of(told, "job")
    assert {sentence: concepts.get(sentence) for sentence in TOLD} == TOLD
    assert [sentence for sentence in UNTOLD if sentence in concepts] == []


def test_what_goes_wrong_between_ranks_is_told_in_anybodys_words(told: Analysis) -> None:
    concepts = concepts_of(told, "ranks")
    assert {sentence: concepts.get(sentence) for sentence in BETWEEN_RANKS} == BETWEEN_RANKS
    assert [sentence for sentence in AT_PEACE if sentence in concepts] == []


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        ("device memory is used up, trying again with half the batch", "oom.capacity"),
        ("could not reach s3://lift/rides.json: connection timed out, next try in 5 s (attempt 2 of 3)", "network.external_service"),
        ("rank 0 cannot reach rank 3 at 10.0.0.4:29500, will retry", "network.connect_failure"),
    ],
)  # fmt: skip
def test_a_failure_that_is_tried_again_counts_where_the_tries_are_over(
    catalog: Catalog, tmp_path: Path, failure: str, cause: str
) -> None:
    lines = ["INFO lift starts on GPU 0, rank 0 of 4", *[f"WARNING {failure}"] * 3]
    for name, end in {"failed": "ERROR giving up", "went_on": "INFO step 10 loss 3.2"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "lift.log").write_text("\n".join([*lines, end, ""]))
    root = analyze(tmp_path / "failed", catalog=catalog, db=None).root
    assert root is not None
    assert root.rule == cause
    assert analyze(tmp_path / "went_on", catalog=catalog, db=None).incidents == ()


def concepts_of(told: Analysis, subject: str) -> dict[str, str]:
    """By line what it tells of a subject."""
    rows = told.store.rows(
        "SELECT text, concept FROM plain_line JOIN told_concept USING (sentence) WHERE subject = ? AND is_first",
        [subject],
    )
    return {str(r["text"]): str(r["concept"]) for r in rows}


def test_forms_of_a_word_are_one_and_names_and_numbers_are_told_by_their_looks(told: Analysis) -> None:
    def words(sentence: str) -> object:
        return told.store.rows("SELECT plain_words(?) AS words", [sentence])[0]["words"]

    assert words("kill kills killed killing") == ["kil"] * 4
    assert words("stop stops stopped stopping") == ["stop"] * 4
    assert words("exceed exceeds exceeded exceeding") == ["exceed"] * 4
    assert words("NotReady: lift-7 at 10.0.0.4:8477, 65.2 GiB of 64.0 GiB, 0 of /lift/a") == [
        *("not", "ready", "HOST", "at", "ADDRESS", "SHARE", "0", "of", "PATH")
    ]


def test_every_sense_has_phrases_and_every_phrase_a_sense_that_counts(told: Analysis) -> None:
    def names(query: str) -> set[object]:
        return {r["sense"] for r in told.store.rows(query)}

    senses = names("SELECT DISTINCT unnest(string_split(senses, ' ')) AS sense FROM plain_phrase")
    needed = names(
        r"SELECT DISTINCT unnest(regexp_extract_all(concat_ws(' ', needs, unless), '[a-z_]+')) AS sense FROM plain_concept"
    )
    assert needed <= senses
    # What takes a sentence back, what hides the words of a phrase, and whether a limit was set.
    assert senses - needed == {"harmless", "supposed", "retried", "tries_over", "-", "cap"}


def test_no_phrase_is_longer_than_what_is_looked_for(told: Analysis) -> None:
    long = told.store.rows("SELECT phrase FROM plain_phrase WHERE len(string_split(phrase, ' ')) > 4")
    assert long == []


def test_the_forms_of_a_phrase_stand_once(told: Analysis) -> None:
    stems = "array_to_string(list_transform(string_split(phrase, ' '), lambda word: word_stem(word)), ' ')"
    assert (
        told.sql(
            f"SELECT list(phrase) AS same FROM plain_phrase GROUP BY {stems}, phrase = upper(phrase) HAVING count(*) > 1"
        )
        == []
    )


@pytest.mark.parametrize(
    ("line", "peer"),
    [
        ("lift-7:8812.ride endpoint connection timeout, no answer from chief", None),
        ("[lift-7:8812] no answer from chief after 60 tries", None),
        ("[lift-7:8812] no answer from chief at lift-0:4000 after 60 tries", "lift-0:4000"),
        ("lift [thread:8812] no answer from chief after 60 tries", None),
        ("Failed to connect to the ride master: lift-0.shaft.test:4000", "lift-0.shaft.test"),
    ],
)
def test_who_writes_a_line_is_not_whom_it_cannot_reach(
    line: str, peer: str | None, catalog: Catalog, tmp_path: Path
) -> None:
    (tmp_path / "lift.log").write_text(f"{line}\n")
    (found,) = analyze(tmp_path, catalog=catalog, db=None).incidents
    assert (found.rule, found.facts.get("peer")) == ("network.connect_failure", peer)
