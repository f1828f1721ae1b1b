/*
title      = "A memory limit was hit: the cgroup of the job, step or container"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.application"]
transient = true
about      = """
A process was killed because its memory cgroup (job, step, container, user slice) reached its limit; the machine itself may
have memory left. Said by the kernel (constraint, oom_memcg), by Slurm's count of OOM events of a step, by Kubernetes or
Docker (OOMKilled), or by systemd-oomd, which kills a whole cgroup under memory pressure.
"""
remedy     = "Ask for more memory (sbatch --mem, the container's limit), or use less: fewer data loader workers, smaller caches, no file copies in /dev/shm or tmpfs, which count too."
false_positives = "Slurm counts machine-wide kills within the step too; the kernel log of the host tells them apart."
references = ["https://docs.kernel.org/admin-guide/cgroup-v2.html#memory", "https://slurm.schedmd.com/cgroup.conf.html"]
*/
select
    'memory limit'
    || coalesce(' of ' || known_bytes(limit_bytes), '')
    || coalesce(' of cgroup ' || memcg, '')
    || ' hit'
    || case
        coalesce(len(hosts), 0)
        when 0
        then ''
        when 1
        then ' on ' || hosts[1]
        else ' on ' || len(hosts) || ' hosts'
    end
    || ': the kernel killed '
    || process
    || ' (pid '
    || victim_pid
    || ')'
    || coalesce(
        ' with ' || known_bytes(anon_rss_bytes + coalesce(shmem_rss_bytes, 0)) || ' resident', ''
    )
    || case when victims > 1 then ' and ' || (victims - 1) || ' more' else '' end as summary,
    'Raise the limit of the job or container'
    || coalesce(' above ' || known_bytes(limit_bytes), '')
    || ' (sbatch --mem, resources.limits.memory), or use less: fewer data loader workers, smaller caches; files in /dev/shm and tmpfs count too.'
    || coalesce(
        ' Largest holders: ' || array_to_string(
            list_transform(
                top_tasks[:3],
                lambda x:x.process
                || ' ('
                || x.pid
                || ') '
                || bytes_text(x.rss_pages * coalesce(page_bytes, 4096))
            ),
            ', '
        )
        || '.',
        ''
    ) as action,
    list_concat(
        list_filter(
            [
                line_at(file_id, line_no),
                line_at(file_id, constraint_line),
                line_at(file_id, case when limit_bytes is not null then limit_line end),
                line_at(file_id, report_line)
            ],
            lambda e:e.line_no is not null
        ),
        lines
    ) as evidence,
    first_time as "at",
    last_time as until,
    list_filter(ranks, lambda r:r is not null) as ranks,
    hosts,
    null as confidence,
    victim_pid,
    process as victim,
    victim_pid as pid,
    process,
    anon_rss_bytes,
    shmem_rss_bytes,
    total_vm_bytes,
    limit_bytes,
    memcg,
    coalesce(memcg, task_memcg) as cgroup,
    coalesce(constraint_kind, 'CONSTRAINT_MEMCG') as "constraint",
    invoker,
    victims,
    case when victims > 1 then victim_pids end as victim_pids,
    table_rss_pages,
    page_bytes,
    list_transform(
        top_tasks, lambda x:x.process || ' ' || x.pid || ' ' || x.rss_pages || ' pages'
    ) as top_holders,
    'kernel' as actor,
    null::varchar as job,
    null::varchar as job_step,
    null::bigint as events,
    null::bigint as exitcode
from kernel_oom_incident
where scope = 'cgroup'
union all by name
select
    case
        scheduler
        when 'slurm'
        then 'Slurm'
        when 'kubernetes'
        then 'Kubernetes'
        when 'docker'
        then 'Docker'
        else upper(scheduler)
    end || case
        when scheduler in ('kubernetes', 'docker')
        then
            coalesce(': container ' || job, ': a container')
            || ' was killed at its memory limit (OOMKilled)'
        else
            coalesce(' job ' || job, '')
            || coalesce(' step ' || job_step, '')
            || ' hit its memory limit'
            || coalesce(' of ' || known_bytes(limit_bytes), '')
    end
    || case
        coalesce(len(hosts), 0)
        when 0
        then ''
        when 1
        then ' on ' || hosts[1]
        else ' on ' || len(hosts) || ' hosts'
    end
    || coalesce(
        ': ' || events || case events when 1 then ' kill' else ' kills' end || ' by the OOM killer',
        ''
    ) as summary,
    case
        when scheduler in ('kubernetes', 'docker')
        then
            'Raise the container''s memory limit (resources.limits.memory, docker run --memory) or use less: fewer data loader workers, smaller caches; files in /dev/shm and emptyDirs of medium Memory count too.'
        else
            'Ask for more memory (--mem, --mem-per-cpu, --mem-per-gpu) or use less: fewer data loader workers, smaller caches.'
            || case
                when scheduler = 'slurm'
                then
                    ' sacct -j '
                    || coalesce(job, 'JOB')
                    || ' -o JobID,MaxRSS,ReqMem,NodeList shows how much was used and where.'
                else ''
            end
    end as action,
    lines as evidence,
    first_time as "at",
    last_time as until,
    hosts,
    job,
    job_step,
    events,
    limit_bytes,
    scheduler as actor,
    case
        when scheduler in ('kubernetes', 'docker')
        then
            coalesce(
                (
                    select min_by(x.exitcode, abs(x.line_no - e.line_no))
                    from container_exit x
                    join
                        scheduler_event e
                        on e.event = 'oom_kill'
                        and e.file_id = x.file_id
                        and abs(x.line_no - e.line_no) <= 6
                ),
                137
            )
    end as exitcode
from scheduler_oom
where not exists (from kernel_oom_incident)
union all by name
select
    'memory pressure'
    || coalesce(' (' || max(pressure) || ')', '')
    || ': systemd-oomd killed '
    || min(cgroup)
    || ' with everything in it' as summary,
    'Everything started in that cgroup died (also nohup and setsid children): run the job as a unit or scope of its own with ManagedOOMPreference=avoid, or use less memory.'
    as action,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    min(cgroup) as cgroup,
    max(pressure) as pressure,
    'systemd-oomd' as actor
from oomd_kill
where reason in ('pressure', 'unit') and not exists (from oomd_kill where reason = 'swap')
having count(*) > 0
union all by name
select
    'memory limit of a cgroup'
    || coalesce(' (' || known_bytes(max(l.limit_bytes)) || ')', '')
    || ' hit'
    || coalesce(' on ' || min(r.host), '')
    || ', says the kernel; the log ends before it names whom it killed' as summary,
    'Raise the limit, or use less: fewer data loader workers, smaller caches; get the rest of the kernel log (dmesg -T) to see who held the memory.'
    as action,
    list_concat(
        list(distinct line_at(r.file_id, r.line_no)), list(distinct line_at(l.file_id, l.line_no))
    )[:20] as evidence,
    min(r.time) as "at",
    max(r.time) as until,
    list(distinct r.host) filter (r.host is not null) as hosts,
    'probable' as confidence,
    max(l.limit_bytes) as limit_bytes,
    min(r.process) as invoker,
    'kernel' as actor
from oom_report r
join
    (
        select file_id, line_no, limit_bytes
        from oom_limit
        where used_bytes >= 0.99 * limit_bytes
        union all
        select file_id, line_no, null
        from oom_cgroup_frame
    ) l
    on l.file_id = r.file_id
    and l.line_no between r.line_no and r.line_no + 400
where
    not exists (from oom_kill)
    and not exists (from scheduler_oom)
    and not exists (from host_allocation_failure where source = 'kernel')
having count(*) > 0
