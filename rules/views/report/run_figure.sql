-- view: one row per figure by which two runs can be compared: its topic (pace | loss | memory |
-- collectives | job), name, value and unit; better: which way is better, lower or higher, NULL
-- where neither is.
select
    'pace' as topic,
    'seconds per step' as name,
    median(p.seconds) as value,
    's' as unit,
    'lower' as better
from pace as p
join pace_writer as w using (writer)
where w.canonical = 'step_seconds' and w.n >= 40
having count(*) > 0
union all
select 'pace', 'seconds per step, by the times of lines', median(step_seconds), 's', 'lower'
from rank_now
where not exists (from pace_writer where canonical = 'step_seconds' and n >= 40)
having count(step_seconds) > 0
union all
select 'loss', 'last loss', median(loss), null, 'lower'
from rank_now
where isfinite(loss)
having count(loss) > 0
union all
select 'job', 'last step', max(step), 'steps', 'higher'
from rank_now
having count(*) > 0
union all
select 'job', 'ranks', world_size, null, null
from job_size
where world_size is not null
union all
select
    'memory',
    case
        what
        when 'device'
        then 'most of a GPU'
        when 'host'
        then 'most of a host'
        else 'most of a process'
    end,
    max(bytes),
    'B',
    'lower'
from memory_sample
where bytes is not null
group by what
union all
select 'collectives', op || ', calls', count(*), null, null
from collective_call
group by op
