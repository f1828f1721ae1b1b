/*
title = "How to read the training curves"
severity = "info"
confidence = "definite"
status = "stable"
about = """
What explains the look of a curve and is no fault: resumes that went well, several runs in one file,
text that is in a file twice, single hard batches, planned phases, a loss scaler at work, a norm of
the gradients that was never a number.
"""
false_positives = "It is context only."
references = []

[[summary]]
when = "start_step is not none"
say = "Training was resumed at step {{ resume_step }} and went on at step {{ start_step }}"

[[summary]]
when = "runs_in_file"
say = "{{ runs_in_file }} runs are in one file"

[[summary]]
when = "duplicate_of_itself"
say = "The same text is in the file twice{% if points %} ({{ points }} points){% endif %}"

[[summary]]
when = "overflows"
say = """The loss scaler skipped {{ overflows | count('step') }}
{%- if highest_scale %}: its scale was between
{{ highest_scale if highest_scale < 1 else highest_scale | round | int }} and
{{ lowest_scale }}{% endif %}"""

[[summary]]
when = "norms"
say = '''The {{ metric }} is NaN wherever it is printed ({{ norms | count('time') }}), while the
loss is a number'''

[[summary]]
when = "phase_changes"
say = '''The log reports planned changes at {{ phase_changes | agree('step', 'steps') }}
{{ phase_changes | names(most=20) }}'''

[[summary]]
when = "hard_batch_steps"
say = '''{{ hard_batch_steps | agree('A single hard batch', 'Single hard batches') }} at
{{ hard_batch_steps | agree('step', 'steps') }} {{ hard_batch_steps | names(most=20) }}'''
*/
with
    run_in_file as (
        select file_id, series_id, run, min(line_no) as line_no, sum(points) as points
        from segment
        anti join other_writer using (file_id, series_id)
        group by file_id, series_id, run
        having sum(points) >= 3
    ),
    runs_of_curve as (
        select
            file_id,
            count(*) as runs,
            list(line_at(file_id, line_no)) as heads,
            sum(points) as points
        from run_in_file
        group by file_id, series_id
        having count(*) > 1
    ),
    several_runs as (  -- as its longest curve tells
        select *
        from runs_of_curve
        qualify row_number() over (partition by file_id order by points desc) = 1
    ),
    doubled_text as (
        select file_id, min(line_no) as line_no, max(last_line) as last_line, max(points) as points
        from segment
        where state = 'double'
        group by file_id
        having max(points) >= 5
    ),
    search_for_scale as (
        select
            file_id,
            count(*) as n,
            min(line_no) as first_line,
            max(line_no) as last_line,
            max(value) as highest_scale,
            min(value) as lowest_scale
        from training_event
        where
            kind = 'overflow'
            -- that is no search any more
            and file_id not in (select file_id from loss_scale_collapse)
            and file_id not in (select file_id from updates_skipped)
        group by file_id
        having count(*) >= 3
    ),
    norm_never_finite as (
        select
            p.file_id,
            min(p.line_no) as first_line,
            max(p.line_no) as last_line,
            count(*) as norms,
            any_value(s.name) as metric
        from series s
        join series_point p using (series_id)
        where
            s.canonical = 'grad_norm'
            and not exists (
                from excursion e
                join series o using (series_id)
                where e.kind = 'nonfinite' and o.family = s.family and o.canonical <> 'grad_norm'
            )
            and s.series_id not in (select series_id from nonfinite_loss)
            and s.family in (select family from series where canonical = 'loss')
        group by s.series_id, p.file_id
        having count(*) >= 2 and bool_and(isnan(p.value))
    ),
    phases as (
        select
            file_id,
            list(distinct step::bigint order by step::bigint) as steps,
            list(line_at(file_id, line_no) order by line_no) as lines
        from planned_change
        where step is not null
        group by file_id
        having count(*) <= 20
    ),
    hard_batches as (
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
            and not beyond_a_batch
        group by file_id
    )
select [line_at(file_id, line_no)] as evidence, resume_step, start_step, continued_in
from (from quiet_resume limit 20)
union all by name
select heads as evidence, runs as runs_in_file
from several_runs
union all by name
select
    [line_at(file_id, line_no), line_at(file_id, last_line)] as evidence,
    true as duplicate_of_itself,
    points
from doubled_text
union all by name
select
    [line_at(file_id, first_line), line_at(file_id, last_line)] as evidence,
    n as overflows,
    highest_scale,
    lowest_scale
from search_for_scale
union all by name
select [line_at(file_id, first_line), line_at(file_id, last_line)] as evidence, norms, metric
from norm_never_finite
union all by name
select lines as evidence, steps as phase_changes
from phases
union all by name
select lines as evidence, steps as hard_batch_steps
from hard_batches
