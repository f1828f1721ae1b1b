-- table: One row per name that tells no more than on which data something was measured, or that it
-- is an error or a cost (train, val, learn, error), in a file where its values rise at first or are
-- no numbers between which to tell: an accuracy, a sum, no loss.
with
    unsure as (
        select l.file_id, l.line_no, v.name, v.number
        from line_value v
        join line_step l using (line_id)
        where
            v.name
            in (select distinct name from line_value where is_unsure_of_loss(plain_name(name)))
        union all by name
        select file_id, line_no, name, metric_value as number
        from training_value
        where
            name
            in (select distinct name from training_value where is_unsure_of_loss(plain_name(name)))
    ),
    value as (
        select
            file_id,
            name,
            number,
            row_number() over in_order as place,
            count(*) over (partition by file_id, name) as points
        from unsure
        where isfinite(number)
        window in_order as (partition by file_id, name order by line_no)
    )
select file_id, name
from value
group by file_id, name
-- what begins at zero is no loss that is learned from
having
    median(number) filter (place <= greatest(1, points / 10))
    < 0.99 * median(number) filter (place > points / 10 and place <= greatest(2, points / 2))
    or coalesce(arg_min(number, place), 0) = 0
