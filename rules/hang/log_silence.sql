/*
title = "The log of a rank stopped long before those of its peers"
severity = "warning"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost"]
about = """
A rank printed its training steps at a steady pace, then nothing more, while most other ranks went on to write - steps, timeouts, errors - for ten of
its longest pauses and at least a minute. It hung or was lost without a word. Ranks that end with an exit code, an exception or a place in another
incident's evidence are not told again; nor are ranks that never had a rhythm (where only rank 0 logs), nor the end of a run in which nothing went wrong.
"""
remedy = "Look at this rank: its process (py-spy dump, ps: state D, T or gone), the kernel log of its host at the time of its last line, its GPU."
false_positives = "A log that was copied before the others, or one whose disk was full, ends early too."
references = ["https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
-- only with training_line
with
    step as (
        select
            coalesce(t.rank, f.rank) as rank,
            coalesce(t.host, f.host) as host,
            t.time,
            t.step,
            t.file_id,
            t.line_no,
            f.path
        from training_line as t
        join file as f using (file_id)
        where t.time is not null and coalesce(t.rank, f.rank) is not null
    ),
    paced as (
        select
            *,
            epoch(time)
            - lag(epoch(time)) over (partition by rank order by time, file_id, line_no) as pause
        from step
    ),
    rhythm as (
        select
            rank,
            any_value(host) as host,
            count(*) as lines,
            median(pause) as usual,
            max(pause) as longest,
            max(time) as stepped,
            max(step) as last_step,
            arg_max(file_id, (time, line_no)) as file_id,
            arg_max(line_no, (time, line_no)) as line_no,
            arg_max(path, (time, line_no)) as path
        from paced
        group by rank
        having count(*) >= 10 and max(pause) > 0
    ),
    word as (
        select rank, time, file_id, line_no
        from step
        union all
        select coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no
        from c10d_timeout_line as t
        join file as f using (file_id)
        union all
        select coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no
        from c10d_status as t
        join file as f using (file_id)
        union all
        select coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no
        from c10d_heartbeat as t
        join file as f using (file_id)
        union all
        select coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no
        from exception as t
        join file as f using (file_id)
    ),
    last_word as (
        select
            rank, max(time) as time, arg_max({'file_id':file_id, 'line_no':line_no}, time) as line
        from word
        where time is not null and rank is not null
        group by rank
    ),
    known as (
        select r.*, w.time as last_time, w.line from rhythm as r join last_word as w using (rank)
    ),
    compared as (
        select
            a.rank,
            any_value(a.host) as host,
            any_value(a.path) as path,
            any_value(a.usual) as usual,
            any_value(a.last_time) as last_time,
            any_value(a.line) as line,
            count(*) as others,
            count(*) filter (later) as outlived,
            count(*) filter (later and o.last_step > a.last_step) as ahead,
            median(epoch(o.last_time) - epoch(a.last_time)) filter (later) as seconds,
            list(o.line order by o.last_time desc) filter (later) as lines
        from
            (
                select
                    a.rank,
                    o.rank as other,
                    o.last_time
                    > a.last_time + greatest(60, 10 * a.longest) * interval 1 second as later
                from known as a
                join known as o on o.rank <> a.rank
            ) as pair
        join known as a on a.rank = pair.rank
        join known as o on o.rank = pair.other
        group by a.rank
    ),
    silent as (
        select *
        from compared
        where
            others >= 2
            and 3 * outlived >= 2 * others
            -- At the end of a good run rank 0 saves and evaluates alone; a new attempt may leave
            -- a rank out.
            and (ahead > 0 or exists (from trouble_sign as s where s.time > compared.last_time))
            and not exists (from exit as e where e.rank = compared.rank)
            and not exists (from exception as e where e.rank = compared.rank)
            and not exists (
                from missing_rank_suspect as m where list_contains(m.ranks, compared.rank)
            )
            and not exists (
                from
                    (
                        select
                            rank,
                            time,
                            step,
                            lag(step) over (
                                partition by rank order by time, file_id, line_no
                            ) as before
                        from step
                    ) as b
                where b.step < b.before and b.time > compared.last_time
            )
    )
select
    case when count(*) = 1 then 'The log of rank ' else 'The logs of ranks ' end
    || ranges(list(rank))
    || coalesce(' (' || nullif(array_to_string(list(distinct host), ', '), '') || ')', '')
    || case when count(*) = 1 then ' stops ' else ' stop ' end
    || round(min(seconds))::bigint
    || ' s before those of '
    || min(outlived)
    || ' other ranks, after a line every '
    || case
        when median(usual) < 10
        then round(median(usual), 1)::varchar
        else round(median(usual))::bigint::varchar
    end
    || ' s.' as summary,
    list(line_at(line.file_id, line.line_no) order by rank)[:6]
    || list_transform(any_value(lines)[:3], lambda l:line_at(l.file_id, l.line_no)) as evidence,
    min(last_time) as at,
    list(rank order by rank) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when count(*) = 1 then any_value(path) end as path,
    round(min(seconds), 1) as seconds,
    round(median(usual), 3) as usual_pause_seconds
from silent
having count(*) > 0 and count(*) <= greatest(1, divide((select count(*) from known), 4))
