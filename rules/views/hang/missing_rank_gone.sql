-- table: One row: ranks whose process was not there any more when a tool wanted to dump its stack,
-- while all that were dumped wait for their peers.
with
    waiting as (
        select count(*) as processes, bool_and(peer) as all_wait from stack_rank where not failed
    )
select
    'attach' as source,
    'gone' as finding,
    list_sort(list(distinct rank)) as ranks,
    coalesce(list(distinct pid) filter (pid is not null), []) as pids,
    coalesce(list(distinct host) filter (host is not null), []) as hosts,
    any_value(tool) as tool,
    'probable' as grade,
    'outside' as place,
    null::varchar as side,
    null::timestamp as "at",
    list(line_at(file_id, line_no) order by rank) as evidence
from attach_refused
where reason = 'gone' and rank is not null
having
    count(*) > 0
    and 3 * count(distinct rank)
    <= (select processes from waiting where all_wait and processes >= 2)
