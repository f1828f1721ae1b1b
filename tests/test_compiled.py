"""Templates are compiled once for a version of logsift, and a damaged cache costs time only."""

import pickle
from pathlib import Path
from typing import Never

import pytest
from jinja2 import Environment, FunctionLoader

from logsift.compiled import Compiled


def environment() -> Environment:
    return Environment(
        loader=FunctionLoader(lambda text: text), bytecode_cache=Compiled("words"), finalize=str, autoescape=True
    )


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "logsift"


def test_what_a_process_compiled_the_next_one_finds(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = environment()
    assert first.get_template("rank {{ rank }}").render(rank=3) == "rank 3"
    first.bytecode_cache._keep()

    def compile_nothing(*_: object, **__: object) -> Never:
        raise AssertionError("compiled again")

    monkeypatch.setattr(Environment, "compile", compile_nothing)
    assert environment().get_template("rank {{ rank }}").render(rank=4) == "rank 4"
    with pytest.raises(AssertionError, match="compiled again"):
        environment().get_template("host {{ host }}")


@pytest.mark.parametrize("damaged", [b"", b"nonsense", pickle.dumps(["no", "dict"])[:-1]])
def test_a_damaged_file_is_made_anew(own_cache: Path, damaged: bytes) -> None:
    first = environment()
    first.get_template("rank {{ rank }}")
    first.bytecode_cache._keep()
    (kept,) = own_cache.glob("words-*.pickle")
    kept.write_bytes(damaged)
    again = environment()
    assert again.get_template("rank {{ rank }}").render(rank=5) == "rank 5"
    again.bytecode_cache._keep()
    assert kept.read_bytes() != damaged


def test_code_that_was_cut_is_compiled_anew(own_cache: Path) -> None:
    first = environment()
    first.get_template("rank {{ rank }}")
    first.bytecode_cache._known = {key: code[: len(code) // 2] for key, code in first.bytecode_cache._known.items()}
    first.bytecode_cache._keep()
    assert environment().get_template("rank {{ rank }}").render(rank=6) == "rank 6"
