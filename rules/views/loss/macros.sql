-- The epoch that a line prints beside its values: what can be told where no step is printed, and
-- values are only counted.
create macro epoch_at(file, line) as
    (
        select any_value(m.value)
        from metric m
        where m.canonical = 'epoch' and m.file_id = file and m.line_no = line
    )
;

-- The last step, up to a given one, at which a checkpoint was saved, as far as the log tells.
create macro saved_up_to(last_step) as
    (select max(e.step) from training_event e where e.kind = 'save' and e.step <= last_step)
;

-- An exception by which a program stopped that had looked at its loss: loss.nan tells of it.
create macro stops_over_its_loss(kind, certain, lines_after, message) as
    coalesce(
        kind = 'loss'
        and (certain or lines_after <= 2)
        and not regexp_matches(message, '(?i)loss scale'),
        false
    )
;
