-- table: One row per place in which programs were waiting for a lock file when somebody interrupted
-- them: where the libraries that make such files wait, and the program's own line that calls them.
with
    wait as (
        select
            * exclude (function),
            regexp_extract(frames[-1], '[^ ]+$') as function,
            own_frame(frames) as own
        from exception
        where
            class = 'KeyboardInterrupt'
            and regexp_matches(
                frames[-1],
                '[/\\](?:torch[/\\]utils[/\\]file_baton|filelock[/\\][a-z_]+'
                || '|portalocker[/\\][a-z_]+|fasteners[/\\][a-z_]+)\.py:[0-9]+ in '
                || '(?:_?acquire|wait|__enter__|lock)$'
            )
    )
select
    function,
    any_value(regexp_replace(own, '^(?:.*[/\\])?([^/\\]+:[0-9]+) in (.+)$', '\2 (\1)')) as frame,
    count(*) as n,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host order by host) filter (host is not null) as hosts,
    max(time) as "at",
    list(line_at(file_id, line_no) order by file_id, line_no)[:8] as evidence
from wait
group by function
