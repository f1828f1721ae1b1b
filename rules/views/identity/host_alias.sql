-- view: Hosts by their other names: the pods that run on a node, where one source tells it and no
-- other contradicts.
select
    short_host(pod) as alias,
    min(short_host(node)) as host,
    min(file_id) as file_id,
    arg_min(line_no, file_id) as line_no
from pod_place
where pod is not null and node is not null
group by short_host(pod)
having count(distinct short_host(node)) = 1
