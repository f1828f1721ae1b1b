-- Training came to its end further down in the same log: the next attempt did, or the program went
-- on.
create macro ends_well_after(file, line) as
    exists (
        from training_mark m
        where m.kind = 'end' and m.file_id = file::bigint and m.line_no > line::bigint
    )
;

-- Training had come to its end further up in the same log, and none followed in it.
create macro ended_well_before(file, line) as
    exists (
        from training_mark m
        where
            m.kind = 'end'
            and m.ended_by is null
            and m.file_id = file::bigint
            and m.line_no < line::bigint
            and not exists (
                from training_line l where l.file_id = m.file_id and l.line_no > m.line_no
            )
    )
;

-- What the files have in common to which a job's standard output and standard error go.
create macro output_stem(path) as
    regexp_replace(path, '[.](?:out|err|log|txt)(?:[.](?:gz|xz|zst|bz2))?$', '')
;

-- The one process that failed by itself, where a log tells of one, or of one on a host: lists of
-- its
-- rank, its host and its pid, each null where it is not told.
create macro lone_process(log, of_hosts) as
    (
        select
            {
                'ranks':list(rank) filter (rank is not null),
                'hosts':list(host) filter (host is not null),
                'pids':list(pid) filter (pid is not null)
            }
        from lone_failure
        where file_id = log and coalesce(of_hosts, [host]) = [host]
        having count(*) = 1
    )
;

-- A progress bar of what is read, made ready or tested: it is drawn anew as often as that is done,
-- and counts no steps of a training.
create macro is_bar_beside(label) as
    regexp_matches(
        coalesce(label, ''),
        '(?i)\b(?:(?:down|up)?load|fetch|extract|unpack|read|map|filter|token|pack|group|generat'
        || '|sav|writ|copy|quanti[sz]|shard|resolv|prepar|preprocess|process|eval|valid|test|sanity'
        || '|predict|infer)[a-z]*\b'
    )
;
