-- table: One row: the ranks that Horovod's coordinator says did not submit what the others wait
-- for. A slow rank (validation, saving) earns one such warning a minute and comes in the end: what
-- counts is the last one, when next to nothing was logged after it, no further steps, or when
-- Horovod gave up.
with
    listed as (  -- the list of a tensor that is printed again takes the place of the one before
        select
            * replace (
                case
                    when
                        list_has_any(
                            string_split(replace(lagging, ' ', ''), ','),
                            string_split(
                                replace(
                                    lead(lagging) over (
                                        partition by file_id, tensor, event, warning_no
                                        order by line_no
                                    ),
                                    ' ',
                                    ''
                                ),
                                ','
                            )
                        )
                    then null
                    else lagging
                end as lagging
            )
        from
            (
                select
                    *,
                    count_if(event = 'warning') over (
                        partition by file_id order by line_no
                    ) as warning_no
                from horovod_stall
            )
    ),
    warning_line as (
        select
            * replace (coalesce(lagging, task::varchar) as lagging),
            coalesce(
                max(case when event = 'warning' then line_no end) over (
                    partition by file_id order by line_no
                ),
                0
            ) as first_line
        from listed
    ),
    warned as (
        select
            w.file_id,
            first_line,
            max(w.line_no) as last_line,
            bool_or(w.event = 'shutdown') as gave_up,
            max(w.time) as time,
            max(w.seconds) as seconds,
            max(f.lines) - max(w.line_no) as lines_after,
            list(
                list_transform(regexp_extract_all(w.lagging, '[0-9]+'), lambda n:n::bigint)
            ) filter (w.event = 'missing' and w.lagging is not null) as lagging_by_tensor,
            arg_min(w.tensor, w.line_no) filter (w.tensor is not null) as tensor,
            list(line_at(w.file_id, w.line_no) order by w.line_no) filter (
                w.lagging is not null or w.event is distinct from 'missing'
            )[:5] as evidence
        from warning_line w
        join file f using (file_id)
        group by w.file_id, first_line
    ),
    last_warning as (
        select
            *,
            list_sort(list_distinct(flatten(lagging_by_tensor))) as ranks,
            count(*) over (partition by file_id) as times
        from warned
        where len(lagging_by_tensor) > 0
        qualify row_number() over (partition by file_id order by last_line desc) = 1
    ),
    tensor_wait as (
        select
            file_id,
            first_line,
            tensor,
            len(list_distinct(flatten(list(regexp_extract_all(lagging, '[0-9]+'))))) as lagging
        from warning_line
        where lagging is not null
        group by all
    ),
    -- Where no tensor lacks all of these ranks, they submit different ones, and each waits for the
    -- other.
    judged as (
        select
            *,
            (
                select max(lagging)
                from tensor_wait t
                where t.file_id = w.file_id and t.first_line = w.first_line
            )
            < len(ranks) as is_crossed
        from last_warning w
    )
select
    'horovod' as source,
    case when is_crossed then 'crossed' else 'not_submitted' end as finding,
    ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    null::varchar as grp,
    null::bigint as seq,
    tensor as op,
    'host' as side,
    'outside' as place,
    case
        when is_crossed
        then 'possible'
        when gave_up
        then 'definite'
        when times > 1 or exists (from trouble_sign)
        then 'probable'
        else 'possible'
    end as grade,
    time - to_seconds(coalesce(seconds, 0)) as "at",
    seconds::bigint as seconds,
    evidence
from judged
where gave_up or lines_after <= 40 and not trains_on_after(judged.file_id, judged.last_line)
