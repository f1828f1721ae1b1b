/*
title       = "A processor or a task of the host stood still"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "perf.slowdown"]
transient = true
about       = """
The kernel saw a processor that did not schedule (lockup, RCU stall) or a task that waited without interruption for minutes (hung task). A hung task
is nearly always a victim: of a file system that does not answer, of a full disk queue, of a driver. Its stack says of which. It explains a panic
of its host where the kernel says that it panics for this (hung_task_panic, softlockup_panic), and no other.
"""
remedy      = "Look at the stack the kernel printed below the line: nfs_, ll_, ldlm_, fuse_ mean the file server, jbd2 and xfs the disk, nvidia the GPU driver. Lockups without such a stack: firmware, microcode, a broken processor; take the node out."
false_positives = "A virtual machine that was paused or migrated; a large dump or a memory hot-add; checkpoints to a slow but healthy disk."
references  = ["https://docs.kernel.org/admin-guide/lockup-watchdogs.html", "https://docs.kernel.org/RCU/stallwarn.html"]
*/
with
    frames as (
        select
            file_id,
            hung_line,
            first(function order by depth) filter (
                not regexp_matches(
                    function,
                    '^(__)?(schedule|switch_to|io_schedule|context_switch|bit_wait|wait_on_bit|out_of_line|rt_mutex|mutex|rwsem|down_|up_|wait_for|schedule_|entry_|do_syscall|x64_sys|__x64|ret_from)'
                )
            ) as waits_in,
            any_value(module) filter (module is not null) as module
        from kernel_frame
        group by all
    ),
    stalls as (
        select
            e.*,
            f.waits_in,
            f.module,
            case
                e.kind
                when 'hard_lockup'
                then 1
                when 'soft_lockup'
                then 2
                when 'rcu_stall'
                then 3
                else 4
            end as weight
        from kernel_event_of_boot e
        left join frames f on f.file_id = e.file_id and f.hung_line = e.line_no
        where e.kind in ('soft_lockup', 'hard_lockup', 'rcu_stall', 'hung_task')
    ),
    grouped as (
        select
            host,
            boot,
            case when host is null then file_id end as own_file,
            arg_min(s, (weight, case when waits_in is null then 1 else 0 end, line_no)) as first,
            max(seconds) as seconds,
            count(*) as times,
            list_sort(list(distinct kind)) as kinds,
            min(time) as "at",
            max(time) as until,
            list(line_at(file_id, line_no) order by weight, line_no)[1:20] as evidence,
            list_sort(list(distinct process) filter (process is not null))[1:10] as processes
        from stalls s
        group by all
    )
select
    concat(
        coalesce(host || ': ', ''),
        case
            first.kind
            when 'hard_lockup'
            then 'hard lockup of ' || first.device
            when 'soft_lockup'
            then
                format(
                    'soft lockup, {} stuck for {} s in {} (pid {})',
                    first.device,
                    seconds::bigint,
                    first.process,
                    first.pid
                )
            when 'rcu_stall'
            then first.device || ' stall: ' || first.message
            else
                format(
                    'task {} (pid {}) blocked for more than {} s',
                    first.process,
                    first.pid,
                    seconds::bigint
                )
        end,
        case
            when first.waits_in is not null
            then ' in ' || first.waits_in || coalesce(' of ' || first.module, '')
            else ''
        end,
        case when times > 1 then format(', {} reports', times) else '' end
    ) as summary,
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case when first.weight = 4 then 'warning' else 'critical' end as severity,
    case
        when
            first.module in (
                'nfs',
                'nfsv4',
                'nfsv3',
                'sunrpc',
                'lustre',
                'ptlrpc',
                'osc',
                'mdc',
                'ceph',
                'fuse',
                'cifs',
                'mmfs26',
                'mmfslinux'
            )
            or regexp_matches(first.waits_in, '^(nfs|rpc_|ll_|ldlm_|fuse_|ceph_|cifs_)')
        then
            'The task waits for a file server ('
            || coalesce(first.module, first.waits_in)
            || '): look at that server and the network to it, not at this host.'
    end as action,
    case
        when
            exists (
                from kernel_event_of_boot p
                where
                    p.kind = 'panic'
                    and p.host is not distinct from grouped.host
                    and regexp_matches(p.message, 'hung_task|lockup|LOCKUP|RCU Stall')
            )
        then ['hang', 'network.peer_lost', 'perf.slowdown', 'host.kernel_panic']
    end as explains,
    first.kind as kind,
    first.process as process,
    processes,
    first.pid as pid,
    seconds,
    first.device as device,
    first.waits_in as waits_in,
    first.module as module,
    kinds,
    times
from grouped
