-- table: One row per GPU that a line names by its address: the rank that ran on it, where all that
-- name one agree, and which kind of line says so (learnt_from).
with
    link as (
        select
            short_host(host) as host,
            gpu,
            gpu_uuid,
            gpu_index,
            rank,
            learnt_from,
            weight,
            file_id,
            line_no
        from identity_link
        where gpu is not null
        union all
        select host, gpu, gpu_uuid, gpu_index, rank, 'visible devices', 0, file_id, line_no
        from rank
        where gpu is not null
    )
select
    host,
    gpu,
    max(gpu_uuid) as gpu_uuid,
    max(gpu_index) as gpu_index,
    case when count(distinct rank) = 1 then max(rank) end as rank,
    arg_max(learnt_from, weight) filter (rank is not null) as learnt_from,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from link
group by host, gpu
