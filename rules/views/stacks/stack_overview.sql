-- table: one row if stacks were dumped and no rank stands apart: what they say together. finding:
-- moving | awaits_answer (a driver waits, its workers are idle) | idle | alone (there is but one
-- process) | awaits_data | same_wait (all wait for peers, at one place) | other_waits (at several
-- places, whose ranks are in `places`) | same_place | unclear. functions: what decides, of all;
-- function, awaits, called_from: of any of them.
with
    -- beside the ranks of a job its drivers and servers say nothing of a hang
    process as (
        select *, coalesce(decided.f, top.f, innermost) as function
        from stack_context
        where of_job or role = 'driver' or (select count(*) from stack_context where of_job) < 2
    ),
    place as (
        select
            function, frame_with_line(own) as frame, list_sort(list(rank)) as ranks, count(*) as n
        from process
        where peer
        group by all
    ),
    -- more than a screen of them says nothing
    waits as (
        select list({'function':function, 'frame':frame, 'ranks':ranks} order by n, ranks) as places
        from place
        having count(*) between 2 and 6 and bool_and(frame is not null)
    ),
    overview as (
        select
            count(*) as processes,
            max(snapshots) as snapshots,
            bool_or(moved) or (select goes_on from stack_aftermath) as is_moving,
            bool_or(role = 'driver')
            and bool_and(class in ('idle-service', 'answer-wait')) as awaits_answer,
            bool_and(class = 'idle-service') as is_idle,
            bool_and(class = 'data-wait') as awaits_data,
            bool_and(peer) as awaits_peers,
            bool_and(moved is false) as stands_still,
            count(distinct place) = 1
            and (
                count(distinct function) <= 1 or count(distinct(top.f, top.p)) <= 1
            ) as at_one_place,
            count(distinct function) <= 1 as in_one_function,
            list_sort(list(distinct decided.f) filter (decided.f is not null)) as functions,
            any_value(function) as function,
            any_value(awaits) as awaits,
            any_value(frame_with_line(own)) as called_from,
            trim(any_value(process) filter (role = 'driver')) as driver,
            any_value(decided.f) filter (role = 'driver') as driver_function,
            any_value(class) as class,
            any_value(innermost) as innermost,
            any_value(decided.f) as decided_function,
            any_value(own.f) as own_function,
            any_value(cmdline) as cmdline,
            mode(coalesce(decided.f, top.f)) as majority_function,
            list(rank order by rank) filter (rank is not null and not rank_guessed) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            list(line_at(file_id, thread_line) order by rank, pid)[:6] as evidence,
            (select places from waits) as places
        from process
        having count(*) > 0
    )
select
    *,
    case
        when is_moving
        then 'moving'
        when awaits_answer
        then 'awaits_answer'
        when is_idle
        then 'idle'
        when processes = 1
        then 'alone'
        when awaits_data
        then 'awaits_data'
        when at_one_place and awaits_peers
        then 'same_wait'
        when awaits_peers and places is not null
        then 'other_waits'
        when at_one_place and in_one_function
        then 'same_place'
        else 'unclear'
    end as finding
from overview
where not exists (from stack_verdict)
