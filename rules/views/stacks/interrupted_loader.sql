-- table: One row per place in which programs waited for the workers of torch's data loader to end
-- when somebody interrupted them. They are told to end, and do so at once, unless they hang. Who
-- was interrupted before takes the workers down on its way out: there it is no wait of the program.
with
    wait as (
        select * exclude (function), regexp_extract(frames[-1], '[^ ]+$') as function
        from exception e
        where
            class = 'KeyboardInterrupt'
            and coalesce(chained, '') = ''
            and regexp_matches(
                frames::varchar,
                'torch[\\/]+utils[\\/]+data[\\/]+dataloader\.py:[0-9]+ in _shutdown_workers\b'
            )
            -- on the regular way, at the end of the data
            and regexp_matches(
                frames::varchar,
                'torch[\\/]+utils[\\/]+data[\\/]+dataloader\.py:[0-9]+ in (?:_next_data|__next__)\b'
            )
            and not regexp_matches(frames::varchar, ' in __del__\b')
            and regexp_matches(
                frames[-1],
                '[\\/](?:multiprocessing[\\/][a-z_]+|threading|selectors)\.py:[0-9]+ in '
                || '(?:poll|wait|join|_wait_for_tstate_lock|_join|select)$'
            )
            and not exists (
                from exception b
                where
                    b.file_id = e.file_id
                    and b.line_no < e.line_no
                    and b.class = 'KeyboardInterrupt'
                    and b.chain_line <> e.chain_line
            )
    )
select
    function,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host order by host) filter (host is not null) as hosts,
    list(distinct pid order by pid) filter (pid is not null) as pids,
    max(time) as "at",
    list(line_at(file_id, line_no) order by file_id, line_no)[:8] as evidence
from wait
group by function
