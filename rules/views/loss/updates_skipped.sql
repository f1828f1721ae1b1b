-- table: One row per writer that skipped update after update because the loss or the gradients were
-- not finite, in a training that was under way, to the end of its log or more often than a loss
-- scale can be halved: the first such line, and how often (times). is_short: only some, but the
-- loss itself was not finite, or no update of the log was made, and to its end no other follows.
with
    skip as (
        select *
        from training_mark
        where
            kind = 'update_skipped'
            or kind = 'overflow'
            and metric_value is null
            and regexp_matches(message, '(?i)grad norm is nan')
    ),
    scaled as (  -- the search of a scale is no fault: whoever prints it is judged by it
        select file_id
        from training_mark
        where kind like 'scale%' or kind = 'overflow' and metric_value > 0
        union
        select file_id
        from metric
        where canonical = 'loss_scale' and value <> 1
    ),
    stretch as (
        select *, count_if(is_apart) over (partition by file_id, stream order by line_no) as nth
        from
            (
                select
                    *,
                    coalesce(line_no - lag(line_no) over w > 3, true)
                    or coalesce(time - lag(time) over w > interval 120 seconds, false) as is_apart
                from skip
                window w as (partition by file_id, stream order by line_no)
            )
    ),
    burst as (
        select
            file_id,
            min(line_no) as line_no,
            max(line_no) as last_line,
            min(time) as time,
            min(host) as host,
            min(rank) as rank,
            arg_min(message, line_no) as message,
            count(*) as times,
            count_if(
                regexp_matches(message, '(?i)(^|[^a-z])loss([^a-z]|$)|Patience')
                and not regexp_matches(message, '(?i)loss[ _-]scale')
            ) as of_loss
        from stretch
        group by file_id, stream, nth
    )
select
    b.* exclude (of_loss, is_under_way, is_all),
    b.times < 6 or b.times < 12 and not b.is_under_way as is_short
from
    (
        select
            *,
            coalesce(
                (
                    select max(m.step) >= 200
                    from metric m
                    where m.file_id = b.file_id and m.canonical ~ 'loss$'
                ),
                false
            ) as is_under_way,
            -- each value of a loss stands beside one of them
            (
                select
                    count(distinct m.step) between 1 and b.times and min(m.line_no) >= b.line_no - 3
                from metric m
                where m.file_id = b.file_id and m.canonical ~ 'loss$'
            ) as is_all
        from burst b
    ) b
join file f using (file_id)
where
    b.file_id not in (select file_id from scaled)
    and (
        b.times >= 30
        -- to the end of the log: 65536, where a scale begins, can be halved that often, but no
        -- training needs as little as that
        or b.times >= 12
        and f.lines - b.last_line <= 3
        or b.times >= 6
        and f.lines - b.last_line <= 3
        -- at the start a scale that nobody prints may be searched
        and b.is_under_way
        -- no scale makes a loss infinite
        or b.times >= 3
        and (b.of_loss >= 2 or b.is_all)
        and f.lines - b.last_line <= 3
    )
    -- it came to itself
    and not exists (
        from metric m
        where
            m.file_id = b.file_id
            and m.line_no > b.last_line + 3
            and m.canonical = 'loss'
            and isfinite(m.value)
    )
qualify row_number() over (partition by b.file_id order by b.line_no) = 1
