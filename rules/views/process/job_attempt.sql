-- table: One row per line from which on a log tells of an attempt of the job: attempt counts them
-- over all logs, from 1. A further one begins behind the end of the one before, where its launcher
-- begins again or steps begin anew, or as torchelastic's folders of logs number them. calm = it is
-- the last of its log, whose steps go on to the end of it; ends: the lines that tell of the end of
-- the last.
with
    placed as (
        select
            o.*,
            coalesce(s.series_no, 0) as series_no,
            row_number() over (partition by o.file_id order by o.line_no)
            + coalesce(e.attempt - 1, 0) as place,
            row_number() over (partition by o.file_id order by o.line_no desc) = 1 as is_last
        from attempt_opening o
        left join log_series s using (file_id)
        left join elastic_log e using (file_id)
    ),
    -- Logs that begin after all others have ended are a further attempt where the job trains in
    -- them.
    series as (
        select
            series_no,
            max(place) - 1 as further_attempts,
            bool_or(file_id in (select file_id from step_stretch where steps >= 3)) as trains,
            bool_or(file_id in (select file_id from attempt_end)) as ends
        from placed
        group by series_no
    ),
    begun_series as (
        select *, coalesce(trains and bool_or(ends) over earlier, false)::integer as begins_anew
        from series
        window earlier as (order by series_no rows between unbounded preceding and 1 preceding)
    ),
    numbered_series as (
        select
            series_no,
            sum(begins_anew + further_attempts) over (order by series_no)
            - further_attempts as attempts_before
        from begun_series
    ),
    numbered as (
        select
            p.file_id,
            p.line_no,
            p.place + s.attempts_before as attempt,
            p.is_last
            and p.place > 1
            and f.lines - p.last_line <= 60
            and not exists (
                from attempt_end e where e.file_id = p.file_id and e.line_no > p.line_no
            )
            and not exists (
                from trouble_sign t where t.file_id = p.file_id and t.line_no > p.line_no
            ) as calm,
            coalesce(
                (
                    select list(e.line_no)
                    from attempt_end e
                    where p.is_last and e.file_id = p.file_id and e.line_no >= p.line_no
                ),
                []
            ) as ends
        from placed p
        join file f using (file_id)
        join numbered_series s using (series_no)
    ),
    last_elastic as (
        select
            max(n.attempt) as attempt,
            coalesce(bool_or(n.calm), false)
            and not coalesce(bool_or(len(n.ends) > 0), false) as calm
        from numbered n
        left join elastic_log e using (file_id)
        left join elastic_end l using (file_id)
        where e.attempt = e.last_attempt or n.line_no > l.line_no and l.attempt = l.last_attempt - 1
    ),
    -- behind the end of the log of an earlier attempt the job goes on in the last
    told_further as (
        from numbered
        union all by name
        select e.file_id, e.lines + 1 as line_no, l.attempt, l.calm, [] as ends
        from elastic_log e
        cross join last_elastic l
        where e.attempt < e.last_attempt and l.attempt is not null
    )
from told_further
qualify max(attempt) over () > 1
