-- table: one row if some ranks stand apart: who they are, where they are, where the others wait.
-- Being elsewhere is no incident: the others must wait, and nothing may have moved since the
-- dump before. found: see stack_finding. kind: divergence | dataloader | checkpoint | missing.
-- passing: one dump does not tell how long it has been so. suspect: the first of those that
-- could be dumped; frame, function: where that one is. heads, lines: evidence.
with
    suspect as (
        select
            list(rank order by rank) filter (rank is not null) as ranks,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            list(distinct host) filter (host is not null) as hosts,
            count(*) as n,
            bool_and(left_loop) as left_loop,
            bool_and(coalesce(still, false)) as still,
            coalesce(bool_or(watched), false) as watched,
            list_sort(list(distinct class) filter (failure is null)) as classes,
            list_sort(list(distinct failure) filter (failure is not null)) as failures,
            list(pid order by rank, pid) filter (
                failure is not null and failure <> 'absent' and pid is not null
            ) as failed_pids,
            ranges(
                list(rank order by rank) filter (failure is not null and rank is not null)
            ) as failed_ranks,
            ranges(
                list(rank order by rank) filter (failure is null and rank is not null)
            ) as standing_ranks,
            bool_or(failure is not null) and bool_or(failure is null) as mixed,
            arg_min(
                {
                    'status':status,
                    'awaits':awaits,
                    'own':own,
                    'top':top,
                    'innermost':innermost,
                    'decided':decided,
                    'class':class,
                    'serves':role = 'service',
                    'step':step,
                    'occasion':occasion
                },
                coalesce(rank, pid, 0)
            ) filter (failure is null) as first,
            list(
                {
                    'file_id':coalesce(failure_file, file_id),
                    'line_no':coalesce(failure_head, thread_line)
                }
                order by rank, pid
            ) filter (coalesce(failure_file, file_id) is not null) as heads,
            list(
                {
                    'file_id':coalesce(failure_file, file_id),
                    'line_no':coalesce(failure_line, own.line, top.line)
                }
                order by rank, pid
            ) filter (coalesce(failure_line, own.line, top.line) is not null) as lines
        from stack_suspect
        having count(*) > 0
    ),
    waiting as (
        select
            list(rank order by rank) filter (rank is not null) as ranks,
            count(*) as n,
            mode(coalesce(nullif(decided_function, ''), top.f, innermost)) as function,
            mode(top.f) as top_function,
            mode(frame_without_line(own)) as frame,
            bool_and(still) as still,
            max(step) as step,
            mode(class) as class,
            mode(awaits) as awaits,
            bool_or(occasion like 'Timeout%') as timed_out,
            list(
                {'file_id':file_id, 'line_no':coalesce(decided.line, top.line, thread_line)}
                order by rank, pid
            ) as lines
        from stack_rank as r
        where
            not failed
            and not soft
            and not exists (from stack_suspect as s where s.process = r.process)
        having count(*) > 0
    )
select
    f.found,
    case
        when f.found = 'mass' or (f.found = 'other' and not s.left_loop)
        then 'divergence'
        when s.failures is null and s.classes = ['data-wait']
        then 'dataloader'
        when s.failures is null and s.classes = ['checkpoint-io']
        then 'checkpoint'
        else 'missing'
    end as kind,
    case
        when f.found = 'other' and f.n = 2
        then list_sort(list_concat(s.ranks, w.ranks))
        else s.ranks
    end as ranks,
    s.pids,
    s.hosts,
    s.n as suspects,
    s.left_loop,
    s.failures,
    s.failed_pids,
    s.mixed,
    s.failed_ranks,
    s.standing_ranks,
    s.first as suspect,
    s.heads,
    s.lines,
    s.still and w.still as still,
    s.watched,
    w.timed_out,
    -- Rank 0 talks to a server for all of them, or the others wait for the GPU, which may be at
    -- work: one dump does not tell for how long.
    (
        coalesce(s.ranks = [0] and s.classes = ['network-read'], false)
        or w.class = 'gpu-sync'
        and not coalesce(w.timed_out, false)
    )
    and s.failures is null
    and not (s.still and w.still)
    and not s.watched as passing,
    w.n as waiting,
    w.ranks as waiting_ranks,
    w.function as waiting_function,
    w.top_function as waiting_top_function,
    w.frame as waiting_frame,
    w.awaits,
    w.lines as waiting_lines,
    w.step as waiting_step,
    f.n as processes,
    f.guessed,
    (select world_size from stack_world) as world_size,
    case
        when s.first.class = 'data-wait' or s.first.class = 'idle-service' and s.first.serves
        then s.first.decided.f
        else coalesce(s.first.own.f, s.first.top.f, s.first.innermost)
    end as function,
    coalesce(
        case
            when s.first.class = 'idle-service' and s.first.serves
            then s.first.decided.f || ', its idle loop,'
        end,
        frame_with_line(s.first.own),
        case when s.first.class in ('data-wait', 'wait', 'child-wait') then s.first.decided.f end,
        frame_without_line(s.first.top),
        s.first.innermost
    ) as frame
from stack_finding as f, suspect as s, waiting as w
where f.found is not null
