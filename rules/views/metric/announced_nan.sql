-- table: One row per loss that a program reports as bad and stops at instead of printing it: a
-- point too, one step behind the last one, on the curve it ends.
with
    announcement as (
        select distinct
            m.file_id,
            m.line_no,
            m.time,
            m.host,
            m.step,
            n.stream,
            n.source,
            n.name,
            n.canonical,
            n.is_average
        from training_mark m
        join
            metric_name n
            on n.file_id = m.file_id
            and n.stream = m.stream
            and n.canonical = 'loss'
            and n.trainer <> 'store'
        where m.kind = 'nan_found' and regexp_matches(m.message, '(?i)loss')
        qualify row_number() over (partition by m.file_id, m.stream order by m.line_no) = 1
    ),
    last_point as (
        select
            s.file_id,
            s.line_no,
            s.name,
            max_by(v.rank, v.line_no) as rank,
            arg_max(v.step, (v.line_no, v.step)) as step
        from announcement s
        join
            printed_value v
            on v.file_id = s.file_id
            and v.stream = s.stream
            and v.name = s.name
            and v.line_no < s.line_no
        group by all
    )
select
    s.file_id,
    s.line_no,
    s.time,
    s.host,
    l.rank,
    s.source,
    s.name,
    s.canonical,
    coalesce(s.step, l.step + 1) as step,
    'nan'::double as value,
    s.line_no * 1048576 as ordinal,
    null::double as steps_planned,
    s.is_average
from announcement s
left join last_point l using (file_id, line_no, name)
