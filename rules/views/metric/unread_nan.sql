-- view: One row per line that prints a loss as NaN where nothing else of such lines is read: the
-- first of several, or of the last lines of its file.
with
    printed as (
        select
            m.*,
            count(*) over (partition by m.file_id) as times,
            f.lines - max(m.line_no) over (partition by m.file_id) as lines_after
        from training_mark m
        join file f using (file_id)
        where
            m.kind = 'nan_value'
            and not regexp_matches(m.message, '(?i)(^|[^a-z])(val|eval|test|dev|best)')
    )
select *
from printed p
where
    (times >= 2 or lines_after <= 12 or regexp_matches(message, '(?i)nan.*[:= |]nan'))
    -- a number came after it
    and not exists (
        from metric m
        where
            m.canonical in ('loss', 'adversarial_loss', 'policy_loss')
            and m.file_id = p.file_id
            and m.line_no > p.line_no
            and isfinite(m.value)
    )
qualify row_number() over (partition by file_id order by line_no) = 1
