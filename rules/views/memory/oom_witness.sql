-- table: one row per message that an accelerator's memory ran out, with the failure it tells of
-- (`failure_no`): messages without a pause of ten minutes, those that the program outlived apart.
-- `trust`: 0 a snapshot that counts the pieces, 1 a message with its numbers, 2 one of a layer
-- above that tells less, 3 one without numbers. `nth_copy`: 1, then 2, 3, ... where the same
-- sentence is printed again by a wrapper, a launcher or another logger.
with
    message as (
        select
            *,
            coalesce(
                time - lag(time) over (partition by survived order by time, file_id, line_no)
                > interval 10 minute,
                false
            ) as is_after_pause
        from oom_verdict
        where class is not null
    ),
    numbered as (
        select
            * exclude (is_after_pause),
            -- even numbers for what ended the program, odd ones for what it outlived
            2
            * sum(is_after_pause::int) over (partition by survived order by time, file_id, line_no)
            + survived::int as failure_no
        from message
    ),
    weighed as (
        select
            *,
            case
                when because in ('no_numbers', 'pool_refused')
                then 3
                when kind in ('refused', 'pool_limit')
                then case when requested_bytes is null then 3 else 2 end
                when kind = 'snapshot' and class = 'fragmentation'
                then 0
                when kind in ('tensor', 'snapshot')
                then 2
                when framework in ('nccl', 'jax') and limit_bytes is null
                then 2
                else 1
            end as trust,
            -- TensorFlow and JAX print one size in several units, and name the GPU once
            case when kind = 'bfc' then null else gpu_index end as copied_gpu,
            case
                when kind = 'bfc' then round(requested_bytes / 1048576) else requested_bytes
            end as copied_bytes
        from numbered
    )
select
    * exclude (copied_gpu, copied_bytes) replace (
        -- what a snapshot proves holds for the message of the same failure
        coalesce(
            largest_free_bytes,
            max(case when kind = 'snapshot' then largest_free_bytes end) over same_failure
        ) as largest_free_bytes,
        case
            when
                class = 'fragmentation'
                and bool_or(
                    kind = 'snapshot' and class = 'fragmentation' and grade = 'definite'
                ) over same_failure
            then 'definite'
            else grade
        end as grade
    ),
    min(trust) over same_failure as best_trust,
    row_number() over (
        partition by
            failure_no,
            device,
            framework in ('jax', 'tensorflow', 'xla'),
            rank,
            copied_gpu,
            copied_bytes,
            total_bytes,
            free_bytes,
            allocated_bytes,
            reservable_bytes,
            case when framework = 'nccl' or rank is not null then host end
        order by time, file_id, line_no
    ) as nth_copy
from weighed
window same_failure as (partition by failure_no)
