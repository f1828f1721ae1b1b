-- table: The one row of the failure that ended several attempts of the job in one log: the same
-- exception from the same line of code. attempts are told apart by the restarts of the launcher;
-- same_step: the last step before it, where that is always the same; same_host: where it always
-- was.
-- only with launcher_event
with
    restart as (select file_id, line_no from launcher_event where event = 'restart'),
    failure as (
        select
            e.class,
            e.file,
            e.line,
            e.file_id,
            e.line_no,
            e.host,
            e.rank,
            (
                select count(*) from restart r where r.file_id = e.file_id and r.line_no < e.line_no
            ) as attempt,
            (
                select arg_max(t.step, t.line_no)
                from training_line t
                where t.file_id = e.file_id and t.line_no < e.line_no
            ) as step
        from exception_verdict e
        where
            e.chain_uncaught
            and e.kind not in ('echo', 'interrupt', 'ignored')
            and e.file_id in (select file_id from restart)
    )
select
    class,
    file,
    line,
    count(distinct attempt) as attempts,
    case when count(distinct step) = 1 then min(step) end as same_step,
    case when count(distinct host) = 1 and count(host) = count(*) then min(host) end as same_host,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
from failure
group by class, file, line
having count(distinct attempt) >= 2
order by attempts desc, class
limit 1
