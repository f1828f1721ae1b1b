"""A run read by the workers of a Ray cluster: a share is a task of an actor, which keeps the content and the list of files."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from logsift.errors import UserError
from logsift.inputs import STREAM, given
from logsift.places import workplace
from logsift.remote import named
from logsift.run import Beside, analyze, cached_database, default_database
from logsift.store.incremental import known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from logsift.analysis import Analysis
    from logsift.content.model import Catalog

_SHARE_BYTES = 512 << 20
"""A share is at most about this much of the run: what is lost when a worker dies."""
_SHARES_EACH = 4
"""At least so many shares for each worker: some take longer than others."""


class Worker:
    """Reads shares of one run, on one core."""

    def __init__(self, run: Sequence[str], of: int, *, follow: bool) -> None:
        os.environ["POLARS_MAX_THREADS"] = "1"  # before polars is imported, which nothing here does by itself
        from logsift.engines.mapping import found_of
        from logsift.remote import place

        self.of = of
        self.source = given([place(r) for r in run])
        self.found = found_of(self.source, follow=follow)
        self.catalog: Catalog | None = None

    def read(self, shard: int, catalog: Sequence[Any]) -> tuple[int, Mapping[str, bytes]]:
        """The number of a share, and its parts and manifest by their names.

        Args:
            shard: which one.
            catalog: holds the reference to the pickled content, which is fetched once.
        """
        import ray

        from logsift.engines.mapping import map_found

        self.catalog = self.catalog or pickle.loads(ray.get(catalog[0]))
        with TemporaryDirectory(prefix="logsift-") as folder:
            dest = Path(folder) / "parts"
            map_found(self.source, self.found, dest, self.catalog, shard, self.of)
            return shard, {str(p.relative_to(dest)): p.read_bytes() for p in dest.rglob("*") if p.is_file()}


def analyze_on_ray(
    run: Sequence[Path],
    catalog: Catalog,
    *,
    db: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    follow: bool = False,
) -> Analysis:
    """What `logsift.run.analyze` does, read by the cluster that RAY_ADDRESS names, or by one on this machine.

    All workers see the run where it is here. A run that was analysed and did not change since is only opened.

    Raises:
        UserError: Ray is not installed or not there, its workers cannot read the run, or there is nothing to read.
        StorageError: nothing can be written.
    """
    from logsift.engines.mapping import found_of
    from logsift.engines.reducing import reduce
    from logsift.engines.shares import shares

    if STREAM in run:
        raise UserError("the standard input is of this machine only: --engine ray reads what all workers see")
    source = given(list(run))
    found = found_of(source, follow=follow)
    path = db or (cached_database(source.run) if source.is_private else default_database(source.run))
    if held := known(path, catalog):
        held.store.close()
        if held.files == {f.name: (f.size, f.mtime_ns) for f in found}:
            return analyze(run, catalog=catalog, db=db or Beside.RUN, progress=progress, follow=follow)
    sizes = [f.size for f in found]
    with _Cluster() as cluster, workplace(path) as work:
        of = max(1, min(len(found) + sum(sizes) // _SHARE_BYTES, max(_SHARES_EACH * cluster.cores, sum(sizes) // _SHARE_BYTES)))  # fmt: skip
        done, total = 0, sum(sizes)
        where = [str(r.absolute()) for r in run]
        for shard, parts in cluster.read(where, catalog, of, follow=follow):
            for name, content in parts.items():
                (work / "parts" / name).parent.mkdir(parents=True, exist_ok=True)
                (work / "parts" / name).write_bytes(content)
            done += sum((end or sizes[f]) - begin for f, (begin, end) in shares(sizes, shard, of).items())
            if progress:
                progress("reading", done, total)
        analysis = reduce(work / "parts", catalog, db=path, progress=progress)
    return replace(analysis, run=named(source.shown), place=source.run)


class _Cluster:
    """Ray, for as long as the block takes; one that the caller started is left running."""

    def __enter__(self) -> _Cluster:
        os.environ.setdefault(
            "RAY_USAGE_STATS_ENABLED", "0"
        )  # a cluster that is started here reports nothing to anybody
        try:
            import ray
        except ImportError:
            raise UserError("Ray is not installed: pip install 'logsift-train[ray]'") from None
        self.ray: Any = ray
        self._ours = not ray.is_initialized()
        if self._ours:
            address = os.environ.get("RAY_ADDRESS", "local")
            here: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
            try:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR", **here)
            except (ConnectionError, RuntimeError, ValueError) as e:
                raise UserError(f"the Ray cluster at {address} cannot be reached: {str(e).splitlines()[0]}") from None
        self.cores = max(1, int(ray.available_resources().get("CPU", 1)))
        return self

    def __exit__(self, *_: object) -> None:
        if self._ours:
            self.ray.shutdown()

    def read(self, run: Sequence[str], catalog: Catalog, of: int, *, follow: bool) -> Any:  # noqa: ANN401 - an iterator
        """(share, its parts), in the order in which they are done; a share whose workers died again and again is left out.

        Raises:
            UserError: a worker cannot read the run, or all died.
        """
        from ray.exceptions import RayError, RayTaskError
        from ray.util import ActorPool

        actor = self.ray.remote(Worker).options(num_cpus=1, max_restarts=3, max_task_retries=3)
        kept = self.ray.put(pickle.dumps(catalog))
        pool = ActorPool([actor.remote(run, of, follow=follow) for _ in range(min(self.cores, of))])
        for shard in range(1, of + 1):
            pool.submit(lambda worker, shard: worker.read.remote(shard, [kept]), shard)
        read, why = 0, ""
        while pool.has_next():
            try:
                yield pool.get_next_unordered()
                read += 1
            except RayTaskError as e:
                if isinstance(e.cause, (UserError, OSError)):
                    raise UserError(f"a worker of Ray cannot read the run: {e.cause}") from None
                raise
            except RayError as e:
                why = next((line for line in reversed(str(e).splitlines()) if line.strip()), type(e).__name__).strip()
        if not read:
            raise UserError(f"no worker of Ray read a share: {why}")
