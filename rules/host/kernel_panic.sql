/*
title       = "The kernel of a host crashed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network", "host.node_lost", "crash", "loss.rollback"]
transient = true
about       = "A panic stops the host; an oops kills the task that was running in the kernel and often leaves locks held, so that the host stands still soon after."
remedy      = "Keep the dump (kdump, pstore, the serial console), note driver and kernel versions, take the node out; compare with the panics of other nodes: the same function is software, another one each time is hardware."
false_positives = "A panic provoked on purpose (sysrq, a test of kdump)."
references  = ["https://docs.kernel.org/admin-guide/bug-hunting.html"]
*/
select
    concat(
        coalesce(host || ': ', ''),
        case
            when bool_or(kind = 'panic')
            then 'kernel panic: ' || arg_min(message, line_no) filter (kind = 'panic')
            else 'kernel oops: ' || arg_min(message, line_no)
        end
    ) as summary,
    list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    case
        when
            bool_or(
                kind = 'panic'
                and regexp_matches(message, 'deadlocked on memory|panic_on_oom|^Out of memory')
            )
        then
            'The machine had no memory left, and this kernel stops then (vm.panic_on_oom, or nothing to kill): the report of the OOM killer above it lists who held how much. Use less host memory per node (data loader workers, caches, offload), or give the job a cgroup of its own, that only it ends.'
    end as action,
    coalesce(
        arg_min(message, line_no) filter (kind = 'panic'), arg_min(message, line_no)
    ) as message,
    bool_or(kind = 'panic') as panic,
    count(*) as times
from kernel_event_of_boot
where kind in ('panic', 'oops')
group by host, boot, case when host is null then file_id end
