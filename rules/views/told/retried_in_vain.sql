-- table: One row per line that tells of a failure and of another try, where a line behind it says
-- that the tries are over.
select distinct l.file_id, l.line_no, l.sentence
from plain_line l
join told_sense r on r.sentence = l.sentence and r.sense = 'retried'
join plain_line e on e.file_id = l.file_id and e.line_no - l.line_no between 1 and 60
join told_sense o on o.sentence = e.sentence and o.sense = 'tries_over'
