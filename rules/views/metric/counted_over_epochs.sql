-- table: One row per writer whose steps go on when the epoch goes up: they are steps of the run,
-- and the number behind them is its length.
select file_id, stream
from
    (
        select
            file_id,
            stream,
            step - lag(step) over w as further,
            epoch_no > lag(epoch_no) over w as next_epoch
        from training_line
        where
            trainer = 'epochs'
            and planned > 0
            and rowid not in (select line_id from validation_line)
        window w as (partition by file_id, stream order by line_no)
    )
group by all
having count_if(next_epoch and further > 0) >= 1 and count_if(next_epoch and further <= 0) = 0
