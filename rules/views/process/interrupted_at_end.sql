-- view: One row where SIGINT ended the programs of a log, and nothing tells whether they were still
-- at work then: somebody may have ended what hung. Not where it was a collective that waited, or
-- the log had been silent for long.
with
    interrupt as (
        select v.host, v.time, v.file_id, v.line_no
        from exception_verdict v
        where
            class = 'KeyboardInterrupt'
            and kind = 'interrupt'
            -- what catches it prints it, and ends
            and (chain_uncaught or final and lines_after = 0)
            and not regexp_matches(
                frames::varchar, 'torch[\\/]distributed[\\/]|horovod[\\/]|deepspeed[\\/]comm[\\/]'
            )
            -- below it stands what else it interrupts
            and (
                lines_after < 5
                or lines_after < 100
                and not exists (
                    from training_line t
                    where t.file_id = v.file_id and t.line_no > v.raised_line + 5
                )
            )
        union all
        select e.host, e.time, e.file_id, e.line_no
        from launcher_event e
        join file f using (file_id)
        where
            event = 'told_to_stop'
            and (signal_name in ('2', 'SIGINT') or signal = 2)
            and f.lines - e.line_no < 20
    )
select
    any_value(host) as host,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
from interrupt
where
    not exists (from agent_stopped)
    and not exists (from scheduler_action)
    and not exists (from interrupted_lock)
    and not exists (from interrupted_loader)
    and not exists (from training_mark where kind = 'end')
having
    count(*) > 0
    and coalesce(min(time) - (select max(m.time) from metric m) < interval 5 minute, true)
