/*
title       = "The container could not start, or was removed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.connect_failure", "network.peer_lost", "hang.init_incomplete"]
about       = "The image could not be fetched or opened, the runtime could not set up the GPU, or Kubernetes evicted the pod or killed it because a probe failed."
remedy      = "Read the message: image names and credentials for pulls; driver, nvidia-container-toolkit and device plugin for runtime errors; requests and limits of memory and ephemeral storage for evictions."
falsely     = "An earlier try failed and a later one ran."
references  = ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"]
*/
SELECT concat(CASE event WHEN 'image' THEN 'image problem: ' WHEN 'runtime' THEN 'container runtime failed: ' WHEN 'evicted' THEN 'pod evicted: ' ELSE 'container killed: ' END, replace(arg_max(message, length(message)), '"', ''), CASE WHEN min(job) IS NOT NULL THEN ' (' || min(job) || ')' ELSE '' END) AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       event AS reason, arg_max(message, length(message)) AS message, min(job) AS job, min(scheduler) AS scheduler, count(*) AS times
FROM scheduler_event WHERE event IN ('image', 'runtime', 'evicted', 'probe_failed')
GROUP BY event
