"""One clock: which calendar, zone and skew each log's printed times have, told by moments that several logs saw.

A clock is what one host prints in one file in one form. The content's view `clock_anchor` names moments (an event that
several clocks saw, or a line that carries a second time); from these the clocks' distances follow, and the rows are moved
onto one clock. What could not be told stays as printed, and its uncertainty says so.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

import duckdb

from logsift.content.model import BOOT, DAYTIME, EXACT, YEARLESS, ZONELESS
from logsift.store.materialise import declared
from logsift.timings import timed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from logsift.content.incident import Incident
    from logsift.store import Store

PRINT_DELAY = timedelta(minutes=5)
"""On one clock, too, a cause may be printed this much later than its effect: buffers, slow teardown, a scheduler that waits."""
ZONES = timedelta(hours=14)
"""Two clocks whose zones are unknown may be this far apart (UTC-12 to UTC+14, and rarely more than 14 h between two)."""
BEFORE_THE_JOB = timedelta(hours=6)
"""What was logged this much before the first word of the job is not what ended it."""
_ZONE_US = 30 * 60 * 1_000_000
"""Zones are whole or half hours apart. Quarters (Nepal) are left out: they would let chance agree twice as often."""
_PROVES_SKEW = 3
"""One moment that two clocks saw proves a zone between them; it takes three that agree to prove a skew."""
_SKEW_US = {False: 60 * 1_000_000, True: 5 * 60 * 1_000_000}
"""What hosts without time service drift apart, by whether it is proved; more than this was not the same moment."""
_COPIED_LATER = timedelta(days=31)
"""A log without a year may go on for this long after the job, or its clock be wrong; of later ones it is an older year's."""
_BOOT_DRIFT_S = 120
_UTC_CLOCK = 0
_QUALITIES = (EXACT, ZONELESS, YEARLESS, DAYTIME, BOOT)
"""What a line prints of its time, the best first."""
UTC = "UTC"
"""The zone of times that are known to be UTC; of the others only who shares a zone is known."""

# Rows are looked at one by one only where the order of lines matters; of the others a summary is enough.
_SEEN = f"""
  WITH line AS {{kept}} ({{lines}})
  SELECT file_id, host, rank, min(line_no) AS line_no, min(time) AS time, max(time) AS last, count(*) AS times, NULL AS uptime_seconds, time_quality AS quality
  FROM line WHERE time IS NOT NULL AND uptime_seconds IS NULL AND time_quality <> '{DAYTIME}' GROUP BY said_in, file_id, host, rank, time_quality
  UNION ALL
  SELECT file_id, host, rank, line_no, time, time, 1, NULL, time_quality FROM line WHERE uptime_seconds IS NULL AND time_quality = '{DAYTIME}'
  UNION ALL
  SELECT file_id, host, rank, unnest([min(line_no), max(line_no)]), unnest([arg_min(time, line_no), arg_max(time, line_no)]), unnest([arg_min(time, line_no), arg_max(time, line_no)]),
         unnest([count(*), 0]), unnest([arg_min(uptime_seconds, line_no), arg_max(uptime_seconds, line_no)]), CASE WHEN min(time) IS NOT NULL THEN time_quality ELSE '{BOOT}' END
  FROM line WHERE uptime_seconds IS NOT NULL GROUP BY said_in, file_id, host, rank, time_quality, line_no // 64, floor(uptime_seconds)"""
_LINES = "SELECT {n} AS said_in, file_id, host, rank, line_no, time, time_quality, uptime_seconds FROM {table}"
_OF = "LEFT JOIN file f USING (file_id) LEFT JOIN clock_rank r ON r.rank = coalesce(t.rank, f.rank)"
_HOST = "coalesce(short_host(t.host), short_host(f.host), r.host, '')"
"""A row that says no host or rank is its file's."""

