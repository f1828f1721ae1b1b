-- table: One row per rank that printed its steps at a pace of its own (ten lines or more): usual
-- and longest pause between them, its last step and its last word. Where only rank 0 logs, the
-- others have no rhythm.
select
    s.rank,
    any_value(s.host) as host,
    median(s.pause) as usual,
    max(s.pause) as longest,
    max(s.step) as last_step,
    arg_max(s.path, (s.time, s.line_no)) as path,
    any_value(w.time) as last_time,
    any_value(w.line) as line
from rank_step s
join last_sign w using (rank)
group by s.rank
having count(*) >= 10 and max(s.pause) > 0
