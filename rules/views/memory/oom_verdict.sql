-- table: one row per message that an accelerator's memory ran out, with the reason its numbers
-- give (`because`), the class of failure that this stands for, and how sure it is (`grade`).
-- `survived`: the program went on. `shortfall_bytes`: how much was lacking.
with
    -- fragmentation by the numbers: 2 certain, 1 likely, 0 not
    weighed as (
        select
            *,
            case
                when framework <> 'pytorch' or device = 'mps'
                then 0
                when unallocated_bytes >= greatest(requested_bytes, 0.05 * total_bytes)
                then 2
                when unallocated_bytes >= greatest(requested_bytes, 0.03 * total_bytes)
                then 1
                when
                    unallocated_bytes >= 0.03 * total_bytes
                    and unallocated_bytes < requested_bytes
                    and free_bytes + unallocated_bytes - requested_bytes
                    >= greatest(33554432, 0.1 * requested_bytes)
                then 1
                else 0
            end as scattered,
            case
                when len(foreign_processes) > 0
                then 'other_process_named'
                else 'memory_nobody_here_holds'
            end as foreign_because,
            -- no card is as small as what was refused
            coalesce(
                allocated_bytes = 0
                and coalesce(reserved_bytes, 0) = 0
                and requested_bytes < 1073741824
                and coalesce(device, 'cuda') <> 'host',
                false
            ) as held_nothing
        from oom_holder
    ),
    reasoned as (
        select
            *,
            case
                -- servers say it themselves
                when framework in ('vllm', 'sglang')
                then case kind when 'card_in_use' then 'card_in_use_at_start' else kind end
                when kind in ('token_budget', 'pool_refused')
                then kind
                -- other runtimes
                when kind = 'pool_limit' or kind = 'refused' and limit_bytes is not null
                then 'pool_limit'
                when kind = 'refused' and requested_bytes > total_bytes
                then 'request_exceeds_card'
                when kind = 'refused' and requested_bytes > free_bytes
                then 'request_exceeds_free'
                when kind = 'refused' and requested_bytes > largest_free_bytes
                then 'largest_free_piece_too_small'
                when kind = 'refused' and held_nothing
                then 'held_nothing'
                when kind = 'refused'
                then 'no_reason_in_the_numbers'
                when kind = 'other'
                then 'no_numbers'
                when kind in ('buffer', 'tensor')
                then 'no_other_reason_in_the_numbers'
                when framework = 'nccl'
                then 'nothing_left_for_nccl'
                -- TPU: buffers and programs at run time, then the compiler
                when kind in ('allocate', 'reserve') and requested_bytes > free_bytes
                then 'request_exceeds_free'
                when
                    kind in ('allocate', 'reserve')
                    and (reservable_bytes is null or requested_bytes > reservable_bytes)
                then 'free_but_not_in_one_piece'
                when kind in ('allocate', 'reserve')
                then 'no_reason_in_the_numbers'
                when
                    kind = 'compile'
                    and memory_space = 'hbm'
                    and requested_bytes - fragmentation_bytes <= limit_bytes
                then 'fits_without_fragmentation'
                when kind = 'compile' and memory_space = 'hbm'
                then 'program_exceeds_memory'
                when kind = 'compile'
                then 'kernel_exceeds_scratch_memory'
                -- TensorFlow's and JAX's allocator
                when kind = 'bfc' and limit_bytes - allocated_bytes < requested_bytes
                then 'pool_exhausted'
                when
                    kind = 'bfc'
                    and largest_free_bytes < requested_bytes
                    and limit_bytes is not null
                then 'largest_free_piece_too_small'
                when kind = 'bfc' and held_nothing
                then 'held_nothing'
                when kind = 'bfc'
                then 'no_other_reason_in_the_numbers'
                -- PyTorch's memory snapshot
                when
                    kind = 'snapshot'
                    and largest_free_bytes < requested_bytes
                    and free_bytes < requested_bytes
                    and requested_bytes <= stranded_bytes + releasable_bytes + free_bytes
                    and stranded_bytes >= 0.03 * (reserved_bytes + free_bytes)
                then 'largest_free_piece_too_small'
                when
                    kind = 'snapshot'
                    and private_pool_bytes
                    >= greatest(requested_bytes, 0.05 * (reserved_bytes + free_bytes))
                then 'graph_pools_hold_it'
                when kind = 'snapshot'
                then 'does_not_fit'
                -- PyTorch's messages. A bare runtime error has no numbers: only a capture makes it
                -- ours.
                when capture_line is not null
                then 'during_capture'
                -- Where the GPU itself failed, or pages of the host were being pinned, the same
                -- error says something else.
                when
                    bare
                    and (
                        exists (from cuda_error where kind = 'hardware')
                        or exists (from pinned_call)
                        or exists (
                            from exception x
                            where
                                x.file_id = weighed.file_id
                                and abs(x.line_no - weighed.line_no) <= 3
                                and len(
                                    list_filter(
                                        x.frames,
                                        lambda f:regexp_matches(f, 'pin_memory|[Hh]ostAlloc')
                                    )
                                )
                                > 0
                        )
                    )
                then null
                when bare
                then 'no_numbers'
                when
                    requested_bytes is null and foreign_bytes >= 0.3 * total_bytes and scattered = 0
                then foreign_because
                when
                    requested_bytes is null
                    or coalesce(
                        total_bytes, free_bytes, allocated_bytes, reserved_bytes, limit_bytes
                    )
                    is null
                then case when by_fraction then 'process_limit' else 'no_numbers' end
                when private_pool_bytes >= greatest(requested_bytes, 0.05 * total_bytes)
                then 'graph_pools_hold_it'
                when
                    not tells_pools
                    and private_pool_bytes is null
                    and graphs_in_use
                    and unallocated_bytes >= greatest(requested_bytes, 0.1 * total_bytes)
                then 'graph_pools_hidden_in_cache'
                when requested_bytes > total_bytes
                then 'request_exceeds_card'
                when
                    by_fraction
                    or limit_bytes is not null
                    and coalesce(reserved_bytes, allocated_bytes + coalesce(other_bytes, 0))
                    + requested_bytes
                    > limit_bytes - 33554432
                then 'process_limit'
                -- HIP counts as free what a limit of the host or of the driver keeps from it
                when
                    device in ('rocm', 'xpu')
                    and limit_bytes is null
                    and free_bytes >= requested_bytes + 67108864
                then 'refused_below_the_total'
                when
                    framework = 'pytorch'
                    and limit_bytes is null
                    and free_bytes >= requested_bytes + 67108864
                    and free_bytes >= 0.02 * total_bytes
                then 'refused_although_free'
                when
                    foreign_bytes >= greatest(0.05 * total_bytes, 536870912)
                    and free_bytes + foreign_bytes >= requested_bytes
                    and (scattered = 0 or foreign_bytes >= unallocated_bytes)
                then foreign_because
                when scattered > 0
                then 'reserved_but_scattered'
                when
                    free_bytes is null
                    and limit_bytes is null
                    and requested_bytes
                    + coalesce(reserved_bytes, allocated_bytes)
                    + least(1073741824, divide(total_bytes, 10))
                    <= total_bytes
                then 'refused_below_the_total'
                else 'does_not_fit'
            end as because
        from weighed
    )
