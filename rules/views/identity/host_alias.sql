-- table: One row per other name of a host: a pod that runs on a node, where no line says that it
-- runs on another one.
select
    short_host(pod) as alias,
    min(short_host(node)) as host,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from pod_place
where pod is not null and node is not null
group by short_host(pod)
having count(distinct short_host(node)) = 1
