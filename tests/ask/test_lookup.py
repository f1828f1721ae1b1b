"""What a code means: searched in every catalogue, by number, name, words or text."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from logsift import Catalog
from logsift.ask.lookup import look_up
from logsift.cli import main
from logsift.errors import UserError


@pytest.mark.parametrize(
    ("asked", "catalogues", "said"),
    [
        pytest.param("719", {"cuda_error_code", "hip_error_code"}, "cudaErrorLaunchFailure", id="a number, everywhere"),
        pytest.param("signal 9", {"signal_number"}, "said         SIGKILL, Killed, killed", id="a word of its name"),
        pytest.param("enospc", {"errno"}, "No space left on device", id="a name in any case"),
        pytest.param("Xid 79", {"xid_catalog", "xid_triage"}, "GPU dropped off the PCIe bus", id="several catalogues"),
        pytest.param("NODE_FAIL", {"slurm_job_state", "slurm_node_reason"}, "a node of it failed", id="a state"),
        pytest.param("exit 137", {"exit_code"}, "SIGKILL", id="the exit code of a signal"),
        pytest.param("-9", {"exit_code", "library_status"}, "SIGKILL", id="a code that looks like an option"),
        pytest.param("No space  left on device", {"errno"}, "ENOSPC", id="the words a program prints"),
        pytest.param("fallen off", {"slurm_node_reason"}, "fallen off the bus", id="words within a text"),
        pytest.param("errno ENOSPC", {"errno"}, "28", id="a catalogue and a name"),
        pytest.param("cause_word cuda_oom", {"cause_word"}, "oom.capacity", id="rows of one key, a line each"),
        pytest.param("xid", {"xid_catalog", "xid_triage", "xid_nvlink5"}, "\n  79 ", id="all that is in them"),
    ],
)
def test_what_is_asked_is_found_wherever_it_is(asked: str, catalogues: set[str], said: str) -> None:
    shown = CliRunner().invoke(main, ["lookup", *asked.split()]).output
    heads = [line for line in shown.splitlines() if line and not line.startswith(" ")]
    assert {head.partition(":")[0] for head in heads} == catalogues
    assert said in shown


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("ENOSPCE", "'ENOSPCE' is not in any catalogue; did you mean ENOSPC"),
        ("signal SIGKIL", "'SIGKIL' is not in signal_number; did you mean SIGKILL"),
        ("Xid 799", "'799' is not in xid_catalog, xid_nvlink5, xid_triage; `logsift lookup` lists them"),
        ("sginal_number", "did you mean signal_number"),
    ],
)
def test_what_is_unknown_gets_the_nearest_one(catalog: Catalog, asked: str, said: str) -> None:
    with pytest.raises(UserError) as told:
        look_up(catalog, asked.split())
    assert said in str(told.value)


def test_without_a_key_the_catalogues_are_listed_with_what_they_are(catalog: Catalog) -> None:
    shown = look_up(catalog, ()).splitlines()
    assert [line.split()[0] for line in shown[::2]] == sorted(s.name for s in catalog.seeds)
    assert [line for line in shown[1::2] if len(line.split()) < 2] == []
