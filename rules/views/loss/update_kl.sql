-- table: One row per file whose last update carries the policy off, where each pass over its
-- samples is a row: the KL divergence to the policy that gathered them grows with every pass,
-- to over 1 and twenty times that of the first; in no more than a tenth of the updates before it.
with
    head as (
        select file_id, line_no
        from training_line
        where
            trainer = 'head'
            and layout = 'none'
            and regexp_matches(lead, '(^|[| ])kl( |$)')
            and contains(lead, '|')
    ),
    pass as (
        select m.file_id, m.line_no, m.time, m.name, m.value, h.line_no as head_line
        from metric m
        join
            training_line l
            on l.file_id = m.file_id
            and l.line_no = m.line_no
            and l.trainer = 'columns'
        asof join head h on h.file_id = m.file_id and h.line_no < m.line_no
        where m.canonical = 'kl' and isfinite(m.value)
    ),
    grown as (
        select
            *, value < lag(value) over (partition by file_id, head_line order by line_no) as is_less
        from pass
    ),
    of_update as (
        select
            file_id,
            head_line,
            any_value(name) as name,
            count(*) as points,
            min(line_no) as first_line,
            max(line_no) as last_line,
            min(time) as time,
            arg_min(value, line_no) as first_kl,
            arg_max(value, line_no) as last_kl,
            count(*) >= 3
            and not coalesce(bool_or(is_less), false)
            and last_kl > 1
            and last_kl > 20 * first_kl as is_carried_off
        from grown
        group by file_id, head_line
    )
select *
from of_update
qualify
    is_carried_off
    and row_number() over (partition by file_id order by head_line desc) = 1
    and count_if(is_carried_off) over (partition by file_id)
    <= 1 + 0.1 * count(*) over (partition by file_id)
