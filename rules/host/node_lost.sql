/*
title       = "A node went away under the job"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network", "host.preempted", "crash", "loss.rollback"]
transient = true
about       = "The scheduler lost contact with the node, or says that it failed. The ranks on it are gone; all others wait for them or are killed."
remedy      = "Look at the node's console, BMC log and last kernel lines for why it went; keep it out until that is known. Start the job again from its last checkpoint."
false_positives = "The node was rebooted or drained on purpose; only the scheduler's daemon on it was down."
references  = ["https://slurm.schedmd.com/troubleshoot.html#nodes"]
*/
select
    concat(
        case
            when len(hosts) > 0
            then
                case when len(hosts) = 1 then 'node ' else 'nodes ' end
                || array_to_string(hosts[1:8], ', ')
            else 'a node'
        end,
        ' failed, says ',
        scheduler,
        case when job is not null then ' (job ' || job || ')' else '' end
    ) as summary,
    evidence,
    "at",
    until,
    hosts,
    hosts[1] as node,
    job,
    scheduler
from
    (
        select
            scheduler,
            min(job) as job,
            -- a scheduler notices after some minutes (Slurm's SlurmdTimeout: 5): what was seen
            -- before may be the echo
            min(time) - interval 6 minute as "at",
            max(time) as until,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            -- CANCELLED ... DUE TO NODE FAILURE names the node of the batch script, not the one
            -- that failed
            coalesce(
                list_sort(
                    list(distinct host) filter (
                        host is not null and message is distinct from 'NODE FAILURE'
                    )
                ),
                []
            ) as hosts
        from scheduler_event
        where event = 'node_failure'
        group by scheduler
    )
union all by name
-- The launcher of an MPI job lost its daemon on a node: the node or pod went, or the way to it.
-- Where a process tells of its own end, the daemon went with the job.
select
    concat(
        'mpirun lost its daemon on ',
        case when count(distinct peer) = 1 then 'node ' else 'nodes ' end,
        array_to_string(list_sort(list(distinct peer))[1:8], ', '),
        ': the node went away, its pod or daemon was killed, or the network to it failed'
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct peer)) as hosts,
    min(peer) as node,
    'mpirun' as scheduler,
    'possible' as confidence
from launcher_event
where
    event = 'daemon_lost'
    and peer is not null
    and not exists (from scheduler_event where event = 'node_failure')
    and not exists (from ended_from_outside)
    and not exists (from fatal_exception)
    and not exists (from death where source <> 'ray')
    and not exists (from "exit" where exitcode between 1 and 127)
having count(*) > 0
