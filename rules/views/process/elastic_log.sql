-- table: One row per log of a worker that torchelastic keeps in a folder of its attempt, where its
-- launcher was started once and made more than one: attempt is counted from 1.
with
    worker_log as (
        select
            file_id,
            lines,
            regexp_extract(path, '([^/]*)/?attempt_[0-9]+/[0-9]+/std', 1) as run_folder,
            regexp_extract(path, '(?:^|/)attempt_([0-9]+)/[0-9]+/std', 1)::integer + 1 as attempt
        from file
        where regexp_matches(path, '(?:^|/)attempt_[0-9]{1,5}/[0-9]+/(?:stdout|stderr)[^/]*$')
    )
select file_id, lines, attempt, max(attempt) over () as last_attempt
from worker_log
where
    (select count(distinct run_folder) from worker_log) = 1
    and (select max(attempt) from worker_log) > 1
