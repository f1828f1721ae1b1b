-- table: One row per rank of the job: where it ran, how far it came (step, collective), its last
-- word, and how it ended. fate = raised (an exception) | killed (by a signal) | timed_out (gave a
-- collective up) | stopped (told to stop) | torn_down (by its launcher) | exited (with a code) |
-- waiting (for its peers) | finished | silent (nothing tells, of a job that failed) | unknown
-- (nothing tells). was_first: the first that ended by itself. file_id, line_no: the line that tells
-- of its end; last_*: its last word. said: its fate in words, written once hosts and clocks are
-- settled.
with
    ended as (
        select
            * exclude (exitcode, first_observed),
            max(exitcode) over own as exitcode,
            bool_or(first_observed) over own as first_observed
        from rank_end
        window own as (partition by rank)
        qualify
            row_number() over (
                partition by rank order by standing, time nulls last, file_id, line_no
            )
            = 1
    ),
    first_end as (
        select rank
        from ended
        where
            fate in ('raised', 'killed', 'exited')
            and (first_observed or (standing <> 4 and not exists (from ended where first_observed)))
        qualify coalesce(time = min(time) over (), count(*) over () = 1)
    ),
    named as (
        select rank
        from rank
        where rank is not null
        union
        select rank
        from file
        where rank is not null and lines > 0
        union
        select rank
        from ended
        union
        select unnest(ranks_below(world_size))
        from job_size
        where world_size is not null
    ),
    given_up as (
        select rank, op, seq, grp
        from timed_out_wait
        where rank is not null
        qualify row_number() over (partition by rank order by started nulls last, seq) = 1
    ),
    counted as (
        select rank, op, coalesce(waits_for, enqueued) as seq, coalesce(grp_desc, grp) as grp
        from rank_progress
        where rank is not null and coalesce(waits_for, enqueued) is not null
        qualify
            row_number() over (
                partition by rank
                order by waits_for is null, (op is null), time desc nulls last, enqueued desc
            )
            = 1
    ),
    own_file as (
        select
            f.rank,
            max(c.last) as time,
            arg_max(line_at(f.file_id, f.lines), (c.last is not null, c.last, f.lines)) as line
        from file f
        left join clock c using (file_id)
        where f.rank is not null and f.lines > 0 and f.reader = 'lines'
        group by f.rank
    ),
    placed as (
        select
            n.rank,
            r.host,
            r.local_rank,
            coalesce(r.gpu, r.gpu_index::varchar) as gpu,
            r.pid,
            l.step,
            coalesce(g.op, c.op) as op,
            coalesce(g.seq, c.seq) as seq,
            coalesce(g.grp, c.grp) as grp,
            coalesce(
                e.fate, case when exists (from trouble_sign) then 'silent' else 'unknown' end
            ) as fate,
            e.exception,
            e.signal,
            e.signal_name,
            e.exitcode,
            e.time,
            greatest(l.time, e.time, o.time) as last_time,
            coalesce(o.line, l.line, line_at(e.file_id, e.line_no)) as last_line,
            n.rank in (select rank from first_end) as was_first,
            e.file_id,
            e.line_no
        from named n
        left join rank r on r.rank = n.rank
        left join ended e on e.rank = n.rank
        left join given_up g on g.rank = n.rank
        left join counted c on c.rank = n.rank
        left join last_sign l on l.rank = n.rank
        left join own_file o on o.rank = n.rank
    )
select
    * exclude (last_line, file_id, line_no),
    last_line.file_id as last_file_id,
    last_line.line_no as last_line_no,
    coalesce(file_id, last_line.file_id) as file_id,
    coalesce(line_no, last_line.line_no) as line_no,
    null::varchar as said
from placed
