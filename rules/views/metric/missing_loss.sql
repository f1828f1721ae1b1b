-- table: One row per line that lacks a loss which its neighbours have, and was neither skipped nor
-- cut: Megatron leaves the loss out where it has none to print.
with
    names as materialized(  -- few: what a name means is asked once for each
        select file_id, stream, name, min(line_no) as first
        from line_value
        join line_step using (line_id)
        where trainer = 'megatron' and phase = ''
        group by all
    ),
    mains as (
        select n.*
        from names n
        left join main_loss s on s.name = replace(lower(n.name), ' ', '_')
        where main_loss_doubt(replace(lower(n.name), ' ', '_'), s.doubt) is not null
    )
select
    l.file_id,
    l.line_no,
    l.line_id,
    l.stream,
    l.trainer,
    l.time,
    l.host,
    l.rank,
    m.name,
    '' as unit,
    l.phase,
    l.step,
    l.steps_planned
from line_step l
join training_line t on t.rowid = l.line_id
join mains m on m.file_id = l.file_id and m.stream = l.stream and l.line_no > m.first
where
    l.trainer = 'megatron'
    and l.phase = ''
    and not contains('|' || t.fields, '| ' || m.name || ':')
    and not contains('|' || t.fields, '| ' || m.name || ' ')
    -- behind the losses; a line without it was cut
    and regexp_matches(t.fields, 'number of skipped iterations: *0 ')
