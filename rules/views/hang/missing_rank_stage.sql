-- table: One row: ranks that passed fewer of the stages they print than most others did, and
-- printed nothing of them since: the stages are near the end of the log.
with
    mark as (
        select
            p.file_id,
            p.line_no,
            coalesce(p.rank, p.local_rank, p.task) as rank,
            p.host,
            p.time,
            p.stage_no,
            f.lines - p.line_no as lines_after
        from printed_stage p
        join file f using (file_id)
    ),
    reached as (
        select
            rank,
            any_value(host) as host,
            count(*) as marks,
            arg_max(stage_no, line_no) as stage_no,
            max(time) as time,
            min(lines_after) as lines_after,
            arg_max(line_at(file_id, line_no), line_no) as line
        from mark
        where rank is not null
        group by rank
    ),
    most as (
        select mode(marks) as marks, count(*) as ranks, min(lines_after) as lines_after from reached
    ),
    behind as (
        select r.*, m.marks as most_marks
        from reached r
        cross join most m
        where r.marks < m.marks and m.lines_after <= 40
    )
select
    'stages' as source,
    'stage' as finding,
    list(rank order by rank) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    []::bigint[] as pids,
    'host' as side,
    'outside' as place,
    case
        when min(most_marks - marks) > 1 or exists (from trouble_sign)
        then 'probable'
        else 'possible'
    end as grade,
    max(time) as "at",
    max(stage_no)::bigint as reached,
    (select max(stage_no) from reached r where r.marks = (select marks from most))::bigint
    as furthest,
    list(line order by rank)[:8] || (
        select list(line order by rank)[:3] from reached r where r.marks = (select marks from most)
    ) as evidence
from behind
-- Most ranks agree on how far they came. One stage is what a log is behind by that ends anywhere.
having
    count(*) > 0
    and 3 * count(*) <= (select ranks from most)
    and (min(most_marks - marks) > 1 or exists (from trouble_sign))
