-- table: One row: the ranks Horovod waits for, where an old version says in one line who HAS
-- submitted each tensor. Who is awaited follows where the others are known: they are all that
-- anybody names, and no rank above them. Where each rank waits with tensors of its own, none is
-- late: the fewer went another way.
with
    stalled_line as (
        select
            file_id,
            line_no,
            time,
            seconds,
            stalled,
            max(case when event = 'warning' then line_no end) over (
                partition by file_id order by line_no
            ) as warning_line
        from horovod_stall
    ),
    -- The last warning, which may go on in further lines; without its head, its last line.
    warned as (
        select file_id, line_no, time, seconds, stalled
        from stalled_line
        where stalled is not null
        qualify
            coalesce(warning_line, line_no)
            = max(coalesce(warning_line, line_no)) over (partition by file_id)
    ),
    last_warning as (
        select
            w.file_id,
            min(w.line_no) over (partition by w.file_id) as line_no,
            min(w.time) over (partition by w.file_id) as time,
            max(w.seconds) over (partition by w.file_id) as seconds,
            f.lines - max(w.line_no) over (partition by w.file_id) as lines_after,
            unnest(
                regexp_extract_all(w.stalled, '[^ ,\[\]]+ \[(?:ready|missing) ranks: ?[0-9, ]+\]')
            ) as listed
        from warned w
        join file f using (file_id)
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
