-- view: When training went on: a time of each minute and file in which a step was logged.
select file_id, date_trunc('minute', time) as minute, min(line_no) as line_no
from training_line
where time is not null
group by all
