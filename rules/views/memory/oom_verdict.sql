-- table: Each message with the class its numbers give. MiB = 1048576. Printed sizes are rounded:
-- below 32 MiB all is equal.
with
    base as (
        select
            *,
            allocated_bytes + unallocated_bytes as reserved_bytes,
            -- In a container the program sees itself as a foreign process: the one whose size is
            -- what it holds, plus its context.
            case
                when this_process_bytes is not null
                then null
                -- the one that does not fit on the card beside what this process holds: it is
                -- this process
                when
                    len(
                        list_filter(
                            processes,
                            lambda p:p.bytes + allocated_bytes + coalesce(unallocated_bytes, 0)
                            > total_bytes - free_bytes + 268435456
                        )
                    )
                    = 1
                then
                    list_filter(
                        processes,
                        lambda p:p.bytes + allocated_bytes + coalesce(unallocated_bytes, 0)
                        > total_bytes - free_bytes + 268435456
                    )[1].bytes
                when allocated_bytes is not null
                then
                    list_max(
                        list_transform(
                            list_filter(
                                processes,
                                lambda p:p.bytes
                                - (allocated_bytes + coalesce(unallocated_bytes, 0))
                                between -33554432 and 3221225471
                            ),
                            lambda p:p.bytes
                        )
                    )
                else
                    list_max(
                        list_transform(
                            list_filter(
                                processes, lambda p:p.bytes >= 0.9 * (total_bytes - free_bytes)
                            ),
                            lambda p:p.bytes
                        )
                    )
            end as self_m
        from oom_event
    ),
    selves as (
        select
            *,
            list_filter(processes, lambda p:p.bytes = self_m)[1].pid as self_pid,
            -- two of a size that this process may have: which one it is, the numbers do not tell
            len(
                list_filter(
                    processes,
                    lambda p:this_process_bytes is null
                    and p.bytes - (allocated_bytes + coalesce(unallocated_bytes, 0))
                    between -33554432 and 3221225471
                )
            )
            > 1 as self_unsure
        from base
    ),
    others as (
        select
            * exclude (self_m),
            coalesce(this_process_bytes, self_m) as self_bytes,
            -- the largest first, and those of one size as they were printed
            list_reverse_sort(
                list_transform(
                    list_filter(processes, lambda p:self_pid is null or p.pid <> self_pid),
                    lambda p,
                    i: {'bytes':p.bytes, 'before': - i, 'pid':p.pid}
                )
            ) as foreign_processes
        from selves
    ),
    foreigners as (
        select
            *,
            list_sum(list_transform(foreign_processes, lambda p:p.bytes))::bigint as named_bytes,
            greatest(
                case
                    when framework = 'vllm' and kind = 'card_in_use'
                    then total_bytes - free_bytes
                    when framework not in ('pytorch', 'cudaMallocAsync') or device = 'mps'
                    then null
                    when self_bytes is not null
                    then total_bytes - free_bytes - self_bytes
                    when reserved_bytes is not null
                    then
                        total_bytes
                        - free_bytes
                        - reserved_bytes
                        - least(1073741824, divide(total_bytes, 10))
                    when framework = 'cudaMallocAsync'
                    then
                        total_bytes
                        - free_bytes
                        - allocated_bytes
                        - least(1073741824, divide(total_bytes, 10))
                end,
                list_sum(list_transform(foreign_processes, lambda p:p.bytes)),
                case when total_bytes is not null then 0 end
            )::bigint as foreign_bytes
        from others
    ),
    -- fragmentation by the numbers: 2 certain, 1 likely, 0 not
    graded as (
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
            end as scattered
        from foreigners
    ),
    decided as (
        select
            *,
            case
                when framework in ('vllm', 'sglang')
                then
                    case
                        kind
                        when 'card_in_use'
                        then
                            {
                                'class':'foreign_process',
                                'grade':'probable',
                                'because':'card_in_use_at_start'
                            }
                        else
                            {
                                'class':'capacity',
                                'grade': case
                                    kind when 'no_static_memory' then 'probable' else 'definite'
                                end,
                                'because':kind
                            }
                    end
                when kind = 'token_budget'
                then {'class':'capacity', 'grade':'definite', 'because':kind}
                when kind = 'pool_limit' or kind = 'refused' and limit_bytes is not null
                then {'class':'capacity', 'grade':'probable', 'because':'pool_limit'}
                when kind = 'refused'
                then
                    {
                        'class':'capacity',
                        'grade': case
                            when
                                requested_bytes > free_bytes
                                or free_bytes is null
                                and requested_bytes is not null
                                and device is not null
                            then 'probable'
                            else 'possible'
                        end,
                        'because': case
                            when requested_bytes > free_bytes
                            then 'request_exceeds_free'
                            else 'no_reason_in_the_numbers'
                        end
                    }
                when kind = 'other'
                then {'class':'capacity', 'grade':'possible', 'because':'no_numbers'}
                when kind = 'buffer'
                then
                    {
                        'class':'capacity',
                        'grade':'probable',
                        'because':'no_other_reason_in_the_numbers'
                    }
                when framework = 'nccl'
                then {'class':'capacity', 'grade':'probable', 'because':'nothing_left_for_nccl'}
                when kind in ('allocate', 'reserve')
                then
                    case
                        when requested_bytes > free_bytes
                        then
                            {
                                'class':'capacity',
                                'grade':'definite',
                                'because':'request_exceeds_free'
                            }
                        when reservable_bytes is null or requested_bytes > reservable_bytes
                        then
                            {
                                'class':'fragmentation',
                                'grade': case
                                    when kind = 'reserve' then 'definite' else 'probable'
                                end,
                                'because':'free_but_not_in_one_piece'
                            }
                        else
                            {
                                'class':'capacity',
                                'grade':'possible',
                                'because':'no_reason_in_the_numbers'
                            }
                    end
                when kind = 'compile'
                then
                    case
                        when
                            memory_space = 'hbm'
                            and requested_bytes - fragmentation_bytes <= limit_bytes
                        then
                            {
                                'class':'fragmentation',
                                'grade':'probable',
                                'because':'fits_without_fragmentation'
                            }
                        else
                            {
                                'class':'capacity',
                                'grade':'definite',
                                'because': case
                                    when memory_space in ('hbm')
                                    then 'program_exceeds_memory'
                                    else 'kernel_exceeds_scratch_memory'
                                end
                            }
                    end
                when kind = 'bfc'
                then
                    case
                        when limit_bytes - allocated_bytes < requested_bytes
                        then {'class':'capacity', 'grade':'definite', 'because':'pool_exhausted'}
                        when largest_free_bytes < requested_bytes and limit_bytes is not null
                        then
                            {
                                'class':'fragmentation',
                                'grade':'definite',
                                'because':'largest_free_piece_too_small'
                            }
                        else
                            {
                                'class':'capacity',
                                'grade':'probable',
                                'because':'no_other_reason_in_the_numbers'
                            }
                    end
                when kind = 'snapshot'
                then
                    case
                        when
                            largest_free_bytes < requested_bytes
                            and free_bytes < requested_bytes
                            and requested_bytes <= stranded_bytes + releasable_bytes + free_bytes
                            and stranded_bytes >= 0.03 * (reserved_bytes + free_bytes)
                        then
                            {
                                'class':'fragmentation',
                                'grade': case
                                    when changes_after = 0 then 'definite' else 'probable'
                                end,
                                'because':'largest_free_piece_too_small'
                            }
                        when
                            private_pool_bytes
                            >= greatest(requested_bytes, 0.05 * (reserved_bytes + free_bytes))
                        then
                            {
                                'class':'graph_capture',
                                'grade':'probable',
                                'because':'graph_pools_hold_it'
                            }
                        else {'class':'capacity', 'grade':'probable', 'because':'does_not_fit'}
                    end
                when kind = 'tensor'
                then
                    {
                        'class':'capacity',
                        'grade':'probable',
                        'because':'no_other_reason_in_the_numbers'
                    }
                -- PyTorch. A bare runtime error has no numbers: only a capture makes it ours.
                when capture_line is not null
                then {'class':'graph_capture', 'grade':'definite', 'because':'during_capture'}
                when bare
                then null
                when
                    requested_bytes is null and foreign_bytes >= 0.3 * total_bytes and scattered = 0
                then
                    {
                        'class':'foreign_process',
                        'grade':'probable',
                        'because': case
                            when len(foreign_processes) > 0
                            then 'other_process_named'
                            else 'memory_nobody_here_holds'
                        end
                    }
                when
                    coalesce(total_bytes, free_bytes, allocated_bytes, reserved_bytes, limit_bytes)
                    is null
                    or requested_bytes is null
                then
                    case
                        when by_fraction
                        then {'class':'capacity', 'grade':'definite', 'because':'process_limit'}
                        else {'class':'capacity', 'grade':'possible', 'because':'no_numbers'}
                    end
                when private_pool_bytes >= greatest(requested_bytes, 0.05 * total_bytes)
                then {'class':'graph_capture', 'grade':'probable', 'because':'graph_pools_hold_it'}
                when
                    not tells_pools
                    and private_pool_bytes is null
                    and graphs_in_use
                    and unallocated_bytes >= greatest(requested_bytes, 0.1 * total_bytes)
                then
                    {
                        'class':'graph_capture',
                        'grade':'probable',
                        'because':'graph_pools_hidden_in_cache'
                    }
                when requested_bytes > total_bytes
                then {'class':'capacity', 'grade':'definite', 'because':'request_exceeds_card'}
                when
                    by_fraction
                    or limit_bytes is not null
                    and coalesce(reserved_bytes, allocated_bytes + coalesce(other_bytes, 0))
                    + requested_bytes
                    > limit_bytes - 33554432
                then {'class':'capacity', 'grade':'definite', 'because':'process_limit'}
                when
                    framework = 'pytorch'
                    and limit_bytes is null
                    and free_bytes >= requested_bytes + 67108864
                    and free_bytes >= 0.02 * total_bytes
                then
                    {'class':'fragmentation', 'grade':'possible', 'because':'refused_although_free'}
                when
                    foreign_bytes >= greatest(0.05 * total_bytes, 536870912)
                    and free_bytes + foreign_bytes >= requested_bytes
                    and (scattered = 0 or foreign_bytes >= unallocated_bytes)
                then
                    {
                        'class':'foreign_process',
                        'grade': case
                            when len(foreign_processes) > 0 and not self_unsure
                            then 'definite'
                            when len(foreign_processes) > 0 or foreign_bytes >= 0.3 * total_bytes
                            then 'probable'
                            else 'possible'
                        end,
                        'because': case
                            when len(foreign_processes) > 0
                            then 'other_process_named'
                            else 'memory_nobody_here_holds'
                        end
                    }
                when scattered > 0
                then
                    {
                        'class':'fragmentation',
                        'grade': case scattered when 2 then 'probable' else 'possible' end,
                        'because':'reserved_but_scattered'
                    }
                when
                    free_bytes is null
                    and limit_bytes is null
                    and requested_bytes
                    + coalesce(reserved_bytes, allocated_bytes)
                    + least(1073741824, divide(total_bytes, 10))
                    <= total_bytes
                then {'class':'capacity', 'grade':'possible', 'because':'refused_below_the_total'}
                else
                    {
                        'class':'capacity',
                        'grade': case
                            when
                                total_bytes is null
                                or device = 'mps'
                                and limit_bytes is null
                                or coalesce(self_bytes, allocated_bytes, limit_bytes) is null
                            then 'probable'
                            else 'definite'
                        end,
                        'because':'does_not_fit'
                    }
            end as verdict
        from graded
    )
select
    * exclude (verdict, shortfall_bytes),
    verdict['class'] as class,
    verdict.grade as grade,
    verdict.because as because,
    exists (
        from oom_survived s
        where
            s.file_id = decided.file_id
            and s.line_no = decided.line_no
            and s.stream is not distinct from decided.stream
    ) as survived,
    coalesce(
        shortfall_bytes,
        case
            when requested_bytes > free_bytes + coalesce(unallocated_bytes, 0)
            then requested_bytes - free_bytes - coalesce(unallocated_bytes, 0)
            when kind = 'bfc' and requested_bytes > limit_bytes - allocated_bytes
            then requested_bytes - (limit_bytes - allocated_bytes)
        end
    ) as shortfall_bytes
from decided
