-- table: One row per link that a line makes between names of a process (rank, host, pid, GPU,
-- address): where it is, which kind of line it is, how far it can be trusted (weight, 3 best).
-- Ray's trainer tells of all its workers: its own host is not theirs.
select
    rank,
    case when learnt_from <> 'ray train' then host end as host,
    local_rank,
    task,
    pid,
    gpu_index,
    gpu_address(gpu) as gpu,
    gpu_uuid,
    address,
    node_rank,
    world_size,
    learnt_from,
    3 as weight,
    file_id,
    line_no
from identity
union all by name
-- An agent gives its workers their ranks in the order of their local ranks.
select
    unnest(from_json('[' || g.ranks || ']', '["BIGINT"]')) as rank,
    unnest(from_json('[' || l.ranks || ']', '["BIGINT"]')) as local_rank,
    g.host,
    'ranks of an agent''s workers' as learnt_from,
    2 as weight,
    g.file_id,
    g.line_no
from worker_ranks g
join
    worker_ranks l
    on l.file_id = g.file_id
    and l.stream is not distinct from g.stream
    and g.line_no - l.line_no between 1 and 8
where g.kind = 'global' and l.kind = 'local'
union all by name
-- Where as many local ranks tell of their devices as the job has ranks, it runs on one host, and
-- they are the ranks.
select
    local_rank as rank,
    local_rank,
    host,
    'local ranks of a job on one host' as learnt_from,
    1 as weight,
    file_id,
    line_no
from visible_devices
where
    local_rank is not null
    and rank is null
    and (select max(world_size) from identity)
    = (select count(distinct local_rank) from visible_devices)
union all by name
-- A launcher's label before the lines of a process whose rank NCCL tells.
select
    p.rank,
    c.local_rank,
    c.task,
    'label before the lines of nccl init' as learnt_from,
    1 as weight,
    c.file_id,
    min(c.line_no) as line_no
from nccl_comm c
join nccl_process p on p.host = coalesce(c.host, '') and p.pid = coalesce(c.pid, 0)
where p.rank is not null and coalesce(c.task, c.local_rank) is not null
group by all
union all by name
select
    rank,
    host,
    pid,
    cuda_device,
    gpu_index,
    gpu_address(gpu) as gpu,
    world_size,
    learnt_from,
    3 as weight,
    file_id,
    line_no
from nccl_identity
union all by name
select
    host,
    gpu_index,
    gpu_address(gpu) as gpu,
    gpu_uuid,
    'nvidia-smi' as learnt_from,
    3 as weight,
    file_id,
    line_no
from smi_gpu
union all by name
-- What ended is told by the host's own agent.
select
    rank,
    host,
    local_rank,
    pid,
    'end of a process, told by ' || source as learnt_from,
    2 as weight,
    file_id,
    line_no
from "exit"
where rank is not null and pid is not null
union all by name
-- A rank tells of the death of its own worker process.
select
    rank,
    host,
    regexp_extract(message, 'DataLoader (?:worker|process) \(pid +([0-9]+)\)', 1)::bigint as pid,
    'worker of a rank, told by its exception' as learnt_from,
    0 as weight,
    file_id,
    line_no
from exception
where rank is not null and regexp_matches(message, 'DataLoader (?:worker|process) \(pid +[0-9]+\)')
union all by name
-- Some programs put both before every line.
select
    rank,
    host,
    pid,
    'rank and pid before a line' as learnt_from,
    1 as weight,
    file_id,
    min(line_no) as line_no
from oom_message
where rank is not null and pid is not null
group by all
union all by name
select rank, host, 'name of the file' as learnt_from, 1 as weight, file_id, 1 as line_no
from file
where rank is not null and host is not null
