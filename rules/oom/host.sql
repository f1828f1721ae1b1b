/*
title      = "The machine ran out of memory: the kernel killed a process"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.application"]
transient = true
about      = """
The kernel's OOM killer ended a process because the whole machine (or the NUMA nodes it may use) had no memory left.
The process that is named in "invoked oom-killer" only asked last; the victim is in the line "Killed process".
"""
remedy     = "Use less host memory per node: fewer data loader workers, smaller prefetch and caches, offload less to the CPU, load checkpoints one rank at a time; then look for a leak in the largest holders."
false_positives = "Graded possible where only a data loader says that its worker was killed: any SIGKILL looks so; and for std::bad_alloc, which a wrong size gives too."
references = ["https://docs.kernel.org/admin-guide/mm/concepts.html#oom-killer"]
*/
select
    'out of memory on ' || coalesce(
        'NUMA node'
        || case when regexp_matches(numa_nodes, '[,-]') then 's ' else ' ' end
        || numa_nodes
        || ' of ',
        ''
    )
    || case
        coalesce(len(hosts), 0)
        when 0
        then 'the host'
        when 1
        then hosts[1]
        else len(hosts) || ' hosts'
    end
    || case when numa_nodes is not null then ', beyond which the process may not go' else '' end
    || ': '
    || case when what like '%earlyoom' then 'earlyoom' else 'the kernel' end
    || ' killed '
    || process
    || ' (pid '
    || victim_pid
    || ')'
    || coalesce(
        ' with ' || known_bytes(anon_rss_bytes + coalesce(shmem_rss_bytes, 0)) || ' resident', ''
    )
    || case when victims > 1 then ' and ' || (victims - 1) || ' more' else '' end
    || case
        scope
        when 'unknown'
        then '; the lines that tell a full machine from a full memory cgroup are missing'
        else ''
    end as summary,
    case
        when numa_nodes is not null
        then
            'Other NUMA nodes may have had room: bind the ranks to different nodes, or let them go beyond theirs (numactl --preferred or --interleave instead of --membind, a wider cpuset.mems). '
        else ''
    end
    || 'Use less host memory on this node: fewer data loader workers, smaller prefetch and caches, less offload to the CPU, checkpoints loaded by one rank at a time.'
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
    case scope when 'unknown' then 'possible' end as confidence,
    victim_pid,
    process as victim,
    victim_pid as pid,
    process,
    anon_rss_bytes,
    shmem_rss_bytes,
    total_vm_bytes,
    constraint_kind as "constraint",
    numa_nodes,
    task_memcg,
    invoker,
    victims,
    case when victims > 1 then victim_pids end as victim_pids,
    table_rss_pages,
    page_bytes,
    list_transform(
        top_tasks, lambda x:x.process || ' ' || x.pid || ' ' || x.rss_pages || ' pages'
    ) as top_holders,
    case when what like '%earlyoom' then 'earlyoom' else 'kernel' end as actor,
    null as worker_pids,
    null as cgroup,
    null::bigint as requested_bytes,
    null::bigint as used_bytes,
    null::bigint as total_bytes
from kernel_oom_incident
where
    scope = 'host'
    or (
        scope = 'unknown'
        and not exists (from kernel_oom_incident where scope <> 'unknown')
        and not exists (from scheduler_event where event = 'oom_kill')
    )
union all by name
select
    case
        reason
        when 'swap'
        then 'memory and swap were nearly full: systemd-oomd killed ' || min(cgroup)
        when 'ray'
        then
            'memory of node '
            || coalesce(min(host), '?')
            || ' was nearly full'
            || coalesce(
                ' ('
                || known_bytes(max(used_bytes))
                || ' of '
                || bytes_text(max(limit_bytes))
                || ')',
                ''
            )
            || ': Ray killed its workers'
        else
            'the kernel''s OOM killer killed a process of '
            || min(cgroup)
            || '; whether the machine or the unit''s limit was full is not said'
    end as summary,
    case
        reason
        when 'ray'
        then
            'Give each task more memory (memory=, num_cpus), run fewer at once, or spread them over more nodes; ray memory --stats-only shows what the object store holds.'
        when 'kernel'
        then
            'Read the kernel log of the host (dmesg -T, journalctl -k) for the report: it names the limit and the largest holders.'
    end as action,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    min(cgroup) as cgroup,
    case reason when 'ray' then 'ray' when 'swap' then 'systemd-oomd' else 'kernel' end as actor,
    case reason when 'kernel' then 'possible' end as confidence,
    max(used_bytes) as used_bytes,
    case reason when 'ray' then max(limit_bytes) end as total_bytes
from oomd_kill
where
    reason in ('swap', 'ray')
    or (
        reason = 'kernel'
        and not exists (from kernel_oom_incident)
        and not exists (from scheduler_event where event = 'oom_kill')
    )
