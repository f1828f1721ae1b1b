/*
title = "A minority of ranks stands at another place in the code"
severity = "critical"
confidence = "probable"
status = "stable"
about = """
The main threads of all ranks are compared by their path of calls, from the outside in, without wrappers and helper threads.
Most wait at one place (a collective, a store, a lock) and a few stand elsewhere. Where the few also wait for their peers,
neither side is late: ranks took different ways through the program. Two snapshots in which nothing moves make it sure.
"""
remedy = "Look at the first frame where the minority leaves the path of the others, and at the condition before it (rank, data, exception, early exit): every rank must reach the same collectives in the same order. Take a second dump 30 seconds later: what moves is only slow."
false_positives = "One snapshot of a healthy job can catch a rank at its own duty (data, logging) while the others wait for it."
references = ["https://github.com/benfred/py-spy", "https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
select
    case
        when v.ranks is null
        then 'Process ' || array_to_string(v.pids, ', ')
        else case when len(v.ranks) = 1 then 'Rank ' else 'Ranks ' end || ranges(v.ranks)
    end || coalesce(
        ' (' || nullif(
            array_to_string(
                list_concat(
                    coalesce(v.hosts, []),
                    case
                        when len(v.pids) = 1 and v.ranks is not null
                        then ['pid ' || v.pids[1]]
                        else []
                    end
                ),
                ', '
            ),
            ''
        )
        || ')',
        ''
    )
    || case
        when v.failures = ['absent']
        then ' has no dump'
        when v.function is null
        then
            ' could not be dumped (' || case
                v.failures[1]
                when 'stopped'
                then 'stopped, state T'
                when 'no_answer'
                then 'no answer'
                else 'uninterruptible'
            end
            || ')'
        when v.mixed
        then
            ': '
            || coalesce(v.failed_ranks, 'one')
            || ' could not be dumped ('
            || case
                v.failures[1]
                when 'stopped'
                then 'stopped, state T'
                when 'no_answer'
                then 'no answer'
                else 'uninterruptible'
            end
            || '), '
            || coalesce(v.standing_ranks, 'another')
            || ' in '
            || v.frame
            || ','
        else case when v.suspects = 1 then ' stands in ' else ' stand in ' end || v.frame
    end
    || case
        when v.waiting = 1
        then ' while 1 other waits in '
        else ' while ' || v.waiting || ' others wait in '
    end
    || v.waiting_function
    || case
        when v.watched
        then '; its watchdog had seen no progress'
        when v.still and v.suspect.status like 'active%'
        then '; the same line in the last two dumps, which a loop would show too (--locals tells)'
        when v.still
        then '; nothing moved between the last two dumps'
        else ''
    end
    || case
        when v.guessed and v.ranks is not null
        then ' (ranks guessed from the order of pids or hosts)'
        else ''
    end
    || '.' as summary,
    list_concat(
        list_concat(coalesce(v.lines, []), coalesce(v.heads, [])), v.waiting_lines[:4]
    ) as evidence,
    v.ranks,
    v.hosts,
    v.pids,
    v.world_size,
    case
        when v.failures = ['absent'] or v.passing or v.guessed and v.ranks is null
        then 'possible'
        when v.still or v.timed_out or v.failures is not null
        then 'probable'
        when v.processes <= 2
        then 'possible'
        else 'probable'
    end as confidence,
    v.function as minority_function,
    v.frame as minority_frame,
    v.suspect.decided.f as minority_call,
    v.suspect.class as position_class,
    v.suspect.status as minority_status,
    v.suspect.awaits as minority_waiting_for,
    v.suspect.own.f || ' (' || v.suspect.own.p || ')' as minority_place,
    v.suspect.top.f as minority_top_function,
    v.suspect.step as minority_step,
    v.waiting_step as majority_step,
    v.waiting_function as majority_function,
    v.waiting_top_function as waiting_function,
    v.waiting_frame as majority_frame,
    v.waiting_ranks,
    case
        when list_contains(v.failures, 'stopped')
        then 'T (stopped)'
        when list_contains(v.failures, 'no_stack')
        then 'D (uninterruptible)'
        when list_contains(v.failures, 'no_answer')
        then 'T (stopped), D (uninterruptible) or gone'
    end as process_state,
    v.failed_pids[1] as failed_dump_pid,
    (select pid_of_rank from stack_pid_of_rank) as pid_of_rank,
    v.still as stands_still,
    a.last_step as last_step_logged,
    a.last_step + 1 as step
from stack_verdict as v
left join stack_aftermath as a on a.last_step is not null
union all by name
-- Dumps in which nobody stands apart are context worth a line.
select
    'Stacks of '
    || count(*)
    || case when count(*) = 1 then ' process' else ' processes' end
    || ' were dumped'
    || case when max(snapshots) > 1 then ', up to ' || max(snapshots) || ' times each' else '' end
    || ': '
    || case
        when bool_or(moved) or (select goes_on from stack_aftermath)
        then 'positions move, the program works.'
        when bool_or(role = 'driver') and bool_and(class in ('idle-service', 'answer-wait'))
        then
            trim(any_value(process) filter (role = 'driver'))
            || ' waits for an answer ('
            || any_value(decided.f) filter (role = 'driver')
            || ')'
            || case
                when count(*) > 1
                then
                    ', its workers for the next request: the answer is on its way or lost. Only the same some minutes later, without a token in the log, says which.'
                else '.'
            end
        when bool_and(class = 'idle-service')
        then
            case when count(*) = 1 then 'it is' else 'all are' end
            || ' idle, in '
            || array_to_string(list_sort(list(distinct decided.f))[:3], ', ')
            || ', waiting for '
            || any_value(awaits)
            || '.'
        when count(*) = 1
        then
            'it stands in ' || coalesce(
                any_value(decided.f), any_value(top.f), any_value(innermost), 'an unknown place'
            )
            || coalesce(', waiting for ' || any_value(awaits), '')
            || '.'
        when bool_and(class = 'data-wait')
        then
            'all wait for their data loader: its workers or the storage are the place to look at (py-spy dump --subprocesses, twice).'
        when count(distinct place) = 1 and bool_and(peer)
        then
            'all wait at the same place, '
            || array_to_string(list_sort(list(distinct decided.f)), ' or ')
            || '; stacks do not tell who is missing.'
        when
            count(distinct place) = 1 and count(distinct coalesce(decided.f, top.f, innermost)) <= 1
        then
            'all stand at the same place, '
            || coalesce(any_value(decided.f), any_value(top.f), any_value(innermost), 'unknown')
            || coalesce(
                ', called from '
                || any_value(own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')'),
                ''
            )
            || '.'
        else 'no rank stands apart in a way that proves a hang.'
    end as summary,
    'info' as severity,
    list(line_at(file_id, thread_line) order by rank, pid)[:6] as evidence,
    list(rank order by rank) filter (rank is not null and not rank_guessed) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    list(pid order by rank, pid) filter (pid is not null) as pids,
    (select world_size from stack_world) as world_size,
    max(snapshots) as snapshots,
    any_value(class) filter (n = 1) as position_class,
    any_value(innermost) filter (n = 1) as top_frame,
    any_value(decided.f) filter (n = 1) as waiting_function,
    any_value(own.f) filter (n = 1) as own_function,
    any_value(cmdline) filter (n = 1) as cmdline,
    (select pid_of_rank from stack_pid_of_rank) as pid_of_rank,
    mode(coalesce(decided.f, top.f)) as majority_function,
    case
        when
            bool_or(moved)
            or (select goes_on from stack_aftermath)
            or bool_and(class = 'idle-service')
        then true
    end as healthy
from
    (
        select *, count(*) over () as n
        from stack_context
        -- Beside the ranks of a job its drivers and servers say nothing of a hang.
        where of_job or role = 'driver' or (select count(*) from stack_context where of_job) < 2
    )
where not exists (from stack_verdict)
having count(*) > 0
union all by name
-- What the GPUs do, by cuda-gdb.
select
    'On the GPUs of ' || case
        when count(distinct file_id) = 1
        then 'one process'
        else count(distinct file_id) || ' processes'
    end
    || ' cuda-gdb shows '
    || array_to_string(list_sort(list(distinct kernel))[:4], ', ')
    || case
        when bool_and(kernel like 'nccl%' or kernel like 'rccl%')
        then ': kernels of collectives, which wait for their peers.'
        when bool_or(kernel like 'nccl%' or kernel like 'rccl%')
        then ': who runs another kernel than NCCL''s keeps the others waiting.'
        else '.'
    end as summary,
    'info' as severity,
    list(line_at(file_id, line_no) order by file_id, line_no)[:6] as evidence
from gpu_kernel
where state = 'Active'
having count(*) > 0