select
    m.* exclude (shortfall_bytes, scattered, foreign_because, held_nothing),
    r.class,
    -- where the numbers make it surer, or less sure, than the reason is by itself
    case
        when m.because = 'request_exceeds_free' and m.kind in ('allocate', 'reserve')
        then 'definite'
        when
            m.because = 'no_reason_in_the_numbers'
            and m.kind = 'refused'
            and m.free_bytes is null
            and m.requested_bytes is not null
            and m.device is not null
        then 'probable'
        when m.because = 'free_but_not_in_one_piece' and m.kind = 'reserve'
        then 'definite'
        when
            m.because = 'largest_free_piece_too_small'
            and m.kind = 'snapshot'
            and coalesce(m.changes_after <> 0, true)
        then 'probable'
        when
            m.because = 'does_not_fit'
            and (
                m.kind = 'snapshot'
                or m.total_bytes is null
                or m.device = 'mps'
                and m.limit_bytes is null
                or coalesce(m.self_bytes, m.allocated_bytes, m.limit_bytes) is null
            )
        then 'probable'
        when
            m.because = 'other_process_named'
            and (m.requested_bytes is null or coalesce(m.self_unsure, true))
        then 'probable'
        when
            m.because = 'memory_nobody_here_holds'
            and coalesce(m.foreign_bytes < 0.3 * m.total_bytes, true)
        then 'possible'
        when m.because = 'reserved_but_scattered' and m.scattered = 1
        then 'possible'
        else r.grade
    end as grade,
    exists (
        from oom_survived s
        where
            s.file_id = m.file_id
            and s.line_no = m.line_no
            and s.stream is not distinct from m.stream
    ) as survived,
    coalesce(
        m.shortfall_bytes,
        case
            when m.requested_bytes > m.free_bytes + coalesce(m.unallocated_bytes, 0)
            then m.requested_bytes - m.free_bytes - coalesce(m.unallocated_bytes, 0)
            when m.kind = 'bfc' and m.requested_bytes > m.limit_bytes - m.allocated_bytes
            then m.requested_bytes - (m.limit_bytes - m.allocated_bytes)
        end
    ) as shortfall_bytes
from reasoned m
left join oom_reason r using (because)
