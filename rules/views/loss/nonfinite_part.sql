-- table: One row per writer of whose losses parts are NaN or infinite to the end, each on two lines
-- or two on one, while others are finite, and no sum is printed beside them: the part that was
-- first. also: further ones; finite_beside: parts that are numbers since.
with
    -- what the parts add up to is there and is judged; what of a policy or a game is a part is not
    -- known
    summed as (
        select s.family
        from series s
        where
            s.canonical in ('policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss')
            or s.canonical = 'loss'
            and replace(replace(lower(s.name), ' ', '_'), '-', '_')
            in (select name from main_loss where doubt <= 5)
    ),
    broken as (
        select
            *,
            list(name) over (
                partition by family
                order by first_bad, name
                rows between unbounded preceding and unbounded following
            ) as parts
        from loss_part
        where
            bad > 0
            and files = 1
            and not of_a_kind
            and (last_number is null or last_number < first_bad)
            and (of_mean or family not in (select family from summed))
    ),
    beside as (
        select b.series_id, list(p.name order by p.name) as names
        from broken b
        join
            loss_part p
            on p.family = b.family
            and p.series_id <> b.series_id
            and (p.last_number > b.first_bad or p.last_step >= b.bad_step)
        group by b.series_id
    )
select
    b.* exclude (
        first_bad, last_bad, last_number, parts, bad, of_a_kind, files, last_step, bad_step
    ),
    b.parts[2:] as also,
    n.names as finite_beside,
    f.file_id,
    f.line_no,
    f.step as start_step,
    epoch(f.time) as start_seconds,
    l.file_id as last_file,
    l.line_no as last_line,
    w.file_id as before_file,
    w.line_no as before_line,
    w.step as before_step,
    w.value as base,
    b.bad as points,
    case when isinf(f.value) then 'Inf' else 'NaN' end as value
from broken b
join series_point f on f.series_id = b.series_id and f.ordinal = b.first_bad
join series_point l on l.series_id = b.series_id and l.ordinal = b.last_bad
left join series_point w on w.series_id = b.series_id and w.ordinal = b.last_number
left join beside n on n.series_id = b.series_id
where (b.bad >= 2 or len(b.parts) >= 2) and (n.names is not null or b.of_mean)
qualify row_number() over (partition by b.family order by b.first_bad, b.name) = 1
