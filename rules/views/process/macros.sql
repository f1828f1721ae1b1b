-- Training came to its end further down in the same log: the next attempt did, or the program went
-- on.
create macro ends_well_after(file, line) as
    exists (
        from training_mark m
        where m.kind = 'end' and m.file_id = file::bigint and m.line_no > line::bigint
    )
;
