-- view: All that left a dump wait alike, and one or a few members left none: the only candidates.
with
    waiting as (
        select p.*
        from rank_progress p
        where p.source = 'flight_recorder' and p.state = 'waiting' and not p.point_to_point
        qualify
            row_number() over (partition by p.rank order by p.record_id nulls last, p.grp_key) = 1
    ),
    by_group as (
        select
            w.grp_key,
            any_value(w.grp) as grp,
            any_value(w.grp_desc) as grp_desc,
            min(w.waits_for) as seq,
            any_value(w.op) as op,
            any_value(m.members) as members,
            count(distinct w.rank) as waiters,
            min(w.time) as time,
            list(line_at(w.file_id, w.line_no) order by w.rank)[:5] as evidence,
            list_sort(list(distinct w.rank)) as waiting
        from waiting w
        join flight_members m using (grp_key)
        group by w.grp_key
        having min(w.waits_for) = max(w.waits_for)
    ),
    absent as (
        select g.*, ranges(g.waiting) as waiting_ranks, list_intersect(g.members, u.ranks) as ranks
        from by_group g
        cross join (select coalesce(list(rank), []) as ranks from flight_undumped) u
    )
select
    'absent_dump' as source,
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
    'every dump that is there waits in the same place, and that of rank '
    || ranges(list_distinct(flatten(list(ranks))))
    || ' is absent: it is gone, has not come, or could not write it' as said,
    list(
        {
            'file_id':evidence[1].file_id,
            'line_no':evidence[1].line_no,
            'text':'ranks '
            || waiting_ranks
            || ' wait in group '
            || coalesce(nullif(grp_desc, ''), grp, '?')
            || ', number '
            || seq
        }
    )[:5] as evidence
from absent
where
    len(ranks) between 1 and greatest(1, divide(len(members), 4))
    and waiters >= 2
    and waiters > len(ranks)
    and not exists (from rank_suspect where source = 'flight_recorder')
    and not exists (from collective_disagreement)
having count(*) > 0
