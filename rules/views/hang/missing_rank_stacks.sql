-- table: One row: ranks that are not where the others wait, by the stacks of all. Where they wait
-- in init, hang.init_incomplete says so.
select
    'stacks' as source,
    case
        when list_contains(failures, 'absent')
        then 'undumped'
        when list_contains(failures, 'stopped')
        then 'stopped'
        when list_contains(failures, 'no_answer')
        then 'no_answer'
        when failures is not null
        then 'unreadable'
        when left_loop
        then 'left_loop'
        else 'elsewhere'
    end as finding,
    ranks,
    case when guessed and len(pids) > 0 then true end as ranks_guessed,
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
        -- who is not dumped may be stopped as well
        when
            list_contains(failures, 'stopped')
            and not mixed
            and (
                select count(distinct s.rank)
                from stack_main s
                where not list_contains(ranks, s.rank)
            )
            + len(ranks)
            > (select greatest(max(s.rank), list_max(ranks)) from stack_main s)
        then 'definite'
        else 'probable'
    end as grade,
    null::timestamp as at,
    case when failures is null or mixed then frame end as frame,
    case when failures is null then suspect.awaits end as awaits,
    case when mixed then coalesce(failed_ranks, '?') end as failed_ranks,
    failed_pids,
    case when mixed then coalesce(standing_ranks, '?') end as standing_ranks,
    waiting,
    waiting_function,
    still,
    list_concat(coalesce(lines, heads, []), waiting_lines[:3]) as evidence
from stack_verdict
where
    kind = 'missing'
    and not exists (from stack_init_wait)
    -- Two processes without ranks that nothing shows to have stood still: divergence.stack says
    -- where they are: who keeps whom waiting is not known.
    and (len(ranks) > 0 or processes > 2 or failures is not null or still or timed_out or watched)
