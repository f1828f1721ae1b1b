/*
title      = "A Python exception ended the program"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.stack", "divergence.collective_count", "loss.rollback"]
explains_same_place = ["crash.signal"]
transient = true
about      = """
The first exception across ranks that is the program's own: not the echo in the ranks that lost their peer, not the launcher's summary, not what out-of-memory, GPU, collective or disk rules tell better. An exception after which training went on is not reported.
"""
remedy     = "Read the named line of the traceback; fix the cause there. Where only some ranks raised it, look at what differs for them: their data shard, their host."
false_positives = "An exception that was logged and handled at the very end of a log."
references = ["https://docs.python.org/3/library/exceptions.html"]
*/
with
    own as (
        select
            *,
            class
            || '|'
            || regexp_replace(left(message, 160), '[0-9]+|0x[0-9a-f]+', '#', 'g') as alike
        from fatal_exception
        where
            kind in ('own', 'config', 'checkpoint', 'incompatible', 'writer', 'loss')
            -- torch's word for parameters that differ is also what an init that timed out leaves
            -- behind
            and not (
                contains(message, 'DDP expects same model across all ranks')
                and exists (from c10d_timeout_line)
            )
    ),
    first_rank as (select distinct rank from "exit" where first_observed and rank is not null),
    grouped as (
        select
            alike,
            min_by(type, line_no) as type,
            min_by(class, line_no) as class,
            min_by(message, line_no) as message,
            min_by(file, line_no) filter (file is not null) as file,
            min_by(line, line_no) filter (file is not null) as line,
            min_by("function", line_no) filter (file is not null) as "function",
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            list(distinct local_rank) filter (
                local_rank is not null and rank is null
            ) as local_ranks,
            list(distinct task) filter (task is not null and rank is null) as tasks,
            min(time) as started,
            bool_or(certain) as certain,
            bool_or(kind = 'loss' or in_thread) as weak,
            min(file_id * 100000000 + line_no) as place,
            bool_or(rank in (from first_rank)) as of_first_rank,
            bool_or(chain_uncaught) as uncaught,
            count(*) as times,
            min_by(frames, line_no) filter (frames is not null) as frames,
            min_by(raised_class, line_no) as raised_class,
            min_by(raised_message, line_no) as raised_message,
            list_concat(
                list(line_at(file_id, line_no) order by file_id, line_no)[:10],
                list(line_at(file_id, traceback_line) order by file_id, line_no) filter (
                    traceback_line is not null
                )[:3]
            ) as evidence
        from own
        group by alike
    ),
    ordered as (
        select
            *,
            row_number() over (
                order by
                    coalesce(of_first_rank, false) desc, uncaught desc, started nulls last, place
            ) as n
        from grouped
    )
select
    coalesce('Rank ' || ranges(ranks) || ' raised ', '')
    || class
    || case when message = '' then '' else ': ' || left(split_part(message, chr(10), 1), 200) end
    || coalesce(' at ' || file || ':' || line, '') as summary,
    evidence,
    started as at,
    ranks,
    hosts,
    case
        when n > 1 or not certain and exists (from stack_process)
        then 'info'
        when weak or not certain
        then 'warning'
    end as severity,
    case
        when not certain or weak then 'possible' when not uncaught then 'probable'
    end as confidence,
    type,
    left(message, 1000) as message,
    file,
    line,
    "function",
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    case when len(local_ranks) = 1 then local_ranks[1] end as local_rank,
    case when len(tasks) = 1 then tasks[1] end as task,
    times,
    case
        when raised_class <> class or raised_message <> message then raised_class
    end as raised_type,
    case when raised_message <> message then left(raised_message, 500) end as raised_message,
    list_filter(
        frames, lambda f: not regexp_matches(f, 'site-packages|dist-packages|/lib/python|<frozen')
    )[-1] as own_code
from ordered
