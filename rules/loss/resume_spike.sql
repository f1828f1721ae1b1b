/*
title = "Loss jumps after a resume"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
about = "Right after a restart the training loss stands above where it was: the restart did not bring everything back (optimizer state, learning-rate schedule, loss scale, weights of one stage)."
remedy = "Check that optimizer, scheduler and scaler states were loaded and on all ranks; compare the rate and the gradient norm before and after; resume again from the same checkpoint."
false_positives = "The restart was made with other data or a higher rate on purpose. One line of twice the level just after a resume of Megatron core 0.17 is its own counting and not reported."
references = ["https://github.com/NVIDIA/Megatron-LM/issues/6237"]
*/
select
    'After the resume at step '
    || plain(j.boundary_step)
    || ' the '
    || j.name
    || ' jumped from '
    || plain(j.base)
    || ' to '
    || plain(j.peak)
    || case
        when j.end_step is null
        then ' and never came back (now ' || plain(j.after) || ')'
        else ' and was back at step ' || plain(j.end_step)
    end as summary,
    [
        line_at(j.before_file, j.before_line),
        line_at(j.boundary_file, j.boundary_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.end_file, j.end_line)
    ] as evidence,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    coalesce(j.before_step, j.boundary_step) as step,
    coalesce(j.before_step, j.boundary_step) as resume_step,
    j.peak_step,
    j.peak,
    j.base,
    j.class,
    j.end_step as recovered_step,
    j.name as metric,
    j.interval as log_interval
from loss_jump j
where
    j.kind in ('rise', 'shift', 'lone')
    and j.boundary_step is not null
    and not (j.points <= 1 and j.peak between 1.8 * j.base and 2.2 * j.base)
