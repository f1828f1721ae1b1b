-- table: One row per GPU that failed and that no line ties to a rank, with the one rank whose CUDA
-- calls failed: on the same host on a GPU that no line names, or on a GPU of the same address
-- where the kernel calls the host by a name that no rank uses.
with
    failed_gpu as (
        select distinct short_host(host) as host, gpu
        from gpu_burst
        where
            verdict = 'hardware'
            and gpu is not null
            and host is not null
            and (short_host(host), gpu)
            not in (select (host, gpu) from gpu where rank is not null and host is not null)
    ),
    failed_rank as (
        select distinct e.rank, r.host, r.gpu
        from cuda_error e
        left join rank r using (rank)
        where e.rank is not null and e.kind not in ('oom', 'capture')
    )
select f.host, f.gpu, v.rank
from failed_gpu f
join
    failed_rank v
    on (v.gpu is null and v.host = f.host)
    or (v.gpu = f.gpu and f.host not in (select host from rank where host is not null))
qualify count(*) over (partition by f.host, f.gpu) = 1 and count(*) over (partition by v.rank) = 1
