-- table: One row: what one sample of stacks says beside another source. By itself it proves
-- nothing, as a rank that is elsewhere may only be at work; where the others wait for one that
-- waits for its data, the rule of that tells it.
select
    'stacks' as source,
    'elsewhere' as finding,
    list(rank order by rank) filter (not peer) as ranks,
    coalesce(list(distinct host) filter (not peer and host is not null), []) as hosts,
    coalesce(list(pid order by pid) filter (not peer and pid is not null), []) as pids,
    null::varchar as grp,
    null::bigint as seq,
    null::varchar as op,
    'host' as side,
    'outside' as place,
    case
        when
            exists (
                from stack_verdict v
                where list_sort(v.ranks) = list(rank order by rank) filter (not peer)
            )
        then 'probable'
        else 'possible'
    end as grade,
    null::timestamp as "at",
    count(*) filter (peer) as waiting,
    list(line_at(file_id, thread_line) order by rank) filter (not peer) as evidence
from stack_rank
having
    bool_and(rank is not null and not failed)
    and count(*) filter (not peer) between 1 and divide(count(*), 4)
