-- table: One row per host whose GPUs are linked otherwise than those of the other hosts with as
-- many GPUs: `pairs` of GPUs, as `GPU2-GPU5: PHB`, and what the others have there. Of two hosts the
-- one with the slower links is odd.
with
    row_of_gpu as (
        select
            coalesce(g.host, f.host) as host,
            gpu_index,
            regexp_extract_all(links, '[A-Z]+[0-9]*') as ways,
            g.file_id,
            line_no
        from gpu_link as g
        join file as f using (file_id)
        where coalesce(g.host, f.host) is not null
        qualify
            row_number() over (
                partition by coalesce(g.host, f.host), gpu_index
                order by g.file_id desc, line_no desc
            )
            = 1
    ),
    sized as (select *, max(gpu_index) over (partition by host) + 1 as gpus from row_of_gpu),
    -- as a number the better way is the larger one: NVLinks by their count, then nearness
    pair as (
        select
            host,
            gpus,
            gpu_index,
            peer,
            ways[peer + 1] as way,
            case
                when way like 'NV%'
                then 10 + try_cast(substr(way, 3) as int)
                else list_position(['SYS', 'NODE', 'PHB', 'PXB', 'PSB', 'PIX'], way)
            end as quality,
            file_id,
            line_no
        from sized, unnest(range(least(gpus, len(ways)))) as u(peer)
        where peer > gpu_index and len(ways) >= gpus
    ),
    -- what most hosts have; where they are even, the better
    usual as (
        select gpus, gpu_index, peer, way, quality, any_value(line_at(file_id, line_no)) as line
        from pair
        group by gpus, gpu_index, peer, way, quality
        qualify
            row_number() over (
                partition by gpus, gpu_index, peer order by count(*) desc, quality desc
            )
            = 1
    )
select
    p.host,
    p.gpus,
    list('GPU' || p.gpu_index || '-GPU' || p.peer order by p.gpu_index, p.peer) as pairs,
    list(distinct p.way order by p.way) as ways,
    list(distinct u.way order by u.way) as usual_ways,
    list_distinct(list(line_at(p.file_id, p.line_no) order by p.line_no))[1:8]
    || list_distinct(list(u.line order by p.line_no))[1:4] as evidence
from pair as p
join usual as u using (gpus, gpu_index, peer)
where p.quality < u.quality
group by all