group by reason
union all by name
select
    'data loader worker' || case
        count(distinct worker_pid) when 1 then ' ' || min(worker_pid) || ' was' else 's were'
    end
    || ' killed (SIGKILL) and nothing else says by whom: the OOM killer is the likeliest'
    as summary,
    'Look for "Killed process" in the kernel log of the host (dmesg -T) and for oom_kill in the scheduler''s records; then use fewer workers or less prefetch.'
    as action,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as confidence,
    list(distinct worker_pid) as worker_pids
from worker_killed w
where
    signal_name = 'Killed'
    and not exists (
        from kill_explained k where k.for_memory or k.file_id <> w.file_id or k.line_no < w.line_no
    )
having count(*) > 0
union all by name
select
    case source when 'pytorch' then 'PyTorch' when 'numpy' then 'NumPy' else 'TensorFlow' end
    || ' could not get '
    || coalesce(known_bytes(max(requested_bytes)) || ' of ', '')
    || 'host memory: the kernel refused it' as summary,
    'Compare the request with what the host (free -h, ulimit -v, the cgroup''s limit, vm.overcommit_memory) can give: load in pieces or memory-map, use fewer workers and ranks per host, or ask for more memory.'
    as action,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as confidence,
    source as actor,
    max(requested_bytes) as requested_bytes
from host_allocation_failure
where source not in ('c++', 'kernel')
group by source
union all by name
select
    'out of memory'
    || coalesce(' on ' || array_to_string(list_sort(list(distinct f.host))[1:5], ', '), '')
    || ', and the kernel found no process that it may kill' as summary,
    'What is left is protected (oom_score_adj -1000: systemd''s OOMScoreAdjust, kubelet, a shell that was): take the protection from the job, raise the limit of its cgroup where the report names one (memory: usage, limit), or use less. The processes stand still or fail until then.'
    as action,
    list(line_at(f.file_id, f.line_no) order by f.file_id, f.line_no)[1:20] as evidence,
    min(f.time) as "at",
    max(f.time) as until,
    list(distinct f.host) filter (f.host is not null) as hosts,
    source as actor
from host_allocation_failure f
where source = 'kernel'
group by source
union all by name
-- A C++ program ends so also when it asks for a size gone wrong; and where something else tells
-- of the memory, this is its echo.
select
    'a C++ library could not get host memory (std::bad_alloc) and ended ' || case
        count(distinct(file_id, stream, pid))
        when 1
        then 'the process'
        else count(distinct(file_id, stream, pid)) || ' processes'
    end as summary,
    'Compare what the host has (free -h, ulimit -v, the cgroup''s limit) with what the program held by then; where there was room, a damaged file or a wrong size was read: take a core dump and see who asked (gdb, bt).'
    as action,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as confidence,
    source as actor
from host_allocation_failure
where
    source = 'c++'
    and not exists (from kill_explained where for_memory)
    and not exists (from host_allocation_failure where source <> 'c++')
    and not exists (from memory_exception where not of_device)
    and not exists (from oom_failure)
group by source
union all by name
select
    'the program could not get host memory: '
    || class
    || coalesce(
        ' (' || nullif(left(split_part(min(message), chr(10), 1), 120), '') || ')', ''
    ) as summary,
    'Compare what the host has (free -h, ulimit -v, the cgroup''s limit, vm.overcommit_memory) with what the program asks for; a child process that is forked needs room for what its parent holds.'
    as action,
    list(line_at(file_id, raised_line) order by file_id, raised_line) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as confidence,
    max(requested_bytes) as requested_bytes
from memory_exception
where not of_device
group by class
union all by name
-- The head of a report without its end: the memory of something was full, and most often that of
-- the machine.
select
    'the kernel''s OOM killer was called'
    || coalesce(' on ' || array_to_string(list_sort(list(distinct r.host))[1:5], ', '), '')
    || ', and the log ends before it says whom it killed, or whether the machine or a cgroup was full'
    as summary,
    'Get the rest of the kernel log (dmesg -T, journalctl -k): the lines "oom-kill:constraint=" and "Killed process" name the limit and the victim.'
    as action,
    list(line_at(r.file_id, r.line_no) order by r.file_id, r.line_no)[1:20] as evidence,
    min(r.time) as "at",
    max(r.time) as until,
    list(distinct r.host) filter (r.host is not null) as hosts,
    'possible' as confidence,
    min(r.process) as invoker,
    'kernel' as actor
from oom_report r
where
    not exists (from oom_kill)
    and not exists (from oom_victim)
    and not exists (from oom_limit)
    and not exists (from oom_cgroup_frame)
    and not exists (from oom_old_limit)
    and not exists (from kill_explained where for_memory)
    and not exists (from host_allocation_failure where source = 'kernel')
having count(*) > 0
