-- view: one row per GPU of which the NVIDIA driver reports an Xid: where it is, its UUID and serial
-- number as far as a line names them, the codes with how often and when they came.
with
    by_code as (
        select
            short_host(coalesce(x.host, f.host)) as host,
            x.gpu,
            max(x.gpu_uuid) as gpu_uuid,
            x.code,
            any_value(x.meaning) as meaning,
            count(*) as times,
            min(x.time) as first,
            max(x.time) as last
        from xid x
        join file f using (file_id)
        group by all
    )
select
    b.host,
    b.gpu,
    coalesce(max(b.gpu_uuid), max(n.gpu_uuid), max(g.gpu_uuid)) as gpu_uuid,
    max(n.serial) as serial,
    max(g.rank) as rank,
    list(
        struct_pack(
            code := b.code, meaning := b.meaning, times := b.times, first := b.first, last := b.last
        )
        order by b.first nulls last, b.code
    ) as codes
from by_code b
left join gpu_name n on n.gpu = b.gpu and coalesce(short_host(n.machine) = b.host, true)
left join gpu g on g.gpu = b.gpu and g.host is not distinct from b.host
group by b.host, b.gpu
order by min(b.first) nulls last, b.host, b.gpu
