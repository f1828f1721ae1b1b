-- table: One row: all that left a Flight Recorder dump wait alike, and one or a few members left
-- none: the only candidates.
with
    waiting as (
        select p.*
        from rank_progress p
        where p.source = 'flight_recorder' and p.state = 'waiting' and not p.point_to_point
        qualify
            row_number() over (partition by p.rank order by p.record_id nulls last, p.grp_key) = 1
    ),
    waiting_group as (
        select
            w.grp_key,
            any_value(w.grp) as grp,
            any_value(w.grp_desc) as grp_desc,
            min(w.waits_for) as seq,
            any_value(w.op) as op,
            any_value(m.members) as members,
            min(w.time) as time,
            list(line_at(w.file_id, w.line_no) order by w.rank)[1] as first_line,
            list_sort(list(distinct w.rank)) as waiting
        from waiting w
        join flight_members m using (grp_key)
        group by w.grp_key
        having min(w.waits_for) = max(w.waits_for)
    ),
    absent as (
        select g.*, list_intersect(g.members, u.ranks) as ranks
        from waiting_group g
        cross join (select coalesce(list(rank), []) as ranks from flight_undumped) u
    )
select
    'absent_dump' as source,
    'no_dump' as finding,
    list_sort(list_distinct(flatten(list(ranks)))) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as grp,
    min(seq) as seq,
    any_value(op) as op,
    null::varchar as side,
    null::varchar as place,
    'possible' as grade,
    min(time) as "at",
    list_sort(list_distinct(flatten(list(waiting)))) as waiting_ranks,
    list(
        {
            'file_id':first_line.file_id,
            'line_no':first_line.line_no,
            'text':'ranks '
            || ranges(waiting)
            || ' wait in group '
            || coalesce(nullif(grp_desc, ''), grp, '?')
            || ', number '
            || seq
        }
    )[:5] as evidence
from absent
where
    len(ranks) between 1 and greatest(1, divide(len(members), 4))
    and len(waiting) >= 2
    and len(waiting) > len(ranks)
    and not exists (from rank_suspect where source = 'flight_recorder')
    and not exists (from collective_disagreement)
having count(*) > 0