# A new boot where the time since boot falls back; a new day where the time of day does. Writers that share a file may
# step over midnight and back, so a jump up by half a day takes the last one back.
_RUNS = f"""
CREATE TEMP TABLE clock_run AS
WITH step AS (
  SELECT *, CASE WHEN quality = '{BOOT}' THEN (uptime_seconds < lag(uptime_seconds) OVER w - 60)::INT
                 ELSE CASE WHEN time < lag(time) OVER w - INTERVAL 12 HOUR THEN 1 WHEN time > lag(time) OVER w + INTERVAL 12 HOUR THEN -1 ELSE 0 END END AS up
  FROM (SELECT DISTINCT file_id, host, quality, line_no, time, uptime_seconds FROM clock_seen WHERE quality IN ('{BOOT}', '{DAYTIME}'))
  WINDOW w AS (PARTITION BY file_id, host, quality ORDER BY line_no)),
summed AS (SELECT *, sum(coalesce(up, 0)) OVER (PARTITION BY file_id, host, quality ORDER BY line_no) AS height FROM step),
raised AS (SELECT *, height - least(0, min(height) OVER (PARTITION BY file_id, host, quality ORDER BY line_no)) AS turn FROM summed),
changed AS (SELECT *, (turn IS DISTINCT FROM lag(turn) OVER (PARTITION BY file_id, host, quality ORDER BY line_no))::INT AS anew FROM raised),
numbered AS (SELECT *, sum(anew) OVER (PARTITION BY file_id, host, quality ORDER BY line_no) AS run FROM changed)
SELECT file_id, host, quality, run, any_value(turn) AS turn, min(line_no) AS first_line, max(line_no) AS last_line FROM numbered GROUP BY ALL
"""

_NO_RUNS = """
CREATE TEMP TABLE clock_run (file_id BIGINT, host VARCHAR, quality VARCHAR, turn BIGINT, first_line BIGINT, last_line BIGINT)
"""
"""Where no clock begins anew: to plan that many windows takes longer than all else that is asked of a few lines."""

_CLOCKS = f"""
CREATE TEMP TABLE clock_new AS
SELECT row_number() OVER (ORDER BY s.file_id, s.quality, s.host, r.first_line) AS clock_id, s.file_id, s.host, s.quality,
       coalesce(r.first_line, 0) AS first_line, coalesce(r.last_line, 9223372036854775807) AS last_line, bool_or(s.by_rank) AS by_rank,
       sum(s.times)::BIGINT AS times, min(coalesce(s.time, make_timestamp((s.uptime_seconds * 1e6)::BIGINT))) AS first,
       max(coalesce(s.last, make_timestamp((s.uptime_seconds * 1e6)::BIGINT))) AS last,
       CASE WHEN s.quality = '{DAYTIME}' THEN max(r.turn) - max(max(r.turn)) OVER (PARTITION BY s.file_id, s.host, s.quality) END AS days, 0::BIGINT AS moved_us
FROM clock_seen s LEFT JOIN clock_run r ON r.file_id = s.file_id AND r.host = s.host AND r.quality = s.quality AND s.line_no BETWEEN r.first_line AND r.last_line
GROUP BY s.file_id, s.host, s.quality, r.first_line, r.last_line
"""

