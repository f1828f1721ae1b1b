/*
title       = "The container could not start, or was removed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.connect_failure", "network.peer_lost", "hang.init_incomplete"]
about       = "The image could not be fetched or opened, the runtime could not set up the GPU, or Kubernetes evicted the pod or killed it because a probe failed."
remedy      = "Read the message: image names and credentials for pulls; driver, nvidia-container-toolkit and device plugin for runtime errors; requests and limits of memory and ephemeral storage for evictions."
false_positives = "An earlier try failed and a later one ran."
references  = ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"]
*/
select
    concat(
        case
            event
            when 'image'
            then 'image problem: '
            when 'runtime'
            then 'container runtime failed: '
            when 'evicted'
            then 'pod evicted: '
            else 'container killed: '
        end,
        replace(arg_max(message, length(message)), '"', ''),
        case when min(job) is not null then ' (' || min(job) || ')' else '' end
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    event as reason,
    arg_max(message, length(message)) as message,
    min(job) as job,
    min(scheduler) as scheduler,
    count(*) as times
from scheduler_event
where event in ('image', 'runtime', 'evicted', 'probe_failed')
group by event
