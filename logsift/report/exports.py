"""What other programs open: a trace of the job on one clock, its stacks as a flame graph, its formats for a log viewer."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from logsift.errors import UserError
from logsift.judge.words import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from logsift.analysis import Analysis
    from logsift.content.model import Catalog, Envelope
    from logsift.report.tree import Call
    from logsift.store import Store

Document = dict[str, Any]
_INCIDENTS = 0
"""The process of a trace that has the incidents; hosts come behind it."""
_UNKNOWN_RANK = -1
_GROUP = re.compile(r"\(\?P<(\w+)>")
_UNREADABLE = re.compile("[0-9]{3} |[0-9]{2}-[0-9]{2} |[0-9]{9}")
"""Times that lnav 0.11 cannot read: without a year, or counted since 1970."""


def perfetto(analysis: Analysis) -> Document:
    """Operations of ranks, their ends, and incidents as a trace in Chrome's JSON, which Perfetto opens.

    A host is a process, a rank a thread of it. Times are microseconds since the first of them, whose moment is `begins` in
    otherData, on the one clock of the run (UTC only where the zone is known).
    Source: Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.

    Raises:
        UserError: no time is known.
    """
    store = analysis.store
    spans = store.rows(
        "SELECT s.*, f.path FROM operation_span s JOIN file f USING (file_id) ORDER BY s.time, s.rank, s.seq"
    )
    fates = [
        f
        for f in store.rows("SELECT rank, host, fate, said, coalesce(time, last_time) AS at FROM rank_fate")
        if f["at"]
    ]
    found = [(number, i, i.at) for number, i in enumerate(analysis.incidents, 1) if i.at]
    moments = [*(s["time"] for s in spans), *(f["at"] for f in fates), *(at for _, _, at in found)]
    if not moments:
        raise UserError("nothing in this run has a time: there is no trace to draw")
    ends = [*(s["until"] for s in spans if s["until"]), *(i.until for _, i, _ in found if i.until)]
    begin, end = min(moments), max([*moments, *ends])
    end += max((end - begin) / 20, timedelta(milliseconds=1))  # so that what never ended is seen to go on
    hosts = {r["rank"]: r["host"] for r in (*spans, *fates) if r["host"]}
    places = _Places(hosts)

    events: list[Document] = []
    for s in spans:
        # What never ended is drawn to the end of the run: that is what a hang looks like.
        until = s["until"] or end
        args = {"group": s["grp"], "number": s["seq"], "state": s["state"], "line": f"{s['path']}:{s['line_no']}"}
        name = f"{s['op']} {s['seq']}" if s["seq"] is not None else str(s["op"])
        events.append(
            {**places.of(s["rank"]), "ph": "X", "cat": f"operation,{s['state']}", "name": name, "args": args,
             "ts": _us(s["time"], begin), "dur": max(_us(until, s["time"]), 0.0)}
        )  # fmt: skip
    events += [
        {
            **places.of(f["rank"]),
            "ph": "i",
            "s": "t",
            "cat": "fate",
            "name": f["said"] or f["fate"],
            "ts": _us(f["at"], begin),
        }
        for f in fates
    ]
    for number, i, at in found:
        args = {"summary": i.summary, "confidence": i.confidence, "severity": i.severity, "root": i is analysis.root,
                "ranks": ranges(sorted(i.ranks)) if i.ranks else "", "hosts": ", ".join(sorted(i.hosts)), "steps": i.action}  # fmt: skip
        events.append(
            {"pid": _INCIDENTS, "tid": number, "ph": "X", "cat": "incident", "name": i.rule, "args": args,
             "ts": _us(at, begin), "dur": max(_us(i.until or at, at), 1.0)}
        )  # fmt: skip
    named = [{"pid": _INCIDENTS, "ph": "M", "name": "process_name", "args": {"name": "incidents"}}, *places.named()]
    return {
        "traceEvents": [*named, *sorted(events, key=lambda e: float(e["ts"]))],
        "displayTimeUnit": "ms",
        "otherData": {"begins": begin.isoformat(), "made by": "logsift"},
    }


class _Places:
    """Hosts as processes and ranks as threads, as they are met."""

    def __init__(self, hosts: Mapping[int | None, str]) -> None:
        self.hosts = hosts
        self.processes: dict[str, int] = {}
        self.threads: set[tuple[int, int]] = set()

    def of(self, rank: int | None) -> dict[str, int]:
        host = self.hosts.get(rank, "")
        pid = self.processes.setdefault(host, len(self.processes) + 1)
        place = {"pid": pid, "tid": _UNKNOWN_RANK if rank is None else rank}
        self.threads.add((pid, place["tid"]))
        return place

    def named(self) -> Iterator[Document]:
        for host, pid in self.processes.items():
            yield {"pid": pid, "ph": "M", "name": "process_name", "args": {"name": host or "host not known"}}
        for pid, tid in sorted(self.threads):
            name = "rank not known" if tid == _UNKNOWN_RANK else f"rank {tid}"
            yield {"pid": pid, "tid": tid, "ph": "M", "name": "thread_name", "args": {"name": name}}
            yield {"pid": pid, "tid": tid, "ph": "M", "name": "thread_sort_index", "args": {"sort_index": tid}}


def _us(moment: datetime, begin: datetime) -> float:
    return (moment - begin).total_seconds() * 1e6


def speedscope(store: Store, name: str) -> Document:
    """The merged stacks of all processes, as speedscope opens them: all in one profile, then each place where some are.

    Weights are numbers of processes.
    Source: https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts.

    Raises:
        UserError: the run has no stacks.
    """
    from logsift.report.tree import calls

    frames: dict[str, int] = {}
    stacks = [
        (call.who, call.ends_here, [frames.setdefault(c, len(frames)) for c in path])
        for call, path in _ends(calls(store))
    ]
    if not stacks:
        raise UserError("no stacks in this run: dump them while it hangs, `logsift RUN` says how")
    stacks.sort(key=lambda s: s[1])
    profiles = [("all processes", stacks), *((who, [(who, n, path)]) for who, n, path in stacks)]
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": name,
        "exporter": "logsift",
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": f} for f in frames]},
        "profiles": [
            {"type": "sampled", "name": title, "unit": "none", "startValue": 0, "endValue": sum(n for _, n, _ in part),
             "samples": [path for _, _, path in part], "weights": [n for _, n, _ in part]}
            for title, part in profiles
        ],
    }  # fmt: skip


def _ends(tree: Iterable[Call], above: tuple[str, ...] = ()) -> Iterator[tuple[Call, tuple[str, ...]]]:
    """The calls in which stacks end, each with the way to it, the outermost call first."""
    for call in tree:
        path = (*above, call.call)
        if call.ends_here:
            yield call, path
        yield from _ends(call.below, path)


def lnav(catalog: Catalog) -> Document:
    """The content as a format of lnav: fronts of lines that tell the time, the words of every grammar, its patterns as tables.

    Source: https://lnav.org/schemas/format-v1.schema.json, https://docs.lnav.org/en/latest/formats.html.
    """
    fronts = [(e, lines) for e in catalog.envelopes if (lines := list(_timed(e)))]
    values = {
        "host": ("string", "host that wrote the line"), "rank": ("integer", "global rank"), "local_rank": ("integer", "rank on its host"),
        "task": ("integer", "task of the launcher"), "pid": ("integer", "process"), "stream": ("string", "who wrote, as the launcher says"),
    }  # fmt: skip
    used = {name for e, _ in fronts for name in _GROUP.findall(e.regex)}
    words = {g.name: sorted({re.escape(n) for p in g.patterns for n in p.needles}) for g in catalog.grammars}
    return {
        "$schema": "https://lnav.org/schemas/format-v1.schema.json",
        "logsift_log": {
            "title": "Logs of distributed training",
            "description": "What trainers, launchers and kernels print, made from the content of logsift",
            "regex": {e.id: {"pattern": e.regex} for e, _ in fronts},
            "timestamp-field": "time",
            "body-field": "body",
            "value": {
                name: {"kind": kind, "identifier": True, "description": about}
                for name, (kind, about) in values.items()
                if name in used
            },
            "highlights": {
                name: {"pattern": "|".join(found), "underline": True} for name, found in words.items() if found
            },
            "search-table": {
                f"{g.name}_{p.id}": {"pattern": _of_message(p.regex, used)}
                for g in catalog.grammars
                for p in g.patterns
                if p.table and p.regex
            },
            "sample": [{"line": line} for _, lines in fronts for line in lines],
        },
    }


def _of_message(regex: str, taken: Iterable[str]) -> str:
    """A pattern whose groups have other names than the columns of the whole format: `message_pid`."""
    for name in taken:
        regex = regex.replace(f"(?P<{name}>", f"(?P<message_{name}>").replace(f"(?P={name})", f"(?P=message_{name})")
    return regex


def _timed(envelope: Envelope) -> list[str]:
    """Samples with a time that the viewer can read: lines without one have no place in its order."""
    import polars as pl

    from logsift.ingest.capture import capture

    lines = pl.Series([s.line for s in envelope.samples], dtype=pl.String)
    fits, groups = capture(lines, envelope.regex)
    if not {"time", "body"} <= {*groups.columns}:
        return []
    return [
        line
        for line, time in zip(lines.filter(fits), groups["time"], strict=True)
        if time and not _UNREADABLE.match(time)
    ]
