-- table: One row: the ranks Horovod waits for, where an old version says in one line who HAS
-- submitted each tensor. Who is awaited follows where the others are known: they are all that
-- anybody names, and no rank above them. Where each rank waits with tensors of its own, none is
-- late: the fewer went another way.
with
    last_warning as (
        select
            h.file_id,
            h.line_no,
            h.time,
            h.seconds,
            f.lines - h.line_no as lines_after,
            unnest(
                regexp_extract_all(h.stalled, '[^ ,\[\]]+ \[(?:ready|missing) ranks: ?[0-9, ]+\]')
            ) as listed
        from horovod_stall h
        join file f using (file_id)
        where h.stalled is not null
        qualify row_number() over (partition by h.file_id order by h.line_no desc) = 1
    ),
    stalled_tensor as (
        select
            file_id,
            line_no,
            time,
            seconds,
            split_part(listed, ' ', 1) as tensor,
            contains(listed, '[missing') as lists_missing,
            list_sort(
                list_transform(
                    regexp_extract_all(regexp_extract(listed, 'ranks: ?([0-9, ]+)', 1), '[0-9]+'),
                    lambda n:n::bigint
                )
            ) as ranks
        from last_warning
        where lines_after <= 40 and not trains_on_after(last_warning.file_id, last_warning.line_no)
    ),
    world as (
        select
            ranks_below(
                greatest(
                    (select max(list_max(ranks)) from stalled_tensor),
                    coalesce((select max(rank) from rank), 0),
                    coalesce((select max(world_size) - 1 from identity), 0)
                )
                + 1
            ) as ranks
    ),
    -- Ranks that wait with the same tensors.
    party as (
        select
            file_id,
            case
                when lists_missing
                then list_filter(w.ranks, lambda r: not list_contains(t.ranks, r))
                else t.ranks
            end as ready,
            w.ranks as world,
            count(*) as n,
            min(tensor) as tensor,
            min(line_no) as line_no,
            min(time) as time,
            max(seconds) as seconds
        from stalled_tensor t
        cross join world w
        group by all
    ),
    ranked as (
        select
            *,
            count(*) over () = 1 as is_only_party,
            row_number() over (order by len(ready), n) as place,
            last_value(tensor) over (
                order by len(ready), n rows between unbounded preceding and unbounded following
            ) as awaited
        from party
    )
select
    'horovod' as source,
    case when is_only_party then 'not_submitted' else 'other_tensor' end as finding,
    case
        when is_only_party then list_filter(world, lambda r: not list_contains(ready, r)) else ready
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
    case when is_only_party then seconds::bigint end as seconds,
    case when is_only_party then ready end as waiting_ranks,
    case when not is_only_party then tensor end as own_op,
    [line_at(file_id, line_no)] as evidence
from ranked
where
    place = 1
    and case when is_only_party then len(ready) < len(world) else 2 * len(ready) <= len(world) end
