-- table: One row per loss that a file prints and does not use: all its values are zero.
select file_id, name
from line_value
join line_step using (line_id)
where name in (select name from line_value where number = 0 and name ilike '%loss')
group by all
having bool_and(number = 0)
