-- table: one row per message that the program outlived: its training went on, or it said that it
-- tries again and nothing tells of its end (said_so). Where a launcher started it again, or where
-- it was not caught and steps begin anew, the message was fatal.
with
    progress as (
        select file_id, line_no, rank, step::double as step
        from metric
        where step is not null
        union all
        select file_id, line_no, rank, done
        from progress_bar
        where done is not null and not is_bar_beside(label)
    ),
    placed as (
        select
            e.file_id,
            e.line_no,
            e.stream,
            e.rank,
            any_value(e.last_line) as last_line,
            max(p.step) filter (p.line_no < e.line_no) as step_before,
            arg_min(p.step, p.line_no) filter (p.line_no > e.last_line) as step_after,
            count(distinct p.step) filter (p.line_no > e.last_line) as steps_after,
            min(p.line_no) filter (p.line_no > e.last_line) as next_step_line
        from oom_event e
        left join
            progress p
            on p.file_id = e.file_id
            and (p.rank is null or e.rank is null or p.rank = e.rank)
        where e.kind is distinct from 'snapshot'
        group by all
    ),
    judged as (
        select
            p.*,
            exists (
                from oom_handled h
                where
                    h.file_id = p.file_id
                    and (h.rank is null or p.rank is null or h.rank = p.rank)
                    and h.line_no between p.line_no - 5 and p.last_line + 60
            ) as said_so,
            exists (
                from exception_verdict x
                where
                    x.file_id = p.file_id
                    and x.raised_line between p.line_no - 1 and p.last_line + 1
                    and x.chain_uncaught
            ) as uncaught,
            -- a traceback after it that is not the next attempt's
            exists (
                from traceback t
                where
                    t.file_id = p.file_id
                    and t.line_no > p.last_line
                    and (t.rank is null or p.rank is null or t.rank = p.rank)
                    and not exists (
                        from exception_verdict x
                        where
                            x.file_id = t.file_id
                            and x.traceback_line = t.line_no
                            and (x.steps_after >= 2 or x.kind = 'memory' and not x.chain_uncaught)
                    )
            ) as died_later,
            exists (
                from "exit" x
                where
                    x.file_id = p.file_id
                    and x.line_no between p.last_line and coalesce(next_step_line, 9e18)
            ) as ended_before_next,
            exists (from launcher_event l where l.event = 'restart') as restarted
        from placed p
    )
select file_id, line_no, stream, steps_after, said_so
from judged
where
    not restarted
    and not ended_before_next
    and (
        steps_after >= 2
        and not (uncaught and coalesce(step_after <= step_before, true))
        -- one rank that skips a batch leaves the others waiting in their collectives: no word of
        -- going on counts there
        or said_so
        and not uncaught
        and not died_later
        and not exists (from "exit" x where x.source <> 'subprocess')
        and not exists (from c10d_timeout_line)
    )
