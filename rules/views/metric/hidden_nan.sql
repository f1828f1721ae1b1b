-- table: One row per line of Hugging Face whose loss of 0.0 hides a NaN: it writes that where
-- every step of the window was NaN, and the gradient norm beside it tells.
select distinct line_id
from line_value
join line_step using (line_id)
where trainer = 'hf' and name = 'grad_norm' and not isfinite(number)
