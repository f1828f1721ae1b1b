/*
title = "Training went back to an earlier checkpoint"
severity = "warning"
confidence = "definite"
status = "stable"
lasting = true
about = """
Steps repeat: after a restart training went on from a step that it had already passed, and the work
in between was done twice.
"""
false_positives = "Two runs written into one file whose steps do not begin anew."
references = ["https://arxiv.org/abs/2204.02311"]
summary = '''
Training went back from {{ unit or 'step' }} {{ from_step }} to {{ unit or 'step' }} {{ step }}
{%- if path %} (checkpoint {{ path }}){% endif %}: {{ lost_points | count('logged point') }}
{{ lost_points | agree('was', 'were') }} trained again'''

[[step]]
say = '''Find out why the run went back from {{ unit or 'step' }} {{ from_step }}: a crash, a spike
or a NaN just before it is the cause, and if nothing is reported, somebody did it on purpose.'''

[[step]]
say = '''Save checkpoints more often if it was a crash:
{{ (from_step - step) | count(unit or 'step') }} of work were lost.'''

[[step]]
say = '''Let the data go on where it was, or take another seed, if it was a spike: the same
batches in the same order often give the same spike.'''
*/
select
    [
        line_at(b.from_file, b.from_line),
        -- where two processes write, not the next line
        coalesce(
            (
                select arg_min(line_at(p.file_id, p.line_no), p.line_no)
                from series_point p
                where
                    p.series_id = b.series_id
                    and p.file_id = b.file_id
                    and p.line_no >= b.line_no
                    and p.step = b.to_step
            ),
            line_at(b.file_id, b.line_no)
        ),
        line_at(l.file_id, l.line_no)
    ] as evidence,
    b.to_step as step,
    b.from_step,
    b.lost as lost_points,
    l.path,
    e.unit
from step_back b
left join counted_in_epochs e on e.series_id = b.series_id
left join
    lateral(
        select *
        from training_event e
        where
            e.kind in ('resume', 'load')
            and e.file_id = b.file_id
            and e.line_no < b.line_no
            and e.line_no > case when b.from_file = b.file_id then b.from_line else 0 end
        order by e.path is null, e.line_no
        limit 1
    ) l
    on true