# Where each clock was at each moment. A line that carries the time since boot as well tells when its host booted.
_MOMENTS = f"""
CREATE TEMP TABLE clock_moment AS
WITH said AS (
  SELECT event, utc, within_seconds, file_id, line_no, coalesce(short_host(a.host), r.host, '') AS host,
         CASE WHEN time IS NOT NULL THEN time_quality ELSE '{BOOT}' END AS quality, coalesce(time, make_timestamp((uptime_seconds * 1e6)::BIGINT)) AS time
  FROM clock_anchor a LEFT JOIN clock_rank r USING (rank)),
alone AS (SELECT file_id, quality, any_value(host) AS host FROM clock_new GROUP BY ALL HAVING count(DISTINCT host) = 1),
heard AS (SELECT s.* REPLACE (coalesce(o.host, s.host) AS host) FROM said s LEFT JOIN alone o USING (file_id, quality)),
boot AS (
  SELECT c.host, c.clock_id, median(epoch_us(s.time) + c.moved_us - (s.uptime_seconds * 1e6)::BIGINT)::BIGINT AS at_us,
         quantile_cont(s.uptime_seconds - epoch(s.time), 0.95) - quantile_cont(s.uptime_seconds - epoch(s.time), 0.05) AS spread_seconds
  FROM clock_seen s JOIN clock_new c ON c.file_id = s.file_id AND c.host = s.host AND c.quality = s.quality AND s.line_no BETWEEN c.first_line AND c.last_line
  WHERE s.time IS NOT NULL AND s.uptime_seconds IS NOT NULL GROUP BY ALL),
one_boot AS (
  SELECT host FROM boot WHERE host <> '' GROUP BY host HAVING max(at_us) - min(at_us) <= {_BOOT_DRIFT_S}e6 AND max(spread_seconds) <= {_BOOT_DRIFT_S}
  EXCEPT SELECT host FROM clock_new WHERE quality = '{BOOT}' GROUP BY host, file_id HAVING count(*) > 1)
SELECT event, utc, any_value(within_seconds) AS within_seconds, clock_id, min(epoch_us(s.time) + c.moved_us)::BIGINT AS at_us
FROM heard s JOIN clock_new c ON c.file_id = s.file_id AND c.quality = s.quality AND c.host = s.host
  AND s.line_no BETWEEN c.first_line AND c.last_line
GROUP BY event, utc, clock_id
UNION ALL SELECT 'boot of ' || host, NULL, 2, clock_id, at_us FROM boot SEMI JOIN one_boot USING (host)
UNION ALL SELECT 'boot of ' || host, NULL, 2, clock_id, 0 FROM clock_new SEMI JOIN one_boot USING (host) WHERE quality = '{BOOT}'
"""

# Each moment ties its clocks to the best known of them, or to UTC where it says that itself.
_EDGES = f"""
WITH hub AS (
  SELECT event, clock_id AS hub, at_us AS hub_us FROM clock_moment JOIN clock_new USING (clock_id) WHERE utc IS NULL
  QUALIFY row_number() OVER (PARTITION BY event ORDER BY quality <> '{EXACT}', quality = '{BOOT}', times DESC, clock_id) = 1),
pair AS (
  SELECT clock_id, hub, event, at_us - hub_us AS apart_us, within_seconds FROM clock_moment JOIN hub USING (event) WHERE clock_id <> hub
  UNION ALL SELECT clock_id, {_UTC_CLOCK}, event, at_us - epoch_us(utc), within_seconds FROM clock_moment WHERE utc IS NOT NULL),
middle AS (SELECT *, median(apart_us) OVER (PARTITION BY clock_id, hub) AS mid FROM pair)
SELECT clock_id AS a, hub AS b, any_value(mid)::BIGINT AS apart_us, quantile_cont(abs(apart_us - mid), 0.75)::BIGINT AS spread_us,
       count(*) AS moments, (max(within_seconds) * 1e6)::BIGINT AS within_us
FROM middle GROUP BY clock_id, hub ORDER BY a, b
"""


@dataclass(frozen=True, slots=True)
class _Clock:
    clock_id: int
    file_id: int
    host: str
    quality: str
    first_line: int
    last_line: int
    by_rank: bool
    times: int
    first: datetime
    last: datetime
    moved_us: int
    """What is to be added to its times."""
    uncertain_us: int | None = None
    """None: nothing is known of it but what it prints."""
    zone: str = ""
    source: str = "printed"

    def shares(self, kept: tuple[bool, ...]) -> tuple[object, ...]:
        """Its file, host and kind, those that are kept."""
        mine = (self.file_id, self.host, self.by_rank)
        return tuple(value if keep else None for value, keep in zip(mine, kept, strict=True))


_SHARED = tuple(product((True, False), repeat=3))
"""What the clock that lends its day or year may share with another: file, host and kind, the closest first."""


