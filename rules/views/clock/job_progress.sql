-- view: One row per file and minute in which a training step was logged, with the first such line.
select file_id, date_trunc('minute', time) as minute, min(line_no) as line_no
from training_line
where time is not null
group by all
