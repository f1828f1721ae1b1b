/*
title = "Memory limit of the job, step or container was hit (cgroup)"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "divergence.collective_count",
  "divergence.stack",
  "crash.exception",
  "crash.signal",
  "host.container",
  "loss.rollback",
]
explains_same_place = ["gpu.application"]
transient = true
about = """
A process was killed because its memory cgroup (job, step, container, user slice) reached its limit;
the machine itself may have memory left. The source is the kernel (constraint, oom_memcg), Slurm's
count of OOM kills in a step, Kubernetes or Docker (OOMKilled), systemd-oomd, which kills a whole
cgroup under memory pressure, or Dask's nanny, which ends a worker near the limit that it was given.
"""
false_positives = """
Slurm counts machine-wide kills within the step too; the kernel log of the host tells them apart.
"""
references = [
  "https://docs.kernel.org/admin-guide/cgroup-v2.html#memory",
  "https://slurm.schedmd.com/cgroup.conf.html",
]

[[summary]]
when = "actor == 'kernel' and victim"
say = '''
The kernel killed {{ process }} (pid {{ victim_pid }}
{%- if host %} on {{ host }}{% endif %}
{%- if resident_bytes %}, {{ resident_bytes | size }} resident{% endif %})
{%- if victims > 1 %} and {{ (victims - 1) | count('more process', 'more processes') }}
{%- if hosts | length > 1 %} on {{ hosts | names }}{% endif %}{% endif %}:
{% if memcg %}cgroup {{ memcg }}{% else %}its memory cgroup{% endif %} was at its limit
{%- if limit_bytes %} of {{ limit_bytes | size }}{% endif %}
'''

[[summary]]
when = "actor == 'kernel'"
say = '''
A memory cgroup{% if host %} on {{ host }}{% endif %} was at its limit
{%- if limit_bytes %} of {{ limit_bytes | size }}{% endif %}; the kernel log ends before it
names the process that was killed
'''

[[summary]]
when = "actor == 'systemd-oomd'"
say = '''
systemd-oomd killed {{ cgroup }} with everything in it
{%- if host %} on {{ host }}{% endif %}: memory pressure
{%- if pressure %} reached {{ pressure }}{% else %} was too high{% endif %}
'''

[[summary]]
when = "actor in ('kubernetes', 'docker')"
say = '''
{% if job %}Container {{ job }}{% else %}A container{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %} was killed at its memory limit
{%- if limit_bytes %} of {{ limit_bytes | size }}{% endif %}
({{ 'Kubernetes' if actor == 'kubernetes' else 'Docker' }}: OOMKilled)
'''

[[summary]]
when = "actor == 'dask'"
say = '''
Dask's nanny ended {% if pids and pids | length > 1 %}{{ pids | length }} workers (pids
{{ pids | names }}){% else %}a worker{% if pids %} (pid {{ pids | names }}){% endif %}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %} at the memory limit that Dask set for
{{ pids | agree('it', 'each') if pids else 'it' }}: not the host, a worker's share of it was full
'''

[[summary]]
when = "actor == 'other'"
say = '''
A process{% if ranks %} ({{ ranks | ranks }}){% endif %}{% if hosts %} on {{ hosts | names }}
{%- endif %} was killed at its memory limit: {{ message | cut(160) }}
'''

[[summary]]
say = '''
{{ {'slurm': 'Slurm', 'vertex': 'Vertex AI', 'htcondor': 'HTCondor', 'grid engine': 'Grid Engine',
'flux': 'Flux'}.get(actor, actor | upper) }} job{% if job %} {{ job }}{% endif -%}
{% if job_step %}, step {{ job_step }},{% endif %} hit its memory limit
{%- if limit_bytes %} of {{ limit_bytes | size }}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{%- if events %}: {{ events | count('process', 'processes') }} killed by the OOM killer
{%- endif %}
{%- if ranks %} ({{ ranks | ranks }}){% endif %}
'''

[[step]]
when = "manager == 'slurm'"
say = '''
Ask for more memory{% if limit_bytes %} than {{ limit_bytes | size }}, for example
--mem={{ (limit_bytes * 1.25 / 2**30) | round(0, 'ceil') | int }}G{% else %} (--mem,
--mem-per-cpu, --mem-per-gpu){% endif %}, or use less: fewer data loader workers, smaller caches.
Compare with what the job used.
'''
run = ["sacct -j {{ job }} -o JobID,MaxRSS,MaxRSSNode,ReqMem,NodeList"]

[[step]]
when = "manager == 'kubernetes'"
say = '''
Raise resources.limits.memory of the container
{%- if limit_bytes %} above {{ limit_bytes | size }}{% endif %}, or use less: fewer data loader
workers, smaller caches. Files in /dev/shm and in emptyDirs of medium Memory count too.
'''
run = ["kubectl top pod --containers"]

[[step]]
when = "manager == 'docker'"
say = '''
Raise the limit of the container (docker run --memory)
{%- if limit_bytes %} above {{ limit_bytes | size }}{% endif %}, or use less: fewer data loader
workers, smaller caches. Files in /dev/shm count too.
'''
run = ["docker stats --no-stream"]

[[step]]
when = "manager == 'systemd-oomd'"
say = '''
Run the job as a unit of its own that systemd-oomd avoids, or use less memory: it ends a cgroup
whole, children started with nohup or setsid included.
'''
run = ["systemd-run --user --scope -p ManagedOOMPreference=avoid ./train.sh"]

[[step]]
when = "manager == 'dask'"
say = '''
Give each worker more memory (--memory-limit, memory_limit=, fewer workers on a host), or cut the
data into smaller partitions: Dask divides the host's memory among its workers, or takes the limit
of their container.
'''

[[step]]
when = "manager is none"
say = '''
Raise the limit of {% if cgroup %}{{ cgroup }}{% else %}the cgroup{% endif %}
{%- if limit_bytes %} above {{ limit_bytes | size }}{% endif %} (memory.max; MemoryMax of a
systemd unit), or use less: fewer data loader workers, smaller caches. Files in /dev/shm and other
tmpfs count too.
'''
run = ["cat /sys/fs/cgroup{{ cgroup }}/memory.max /sys/fs/cgroup{{ cgroup }}/memory.stat"]

[[step]]
when = "top_holders"
say = '''
Start with the largest holders:
{% for task in top_holders[:3] -%}
{{ task.process }} (pid {{ task.pid }}) with {{ task.resident_bytes | size }}
{%- if not loop.last %}, {% endif %}{% endfor %}.
'''

[[step]]
when = "actor == 'kernel' and not victim"
say = '''
Get the rest of the kernel log{% if host %} of {{ host }}{% endif %} to see who held the memory.
'''
run = ["dmesg -T | grep -A 80 invoked", "journalctl -k --grep=oom-kill"]

[[step]]
otherwise = true
say = '''
Ask for more memory{% if limit_bytes %} than {{ limit_bytes | size }}{% endif %}, or use less: fewer
data loader workers, smaller caches, shards of a checkpoint read one at a time.
'''
*/
with
    kernel_kill as (
        select
            evidence,
            first_time as "at",
            last_time as until,
            ranks,
            hosts,
            'kernel' as actor,
            victim_pid,
            process as victim,
            victim_pid as pid,
            process,
            anon_rss_bytes,
            shmem_rss_bytes,
            resident_bytes,
            total_vm_bytes,
            limit_bytes,
            memcg,
            coalesce(memcg, task_memcg) as cgroup,
            coalesce(constraint_kind, 'CONSTRAINT_MEMCG') as "constraint",
            invoker,
            victims,
            victim_pids,
            table_rss_pages,
            page_bytes,
            top_holders
        from kernel_oom_incident
        where scope = 'cgroup'
    ),
    -- what schedulers and container runtimes say, where the kernel itself says nothing
    scheduler_kill as (
        select
            list_concat(scheduler_oom.lines, coalesce(k.lines, [])) as evidence,
            first_time as "at",
            last_time as until,
            ranks,
            hosts,
            scheduler as actor,
            job,
            job_step,
            events,
            limit_bytes,
            case
                when scheduler in ('kubernetes', 'docker') then coalesce(c.exitcode, 137)
            end as exitcode,
            k.pid,
            k.process
        from scheduler_oom
        -- the shell of the job saw who it was
        left join
            (
                select
                    any_value(x.pid) as pid,
                    any_value(x.process) as process,
                    list(line_at(x.file_id, x.line_no) order by x.file_id, x.line_no)[:4] as lines
                from "exit" x
                where
                    x.source = 'shell'
                    and x.signal_name = 'Killed'
                    and x.file_id in (select file_id from job_event where event = 'oom_kill')
                having count(distinct x.pid) = 1
            ) k
            on true
        cross join
            (
                select min_by(x.exitcode, abs(x.line_no - e.line_no)) as exitcode
                from container_exit x
                join
                    scheduler_event e
                    on e.event = 'oom_kill'
                    and e.file_id = x.file_id
                    and abs(x.line_no - e.line_no) <= 6
            ) c
        where not exists (from kernel_oom_incident)
    ),
    pressure_kill as (
        select
            list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct host) filter (host is not null) as hosts,
            'systemd-oomd' as actor,
            min(cgroup) as cgroup,
            max(pressure) as pressure
        from oomd_kill
        where reason in ('pressure', 'unit') and not exists (from oomd_kill where reason = 'swap')
        having count(*) > 0
    ),
    nanny_kill as (
        select
            list_concat(
                list(line_at(o.file_id, o.line_no) order by o.file_id, o.line_no),
                flatten(list(w.lines order by o.file_id, o.line_no) filter (w.lines is not null))
            )[:20] as evidence,
            min(o.time) as "at",
            max(o.time) as until,
            list(distinct o.host) filter (o.host is not null) as hosts,
            'dask' as actor,
            count(*) as events,
            list_sort(
                list_distinct(
                    list_concat(
                        coalesce(list(o.pid) filter (o.pid is not null), []),
                        coalesce(flatten(list(w.pids) filter (w.pids is not null)), [])
                    )
                )
            ) as pids
        from oomd_kill o
        -- who it was, in a line behind it
        left join
            (
                select
                    k.file_id,
                    k.line_no,
                    list(x.pid) filter (x.pid is not null) as pids,
                    list(line_at(x.file_id, x.line_no)) as lines
                from oomd_kill k
                join
                    "exit" x
                    on x.source = 'keeper'
                    and x.file_id = k.file_id
                    and x.line_no between k.line_no + 1 and k.line_no + 3
                where k.reason = 'dask' and k.pid is null
                group by k.file_id, k.line_no
            ) w
            on w.file_id = o.file_id
            and w.line_no = o.line_no
        where
            o.reason = 'dask'
            -- what is taken down once training came to its end, it does without
            and not ended_well_before(o.file_id, o.line_no)
        having count(*) > 0
    ),
    -- a report that was cut before it names its victim, but after it shows that a cgroup was full
    full_cgroup as (
        select file_id, line_no, limit_bytes
        from oom_limit
        where used_bytes >= 0.99 * limit_bytes
        union all
        select file_id, line_no, null
        from oom_cgroup_frame
        union all
        select file_id, line_no, null
        from oom_cgroup_stats
    ),
    cut_report as (
        select
            list_concat(
                list(distinct line_at(r.file_id, r.line_no)),
                list(distinct line_at(l.file_id, l.line_no))
            )[:20] as evidence,
            min(r.time) as "at",
            max(r.time) as until,
            list(distinct r.host) filter (r.host is not null) as hosts,
            'probable' as confidence,
            'kernel' as actor,
            max(l.limit_bytes) as limit_bytes,
            max(r.memcg) as cgroup,
            min(r.process) as invoker
        from
            (
                select file_id, line_no, time, host, process, null as memcg
                from oom_report
                union all
                -- the head of the report was cut off as well
                select file_id, line_no, time, host, null, memcg
                from oom_old_limit
                union all
                select file_id, line_no, time, host, null, null
                from oom_limit
                union all
                -- the first is of the cgroup that is full, those behind it are below it
                select
                    file_id,
                    line_no,
                    time,
                    host,
                    null,
                    min_by(memcg, line_no) over (partition by file_id)
                from oom_cgroup_stats
            ) r
        join
            full_cgroup l
            on l.file_id = r.file_id
            and l.line_no between r.line_no and r.line_no + 400
        where
            not exists (from oom_kill)
            and not exists (from scheduler_oom)
            and not exists (from host_allocation_failure where source = 'kernel')
        having count(*) > 0
    ),
    told_kill as (
        select
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid) filter (pid is not null) as pids,
            'probable' as confidence,
            'other' as actor,
            arg_min(message, line_no) as message
        from untold_memory
        where is_limit
        having count(*) > 0
    ),
    limit_hit as (
        from kernel_kill
        union all by name
        from scheduler_kill
        union all by name
        from pressure_kill
        union all by name
        from nanny_kill
        union all by name
        from cut_report
        union all by name
        from told_kill
    )
select
    * replace (
        -- Slurm names the job in the cgroup's path
        coalesce(job, nullif(regexp_extract(cgroup, 'slurm.*job_([0-9]+)', 1), '')) as job
    ),
    -- who sets the limit
    case
        when actor not in ('kernel', 'other')
        then actor
        when cgroup like '%slurm%'
        then 'slurm'
        when cgroup like '%kubepods%'
        then 'kubernetes'
        when cgroup like '%docker%'
        then 'docker'
    end as manager
from limit_hit
