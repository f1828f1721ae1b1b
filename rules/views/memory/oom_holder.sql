-- table: one row per message that an accelerator's memory ran out, with who holds that memory.
-- `self_bytes`, `self_pid`: this process, as it is told or found among the processes named;
-- `self_unsure`: another one may be it as well. `foreign_processes`: the others named, the largest
-- first (`named_bytes` together); `foreign_bytes`: what others hold, named or not. Printed sizes
-- are rounded: differences below 32 MiB (33554432) mean nothing.
with
    sized as (
        select
            -- the driver cannot tell what a process holds whose container hides its number: it says
            -- 0 bytes, whatever PyTorch counted
            * replace (
                case
                    when this_process_bytes > 0 or coalesce(allocated_bytes, 0) < 33554432
                    then this_process_bytes
                end as this_process_bytes
            ),
            allocated_bytes + unallocated_bytes as reserved_bytes,
            allocated_bytes + coalesce(unallocated_bytes, 0) as held_bytes,
            total_bytes - free_bytes as used_bytes
        from oom_event
    ),
    -- In a container the program sees itself as a foreign process.
    compared as (
        select
            *,
            -- cannot be beside what this process holds: it is this process
            list_filter(
                processes, lambda p:p.bytes + held_bytes > used_bytes + 268435456
            ) as beyond_used,
            -- what this process holds, plus a context of less than 3 GiB
            list_filter(
                processes, lambda p:p.bytes - held_bytes between -33554432 and 3221225471
            ) as of_own_size,
            list_filter(processes, lambda p:p.bytes >= 0.9 * used_bytes) as of_whole_card
        from sized
    ),
    found as (
        select
            * exclude (beyond_used, of_own_size, of_whole_card),
            this_process_bytes is null and len(of_own_size) > 1 as self_unsure,
            case
                when this_process_bytes is not null
                then null
                when len(beyond_used) = 1
                then beyond_used[1].bytes
                when allocated_bytes is not null
                then list_max(list_transform(of_own_size, lambda p:p.bytes))
                else list_max(list_transform(of_whole_card, lambda p:p.bytes))
            end as found_bytes
        from compared
    ),
    identified as (
        select
            * exclude (found_bytes),
            coalesce(this_process_bytes, found_bytes) as self_bytes,
            list_filter(processes, lambda p:p.bytes = found_bytes)[1].pid as self_pid
        from found
    ),
    divided as (
        select
            *,
            -- those of one size stay as they were printed
            list_reverse_sort(
                list_transform(
                    list_filter(processes, lambda p:self_pid is null or p.pid <> self_pid),
                    lambda p,
                    i: {'bytes':p.bytes, 'before': - i, 'pid':p.pid}
                )
            ) as foreign_processes,
            -- what a process needs beside its tensors, at most; on a small card its kernels take as
            -- much as on any
            least(1073741824, greatest(805306368, divide(total_bytes, 10))) as context_bytes
        from identified
    )
select
    * exclude (held_bytes, used_bytes, context_bytes),
    list_sum(list_transform(foreign_processes, lambda p:p.bytes))::bigint as named_bytes,
    greatest(
        case
            when framework = 'vllm' and kind = 'card_in_use'
            then used_bytes
            when framework not in ('pytorch', 'cudaMallocAsync') or device = 'mps'
            then null
            when self_bytes is not null
            then used_bytes - self_bytes
            when reserved_bytes is not null
            then used_bytes - reserved_bytes - context_bytes
            when framework = 'cudaMallocAsync'
            then used_bytes - allocated_bytes - context_bytes
        end,
        list_sum(list_transform(foreign_processes, lambda p:p.bytes)),
        case when total_bytes is not null then 0 end
    )::bigint as foreign_bytes
from divided
