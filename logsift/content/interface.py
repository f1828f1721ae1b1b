"""What the engine asks of the content: relations by name, with the columns it reads.

Content that lacks one gets an empty one of this shape, so that a catalogue of one grammar and one rule works; the linter
compares what content defines with what is declared here. Whatever else the content defines, the engine does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

_PLACE = {"file_id": "BIGINT", "line_no": "BIGINT"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A relation that the engine reads (or fills, where `filled`): its columns with their SQL types, and what a row is."""

    about: str
    columns: dict[str, str]
    filled: bool = False


INTERFACE: dict[str, Asked] = {
    # -- who is who: read to name the ranks, hosts and GPUs of incidents --
    "rank": Asked("one row per global rank: where it runs", {"rank": "BIGINT", "host": "VARCHAR", "local_rank": "BIGINT", "gpu": "VARCHAR"}),
    "process": Asked("processes with their rank", {"host": "VARCHAR", "pid": "BIGINT", "rank": "BIGINT"}),
    "gpu": Asked("GPUs with the rank that uses them", {"host": "VARCHAR", "gpu": "VARCHAR", "rank": "BIGINT"}),
    "gpu_by_elimination": Asked(
        "the GPU that is left for the one rank of a host that has none", {"host": "VARCHAR", "gpu": "VARCHAR", "rank": "BIGINT"}
    ),
    "host_alias": Asked("other names of hosts", {"alias": "VARCHAR", "host": "VARCHAR"}),
    "address_host": Asked("network addresses with their host", {"address": "VARCHAR", "host": "VARCHAR"}),
    "identity_link": Asked(
        "every line that ties a rank to a host, a launcher's label or a process",
        {"file_id": "BIGINT", "rank": "BIGINT", "host": "VARCHAR", "local_rank": "BIGINT", "task": "BIGINT"},
    ),
    # -- one clock --
    "clock_anchor": Asked(
        "moments that several clocks saw, or that one line gives in two clocks",
        {
            "event": "VARCHAR", "utc": "TIMESTAMP", "within_seconds": "INTEGER", **_PLACE, "host": "VARCHAR", "rank": "BIGINT",
            "time": "TIMESTAMP", "time_quality": "VARCHAR", "uptime_seconds": "DOUBLE",
        },
    ),
    "boot": Asked("boots of hosts, where a log holds the beginning of one", {**_PLACE, "host": "VARCHAR", "time": "TIMESTAMP"}),
    "job_output": Asked("files in which the job itself speaks", {"file_id": "BIGINT"}),
    "job_progress": Asked(
        "minutes in which steps were logged", {"file_id": "BIGINT", "minute": "TIMESTAMP", "line_no": "BIGINT"}
    ),
    "job_attempt": Asked(
        "lines from which on a log tells of another attempt of the job, numbered from 1, where there are several;"
        " `calm`: the last of its log, and nothing ended it; `ends`: the lines that tell of the end of the last",
        {**_PLACE, "attempt": "BIGINT", "calm": "BOOLEAN", "ends": "BIGINT[]"},
    ),
    "separate_job": Asked(
        "logs of one of several jobs that lie in one folder, with the job by a `kind` of name that tells them apart",
        {"file_id": "BIGINT", "kind": "VARCHAR", "job": "VARCHAR"},
    ),
    # -- coverage --
    "job_size": Asked(
        "the size of the job where a log tells it, the ranks no log says anything of, the hosts",
        {"world_size": "BIGINT", "silent_ranks": "BIGINT[]", "hosts": "VARCHAR[]"},
    ),
    # -- what became of each rank, and what to do next --
    "rank_fate": Asked(
        "one row per rank: where it ran, how far it came, how it ended; the engine fills `said`",
        {
            "rank": "BIGINT", "host": "VARCHAR", "local_rank": "BIGINT", "gpu": "VARCHAR", "pid": "BIGINT", "step": "DOUBLE",
            "op": "VARCHAR", "seq": "BIGINT", "grp": "VARCHAR", "fate": "VARCHAR", "time": "TIMESTAMP", "was_first": "BOOLEAN",
            "last_time": "TIMESTAMP", "last_file_id": "BIGINT", "last_line_no": "BIGINT", **_PLACE, "said": "VARCHAR",
        },
    ),
    "rank_now": Asked(
        "one row per rank that logged steps: its last step, and what it logged lately",
        {
            "rank": "BIGINT", "host": "VARCHAR", "file_id": "BIGINT", "step": "DOUBLE", "time": "TIMESTAMP", "loss": "DOUBLE",
            "step_seconds": "DOUBLE",
        },
    ),
    "rank_fate_kind": Asked(
        "the fates there are, in words (a template over the columns of rank_fate) and in the order they are told",
        {"fate": "VARCHAR", "place": "BIGINT", "says": "VARCHAR"},
    ),
    "next_step": Asked(
        "the one row that says what to do next; `reason` is a template over all its columns",
        {"next": "VARCHAR", "leave_out": "VARCHAR[]", "confidence": "VARCHAR", "incidents": "BIGINT[]", "reason": "VARCHAR"},
    ),
    "job_scheduler": Asked("what started the job, one row where it is known", {"scheduler": "VARCHAR"}),
    "job_sign": Asked("rows where these are the logs of a job or of its machines, each with the kind of its sign, and whether no program of another kind leaves it", {"sign": "VARCHAR", "is_sure": "BOOLEAN"}),
    "unread": Asked(
        "lines with words of trouble that gave no row, by what they have in common",
        {
            "template": "VARCHAR", "word": "VARCHAR", "lines": "BIGINT", "files": "BIGINT", "ranks": "BIGINT", "hosts": "BIGINT",
            "text": "VARCHAR", **_PLACE,
        },
    ),
    "unread_within": Asked("lines with words of trouble that gave no row, as part of something that gave one", _PLACE),
    # -- series of numbers --
    "series": Asked(
        "one row per series of points; `searched` for what stands out, `driver_id` another series it may follow",
        {
            "series_id": "BIGINT", "name": "VARCHAR", "canonical": "VARCHAR", "points": "BIGINT", "searched": "BOOLEAN",
            "planned": "DOUBLE", "driver_id": "BIGINT",
        },
    ),
    "series_point": Asked(
        "the points of series",
        {
            "series_id": "BIGINT", "step": "DOUBLE", "value": "DOUBLE", "time": "TIMESTAMP", **_PLACE, "turn": "BIGINT",
            "ordinal": "BIGINT",
        },
    ),
    "series_boundary": Asked(
        "where something restarted within a series; `anew`: a further run begins there, whose values are counted from 1",
        {"series_id": "BIGINT", **_PLACE, "step": "DOUBLE", "anew": "BOOLEAN"},
    ),
    "segment": Asked(
        "stretches of a series without a restart, with their fate",
        {
            **_PLACE, "series_id": "BIGINT", "run": "BIGINT", "state": "VARCHAR", "last_line": "BIGINT", "first_step": "DOUBLE",
            "last_step": "DOUBLE", "points": "BIGINT", "from_step": "DOUBLE", "to_step": "DOUBLE", "lost": "BIGINT",
            "from_file": "BIGINT", "from_line": "BIGINT", "rotated": "BOOLEAN",
        },
        filled=True,
    ),
    "excursion": Asked("what stands out of a series", {**_PLACE, "series_id": "BIGINT", "kind": "VARCHAR"}, filled=True),
    # -- reports --
    "run_figure": Asked(
        "figures by which two runs are compared",
        {"topic": "VARCHAR", "name": "VARCHAR", "value": "DOUBLE", "unit": "VARCHAR", "better": "VARCHAR"},
    ),
    "blamed_part": Asked(
        "parts in which the root cause lies: kind host | gpu | link; how many of them it names, how many hosts the job has",
        {"kind": "VARCHAR", "name": "VARCHAR", "rule": "VARCHAR", "time": "TIMESTAMP", "named": "BIGINT", "hosts": "BIGINT"},
    ),
    "run_setting": Asked(
        "versions and settings by value, what differs first",
        {
            "kind": "VARCHAR", "name": "VARCHAR", "value": "VARCHAR", "ranks": "BIGINT[]", "hosts": "VARCHAR[]",
            "differs": "BOOLEAN",
        },
    ),
    "memory_part": Asked(
        "the parts of a memory in which an allocation failed, lane by lane; `wanted`: what was asked for",
        {
            "lane": "VARCHAR", "place": "BIGINT", "part": "VARCHAR", "size_bytes": "BIGINT", "total_bytes": "BIGINT",
            "wanted": "BOOLEAN",
        },
    ),
    "rank_progress": Asked(
        "how far each rank has come in a group, by source",
        {
            "source": "VARCHAR", "rank": "BIGINT", "grp": "VARCHAR", "grp_desc": "VARCHAR", "enqueued": "BIGINT",
            "completed": "BIGINT", "waits_for": "BIGINT",
        },
    ),
    "column_meaning": Asked(
        "what columns of relations and catalogues hold, by name; `relation` where the name means something else there",
        {"relation": "VARCHAR", "column_name": "VARCHAR", "meaning": "VARCHAR"},
    ),
    # -- pictures --
    "operation_span": Asked(
        "operations of ranks in their groups, with the stretch of time that each took",
        {
            "rank": "BIGINT", "host": "VARCHAR", "grp": "VARCHAR", "op": "VARCHAR", "seq": "BIGINT", "state": "VARCHAR",
            "time": "TIMESTAMP", "until": "TIMESTAMP", **_PLACE,
        },
    ),
    "metric": Asked(
        "every printed value of a metric",
        {"source": "VARCHAR", "rank": "BIGINT", "name": "VARCHAR", "step": "DOUBLE", "value": "DOUBLE", "ordinal": "BIGINT"},
    ),
    "metric_stitched": Asked(
        "points of searched series with the stretch they belong to",
        {"series_id": "BIGINT", "run": "BIGINT", "state": "VARCHAR", "name": "VARCHAR", "step": "DOUBLE", "value": "DOUBLE"},
    ),
    "stack_tree": Asked(
        "the merged stacks, one row per call",
        {
            "depth": "BIGINT", "function": "VARCHAR", "source": "VARCHAR", "ranks": "BIGINT[]", "pids": "BIGINT[]",
            "hosts": "VARCHAR[]", "processes": "BIGINT", "ends_here": "BIGINT", "class": "VARCHAR", "waits_for": "VARCHAR",
            "decided_by": "VARCHAR", "own_call": "VARCHAR", "path": "VARCHAR", "parent": "VARCHAR", "sort_key": "VARCHAR[]",
        },
    ),
    "extent": Asked(
        "pieces of something that is cut up, by the lane they are in",
        {
            "picture": "VARCHAR", "lane": "VARCHAR", "start_bytes": "BIGINT", "size_bytes": "BIGINT", "state_no": "INTEGER",
            "state": "VARCHAR", "marked": "BOOLEAN",
        },
    ),
    "extent_wanted": Asked("the piece that was asked for", {"picture": "VARCHAR", "size_bytes": "BIGINT", "about": "VARCHAR"}),
}  # fmt: skip
CLOCK_INPUTS = ("clock_anchor", "rank", "boot")
"""What must be known before the times of the rows are moved onto one clock."""

