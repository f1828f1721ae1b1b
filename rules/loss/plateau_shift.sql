/*
title = "Loss moved to a higher level"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
about = "The training loss stepped up to a new level and stays there, without a peak: other data, another setting, or a part of the model that broke."
remedy = "Look at what changed at that step: data set or shard, batch size, sequence length, a restart on another machine. Compare with validation."
false_positives = "A change of data or objective by plan that the log does not mention."
references = ["https://arxiv.org/abs/2407.21783"]
*/
select
    'The '
    || j.name
    || ' stepped up from '
    || plain(j.base)
    || ' to '
    || plain(j.after)
    || ' at step '
    || plain(j.start_step)
    || ' and stays there'
    || counted_note(j.stepless, j.file_id, j.line_no) as summary,
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.last_file, j.last_line)
    ]
    || j.elsewhere as evidence,
    case
        when j.change is not null or coalesce(j.validation_falls, false) then 'info'
    end as severity,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    j.start_step as step,
    j.base,
    j.after as level_after,
    j.name as metric,
    j.interval as log_interval,
    round(j.sigmas, 1) as height_sigmas
from loss_jump j
where j.kind = 'shift' and j.boundary_step is null
