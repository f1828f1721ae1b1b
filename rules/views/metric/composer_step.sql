-- table: One row per line with which Composer heads its values, and the step they are of. It names
-- the unit of the planned length: batches, batches of an epoch, tokens, samples; the batch of the
-- run is among the values, counted from 0. A head of an evaluation has no step: that of the
-- training lines before counts.
with
    heads as (
        select file_id, stream, line_no, phase, lead as unit, step, epoch_no, planned
        from training_line
        where trainer = 'composer'
    ),
    batches as (
        select file_id, stream, head, max(batch) as batch
        from
            (
                select v.file_id, v.stream, h.line_no as head, v.metric_value + 1 as batch
                from
                    (
                        select *
                        from training_value
                        where trainer = 'composer' and name = 'time/batch'
                    ) v
                asof join
                    heads h
                    on h.file_id = v.file_id
                    and h.stream = v.stream
                    and h.line_no <= v.line_no
            )
        group by all
    ),
    trained as (
        select
            h.* exclude (step),
            case
                when unit = 'batch' and epoch_no is null
                then step
                else
                    coalesce(
                        b.batch,
                        (epoch_no - 1) * planned + step,
                        case
                            when count(b.batch) over (partition by h.file_id, h.stream) = 0
                            then step
                        end
                    )
            end as step
        from heads h
        left join batches b on b.file_id = h.file_id and b.stream = h.stream and b.head = h.line_no
    )
select
    file_id,
    stream,
    line_no,
    case when unit = 'batch' and epoch_no is null then planned end as steps_planned,
    case
        when unit is null
        then
            last_value(step ignore nulls) over (
                partition by file_id, stream order by line_no rows unbounded preceding
            )
        else step
    end as step
from trained