MEANING: dict[str, str] = {
    # -- what was read --
    "catalog": "digest of the content that made this file", "version": "version of logsift that made this file",
    "path": "the file, from the folder of the run", "bytes": "size of the file as it lies there [bytes]",
    "lines": "how many lines", "grammar": "the format that owns the file", "reader": "how it was read",
    "not_understood": "lines with words of trouble that gave no row", "why": "why it is so",
    "mtime_ns": "when the file was last changed, since 1970 [ns]", "unended": "its last line has no line end",
    "byte_offset": "where the line begins in the unpacked file [bytes]", "proof": "hash of samples of what is before the line", "what": "what it is about", "text": "the text, as it was printed",
    "files": "how many files", "template": "what the lines have in common", "word": "the word of trouble",
    # -- what was concluded --
    "incident_id": "the incident, see table incident", "cause_id": "the incident that explains", "effect_id": "the incident that is explained",
    "next": "restart | restart_without | stop | unknown", "leave_out": "hosts to leave out of the next start",
    "incidents": "the incidents it follows from", "reason": "why, in words", "how": "how to get it", "commands": "what gets it, to be pasted",
    "named": "how many of its kind the root cause names", "topic": "what the figure is of", "better": "lower | higher, where one is better",
    # -- clocks --
    "first_line": "number of the first line", "last_line": "number of the last line", "times": "how many times are in these lines",
    "by_rank": "the clock is that of a rank, not of the host", "shift_seconds": "what was added to the printed times [s]",
    "event": "the moment that several clocks saw", "utc": "the same moment in UTC, where a line tells it",
    "within_seconds": "how far the clocks may differ on it [s]", "minute": "a minute in which steps were logged",
    "attempt": "number of the job's attempt, from 1", "calm": "the last attempt of its log, and nothing ended it",
    "ends": "the lines that tell of the end of the last attempt", "anew": "a further run begins there",
    # -- who is who --
    "gpu": "the GPU, by PCI address or index", "alias": "another name of the host", "address": "an address of the host in the network", "source": "who says so",
    "world_size": "how many ranks the job has", "silent_ranks": "ranks of which no log says anything",
    # -- how far each rank came --
    "op": "the collective it was in", "seq": "its place in the order of the group's collectives", "grp": "name of the group of ranks",
    "grp_desc": "what the group is for, as the job calls it", "fate": "how the rank ended, see rank_fate_kind",
    "was_first": "it ended before all others, by itself", "last_time": "when its last word was written",
    "last_file_id": "the file of its last word", "last_line_no": "the line of its last word", "says": "the words for it, a template",
    "said": "how the rank ended, in words", "loss": "the last loss it logged", "step_seconds": "how long a step takes [s]",
    "enqueued": "the last collective it entered", "completed": "the last collective that ended", "waits_for": "whom it waits for",
    # -- curves --
    "series_id": "the curve, see series", "name": "the name, as it was printed", "canonical": "the name that all programs share for it",
    "points": "how many points", "searched": "the engine looks for what stands out in it", "planned": "steps that were planned",
    "driver_id": "the curve of its learning rate", "step": "step of the training", "value": "the value, as it was printed",
    "turn": "how often the file was taken up again", "ordinal": "place in the order of the rows", "run": "counts restarts, from 0",
    "first_step": "its first step", "last_step": "its last step", "from_step": "step it went on from", "to_step": "step it went back to",
    "lost": "points that a rollback left", "from_file": "the file it goes on from", "from_line": "the line it goes on from",
    "differs": "processes say different values", "steps_planned": "steps that were planned", "is_average": "the value is a mean of several",
    # -- stacks --
    "depth": "calls above it", "function": "the function, with its file", "pids": "the processes in it", "processes": "how many processes",
    "ends_here": "the stack ends in this call", "class": "what kind it is of", "decided_by": "the call by which that is known",
    "own_call": "the innermost call of the job's own code", "parent": "the call above it", "sort_key": "place among its neighbours",
    # -- memory --
    "lane": "the row of a picture", "picture": "the picture it belongs to", "size_bytes": "size [bytes]", "total_bytes": "size of the whole [bytes]",
    "start_bytes": "where it begins [bytes]", "wanted": "the lane in which the allocation failed", "part": "what takes the memory",
    "place": "place in the order", "state": "the state it is in", "state_no": "number of the state, in the order in which they are drawn",
    "marked": "it is drawn with a frame", "about": "what it is, in words", "sign": "what shows that a job is there", "kind": "which kind it is",
}  # fmt: skip
"""What columns hold, by name: those of the engine's own relations and of those it asks for, where nothing else says it."""
