"""A run, analysed, for scripts and notebooks: what `import logsift` gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self, cast, overload

from logsift import run as runs
from logsift.analysis import Analysis
from logsift.errors import UserError, meant
from logsift.report.fates import RankFate, each

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from logsift.content.model import Catalog
    from logsift.run import Beside
    from logsift.store import Store

_SHOWN = 20
"""Rows of a result that a notebook shows."""


class Rows(Sequence[dict[str, Any]]):
    """What a query gives: a sequence of dicts, or a frame of polars, pandas or Arrow with the types of the columns.

    The rows are read when they are first looked at.
    """

    def __init__(self, store: Store, query: str) -> None:
        self._store, self._query = store, query
        self._rows: list[dict[str, Any]] | None = None
        self.columns: dict[str, str] = store.columns(query)
        """Name -> SQL type."""

    def _read(self) -> list[dict[str, Any]]:
        if self._rows is None:
            answer = self._store.typed(self._query)
            self._rows = [dict(zip(answer.names, row, strict=True)) for row in answer.rows]
        return self._rows

    def pl(self) -> pl.DataFrame:
        """As a frame of polars, typed also where it is empty; lists are lists, structs structs, JSON is text."""
        return self._store.frame(self._query)

    def df(self) -> pd.DataFrame:
        """As a frame of pandas.

        Raises:
            UserError: pandas is not installed.
        """
        _needed("pandas", "df")
        return cast("pd.DataFrame", self._store.frame(self._query).to_pandas())

    def arrow(self) -> pa.Table:
        """As a table of Arrow.

        Raises:
            UserError: pyarrow is not installed.
        """
        _needed("pyarrow", "arrow")
        return self._store.frame(self._query).to_arrow()

    def __len__(self) -> int:
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self._read()[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._read())

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, Rows) else other)

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from logsift.report.render import page

        return (
            page().get_template("rows.html.j2").render(columns=list(self.columns), rows=self[:_SHOWN], total=len(self))
        )


@dataclass(frozen=True, repr=False)
class Run(Analysis):
    """A run, analysed.

    `root` is the incident that nothing explains (or None), `incidents` all of them, the root first, each with its facts
    by name (`run.root.facts["step"]`), `decision` what to do next, `coverage` what was read and what is missing. Use it as
    a context manager, or `close()` it, to let go of the database.
    """

    @property
    def ranks(self) -> tuple[RankFate, ...]:
        """What became of every rank, by number: where it ran, how far it came, its last word, how it ended."""
        return tuple(each(self.store))

    def sql(self, query: str) -> Rows:
        """What one statement of SQL (DuckDB's) gives over the tables of the run, see `tables`.

        Raises:
            duckdb.Error: the query is wrong; DuckDB says where, and which name is near.
            UserError: it is no statement, or more than one.
        """
        return Rows(self.store, query)

    def frame(self, name: str) -> pl.DataFrame:
        """A table or view as a frame of polars; or, by the id of a rule, its incidents with their facts as columns.

        Raises:
            UserError: there is none of that name; near names are given.
        """
        from logsift.ask.tables import names

        if name in self.rules:
            return self._incidents_of(name)
        known = names(self.store)
        if name not in known:
            raise UserError(f"no table or rule {name!r}{meant(name, [*known, *self.rules])}")
        return self.store.frame(f'SELECT * FROM "{name}"')

    def _incidents_of(self, rule: str) -> pl.DataFrame:
        import polars as pl

        from logsift.store.database import quoted

        incidents = self.store.frame(f"SELECT * EXCLUDE (facts) FROM incident WHERE rule = {quoted(rule)} ORDER BY id")
        facts = [dict(i.facts) for i in self.incidents if i.rule == rule]
        told = pl.DataFrame(facts, infer_schema_length=None, strict=False) if any(facts) else pl.DataFrame()
        # A fact may be called like a column of every incident: that one stays.
        return incidents.with_columns(told.drop(incidents.columns, strict=False))

    @property
    def tables(self) -> dict[str, int | None]:
        """The tables and views -> how many rows they have, None for a view."""
        from logsift.ask.tables import tables

        return {t.name: t.rows for t in tables(self.store) if t.kind != "own"}

    @overload
    def plot(self, metric: str | None = None, *, ax: None = None) -> Figure: ...
    @overload
    def plot(self, metric: str | None = None, *, ax: Axes) -> Axes: ...
    def plot(self, metric: str | None = None, *, ax: Axes | None = None) -> Figure | Axes:
        """Draw a metric over steps with its incidents, restarts and dead branches, on `ax` or a figure of its own.

        Args:
            metric: its name as it was printed, or its kind (loss, grad_norm, step_seconds: column `canonical` of metric); by
                default the training loss.
            ax: axes to draw on. No backend of matplotlib is chosen or changed, either way.

        Raises:
            UserError: there is no such metric.
        """
        from logsift.report.plots import curve, draw_on

        if ax is None:
            return curve(self, metric)[0]
        draw_on(ax, self, metric)
        return ax

    def report(self, to: Literal["md", "html", "json"] = "md", *, tracker: str | None = None) -> str:
        """The report as text.

        Args:
            to: Markdown for an issue, a page of its own, or the JSON document (see `logsift schema`).
            tracker: the form of a tracker to fill, with "md"; one that is unknown is answered with those there are

        Raises:
            UserError: there is no such form; those there are, are named.
        """
        from logsift.report.rendering import rendered

        return rendered(self, to, tracker)

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        from logsift.report.model import build
        from logsift.report.render import page

        return page().get_template("run.html.j2").render(report=build(self), incidents=self.incidents)


def analyze(
    run: Path | str | Sequence[Path | str],
    *,
    catalog: Catalog | None = None,
    db: Path | str | Literal[Beside.RUN] | None = runs.Beside.RUN,
    progress: Callable[[str, int, int], None] | None = None,
    follow: bool = False,
) -> Run:
    """Read what a job left behind and name the root cause.

    Args:
        run: a directory, a file, an archive, "-" for the standard input, a database that logsift wrote, or several of
            these (but no database), which are one job then.
        catalog: the content to use, by default the built-in one and the user's own.
        db: where the database goes, by default `RUN/logsift.duckdb`, or a cache folder where RUN can't be written. None:
            nowhere, nothing is left of it when the run is closed.
        progress: called with (stage, done, in all): bytes while "reading", then how many "tables" and "rules" are done.
        follow: read files outside of a directory that links in it lead to.

    Raises:
        FileNotFoundError: no such run directory.
        UserError: nothing in it can be read.
        ContentErrors: the content is wrong.
    """
    made = runs.analyze(run, catalog=catalog, db=db, progress=progress, follow=follow)
    return Run(**{f.name: getattr(made, f.name) for f in fields(Analysis)})


def _needed(module: str, method: str) -> None:
    from importlib.util import find_spec

    for name in dict.fromkeys((module, "pyarrow")):
        if find_spec(name) is None:
            raise UserError(f".{method}() needs {name}: pip install 'logsift-train[notebook]'; .pl() needs neither")
