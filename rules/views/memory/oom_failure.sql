-- table: one row per time that an accelerator's memory ran out, for all messages that tell of it.
-- `class` is that of most messages (on a tie the first one's) and names the rule; `because` is the
-- reason for it. The numbers are those of the first message of that class; ranks, hosts and GPUs
-- those of all. `survived`: the program caught it and went on. `file_id` and `line_no`: the
-- message itself.
with
    class_vote as (
        select
            failure_no,
            class,
            row_number() over (
                partition by failure_no
                order by
                    count(*) filter (trust = best_trust and nth_copy = 1) desc,
                    min((coalesce(time, timestamp '1970-01-01'), file_id, line_no)) filter (
                        trust = best_trust
                    )
            ) as place
        from oom_witness
        group by failure_no, class
    ),
    leading_message as (
        select w.*
        from oom_witness w
        join class_vote v using (failure_no, class)
        where v.place = 1
        qualify
            row_number() over (
                partition by w.failure_no
                order by
                    -- a snapshot proves more than it tells: the message itself leads
                    case when w.trust = 0 then 1.5 else w.trust end,
                    w.requested_bytes is null,
                    coalesce(w.time, timestamp '1970-01-01'),
                    w.file_id,
                    w.line_no,
                    w.gpu_index
            )
            = 1
    ),
    whole as (
        select
            failure_no,
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            list_sort(list(distinct host) filter (host is not null)) as hosts,
            list(distinct local_rank) filter (
                local_rank is not null and rank is null
            ) as local_ranks,
            list(distinct task) filter (task is not null and rank is null) as tasks,
            list_sort(list(distinct gpu_index::varchar) filter (gpu_index is not null)) as gpus,
            min(time) as at,
            max(time) as until,
            -- a tensor's sentence, a snapshot, NCCL's call without a size tell of one of the others
            greatest(
                1,
                count(*) filter (
                    nth_copy = 1
                    and coalesce(kind, '') not in ('tensor', 'snapshot')
                    and (kind is distinct from 'nccl' or requested_bytes is not null)
                )
            ) as failures,
            count(*) as messages,
            list(line_at(file_id, line_no) order by file_id, line_no)[:40] as lines
        from oom_witness
        group by failure_no
    )
select
    m.file_id,
    m.line_no,
    m.class,
    m.grade as confidence,
    case when m.survived then 'info' when m.because = 'pool_refused' then 'warning' end as severity,
    list_concat(
        [line_at(m.file_id, m.line_no)],
        case when m.capture_line is not null then [line_at(m.file_id, m.capture_line)] else [] end,
        w.lines
    ) as evidence,
    w.at,
    w.until,
    -- its message alone need not say whose it is
    coalesce(
        w.ranks, e.ranks, case when w.failures = 1 then lone_process(m.file_id, w.hosts).ranks end
    ) as ranks,
    coalesce(
        w.hosts,
        case
            when w.ranks is null and w.failures = 1
            then coalesce(e.hosts, lone_process(m.file_id, w.hosts).hosts)
        end
    ) as hosts,
    case when len(w.local_ranks) = 1 then w.local_ranks[1] end as local_rank,
    case when len(w.tasks) = 1 then w.tasks[1] end as task,
    w.gpus,
    m.because,
    case when m.survived then true end as survived,
    m.framework,
    m.device,
    a.accelerator,
    m.gpu_index as gpu,
    m.requested_bytes,
    m.total_bytes,
    m.free_bytes,
    m.self_bytes as this_process_bytes,
    m.allocated_bytes,
    m.unallocated_bytes,
    m.reserved_bytes,
    m.self_bytes - m.reserved_bytes as not_pytorch_bytes,
    m.private_pool_bytes,
    m.limit_bytes,
    m.reservable_bytes,
    m.largest_free_bytes,
    m.stranded_bytes,
    m.releasable_bytes,
    m.fragmentation_bytes,
    m.shortfall_bytes,
    m.self_pid,
    m.self_unsure,
    m.foreign_processes[1].pid as foreign_pid,
    case
        when len(m.foreign_processes) > 0 then list_transform(m.foreign_processes, lambda p:p.pid)
    end as foreign_pids,
    case
        when len(m.foreign_processes) > 0 or m.class = 'foreign_process'
        then coalesce(m.named_bytes, m.foreign_bytes)
    end as foreign_bytes,
    (
        select min(i.rank)
        from identity i
        where
            list_contains(list_transform(m.foreign_processes, lambda p:p.pid), i.pid)
            and i.rank is distinct from m.rank
            and (i.host is null or m.host is null or i.host = m.host)
    ) as foreign_rank,
    m.location,
    m.program,
    m.memory_space,
    m.padding,
    m.capture_function,
    case
        when exists (from torch_allocator_setting where expandable_segments) then true
    end as expandable_segments,
    w.failures,
    w.messages
from leading_message m
join whole w using (failure_no)
left join accelerator a using (device)
-- the launcher's word for its abort, just behind it
left join
    (
        select
            file_id,
            line_no as end_line,
            [rank] as ranks,
            case when host is not null then [host] end as hosts
        from "exit"
        where signal = 6 and rank is not null
        qualify count(distinct rank) over (partition by file_id) = 1
    ) e
    on w.ranks is null
    and w.failures = 1
    and e.file_id = m.file_id
    and e.end_line - m.line_no between 1 and 5
