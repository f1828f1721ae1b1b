-- table: One row: what the status lines of watchdogs, or their calls for a dump, tell of a
-- collective that failed or timed out, where the watchdogs' own lines are cut away. An error is
-- told so as well: a status that does not say timeout counts only where nothing else went wrong.
with
    status as (
        select
            *,
            coalesce(rank, group_rank) as who,
            coalesce(nullif(grp_desc, ''), grp) as group_name,
            reason ilike '%timeout%' and reason not like 'Exception%' as is_of_timeout
        from c10d_status_line
        where
            -- It says so after any failure of a collective.
            source = 'dump_signal'
            and reason like '%timeout%'
            and not exists (from c10d_nccl_error)
            or source = 'watchdog'
            and (
                reason = 'Timeout'
                or not exists (from communication_error)
                and not exists (
                    from c10d_event where event = 'watchdog_ended' and error not like '%timeout%'
                )
            )
    )
select
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct who)) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    mode(group_name) as grp,
    min(failed_seq) as seq,
    min(last_completed) filter (
        last_completed < 1000000000000 and failed_seq is not null
    ) as last_completed,
    bool_or(is_of_timeout) as is_of_timeout
from status
having count(*) > 0
