-- table: The one row of the failure that ended several attempts of the job: the same exception from
-- the same line of code. Attempts are told apart by the restarts of the launcher within a log, and
-- by logs of which one begins after all before it have ended; same_step: the last step before it,
-- where that is always the same.
with
    restart as (select file_id, line_no from launcher_event where event = 'restart'),
    failure as (
        select
            e.class,
            e.file,
            e.line,
            e.file_id,
            e.line_no,
            (
                coalesce(l.series_no, 0),
                (
                    select count(*)
                    from restart r
                    where r.file_id = e.file_id and r.line_no < e.line_no
                )
            ) as attempt,
            (
                select arg_max(t.step, t.line_no)
                from training_line t
                where t.file_id = e.file_id and t.line_no < e.line_no
            ) as step
        from exception_verdict e
        left join log_series l using (file_id)
        where
            e.chain_uncaught
            and e.kind not in ('echo', 'interrupt', 'ignored')
            and e.line > 0
            and (exists (from restart) or exists (from log_series))
    )
select
    class,
    file,
    line,
    count(distinct attempt) as attempts,
    case when count(distinct step) = 1 then min(step) end as same_step,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
from failure
group by class, file, line
having count(distinct attempt) >= 2
order by attempts desc, class
limit 1
