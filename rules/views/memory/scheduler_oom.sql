-- view: A scheduler's or container runtime's word that a job hit its memory limit, one row per job:
-- how many kills in which step, the hosts where any of its lines names one, and the ranks where its
-- tasks are ranks.
with
    oom_line as (
        select *, regexp_extract(job, '^[0-9]+') as base from job_event where event = 'oom_kill'
    ),
    -- a line that names no job is of the only one there is
    only_job as (
        select scheduler, min(base) as base
        from oom_line
        where base <> ''
        group by all
        having count(distinct base) = 1
    ),
    line_of_job as (
        select s.* replace (coalesce(nullif(s.base, ''), o.base) as base)
        from oom_line s
        left join only_job o using (scheduler)
    ),
    -- who says that a step was cancelled is on the first of its hosts: that counts only where no
    -- line says on which one the memory ran out
    host_of_job as (
        select
            scheduler,
            base,
            coalesce(
                list(distinct host) filter (event = 'oom_kill'), list(distinct host), []
            ) as hosts
        from
            (
                select scheduler, base, event, host
                from line_of_job
                union all
                select scheduler, regexp_extract(job, '^[0-9]+'), event, host
                from job_event
                where event in ('cancelled', 'ended')
                union all
                -- the report of the job's end says first where it ran; several may be in one file
                select
                    s.scheduler,
                    s.base,
                    'ran',
                    coalesce(
                        max_by(j.nodes, j.line_no) filter (j.line_no < s.line_no),
                        min_by(j.nodes, j.line_no)
                    )
                from line_of_job s
                join job_state j using (file_id)
                where j.job is null and j.state is null and j.nodes is not null
                group by s.scheduler, s.base, s.file_id, s.line_no
            )
        where host is not null
        group by scheduler, base
    ),
    -- what the report of the job's end says below
    requested as (
        select s.scheduler, s.base, max(j.limit_bytes) as limit_bytes
        from line_of_job s
        join job_state j using (file_id)
        where j.limit_bytes is not null and j.line_no - s.line_no between 1 and 20
        group by s.scheduler, s.base
    ),
    kills_of_step as (
        select scheduler, base, job_step, max(count) as events from line_of_job group by all
    ),
    task_of_job as (
        select distinct t.scheduler, t.base, x.task
        from line_of_job t
        join exit_task x using (file_id, line_no)
        where exists (from host_of_tasks)
    ),
    rank_of_job as (
        select scheduler, base, list_sort(list(task)) as ranks from task_of_job group by all
    )
select
    t.scheduler,
    coalesce(arg_min(t.job, (t.job is null, t.line_no)), t.base) as job,
    -- of several none is the one
    case
        when count(distinct t.job_step) filter (t.job_step not in ('batch', 'extern')) <= 1
        then arg_min(t.job_step, (t.job_step is null, t.job_step = 'extern', t.line_no))
    end as job_step,
    (
        select sum(events)
        from kills_of_step s
        where s.scheduler = t.scheduler and s.base is not distinct from t.base
    )::bigint as events,
    -- a node's name as its daemon has it and as Slurm has it may differ in capitals
    list_filter(
        list_sort(any_value(h.hosts)),
        lambda host:host = lower(host) or not list_contains(any_value(h.hosts), lower(host))
    ) as hosts,
    any_value(r.ranks) as ranks,
    coalesce(
        -- Moab counts in megabytes
        max(
            try_cast(regexp_extract(t.message, '(?:> |limit )([0-9]+) ?(?:kb|\))', 1) as bigint)
            * case when contains(t.message, 'usage hard limit') then 1024 * 1024 else 1024 end
        ),
        max(
            try_cast(regexp_extract(t.message, ' limit of ([0-9]+) (?:megabytes|Mb)', 1) as bigint)
            * 1024
            * 1024
        ),
        -- YARN's are binary
        max(
            size_bytes_of(
                nullif(
                    regexp_extract(
                        t.message, ' of ([0-9.]+ ?[KMGT]?B) (?:physical|virtual) memory used', 1
                    ),
                    ''
                )
            )
        ),
        any_value(q.limit_bytes)
    ) as limit_bytes,
    min(t.time) as first_time,
    max(t.time) as last_time,
    list(distinct line_at(t.file_id, t.line_no))[:20] as lines
from line_of_job t
left join host_of_job h on h.scheduler = t.scheduler and h.base is not distinct from t.base
left join requested q on q.scheduler = t.scheduler and q.base is not distinct from t.base
left join rank_of_job r on r.scheduler = t.scheduler and r.base is not distinct from t.base
group by t.scheduler, t.base
