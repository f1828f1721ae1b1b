-- table: One row per line near the end of a log, after its last step, with which a program that no
-- grammar knows may tell why the job ended, and that was not overcome: plain_failure's, and those
-- of unread_line, whose words have not been looked at (what is NULL).
-- only with plain_failure, unread_line
with
    last_step as (
        select file_id, max(line_no) as line_no
        from
            (
                select file_id, line_no
                from training_line
                union all
                select file_id, last_line
                from metric_span
            )
        group by file_id
    ),
    line as (
        select what, message[:300] as message, time, uptime_seconds, file_id, line_no
        from plain_failure
        where what <> 'overcome'
        union all by name
        -- whose sentence no pattern has, but whose words may speak of one thing only
        select text[:300] as message, time, uptime_seconds, file_id, line_no
        from unread_line
        where word <> 'doubt'
    )
select t.*
from line t
join file f using (file_id)
left join last_step s using (file_id)
left join
    plain_failure o
    on o.what = 'overcome'
    and o.file_id = t.file_id
    and o.line_no between t.line_no and t.line_no + 20
where
    f.lines - t.line_no < case when t.what is null then 12 else 40 end
    and coalesce(t.line_no > s.line_no, true)
    and t.uptime_seconds is null
    and o.what is null
