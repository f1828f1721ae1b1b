-- view: Ranks that are not where the others wait: what stacks say for hang.missing_rank.
select
    'stacks' as source,
    ranks,
    hosts,
    pids,
    null::varchar as grp,
    null::bigint as seq,
    null::varchar as op,
    'host' as side,
    'outside' as place,
    case
        when
            failures = ['absent']
            or passing
            or processes <= 2
            and failures is null
            and not coalesce(still, false)
            and not coalesce(timed_out, false)
            and not watched
        then 'possible'
        when list_contains(failures, 'stopped') and not mixed
        then 'definite'
        else 'probable'
    end as grade,
    null::timestamp as at,
    case
        when failures = ['absent']
        then 'no dump of it, while the dumped ranks all wait'
        when mixed
        then
            coalesce('rank ' || failed_ranks, 'one process') || case
                when list_contains(failures, 'stopped')
                then ' is stopped (state T)'
                when list_contains(failures, 'no_answer')
                then ' did not answer'
                else ' could not be dumped (uninterruptible)'
            end
            || ', '
            || coalesce('rank ' || standing_ranks, 'another')
            || ' stands in '
            || frame
            || ', while '
            || others
            || waiting_function
        when list_contains(failures, 'stopped')
        then 'the process is stopped (state T), while ' || others || waiting_function
        when list_contains(failures, 'no_answer')
        then 'it did not answer, while ' || others || waiting_function
        when list_contains(failures, 'no_stack')
        then 'its stack could not be read (uninterruptible), while ' || others || waiting_function
        when left_loop
        then
            case
                when suspects = 1
                then 'it left the loop and waits in '
                else 'they left the loop and wait in '
            end
            || frame
            || ', '
            || others
            || waiting_function
        else
            case when suspects = 1 then 'it stands in ' else 'they stand in ' end
            || frame
            || coalesce(', waiting for ' || suspect.awaits, '')
            || ', while '
            || others
            || waiting_function
    end as said,
    list_concat(coalesce(lines, heads, []), waiting_lines[:3]) as evidence
from
    (
        select
            *,
            case
                when waiting = 1 then '1 other waits in ' else waiting || ' others wait in '
            end as others
        from stack_verdict
    )
where kind = 'missing'
