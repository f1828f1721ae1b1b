"""Runs in scripts and notebooks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

import logsift
from logsift import Catalog, Run, UserError

STEPS = "".join(f"step {n} of 900 | loss: {2.5 - n / 100:.3f} |\n" for n in range(1, 61))
CRASH = "Traceback (most recent call last):\n  File \"<b>train.py\", line 81, in step\nKeyError: 'wanted'\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "runs" / "42").mkdir(parents=True)
    (folder / "runs" / "42" / "rank3.log").write_text(STEPS + CRASH)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path, catalog: Catalog) -> Iterator[Run]:
    with logsift.analyze(folder / "runs" / "42", catalog=catalog, db=None) as run:
        yield run


def test_a_run_says_what_went_wrong_and_what_became_of_its_ranks(run: Run) -> None:
    assert run.root is not None
    assert (run.root.rule, run.root.facts["type"], run.decision.next) == ("crash.exception", "KeyError", "stop")
    assert [(r.rank, r.step, r.path) for r in run.ranks] == [(3, 60.0, "rank3.log")]
    assert len(repr(run)) < 300


def test_no_database_is_left_where_none_is_wanted(run: Run, folder: Path) -> None:
    assert [p.name for p in (folder / "runs" / "42").iterdir()] == ["rank3.log"]
    assert run.store.path is None


def test_a_database_may_be_named_by_a_text(
    run_of: Callable[..., Path], tmp_path: Path, content_of: Callable[..., Catalog]
) -> None:
    small = content_of({}, alone=True)
    with logsift.analyze(run_of({"a.log": "x\n"}), catalog=small, db=str(tmp_path / "x.duckdb")) as run:
        assert (run.store.path, run.root) == (tmp_path / "x.duckdb", None)


@pytest.mark.parametrize("query", ["FROM incident", "FROM incident WHERE false"])
def test_frames_have_types_without_pyarrow_also_where_they_are_empty(
    run: Run, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    schema = run.sql(query).pl().schema
    assert (schema["ranks"], schema["first"], schema["root"]) == (pl.List(pl.Int64), pl.Datetime("us"), pl.Boolean)


def test_every_type_of_duckdb_has_one_in_polars(run: Run) -> None:
    query = (
        "SELECT 1::HUGEINT AS h, {'a': ['x']} AS s, MAP {'k': 1} AS m, 1.5::DECIMAL(10, 2) AS d, INTERVAL 1 DAY AS i,"
        " [1]::INTEGER[1] AS f, uuid() AS u, NULL AS n, DATE '2026-01-01' AS day, 1 AS h"
    )
    full, empty = run.sql(query).pl(), run.sql(f"SELECT * FROM ({query}) WHERE false").pl()
    assert full.schema == empty.schema
    assert full["m"].to_list() == [[{"key": "k", "value": 1}]]
    assert (full["s"][0], full["h_1"][0], full["u"].dtype) == ({"a": ["x"]}, 1, pl.String)


def test_a_result_is_a_sequence_of_rows_too(run: Run) -> None:
    rows = run.sql("SELECT rule, ranks FROM incident")
    assert rows == [{"rule": "crash.exception", "ranks": [3]}]
    assert (len(rows), rows[0]["ranks"], rows.columns) == (1, [3], {"rule": "VARCHAR", "ranks": "BIGINT[]"})
    with pytest.raises(Exception, match='Did you mean "incident"'):
        run.sql("FROM incidnt")


def test_a_frame_is_a_table_or_the_incidents_of_a_rule_with_their_facts(run: Run) -> None:
    assert run.frame("metric").filter(pl.col("name") == "loss").height == 60
    assert run.frame("crash.exception").select("id", "type", "line").rows() == [(1, "KeyError", 81)]
    assert run.frame("loss.spike").schema["ranks"] == pl.List(pl.Int64)
    assert run.tables["incident"] == 1
    with pytest.raises(UserError, match="did you mean metric"):
        run.frame("metrics")


def test_what_is_not_installed_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"needs pandas: pip install 'logsift-train\[notebook\]'"):
        run.sql("SELECT 1").df()
    with pytest.raises(UserError, match="needs pyarrow"):
        run.sql("SELECT 1").arrow()


def test_drawing_touches_no_backend_and_takes_axes(run: Run) -> None:
    from matplotlib.figure import Figure

    loaded = "matplotlib.pyplot" in sys.modules
    axes = Figure().subplots()
    assert run.plot("loss", ax=axes) is axes
    assert axes.get_ylabel() == "loss"
    assert run.plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert ("matplotlib.pyplot" in sys.modules) is loaded


def test_a_notebook_shows_a_run_and_rows_with_nothing_that_acts(run: Run) -> None:
    shown = run._repr_html_() + run.sql("SELECT file, NULL AS nothing FROM exception")._repr_html_()
    assert "crash.exception" in shown
    assert "&lt;b&gt;train.py" in shown
    assert "<b>train.py" not in shown
    assert "None" not in shown


def test_reports_are_texts(run: Run) -> None:
    assert run.report().startswith("<!-- logsift report -->")
    assert run.report("html").startswith("<!doctype html>")
    assert json.loads(run.report("json"))["root"] == "crash.exception"
    assert "### Versions" in run.report(tracker="pytorch")


def test_the_package_shows_its_names_and_nothing_else() -> None:
    assert dir(logsift) == sorted(logsift.__all__)
    assert [n for n in logsift.__all__ if getattr(logsift, n) is None] == []
    assert [
        n for n in dir(Run) if not n.startswith("_") and not getattr(Run, n).__doc__ and callable(getattr(Run, n))
    ] == []


def test_a_kernel_of_jupyter_ends_without_a_word_also_where_it_has_no_ipywidgets(folder: Path) -> None:
    # By this DuckDB knows one; without ipywidgets it refuses to hear of progress bars.
    kernel = (
        "import sys, types\n"
        "sys.modules['IPython'], sys.modules['ipywidgets'] = types.ModuleType('IPython'), None\n"
        "get_ipython = sys.modules['IPython'].get_ipython = lambda: types.SimpleNamespace(config={'IPKernelApp': {}})\n"
    )
    code = "import logsift\nrun = logsift.analyze(sys.argv[1])\nframe = run.frame('incident')\nrows = run.sql('FROM incident')"
    args = [sys.executable, "-c", kernel + code, str(folder / "runs" / "42")]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    (folder / "runs" / "42" / "logsift.duckdb").unlink()


def test_the_example_notebook_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    notebook = json.loads((files("logsift") / "guide" / "notebook.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            exec(compile("".join(cell["source"]), "notebook.ipynb", "exec"), names)
    assert "raised KeyError" in capsys.readouterr().out
