-- view: One row per log of training that printed at a pace of its own (ten lines or more with their
-- times): usual and longest pause between them, and its last line of training, with its step.
with
    pause as (
        select
            t.file_id,
            t.line_no,
            t.time,
            epoch(t.time)
            - epoch(lag(t.time) over (partition by t.file_id order by t.line_no)) as pause
        from training_line as t
        where t.time is not null
    )
select
    p.file_id,
    f.path,
    any_value(f.host) as host,
    median(p.pause) as usual,
    max(p.pause) as longest,
    max(p.line_no) as last_line_no,
    max(l.time) as last_time,
    arg_max(l.step, (l.time, l.rank)) as last_step,
    arg_max(l.line, (l.time, l.rank)) as line
from pause as p
join file as f using (file_id)
join last_sign as l on l.line.file_id = p.file_id
group by all
having count(distinct p.line_no) >= 10 and max(p.pause) > 0
