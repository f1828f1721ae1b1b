-- table: One row per rank and sign of how it ended: fate = raised | killed | timed_out | stopped |
-- torn_down | exited | waiting | finished, standing = which of them counts where a rank shows
-- several (the lowest): what it died of by itself before what became of it because of others.
with
    -- a worker's own number of its process, where only one rank has it
    rank_of_pid as (
        select pid, any_value(rank) as rank
        from rank
        where pid is not null
        group by pid
        having count(*) = 1
    ),
    torn_down as (
        select rank, file_id, line_no
        from ended_by_launcher
        union all
        select e.rank, e.file_id, e.line_no
        from exception_verdict e
        where e.kind = 'interrupt' and e.rank is not null
        union all
        select d.rank, d.file_id, d.line_no
        from death d
        where d.signal = 15 and d.rank is not null
    ),
    sign as (
        select
            'raised' as fate,
            case when kind = 'echo' then 4 else 1 end as standing,
            rank,
            raised_class as exception,
            time,
            file_id,
            coalesce(raised_line, line_no) as line_no
        from exception_verdict
        where
            rank is not null
            -- the head of its traceback may be cut off
            and (chain_uncaught or kind = 'echo' and lines_after < 5)
            and kind not in ('interrupt', 'ignored')
        union all by name
        select
            'killed' as fate,
            case when d.signal = 6 then 5 else 2 end as standing,
            d.rank,
            d.signal,
            d.signal_name,
            d.exitcode,
            d.time,
            d.file_id,
            d.line_no,
            d.first_observed
        from death d
        where
            d.rank is not null
            and d.signal <> 15
            and not (d.signal = 9 and d.rank in (select rank from torn_down where rank is not null))
        union all by name
        select
            'timed_out' as fate,
            3 as standing,
            rank,
            min(time) as time,
            arg_min(file_id, (file_id, line_no)) as file_id,
            arg_min(line_no, (file_id, line_no)) as line_no
        from timed_out_wait
        where rank is not null
        group by rank
        union all by name
        select
            'torn_down' as fate,
            6 as standing,
            t.rank,
            l.time,
            15 as signal,
            'SIGTERM' as signal_name,
            t.file_id,
            t.line_no
        from torn_down t
        left join launcher_event l using (file_id, line_no)
        union all by name
        -- it says so itself
        select
            'stopped' as fate,
            6 as standing,
            rank,
            time,
            15 as signal,
            'SIGTERM' as signal_name,
            file_id,
            line_no
        from launcher_event
        where event = 'told_to_stop' and rank is not null and signal_name in ('15', 'SIGTERM')
        union all by name
        select
            case when e.exitcode = 0 then 'finished' else 'exited' end as fate,
            case when e.exitcode = 0 then 9 else 7 end as standing,
            coalesce(e.rank, p.rank) as rank,
            e.exitcode,
            e.time,
            e.file_id,
            e.line_no,
            e.first_observed
        from "exit" e
        left join rank_of_pid p on p.pid = e.pid and e.rank is null
        where
            e.source <> 'subprocess'
            and coalesce(e.rank, p.rank) is not null
            and e.exitcode between 0 and 128
        union all by name
        select 'waiting' as fate, 8 as standing, rank, time, file_id, line_no
        from rank_progress
        where state = 'waiting' and rank is not null
        union all by name
        select 'waiting' as fate, 8 as standing, rank, time, file_id, line_no
        from stack_rank
        where peer and rank is not null
        union all by name
        select
            'finished' as fate,
            9 as standing,
            coalesce(t.rank, f.rank) as rank,
            max(t.time) as time,
            max(t.file_id) as file_id,
            arg_max(t.line_no, (t.file_id, t.line_no)) as line_no
        from training_line t
        join file f using (file_id)
        where coalesce(t.rank, f.rank) is not null
        group by coalesce(t.rank, f.rank)
        having max(t.step) >= max(t.planned)
    )
select
    rank,
    fate,
    standing,
    time,
    exception,
    signal,
    signal_name,
    exitcode,
    file_id,
    line_no,
    coalesce(first_observed, false) as first_observed
from sign
