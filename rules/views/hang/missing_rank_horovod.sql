-- view: Horovod's coordinator names the ranks that did not submit what the others wait for. A slow
-- rank (validation, saving) earns one such warning a minute and comes in the end: what counts is
-- the last one, when next to nothing was logged after it, or when Horovod gave up.
with
    warned as (
        select
            * replace (coalesce(lagging, task::varchar) as lagging),
            coalesce(
                max(case when event = 'warning' then line_no end) over (
                    partition by file_id order by line_no
                ),
                0
            ) as first_line
        from horovod_stall
    ),
    stalled as (
        select
            w.file_id,
            first_line,
            max(w.line_no) as last_line,
            bool_or(w.event = 'shutdown') as gave_up,
            max(w.time) as time,
            max(w.seconds) as seconds,
            max(f.lines) - max(w.line_no) as lines_after,
            list(w.lagging) filter (w.event = 'missing' and w.lagging is not null) as said,
            arg_min(w.tensor, w.line_no) filter (w.tensor is not null) as tensor,
            list(line_at(w.file_id, w.line_no) order by w.line_no)[:5] as evidence
        from warned w
        join file f using (file_id)
        group by w.file_id, first_line
    ),
    awaited as (  -- where no tensor lacks all of these ranks, they submit different ones, and each waits for the other
        select file_id, first_line, max(len(ranks)) as most
        from
            (
                select
                    file_id,
                    first_line,
                    tensor,
                    list_distinct(flatten(list(regexp_extract_all(lagging, '[0-9]+')))) as ranks
                from warned
                where lagging is not null
                group by all
            )
        group by all
    ),
    named as (
        select
            s.*,
            list_transform(
                s.said, lambda t:list_transform(regexp_extract_all(t, '[0-9]+'), lambda n:n::bigint)
            ) as by_tensor,
            count(*) over (partition by file_id) as times
        from stalled s
        where len(said) > 0
        qualify row_number() over (partition by file_id order by last_line desc) = 1
    )
select
    'horovod' as source,
    list_sort(list_distinct(flatten(by_tensor))) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    null::varchar as grp,
    null::bigint as seq,
    tensor as op,
    'host' as side,
    'outside' as place,
    case
        when most < len(list_distinct(flatten(by_tensor)))
        then 'possible'
        when gave_up
        then 'definite'
        when times > 1 or exists (from trouble_sign)
        then 'probable'
        else 'possible'
    end as grade,
    time - to_seconds(coalesce(seconds, 0)) as "at",
    'Horovod''s stall inspector: the others have submitted '
    || tensor
    || coalesce(' and wait for more than ' || seconds::bigint || ' s', '')
    || case
        when most < len(list_distinct(flatten(by_tensor)))
        then
            '; each of them lacks other tensors, so they submit them in different orders, or different ones'
        else ''
    end as said,
    evidence
from named
join awaited using (file_id, first_line)
where gave_up or lines_after <= 40