@timed("stage", "clocks")
def settle(store: Store) -> bool:
    """Put the rows of all tables on one clock and write the table `clock`; True where a time changed.

    The content's `clock_anchor` and `rank` tell which moments the clocks share; where they are empty, times stay as printed.
    """
    tables = sorted(declared(store, "time"))
    if not tables:
        return False
    try:
        clocks = _settled(store, tables)
    except duckdb.Error as e:
        store.problem("the clocks of the logs could not be compared", str(e))
        return False
    store.insert("clock", [
        (c.file_id, c.host or None, c.quality, c.first_line, c.last_line, c.times, c.by_rank, c.first + timedelta(microseconds=c.moved_us),
         c.last + timedelta(microseconds=c.moved_us), c.zone, c.moved_us / 1e6, None if c.uncertain_us is None else c.uncertain_us / 1e6, c.source)
        for c in clocks if c.quality != BOOT or c.uncertain_us is not None
    ])  # fmt: skip
    moved = [c for c in clocks if c.moved_us]
    if moved:
        _move(store, tables, moved)
    for name in ("clock_rank", "clock_seen", "clock_run", "clock_new", "clock_moved", "clock_moment"):
        store.con.execute(f"DROP TABLE IF EXISTS {name}")
    return bool(moved)


def _settled(store: Store, tables: Sequence[str]) -> list[_Clock]:
    con = store.con
    con.execute(
        "CREATE TEMP TABLE clock_rank AS SELECT rank, any_value(host) AS host FROM rank WHERE host IS NOT NULL GROUP BY rank"
    )
    lines = " UNION ALL ".join(_LINES.format(n=n, table=t) for n, t in enumerate(tables))
    # Of many rows each part is aggregated as it is read; of few they are read once, which is less to plan.
    seen = _SEEN.format(kept="MATERIALIZED" if store.is_small else "NOT MATERIALIZED", lines=lines)
    con.execute(
        f"CREATE TEMP TABLE clock_seen AS SELECT t.* REPLACE ({_HOST} AS host), coalesce(t.rank, f.rank) IS NOT NULL AS by_rank FROM ({seen}) t {_OF}"
    )
    qualities = {quality for (quality,) in con.execute("SELECT DISTINCT quality FROM clock_seen").fetchall()}
    if not qualities:
        return []
    con.execute(_RUNS if qualities & {BOOT, DAYTIME} else _NO_RUNS)
    con.execute(_CLOCKS)
    columns = "clock_id, file_id, host, quality, first_line, last_line, by_rank, times, first, last, (coalesce(days, 0) * 86400000000)::BIGINT AS moved_us"
    clocks = [_Clock(**r) for r in store.rows(f"SELECT {columns} FROM clock_new ORDER BY clock_id")]
    clocks = _calendar(clocks)
    if len(clocks) < 2 and not any(c.quality == BOOT for c in clocks):
        return _zones(clocks, [])
    if moved := [(c.clock_id, c.moved_us) for c in clocks if c.moved_us]:
        con.execute("CREATE TEMP TABLE clock_moved (clock_id BIGINT, moved_us BIGINT)")
        store.insert("clock_moved", moved)
        con.execute(
            "UPDATE clock_new SET moved_us = m.moved_us FROM clock_moved m WHERE m.clock_id = clock_new.clock_id"
        )
    con.execute(_MOMENTS)
    return _zones(clocks, store.con.execute(_EDGES).fetchall())


def _calendar(clocks: Sequence[_Clock]) -> list[_Clock]:
    """Give clocks without a year, or without a day, those of the log that prints them: the latest that does not end after it."""
    dated = [c for c in clocks if c.quality not in {BOOT, DAYTIME, YEARLESS}]
    if not dated:
        return list(clocks)
    best: dict[tuple[object, ...], _Clock] = {}  # what it is asked to share with another -> the one most was written by
    for d in dated:
        for shared in _SHARED:
            if (held := best.get(key := d.shares(shared))) is None or held.times < d.times:
                best[key] = d
    ends: dict[tuple[int, str], datetime] = {}
    for c in clocks:
        ends[c.file_id, c.quality] = max(c.last, ends.get((c.file_id, c.quality), c.last))
    out = []
    for c in clocks:
        if c.quality not in {DAYTIME, YEARLESS}:
            out.append(c)
            continue
        near = next(found for shared in _SHARED if (found := best.get(c.shares(shared))))
        end = ends[c.file_id, c.quality]
        if c.quality == DAYTIME:
            days = ((near.last + timedelta(hours=2)) - end).days
            c = replace(c, moved_us=c.moved_us + days * 86_400_000_000)
        elif c.quality == YEARLESS:
            years = near.last.year - end.year
            while _in_year(end, years) > near.last + _COPIED_LATER:
                years -= 1
            c = replace(c, moved_us=_us(_in_year(c.last, years) - c.last))
        out.append(c)
    return out


