-- view: In the shape rules/views/missing_rank.sql asks for: all others wait, and this rank's
-- process was not there any more.
select
    'attach' as source,
    list_sort(list(distinct rank)) as ranks,
    coalesce(list(distinct pid) filter (pid is not null), []) as pids,
    coalesce(list(distinct host) filter (host is not null), []) as hosts,
    any_value(tool)
    || ' found no process'
    || coalesce(' ' || string_agg(distinct pid::varchar, ', '), '')
    || ' of rank '
    || ranges(list(distinct rank))
    || ' any more, while all that were dumped wait' as said,
    'probable' as grade,
    'outside' as place,
    null::varchar as side,
    null::timestamp as "at",
    list(line_at(file_id, line_no) order by rank) as evidence
from attach_refused
where reason = 'gone' and rank is not null
having
    count(*) > 0
    and (
        select
            count(*) >= 2 and bool_and(peer) and count(*) >= 3 * count(distinct attach_refused.rank)
        from stack_rank
        where not failed
    )
