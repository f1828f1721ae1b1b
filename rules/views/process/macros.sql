-- Training came to its end further down in the same log: the next attempt did, or the program went
-- on.
create macro ends_well_after(file, line) as
    exists (
        from training_mark m
        where m.kind = 'end' and m.file_id = file::bigint and m.line_no > line::bigint
    )
;

-- What the files have in common to which a job's standard output and standard error go.
create macro output_stem(path) as
    regexp_replace(path, '[.](?:out|err|log|txt)$', '')
;
