-- view: Losses that are printed and not used: all their values are zero.
select file_id, name
from line_value
join line_step using (line_id)
where name in (select name from line_value where number = 0 and name ilike '%loss')
group by all
having bool_and(number = 0)
