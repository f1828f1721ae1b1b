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
    "gpu 3: row remapper failed, replace the board": "accelerator",
    "GPU 6 temperature 105 C over critical limit, forced shutdown of the board": "heat",
    "write of /lift/rides.bin failed: not enough room on this volume": "disk_full",
    "user lift is over quota on /home, write refused": "disk_full",
    "cannot open door 1021: descriptor table exhausted": "limit",
    "mount /mnt/lift does not respond since 180 s": "storage",
    "checkpoint 3 of 8 is truncated (411 of 512 MB)": "checkpoint",
    "could not pull image lift.test/ride:12 (manifest unknown)": "container",
    "model hub did not answer, no rides today": "service",
    "no answer from chief at tcp://lift-0:4000 after 60 tries": "connect",
    "only 7 of 8 members joined within 600 s, giving up": "init",
    "this lift was built for sm_90, device 0 is sm_70": "incompatible",
    "unknown setting 'door.widht' in lift.yaml": "config",
}
"""By sentence what it tells of."""

UNTOLD = [
    "volume /lift is full of rides, 4812 of them",
    "machine lift-7 may be reclaimed when its owner needs it back",
    "checkpoint 3 of 8 written (512 MB), none is missing",
    "could not pull image lift.test/ride:12, using the local copy",
    "GPU 4 failed 0 of 12 self-tests",
    "walltime limit is 24:00:00, requested by lift-0",
    "no node was lost while the lift stopped",
]


@pytest.fixture(scope="module")
def told(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Each sentence is a line of a log of its own, so that none takes back another."""
    run = tmp_path_factory.mktemp("told")
    for n, sentence in enumerate([*TOLD, *UNTOLD]):
        (run / f"{n}.log").write_text(f"{sentence}\n")
    return analyze(run, catalog=catalog, db=None)


def test_what_a_sentence_tells_is_told_by_its_words_in_any_order(told: Analysis) -> None:
    rows = told.store.rows(
        "SELECT message, min(concept) AS concept FROM told_line JOIN told_concept USING (sentence) GROUP BY message"
    )
    concepts = {str(r["message"]): r["concept"] for r in rows}
    assert {sentence: concepts.get(sentence) for sentence in TOLD} == TOLD
    assert [sentence for sentence in UNTOLD if sentence in concepts] == []


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
    assert senses - needed == {"harmless", "supposed", "-", "cap"}


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
