-- table: One row per event of a training (kind: save, load, resume, start, overflow, scale_down,
-- phase, nan_found, …), with its step, the path that it names, and its message.
select
    m.file_id,
    m.line_no,
    m.time,
    m.host,
    m.rank,
    metric_source(f.path, m.stream) as source,
    m.kind,
    coalesce(m.step, case when m.kind <> 'overflow' then step_in(m.message) end) as step,
    nullif(
        regexp_extract(
            m.message,
            '(?:^|[ =:''"])((?:[a-z0-9]+://|/|\./|[A-Za-z0-9_.-]+/)[^ ,''"\]]*[^ ,''"\].:])',
            1
        ),
        ''
    ) as path,
    m.metric_value as value,
    m.message,
    m.ended_by
from training_mark m
join file f using (file_id)
where
    m.kind <> 'epoch'
    and not (
        m.kind in ('resume', 'load')
        and regexp_matches(m.message, '(?i)(checkpoint|from|path)[ :=''"]*(none|null|false)\b')
    )  -- a setting that says: none
union all by name
select
    t.file_id,
    t.line_no,
    t.time,
    t.host,
    t.rank,
    metric_source(f.path, t.stream) as source,
    'phase' as kind,
    t.step as step,
    null as path,
    null as value,
    t.tag as message
from phase_tag t
join file f using (file_id)
