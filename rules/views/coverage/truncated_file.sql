-- view: one row per file that ends before what was written to it did: what a reader found torn
-- (problem: what it said), or a log that ends within a line while those beside it of the same kind,
-- all whole, go on for minutes (minutes_early: how many; last: its last time). A last line without
-- an end is usual, and so is one log that ends early: each alone proves nothing.
with
    torn as (
        select file_id, max(line_no) as line_no, arg_max(what, line_no) as what
        from problem
        where
            what in (
                'cannot be read further',
                'Flight Recorder dump: cannot be read to its end',
                'the last record is cut off or damaged'
            )
            or what like '%truncated%'
            or (what = 'cannot be read' and text like '%ended before the end-of-stream%')
        group by file_id
    ),
    ends as (
        select
            f.file_id,
            f.path,
            f.lines,
            f.unended,
            regexp_replace(f.path, '[0-9]+', 'N', 'g') as kind,
            max(c.last) as last
        from file f
        join clock c using (file_id)
        where f.reader = 'lines' and exists (from file u where u.unended)
        group by all
    ),
    early as (
        select e.file_id, e.path, e.lines, e.last, min(o.last) as others_last
        from ends e
        join ends o on o.kind = e.kind and o.file_id <> e.file_id
        where e.unended
        group by all
        having
            count(*) >= 2 and not bool_or(o.unended) and min(o.last) >= e.last + interval 2 minute
    )
select
    f.path,
    nullif(greatest(t.line_no, coalesce(f.lines, 0)), 0) as line_no,
    null::timestamp as last,
    t.what as problem,
    null as minutes_early,
    f.file_id
from torn t
join file f using (file_id)
union all
select
    path,
    lines as line_no,
    date_trunc('second', last) as last,
    null as problem,
    date_diff('minute', last, others_last) as minutes_early,
    file_id
from early
