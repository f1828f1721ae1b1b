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
    regexp_replace(path, '[.](?:out|err|log|txt)(?:[.](?:gz|xz|zst|bz2))?$', '')
;

-- The rank of the one process that failed by itself, where a log tells of one, or of one on a host.
create macro lone_ranks(log, of_hosts) as
    (
        select list(rank)
        from lone_failure
        where file_id = log and coalesce(of_hosts, [host]) = [host]
        having count(*) = 1 and count(rank) = 1
    )
;

-- Its process.
create macro lone_pids(log, of_hosts) as
    (
        select list(pid)
        from lone_failure
        where file_id = log and coalesce(of_hosts, [host]) = [host]
        having count(*) = 1 and count(pid) = 1
    )
;

-- Its host.
create macro lone_hosts(log) as
    (
        select list(host)
        from lone_failure
        where file_id = log
        having count(*) = 1 and count(host) = 1
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
