-- table: Hugging Face writes 0.0 where every step of the window was NaN; the norm beside it tells.
select distinct line_id
from line_value
join line_step using (line_id)
where trainer = 'hf' and name = 'grad_norm' and not isfinite(number)
