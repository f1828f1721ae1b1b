-- table: one row per compiler that was killed: the program, and the object and step it was at.
with
    ends as (
        select file_id, max(step_no) as last_step, max(steps) as steps
        from build_step
        where steps is not null
        group by all
    )
select
    k.file_id,
    k.line_no,
    k.time,
    k.host,
    k.program,
    k.make_exit,
    coalesce(k.object, f.object) as object,
    -- the step that made this object; with parallel jobs its neighbours' lines come between
    coalesce(s.step_no, b.step_no) as step_no,
    e.steps
from
    (
        select file_id, line_no, time, host, program, make_exit, object
        from compiler_killed
        union all
        select b.file_id, b.line_no, b.time, b.host, null, null, null
        from bare_killed b
        where
            exists (
                from build_step f
                where f.file_id = b.file_id and f.failed and abs(f.line_no - b.line_no) <= 8
            )
    ) k
left join
    lateral(
        select object
        from build_step f
        where f.file_id = k.file_id and f.failed and abs(f.line_no - k.line_no) <= 60
        order by abs(f.line_no - k.line_no)
        limit 1
    ) f
    on true
left join
    lateral(
        select step_no
        from build_step s
        where
            s.file_id = k.file_id
            and s.step_no is not null
            and s.object = coalesce(k.object, f.object)
        limit 1
    ) s
    on true
left join
    lateral(
        select step_no
        from build_step b
        where b.file_id = k.file_id and b.step_no is not null and b.line_no <= k.line_no
        order by b.line_no desc
        limit 1
    ) b
    on true
left join ends e on e.file_id = k.file_id