def _in_year(time: datetime, years: int) -> datetime:
    day = 28 if (time.month, time.day) == (2, 29) else time.day
    return time.replace(year=time.year + years, day=day)


def _zones(clocks: Sequence[_Clock], edges: Sequence[tuple[int, int, int, int, int, int]]) -> list[_Clock]:
    """Move each clock onto the reference it can be traced to, over the surest of the moments they share."""
    known = {c.clock_id: c for c in clocks}
    apart: dict[int, list[tuple[int, int, int, int]]] = {}  # clock -> (other, its own lead in us, uncertainty, moments)
    for a, b, apart_us, spread_us, moments, within_us in edges:
        free = BOOT in {known[n].quality for n in (a, b) if n != _UTC_CLOCK}
        fixed = all(n == _UTC_CLOCK or known[n].quality == EXACT for n in (a, b))
        found = _distance(apart_us, spread_us, moments, within_us, free=free, fixed=fixed)
        if found is not None:
            lead, uncertain = found
            apart.setdefault(a, []).append((b, lead, uncertain, moments))
            apart.setdefault(b, []).append((a, -lead, uncertain, moments))
    exact = {c.clock_id for c in clocks if c.quality == EXACT}
    lead_of = _spread({_UTC_CLOCK: 0, **dict.fromkeys(exact, 0)}, apart)
    best = max(exact, key=lambda e: (known[e].times, -e), default=None)
    for n in exact:  # exact clocks have no zone to be found, only a skew against the one most was written by
        skew = next(
            (-lead for other, lead, _, moments in apart.get(n, ()) if other == best and moments >= _PROVES_SKEW), 0
        )
        lead_of[n] = (skew, 0)
    out = {n: replace(known[n], moved_us=known[n].moved_us + lead, uncertain_us=uncertain, zone=UTC,
                      source="printed" if n in exact and not lead else "moments") for n, (lead, uncertain) in lead_of.items() if n != _UTC_CLOCK}  # fmt: skip
    for first in sorted(clocks, key=lambda c: (c.by_rank, c.quality != BOOT, c.times, -c.clock_id), reverse=True):
        if first.clock_id in out:
            continue
        if first.quality == BOOT:
            break
        group = _spread({first.clock_id: 0}, apart)
        zone = "of ranks" if first.by_rank else "of others"
        for n, (lead, uncertain) in group.items():
            if n in known and n not in out:
                out[n] = replace(known[n], moved_us=known[n].moved_us + lead, uncertain_us=uncertain, zone=zone,
                                 source="printed" if n == first.clock_id else "moments")  # fmt: skip
    _inherit(out, known)
    return [out.get(c.clock_id, c) for c in clocks]


def _distance(
    apart_us: int, spread_us: int, moments: int, within_us: int, *, free: bool, fixed: bool
) -> tuple[int, int] | None:
    """How far a clock leads another, and how surely (microseconds); None where they can't have seen the same moments."""
    if free:
        return apart_us, within_us + spread_us
    zone = 0 if fixed else round(apart_us / _ZONE_US) * _ZONE_US
    rest, proved = apart_us - zone, moments >= _PROVES_SKEW
    if abs(zone) > _us(ZONES) or abs(rest) > _SKEW_US[proved] + within_us or spread_us > _SKEW_US[proved]:
        return None
    if proved and abs(rest) > within_us + 2 * spread_us:
        return zone + rest, within_us + spread_us
    return zone, abs(rest) + within_us


