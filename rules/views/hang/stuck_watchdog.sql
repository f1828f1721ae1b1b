-- table: One row: the ranks whose heartbeat monitor found the watchdog thread itself stuck.
with
    beat as (
        select
            list_sort(
                list(distinct coalesce(rank, group_rank)) filter (
                    coalesce(rank, group_rank) is not null
                )
            ) as ranks,
            max(stuck_seconds) as stuck_seconds,
            list_distinct(list(host) filter (host is not null)) as hosts,
            min(time) as time,
            list_distinct(list(line_at(file_id, line_no))) as evidence,
            max(queued) as queued,
            case
                when count(distinct coalesce(grp_desc, grp)) = 1
                then any_value(coalesce(nullif(grp_desc, ''), grp))
            end as grp
        from c10d_heartbeat_line
        having count(*) > 0
    )
select
    b.*,
    coalesce(b.time - to_seconds(coalesce(b.stuck_seconds, 0)), b.time) as started,
    coalesce(
        (
            select list(e.host)
            from exit e
            where list_contains(b.ranks, e.rank) and e.host is not null
        ),
        []
    ) as exit_hosts
from beat b
