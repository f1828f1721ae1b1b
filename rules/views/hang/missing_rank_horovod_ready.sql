-- view: Old versions say in one line who HAS submitted each tensor. Who is awaited follows where
-- the others are known: they are all that anybody names, and no rank above them. Where each rank
-- waits with tensors of its own, none is late: the fewer went another way.
with
    warned as (
        select
            h.file_id,
            h.line_no,
            h.time,
            h.seconds,
            f.lines - h.line_no as lines_after,
            unnest(
                regexp_extract_all(h.stalled, '[^ ,\[\]]+ \[(?:ready|missing) ranks: ?[0-9, ]+\]')
            ) as said
        from horovod_stall h
        join file f using (file_id)
        where h.stalled is not null
        qualify row_number() over (partition by h.file_id order by h.line_no desc) = 1
    ),
    tensors as (
        select
            file_id,
            line_no,
            time,
            seconds,
            split_part(said, ' ', 1) as tensor,
            contains(said, '[missing') as missing,
            list_sort(
                list_transform(
                    regexp_extract_all(regexp_extract(said, 'ranks: ?([0-9, ]+)', 1), '[0-9]+'),
                    lambda n:n::bigint
                )
            ) as ranks
        from warned
        where lines_after <= 40
    ),
    world as (
        select
            range(
                greatest(
                    (select max(list_max(ranks)) from tensors),
                    coalesce((select max(rank) from rank), 0),
                    coalesce((select max(world_size) - 1 from identity), 0)
                )
                + 1
            ) as ranks
    ),
    sets as (
        select
            file_id,
            case
                when missing
                then list_filter(w.ranks, lambda r: not list_contains(t.ranks, r))
                else t.ranks
            end as ready,
            count(*) as n,
            min(tensor) as tensor,
            min(line_no) as line_no,
            min(time) as time,
            max(seconds) as seconds
        from tensors t
        cross join world w
        group by all
    ),
    ranked as (
        select
            *,
            count(*) over () as sets,
            row_number() over (order by len(ready), n) as place,
            last_value(tensor) over (
                order by len(ready), n rows between unbounded preceding and unbounded following
            ) as awaited
        from sets
    )
select
    'horovod' as source,
    case
        when sets = 1
        then list_filter((select ranks from world), lambda r: not list_contains(ready, r))
        else ready
    end as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    null::varchar as grp,
    null::bigint as seq,
    awaited as op,
    'host' as side,
    'outside' as place,
    'possible' as grade,
    time - to_seconds(coalesce(seconds, 0)) as "at",
    case
        when sets = 1
        then
            'Horovod''s stall inspector: rank '
            || ranges(ready)
            || ' have submitted '
            || tensor
            || coalesce(' and wait for more than ' || seconds::bigint || ' s', '')
        else
            'Horovod''s stall inspector: rank '
            || ranges(ready)
            || ' alone submitted '
            || tensor
            || ', the others '
            || awaited
            || ': their ways parted'
    end as said,
    [line_at(file_id, line_no)] as evidence
from ranked
where
    place = 1
    and case
        when sets = 1
        then len(ready) < (select len(ranks) from world)
        else 2 * len(ready) <= (select len(ranks) from world)
    end
