/*
title = "Remarks on the training curves"
severity = "info"
confidence = "definite"
status = "stable"
about = "What explains the look of a curve and is no fault: resumes that went well, several runs in one file, text that stands there twice, lone hard batches, phases by plan, a loss scaler at work."
remedy = "Nothing."
false_positives = "It is context only."
references = []
*/
-- Restarts after which the loss simply went on.
with
    went_on as (
        select distinct on (round(start_step)) *
        from
            (
                select
                    g.file_id,
                    g.line_no,
                    g.first_step as start_step,
                    lag(g.last_step) over (
                        partition by g.series_id, g.run order by k.turn, g.line_no
                    ) as resume_step,
                    f.path
                from segment g
                join series s using (series_id)
                join series_member k on k.series_id = g.series_id and k.file_id = g.file_id
                join file f on f.file_id = g.file_id
                where s.canonical = 'loss' and g.state = 'live' and s.files > 1
                qualify
                    lag(g.file_id) over (partition by g.series_id, g.run order by k.turn, g.line_no)
                    <> g.file_id
                union all
                select e.file_id, e.line_no, p.step, coalesce(e.step, p.step), null
                from
                    training_event e,
                    lateral(
                        select
                            min(p.step) filter (p.line_no > e.line_no) as step,
                            bool_or(p.line_no < e.line_no) as before
                        from series_point p
                        join series s using (series_id)
                        where s.canonical = 'loss' and p.file_id = e.file_id
                    ) p
                where
                    e.kind in ('resume', 'load')
                    and p.step is not null
                    -- Weights that are loaded before anything was trained are no resume.
                    and coalesce(e.step, case when p.before then p.step end, 0) > 0
            )
        order by round(start_step), path is null, line_no
    ),
    several as (
        select file_id, line_no, runs, heads
        from
            (
                select
                    file_id,
                    series_id,
                    min(line_no) as line_no,
                    count(*) as runs,
                    list(line_at(file_id, line_no)) as heads,
                    sum(points) as points
                from
                    (
                        select
                            file_id, series_id, run, min(line_no) as line_no, sum(points) as points
                        from segment
                        group by file_id, series_id, run
                    )
                group by file_id, series_id
            )
        where runs > 1
        qualify row_number() over (partition by file_id order by points desc) = 1
    ),
    twice as (
        select file_id, min(line_no) as line_no, max(last_line) as last_line, max(points) as points
        from segment
        where state = 'double'
        group by file_id
        having max(points) >= 5
    ),
    overflow as (
        select file_id, count(*) as n, min(line_no) as first_line, max(line_no) as last_line
        from training_event
        where kind = 'overflow'
        group by file_id
        having count(*) >= 3
    ),
    phase as (
        select
            file_id,
            list(distinct step::bigint order by step::bigint) as steps,
            list(line_at(file_id, line_no) order by line_no) as lines
        from planned_change
        where step is not null
        group by file_id
        having count(*) <= 20
    ),
    hard as (
        select
            file_id,
            list(distinct start_step::bigint order by start_step::bigint) as steps,
            list(line_at(file_id, line_no) order by line_no) as lines
        from loss_excursion
        where
            kind in ('lone', 'outlier')
            and canonical = 'loss'
            and change is null
            and not (kind = 'lone' and averaged)
        group by file_id
    )
select
    'Training was resumed at step '
    || plain(resume_step)
    || ' and went on at step '
    || plain(start_step) as summary,
    [line_at(file_id, line_no)] as evidence,
    resume_step,
    start_step,
    case when contains(path, '/') then parse_path(path)[-2] else path end as continued_in,
    null::bigint as runs_in_file,
    null::boolean as duplicate_of_itself,
    null::bigint as overflows,
    null::bigint[] as phase_changes,
    null::bigint[] as hard_batch_steps
from (from went_on limit 20)
union all by name
select runs || ' runs stand in one file' as summary, heads as evidence, runs as runs_in_file
from several
union all by name
select
    'The same text stands in the file twice (' || points || ' points)' as summary,
    [line_at(file_id, line_no), line_at(file_id, last_line)] as evidence,
    true as duplicate_of_itself
from twice
union all by name
select
    'The loss scaler skipped ' || n || ' steps on its search for the scale' as summary,
    [line_at(file_id, first_line), line_at(file_id, last_line)] as evidence,
    n as overflows
from overflow
union all by name
select
    'The log announces changes at step ' || array_to_string(steps, ', ') as summary,
    lines as evidence,
    steps as phase_changes
from phase
union all by name
select
    'The highest lone points, single hard batches, stand at step '
    || array_to_string(steps, ', ') as summary,
    lines as evidence,
    steps as hard_batch_steps
from hard
