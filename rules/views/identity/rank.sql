-- table: One row per rank: its host, process and GPU, by the best and most frequent link. Where
-- two are as good (a restart), neither is taken; contradictions of hosts are in identity_conflict.
-- cuda_device is the number by which the program calls its GPU, gpu_index the one by which the
-- host, nvidia-smi and the kernel know it: they differ where CUDA_VISIBLE_DEVICES is set.
with
    best_link as (
        select
            rank,
            what,
            name,
            sum(weight) as votes,
            min(file_id) as file_id,
            arg_min(line_no, (file_id, line_no)) as line_no
        from
            (
                select
                    rank,
                    weight,
                    file_id,
                    line_no,
                    short_host(host) as host,
                    local_rank::varchar as local_rank,
                    pid::varchar as pid,
                    cuda_device::varchar as cuda_device,
                    gpu_index::varchar as gpu_index,
                    gpu,
                    gpu_uuid,
                    address
                from identity_link
                where rank is not null
            ) unpivot (
                name for what
                in (host, local_rank, pid, cuda_device, gpu_index, gpu, gpu_uuid, address)
            )
        group by rank, what, name
        window one as (partition by rank, what order by sum(weight) desc, name)
        qualify row_number() over one = 1 and coalesce(votes > lead(votes) over one, true)
    ),
    linked_rank as (
        select
            rank,
            max(name) filter (what = 'host') as host,
            max(name) filter (what = 'local_rank')::bigint as local_rank,
            max(name) filter (what = 'pid')::bigint as pid,
            max(name) filter (what = 'cuda_device')::bigint as cuda_device,
            max(name) filter (what = 'gpu_index')::bigint as gpu_index,
            max(name) filter (what = 'gpu') as gpu,
            max(name) filter (what = 'gpu_uuid') as gpu_uuid,
            max(name) filter (what = 'address') as address,
            min(file_id) as file_id,
            arg_min(line_no, (file_id, line_no)) as line_no
        from best_link
        group by rank
    ),
    -- The nearest setting of the devices that a rank sees: its own, its local rank's, that of all.
    visible as (
        select
            s.rank,
            string_split(replace(v.devices, ' ', ''), ',') as devices,
            case
                when v.rank is not null then 1 when v.local_rank is not null then 2 else 3
            end as distance
        from linked_rank s
        join
            visible_devices v
            on (v.rank = s.rank)
            or (
                v.rank is null
                and v.local_rank = s.local_rank
                and coalesce(short_host(v.host) = s.host, true)
            )
            or (
                v.rank is null
                and v.local_rank is null
                and coalesce(short_host(v.host) = s.host, true)
            )
    ),
    nearest_visible as (
        select rank, arg_min(devices, distance) as devices
        from (select *, min(distance) over (partition by rank) as nearest from visible)
        where distance = nearest
        group by rank
        having count(distinct devices) = 1
    ),
    with_device as (
        select
            s.*,
            case
                when len(v.devices) = 1
                then v.devices[1]
                else v.devices[coalesce(cuda_device, local_rank) + 1]
            end as device,
            -- one number for several GPUs of a host: each process sees its own only
            exists (from visible_devices)
            or count(distinct gpu) over (partition by host, cuda_device) > 1 as masked
        from linked_rank s
        left join nearest_visible v using (rank)
    ),
    with_index as (
        select
            * exclude (device, masked) replace (
                coalesce(
                    gpu_index, try_cast(device as bigint), case when not masked then cuda_device end
                ) as gpu_index,
                coalesce(gpu_uuid, case when device like 'GPU-%' then device end) as gpu_uuid
            )
        from with_device
    ),
    listed_gpu as (
        select short_host(host) as host, gpu_index, min(gpu) as gpu, min(gpu_uuid) as gpu_uuid
        from identity_link
        where learnt_from = 'nvidia-smi'
        group by all
        having count(distinct gpu) <= 1 and count(distinct gpu_uuid) <= 1
    )
select
    i.* replace (
        coalesce(i.gpu_index, l.gpu_index) as gpu_index,
        coalesce(i.gpu, l.gpu) as gpu,
        coalesce(i.gpu_uuid, l.gpu_uuid) as gpu_uuid
    )
from with_index i
left join listed_gpu l on l.host = i.host and coalesce(i.gpu = l.gpu, i.gpu_index = l.gpu_index)
