-- table: One row per line in which gloo reports that the other end of a connection is gone, in the
-- shape of peer_loss, where nothing else is told that could have ended the job. The exceptions that
-- ended their processes count by themselves, other lines where a process is known to have failed.
with
    -- C++ aborts with what nobody caught
    aborted_with_it as (
        select g.file_id
        from gloo_error g
        join exception e using (file_id, line_no)
        where e.class = 'C++ exception'
    ),
    other_end as (
        select 1
        where
            exists (from fatal_exception)
            or exists (from c10d_timeout_line)
            or exists (from scheduler_action)
            or exists (
                from death d
                where
                    signal in (4, 6, 7, 8, 9, 11)
                    and not (signal = 6 and file_id in (select file_id from aborted_with_it))
            )
    )
select 'gloo' as source, g.file_id, g.line_no, g.time, null as host, g.rank, g.peer, g.port
from gloo_error g
where
    g.rank is not null
    and not exists (from other_end)
    and not exists (from c10d_barrier)
    and not exists (from c10d_size)
    and not exists (from c10d_fingerprint)
    and exists (from exit where exitcode > 0)
union all by name
select 'gloo' as source, g.file_id, g.line_no, g.time, g.host, g.rank, g.peer, g.port
from gloo_error g
join exception e on e.file_id = g.file_id and e.line_no = g.line_no
where
    (
        not exists (from gloo_error where rank is not null)
        or e.final
        and not exists (from c10d_barrier)
        and not exists (from c10d_size)
        and not exists (from c10d_fingerprint)
        and not exists (from "exit" where exitcode > 0)
    )
    and not exists (from other_end)
union all by name
-- Horovod's own thread ends with it, and with it what all others wait for
select 'gloo' as source, g.file_id, g.line_no, g.time, g.host, g.rank, g.peer, g.port
from gloo_error g
join file f using (file_id)
where
    g.is_uncaught
    and f.lines - g.line_no < 200
    and not exists (from other_end)
    and not exists (from "exit" where exitcode > 0)
    and not exists (from exception e where e.file_id = g.file_id and e.line_no = g.line_no)
    and not exists (from metric_span m where m.file_id = g.file_id and m.last_line > g.line_no)