def _spread(start: dict[int, int], apart: dict[int, list[tuple[int, int, int, int]]]) -> dict[int, tuple[int, int]]:
    """What to add to each clock that can be reached, over the surest way (Dijkstra), and its uncertainty."""
    done: dict[int, tuple[int, int]] = {}
    todo = [(0, n, lead) for n, lead in sorted(start.items())]
    heapq.heapify(todo)
    while todo:
        uncertain, n, lead = heapq.heappop(todo)
        if n in done:
            continue
        done[n] = (lead, uncertain)
        for other, ahead, more, _ in apart.get(n, ()):
            if other not in done:
                heapq.heappush(todo, (uncertain + more, other, lead + ahead))
    return done


def _inherit(out: dict[int, _Clock], known: dict[int, _Clock]) -> None:
    """A clock that shares no moment with any other has the zone of its kind, where all of the kind that are known agree."""
    for by_rank in (True, False):
        alike = [c for c in out.values() if c.by_rank == by_rank and c.quality not in {BOOT, EXACT}]
        told = {
            (round((c.moved_us - known[c.clock_id].moved_us) / _ZONE_US) * _ZONE_US, c.zone)
            for c in alike
            if c.source == "moments"
        }
        if len(told) == 1:
            ((lead, zone),) = told
            for c in alike:
                if c.source == "printed" and c.zone != zone:
                    out[c.clock_id] = replace(
                        c, moved_us=c.moved_us + lead, uncertain_us=_SKEW_US[True], zone=zone, source="neighbours"
                    )


def _move(store: Store, tables: Sequence[str], moved: Iterable[_Clock]) -> None:
    """Add to the times of every table what their clocks lack."""
    store.con.execute(
        "CREATE TEMP TABLE clock_move (file_id BIGINT, host VARCHAR, quality VARCHAR, first_line BIGINT, last_line BIGINT, moved_us BIGINT)"
    )
    store.insert("clock_move", [(c.file_id, c.host, c.quality, c.first_line, c.last_line, c.moved_us) for c in moved])
    for table in tables:
        store.con.execute(
            f"UPDATE {table} SET time = m.time, time_quality = m.quality FROM ("
            f" SELECT t.rowid AS id, c.quality, make_timestamp(coalesce(epoch_us(t.time), (t.uptime_seconds * 1e6)::BIGINT) + c.moved_us) AS time"
            f" FROM {table} t {_OF} JOIN clock_move c ON c.file_id = t.file_id AND t.line_no BETWEEN c.first_line AND c.last_line"
            f" AND c.host = {_HOST} AND c.quality = CASE WHEN t.time IS NOT NULL THEN t.time_quality WHEN t.uptime_seconds IS NOT NULL THEN '{BOOT}' END"
            f") m WHERE {table}.rowid = m.id"
        )
    store.con.execute("DROP TABLE clock_move")


def _us(span: timedelta) -> int:
    return round(span.total_seconds() * 1e6)


