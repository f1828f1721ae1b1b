/*
title = "Loss spike"
severity = "warning"
confidence = "definite"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
about = "The training loss jumped far above its own noise and stayed there for several points: it came back at once (fast), after long (slow), or not at all (unrecovered). Single hard batches are not meant; a wobble of less than 15 % that is over at once, and a part of the loss that is switched on, are remarks."
remedy = "If it does not come back: restart from the last checkpoint at least 100 steps before the spike and skip the 200-500 batches around it (PaLM), or lower the learning rate. A fast spike needs nothing; when they repeat, look at gradient clipping and at the data of these steps."
false_positives = "A change of the objective or of the data by plan that the log does not mention; one data set or task that is rare in the batches; a log that shows one batch of one rank."
references = ["https://arxiv.org/abs/2204.02311", "https://arxiv.org/abs/2309.14322", "https://github.com/bigscience-workshop/bigscience/blob/master/train/tr11-176B-ml/chronicles.md"]
*/
select
    'The '
    || j.name
    || case when j.alone then ' alone' else '' end
    || ' jumped from '
    || plain(j.base)
    || ' to '
    || plain(j.peak)
    || ' at step '
    || plain(j.start_step)
    || case
        j.class
        when 'unrecovered'
        then ' and never came back (now ' || plain(j.after) || ')'
        else
            ' and was back at step '
            || plain(j.end_step)
            || ' ('
            || j.class
            || case
                when j.level_step > j.start_step + 1.5 * (j.end_step - j.start_step)
                then '; at the old level at step ' || plain(j.level_step)
                else ''
            end
            || ')'
    end
    || case when j.alone and j.any_loss then '; the loss itself did not' else '' end
    || case
        when len(j.names) > 1
        then '; the same in ' || array_to_string(list_filter(j.names, lambda n:n <> j.name), ', ')
        else ''
    end
    || case
        when len(c.rose) > 0
        then
            '; '
            || array_to_string(c.rose[:4], ', ')
            || ' rose with it'
            || case
                when len(c.calm) > 0
                then ', ' || array_to_string(c.calm[:4], ', ') || ' did not'
                else ''
            end
        else ''
    end
    || case
        when len(c.begun) > 0
        then '; ' || array_to_string(c.begun[:4], ', ') || ' was zero until then'
        else ''
    end
    || case
        when g.step < j.start_step
        then '; the gradient norm ran ahead at step ' || plain(g.step)
        else ''
    end
    || case when j.branch = 'dead' then '; training went back behind it later' else '' end
    || case
        when j.change is not null then '; a change is logged there: ' || j.change.what else ''
    end
    || counted_note(j.stepless, j.file_id, j.line_no) as summary,
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.end_file, j.end_line),
        g.evidence,
        case when j.change is not null then line_at(j.change.file_id, j.change.line_no) end
    ]
    || j.elsewhere as evidence,
    case
        when
            j.class = 'unrecovered'
            and j.change is not null
            or len(c.begun) > 0
            or j.class = 'fast'
            and j.height < 0.15
        then 'info'
        when j.class = 'unrecovered' and not j.alone
        then 'critical'
    end as severity,
    case when j.kind = 'lone' or j.sigmas < 8 or j.alone then 'probable' end as confidence,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    case
        when j.alone
        then
            'look at what is behind '
            || j.name
            || ' at these steps: its data set, shard or task, or how it is weighted'
        when j.class = 'unrecovered' and not j.stepless
        then
            'restart from the last checkpoint at least 100 steps before step '
            || plain(j.start_step)
            || coalesce(
                ' (' || (
                    select 'one was saved at step ' || plain(max(e.step))
                    from training_event e
                    where e.kind = 'save' and e.step <= j.start_step - 100
                    having max(e.step) is not null
                )
                || ')',
                ''
            )
            || ' and skip the batches around it, or lower the learning rate'
    end as action,
    j.start_step as step,
    j.start_step as spike_step,
    j.peak_step,
    j.peak,
    j.base,
    j.class,
    j.class as spike_class,
    j.end_step as recovered_step,
    j.level_step as old_level_step,
    g.step as grad_precursor_step,
    j.name as metric,
    round(j.sigmas, 1) as height_sigmas,
    j.interval as log_interval,
    j.after as level_after,
    c.rose as rose_with_it,
    c.calm as unmoved,
    case when j.alone then true end as alone
from loss_jump j
left join component_echo c using (series_id, run, start_step)
left join gradient_precursor g using (series_id, run, start_step)
-- A single point, however long it stands for, is a hard batch unless it is a mean or the log says
-- what changed there.
where
    (j.kind = 'rise' or j.kind = 'lone' and (j.change is not null or j.averaged))
    and j.boundary_step is null
    and not (j.class = 'unrecovered' and coalesce(j.validation_falls, false))
