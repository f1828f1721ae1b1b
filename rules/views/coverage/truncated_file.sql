-- view: Files that end before what was written to them did: what a reader found torn, and logs that
-- end within a line while those beside them of the same kind, all of them whole, go on for minutes.
-- A last line without an end alone is usual, and so is one log that ends early.
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
            max(t.last) as last
        from file f
        join clock t using (file_id)
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
    t.what as how,
    f.file_id
from torn t
join file f using (file_id)
union all
select
    path,
    lines,
    last,
    'in the middle of a line, '
    || date_diff('minute', last, others_last)
    || ' min before the logs beside it',
    file_id
from early
