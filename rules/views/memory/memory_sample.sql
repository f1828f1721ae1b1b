-- table: One row per statement of memory in use that belongs to a series: `series` names whose it
-- is. `bytes` in use, `share` of all in percent, `total_bytes` in all: what is known of them.
with
    -- memory among the metrics of a store (wandb's and TensorBoard's, metrics files): the name
    -- tells whose it is and in which unit; what only ever rises by its nature (peaks) is left out
    stored_name as (
        select
            c.file_id,
            c.curve,
            c.host,
            c.rank,
            c.name,
            c.factor,
            lower(c.name) as lower_name,
            regexp_extract(lower_name, '([kmgt]i?b|bytes)\)?$', 1) as unit,
            regexp_matches(lower_name, 'percent|pct|_?%$|memoryallocated$') as is_share,
            case
                when regexp_matches(lower_name, 'gpu|cuda|vram|hbm|device')
                then 'device'
                when regexp_matches(lower_name, 'rss|proc')
                then 'process'
                when regexp_matches(lower_name, 'cpu|host|system|sys_|ram|virtual|^memory_percent')
                then 'host'
            end as what
        from curve_metric as c
        where
            c.canonical = 'memory'
            and not regexp_matches(
                lower_name, 'max|peak|total|limit|reserved|cached|free|avail|bandwidth'
            )
    ),
    stored as (
        select
            n.what,
            'metric ' || n.name as source,
            p.file_id,
            p.line_no,
            p.time,
            n.host,
            n.rank,
            try_cast(
                nullif(regexp_extract(n.lower_name, 'gpu[._/]?([0-9]{1,2})', 1), '') as bigint
            ) as gpu_index,
            case when not n.is_share then p.metric_value * n.factor end as amount,
            n.unit,
            case when n.is_share then p.metric_value * n.factor end as percent
        from stored_name as n
        join metric_point as p on p.file_id = n.file_id and p.curve = n.curve
        where n.what is not null and (n.unit <> '' or n.is_share) and isfinite(p.metric_value)
    ),
    statement as (
        from memory_use
        union all by name
        from stored
    ),
    scaled as (
        select
            *,
            -- free prints no unit unless asked for; the size of the machine tells which it is:
            -- below 8 TiB in GiB, below 16 TiB in MiB
            case
                when source = 'sar'
                then 1024
                -- bytes as TensorFlow gives them, or divided by whoever printed them: no GPU has
                -- 200 GiB
                when unit is null and source = 'tensorflow'
                then
                    case when amount < 200 then 1073741824 when amount < 1e6 then 1048576 else 1 end
                when unit is null and source = 'free'
                then
                    case
                        when whole < 8192 then 1073741824 when whole < 16e6 then 1048576 else 1024
                    end
                when unit ilike 'k%'
                then 1024
                when unit ilike 'm%'
                then 1048576
                when unit ilike 'g%'
                then 1073741824
                when unit ilike 't%'
                then 1 << 40
                when unit ilike 'b%'
                then 1
            end as factor
        from statement
    ),
    sized as (
        select
            s.*,
            case
                -- memory that can be had is what counts: kbmemused of old versions holds caches
                when source = 'sar'
                then amount / nullif(percent, 0) * 100 * factor
                else coalesce(s.total_bytes::double, whole * factor)
            end as all_bytes
        from scaled s
    )
select
    concat_ws(
        ' ',
        what,
        source,
        file_id,
        coalesce(s.host, f.host),
        coalesce(s.rank, f.rank),
        s.pid,
        gpu_index
    ) as series,
    what,
    source,
    file_id,
    line_no,
    time,
    coalesce(s.host, f.host) as host,
    coalesce(s.rank, f.rank) as rank,
    s.pid,
    gpu_index,
    case
        when source = 'sar'
        then all_bytes - whole * factor
        when available_bytes is not null and s.total_bytes is not null
        then s.total_bytes - available_bytes
        else coalesce(used_bytes::double, amount * factor)
    end as bytes,
    case
        when source = 'sar'
        then 100 * (1 - whole * factor / all_bytes)
        when what = 'process'
        then null
        else coalesce(percent, 100 * coalesce(used_bytes::double, amount * factor) / all_bytes)
    end as share,
    coalesce(
        all_bytes,
        case when percent > 0 and what = 'host' then 100 * used_bytes::double / percent end
    ) as total_bytes
from sized s
join file f using (file_id)
