"""What an exception means, by its class and its words."""

from __future__ import annotations

import pytest

from logsift import Analysis, Catalog, analyze

KINDS = {
    "lightning.fabric.utilities.exceptions.MisconfigurationException: You requested gpu: [0, 7]": "config",
    "absl.flags._exceptions.UnrecognizedFlagError: Unknown command line flag 'flors'": "config",
    "configparser.NoSectionError: No section: 'doors'": "config",
    "AssertionError: 6 is not divisible by 4": "config",
    "ValueError: require 4 GPUs, but only 1 GPUs available": "config",
    "RuntimeError: requested gpus: [0, 3] but your machine only has: [0]": "config",
    "AssertionError: Not enough devices: 8 devices needed, but found 2": "config",
    "RuntimeError: only 2 visible devices were found": "config",
    "AssertionError: batch-size 62 not multiple of GPU count 3": "config",
    "Exception: labels: /srv/rides/doors.txt does not exist": "config",
    "AssertionError: No images found in /srv/rides/day": "config",
    "ValueError: No runs present in the directory: '/srv/rides/keep' match: '.'.": "config",
    "RuntimeError: Dataset not found or corrupted. You can use download=True to download it": "config",
    "OSError: /srv/lift-2 does not appear to have a file named config.json.": "config",
    "ValueError: num_samples should be a positive integer value, but got num_samples=0": "config",
    "FileExistsError: Checkpoint directory /srv/keep/ride already exists. Use --overwrite or --resume": "config",
    "TypeError: save_checkpoint() missing 1 required positional argument: 'ride'": "own",
    "RuntimeError: storage has wrong size: expected 0 got 512": "checkpoint",
    "OSError: Unable to load weights from pytorch checkpoint file for '/srv/keep/pytorch_model.bin'": "checkpoint",
    "RuntimeError: socket /srv/lift/door does not exist": "own",
    "ValueError: setting an array element with a sequence.": "own",
    "RuntimeError: The size of tensor a (64) must match the size of tensor b (32) at dimension 1": "own",
    "KeyError: 'rides'": "own",
    "RuntimeError: expected 4 inputs but only 2 were given": "own",
    "AssertionError: no images of a door": "own",
    "RuntimeError: Job failed with: ": "echo",
}


@pytest.fixture(scope="module")
def read(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Every exception in a file of its own, analysed together."""
    run = tmp_path_factory.mktemp("run")
    for n, text in enumerate(KINDS):
        (run / f"e{n:02d}.log").write_text(
            f'Traceback (most recent call last):\n  File "/srv/lift/train.py", line 8, in <module>\n    main()\n{text}\n'
        )
    return analyze(run, catalog=catalog, db=None)


def test_classes_and_words_tell_what_is_wrong(read: Analysis) -> None:
    rows = read.store.rows("SELECT f.path, kind FROM exception_verdict JOIN file f USING (file_id)")
    got = {str(r["path"]): str(r["kind"]) for r in rows}
    assert {text: got.get(f"e{n:02d}.log") for n, text in enumerate(KINDS)} == KINDS
