/*
title = "Memory grows steadily"
severity = "warning"
confidence = "probable"
status = "experimental"
explains = ["oom", "crash.signal", "crash.exception"]
lasting = true
about = """
Memory of the host, of a process or of a GPU goes up from the first step to the last without
levelling off, as trainers and tools printed it: something is kept that should be freed. Whether
or not it has run out yet, it will. Medians of eight parts of the run must all rise, the last ones
as fast as the first; what fills once and then stays (weights, caches, pinned buffers) is no leak.
"""
false_positives = '''
A cache that is filled on purpose over the whole run, such as a data set kept in memory.
'''
references = [
  "https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory",
  "https://github.com/pytorch/pytorch/issues/13246",
]

[[summary]]
when = "last_bytes and reached_percent"
say = '''{{ {'host': 'Host memory', 'process': 'Memory of a process', 'device': 'GPU
  memory'}[metric] }}
  grows steadily{% if hosts %} on {{ hosts | names }}{% endif %}: from {{ first_bytes | size }} to
  {{ last_bytes | size }}, {{ reached_percent | round | int }} % of all
  {%- if bytes_per_hour %}, {{ bytes_per_hour | size }} an hour{% endif %}'''

[[summary]]
when = "last_bytes"
say = '''{{ {'host': 'Host memory', 'process': 'Memory of a process', 'device': 'GPU
  memory'}[metric] }}
  grows steadily{% if hosts %} on {{ hosts | names }}{% endif %}: from {{ first_bytes | size }} to
  {{ last_bytes | size }}{% if bytes_per_hour %}, {{ bytes_per_hour | size }} an hour{% endif %}'''

[[summary]]
say = '''{{ {'host': 'Host memory', 'process': 'Memory of a process', 'device': 'GPU
  memory'}[metric] }}
  grows steadily{% if hosts %} on {{ hosts | names }}{% endif %}, up to
  {{ reached_percent | round | int }} %'''

[[step]]
when = "metric == 'device'"
say = '''Find what is kept from step to step: losses or outputs collected without .item() or
  .detach(), hooks, growing lists. Record a memory snapshot at two steps and compare them
  (torch.cuda.memory._record_memory_history, _dump_snapshot).'''

[[step]]
when = "metric != 'device'"
say = '''Find what is kept from step to step: metrics as tensors with their graph, Python lists in
  a
  data set that every loader worker copies, open files, a cache without a limit. Compare two
  snapshots, hours apart.'''
run = ["python -m memray attach --output leak.bin {{ pid }}"]

[[step]]
when = "metric == 'host'"
say = "See which process holds it, and what of it is only page cache (mapped files, not a leak)."
run = ["ps -eo pid,rss,args --sort=-rss", "grep Rss /proc/{{ pid }}/status", "free -g"]

[[step]]
when = "hours_left and hours_left < 100"
say = '''It is full in about {{ (hours_left * 3600) | duration }} at this pace: until the leak is
  found, save and restart before then.'''

[[step]]
say = '''Until it is found, plan restarts before memory is full: let the loop save and leave
  when 95 % are in use, and a job array start the next part.'''
run = ["sbatch --array=1-10%1 job.slurm"]
*/
with
    grown as (
        select *, coalesce(last_share, 100 * last_value / nullif(total_bytes, 0)) as reached
        from memory_growth
    ),
    paced as (
        select
            *,
            case
                when reached < 100 and seconds > 0
                then (100 - reached) / (reached * (1 - first_value / last_value)) * seconds / 3600
            end as hours_left
        from grown
    ),
    -- a process that grows is what makes its host grow: told once, as the host
    told as (
        select *
        from paced as g
        where
            what <> 'process'
            or not exists (
                from paced as h
                where h.what = 'host' and (h.host is null or g.host is null or h.host = g.host)
            )
    )
select
    what as metric,
    flatten(
        list(
            [
                line_at(file_id, first_line),
                line_at(file_id, middle_line),
                line_at(file_id, last_line)
            ]
            order by rise desc
        )
    )[1:9] as evidence,
    min(first_time) as "at",
    max(last_time) as until,
    list(distinct host) filter (host is not null) as hosts,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct gpu_index::varchar) filter (gpu_index is not null) as gpus,
    case when max(reached) >= 90 then 'critical' end as severity,
    case
        when bool_and(is_brief)
        then 'possible'
        when max(reached) >= 90 or max(straightness) >= 0.95
        then 'probable'
        else 'possible'
    end as confidence,
    case
        when what = 'device'
        then ['oom.capacity', 'oom.fragmentation', 'oom.graph_capture', 'crash.exception']
        else ['oom.host', 'oom.cgroup', 'oom.shared_memory', 'crash.signal', 'crash.exception']
    end as explains,
    case when arg_max(in_bytes, rise) then arg_max(first_value, rise)::bigint end as first_bytes,
    case when arg_max(in_bytes, rise) then arg_max(last_value, rise)::bigint end as last_bytes,
    case
        when arg_max(in_bytes, rise) then round(arg_max(per_hour, rise))::bigint
    end as bytes_per_hour,
    case
        when arg_max(in_bytes, rise) then round(arg_max(per_step, rise))::bigint
    end as bytes_per_step,
    round(max(reached), 1) as reached_percent,
    round(min(hours_left), 1) as hours_left,
    case when count(*) = 1 then any_value(pid) end as pid
from told
group by what
