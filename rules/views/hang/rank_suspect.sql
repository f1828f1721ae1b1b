-- table: One row per source of counts (Flight Recorder, status lines of watchdogs), rank and group:
-- the ranks that others wait for and that wait for nobody, seq = what the others wait in. side =
-- device: it enqueued what others have completed, and has not completed it; host: it has not even
-- enqueued it. clear = others are proved to wait for it; the rest only have come less far.
with
    suspect as (
        select *, true as clear
        from suspect_awaited
        union all by name
        select *, false as clear
        from suspect_behind
        union all by name
        select *, false as clear
        from suspect_out_of_step
        anti join suspect_behind using (source, rank)
        union all by name
        select *, false as clear
        from suspect_earlier
    ),
    furthest as (
        select source, grp_key, max(completed) as completed from rank_progress group by all
    )
select
    s.* replace (coalesce(s.waiting_lines, []) as waiting_lines),
    p.host,
    p.grp,
    p.grp_desc,
    p.enqueued,
    p.completed,
    p.file_id,
    p.line_no,
    p.time,
    p.place as last_place,
    case when p.completed < f.completed then 'device' else 'host' end as side
from suspect s
left join rank_progress p on p.source = s.source and p.rank = s.rank and p.grp_key = s.grp_key
left join furthest f on f.source = s.source and f.grp_key = s.grp_key