@dataclass(frozen=True, slots=True)
class Boot:
    """A boot of a host, as one file tells it: what comes before `line_no` is of an older one."""

    line_no: int
    host: str | None
    time: datetime


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the table `clock` says of each file: its zones, its uncertainty, and when the first word of the job was said.

    The job speaks in the files of `job_speaks`; `boots` are those each file holds the beginning of.
    """

    of_file: Mapping[int, tuple[frozenset[str], timedelta]] = field(default_factory=dict)
    job: tuple[datetime, frozenset[str]] | None = None
    job_speaks: frozenset[int] = frozenset()
    boots: Mapping[int, Sequence[Boot]] = field(default_factory=dict)
    qualities: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> Clocks:
        """Read the table `clock`, and the content's `job_output` and `boot`."""
        rows = store.rows(
            "SELECT file_id, zone, coalesce(uncertainty_seconds, 0) AS uncertain, by_rank, first, time_quality FROM clock"
        )
        output = store.rows("FROM job_output") if rows else []
        speaks = {r["file_id"] for r in rows if r["by_rank"]} | {r["file_id"] for r in output}
        files: dict[int, tuple[frozenset[str], timedelta]] = {}
        qualities: dict[int, frozenset[str]] = {}
        for r in rows:
            qualities[r["file_id"]] = qualities.get(r["file_id"], frozenset()) | {r["time_quality"]}
            zones, uncertain = files.get(r["file_id"], (frozenset(), timedelta()))
            files[r["file_id"]] = (zones | {r["zone"]}, max(uncertain, timedelta(seconds=r["uncertain"])))
        job = min(
            ((r["first"], frozenset({r["zone"]})) for r in rows if r["by_rank"] or r["file_id"] in speaks),
            default=None,
            key=lambda j: j[0],
        )
        boots: dict[int, list[Boot]] = {}
        if job:
            for b in store.rows("SELECT file_id, line_no, host, time FROM boot WHERE time IS NOT NULL"):
                boots.setdefault(b["file_id"], []).append(Boot(b["line_no"], b["host"], b["time"]))
        return cls(files, job, frozenset(speaks), boots, qualities)

    def uncertainty(self, a: Incident, b: Incident) -> timedelta:
        """Two incidents' times are in an order only beyond this."""
        in_a, in_b = ({e.file_id for e in i.evidence} & self.of_file.keys() for i in (a, b))
        if in_a & in_b or not in_a or not in_b:
            return PRINT_DELAY
        zones_a, uncertain_a = self.clock(in_a)
        zones_b, uncertain_b = self.clock(in_b)
        apart = timedelta() if len(zones_a | zones_b) == 1 else ZONES
        return PRINT_DELAY + uncertain_a + uncertain_b + apart

    def before_the_job(self, incident: Incident) -> str | None:
        """How an incident lies before the first word of the job, in words; None where it may belong to the job."""
        files = {e.file_id for e in incident.evidence}
        if (
            self.job is None
            or not files
            or files & self.job_speaks
            or not files <= self.of_file.keys() | self.boots.keys()
        ):
            return None
        began, zone = self.job
        zones, uncertain = self.clock(files & self.of_file.keys())
        margin = uncertain + (timedelta() if zones == zone else ZONES)
        if all(self._older_boot(e.file_id, e.line_no, incident.hosts, began - margin) for e in incident.evidence):
            return "before the host was booted anew and the job began"
        end = incident.until or incident.at
        if end is None or not files & self.of_file.keys() or began - end <= BEFORE_THE_JOB + margin:
            return None
        return f"{(began - end).total_seconds() / 3600:.0f} h before the first word of the job"

    def _older_boot(self, file: int, line_no: int, hosts: frozenset[str], by: datetime) -> bool:
        """True where a host was booted behind this line, and not later than `by`."""
        return any(
            b.line_no > line_no
            and b.time <= by
            and (not b.host or not hosts or any(h == b.host or h.startswith(f"{b.host}.") for h in hosts))
            for b in self.boots.get(file, ())
        )

    def dated(self, incidents: Sequence[Incident]) -> list[Incident]:
        """The incidents with what is known of their times: how they were printed, in which zone, how surely."""
        out = []
        for i in incidents:
            files = {e.file_id for e in i.evidence} & self.of_file.keys()
            if i.at is None or not files:
                out.append(i)
                continue
            zones, uncertain = self.clock(files)
            told = frozenset().union(*(self.qualities[f] for f in files))
            quality = max(told, key=_QUALITIES.index, default=None)
            zone = UTC if zones <= {UTC} else None
            out.append(replace(i, time_quality=quality, zone=zone, uncertainty_seconds=uncertain.total_seconds()))
        return out

    def aside(self, incidents: Sequence[Incident]) -> list[Incident]:
        """What was over before the job began is context, not a finding."""
        out = []
        for i in incidents:
            when = self.before_the_job(i) if i.severity != "info" else None
            out.append(
                replace(i, severity="info", facts=MappingProxyType({**i.facts, "before_the_job": when})) if when else i
            )
        return out

    def clock(self, files: set[int]) -> tuple[frozenset[str], timedelta]:
        """The zones of some files that print times, and the uncertainty of the worst."""
        each = [self.of_file[f] for f in files]
        return frozenset().union(*(z for z, _ in each)), max((u for _, u in each), default=timedelta())
