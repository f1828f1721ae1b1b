-- table: One row where saving (or loading) checkpoints became slower for good: the last third takes
-- at least twice as long as the first half did, and none of it is as quick as that was. Where no
-- line says how long it took, the time from `saving` to `saved` of the same file counts.
with
    event as (
        select
            file_id,
            line_no,
            time,
            step,
            regexp_matches(message, '(?i)\b(?:successfully saved|saved|finished)\b') as is_done
        from training_event
        where
            kind = 'save'
            and time is not null
            and file_id not in (select file_id from checkpoint_time)
    ),
    paired as (
        select
            *,
            lag(time) over w as begun,
            lag(is_done) over w as was_done,
            lag(step) over w as begun_step
        from event
        window w as (partition by file_id order by line_no)
    ),
    taken as (
        select
            t.file_id,
            t.line_no,
            t.time,
            coalesce(t.rank, f.rank) as rank,
            t.what,
            coalesce(t.duration, t.milliseconds / 1000) as seconds
        from checkpoint_time as t
        join file as f using (file_id)
        union all
        select file_id, line_no, time, null, 'saving', epoch(time) - epoch(begun)
        from paired
        where is_done and not was_done and (step is null or begun_step is null or step = begun_step)
    ),
    -- of ranks that tell the same the slowest counts
    counted as (
        select *, row_number() over w as k, count(*) over (partition by file_id, what, rank) as n
        from taken
        where seconds is not null
        window w as (partition by file_id, what, rank order by line_no)
    ),
    compared as (
        select
            file_id,
            what,
            rank,
            any_value(n) as times,
            median(seconds) filter (k <= n / 2) as before,
            max(seconds) filter (k <= n / 2) as slowest_before,
            median(seconds) filter (k > n - greatest(2, n / 3)) as behind,
            min(seconds) filter (k > n - greatest(2, n / 3)) as quickest_behind,
            min(time) filter (k > n - greatest(2, n / 3)) as "at",
            arg_max(line_no, k) filter (k <= n / 2) as line_before,
            list(line_at(file_id, line_no) order by k) filter (k > n - greatest(2, n / 3)) as lines
        from counted
        where n >= 4
        group by all
    )
select *, behind / before as ratio, [line_at(file_id, line_before)] || lines[1:9] as evidence
from compared
where
    before > 0
    and behind >= 2 * before
    and behind >= before + 5
    and quickest_behind > 1.3 * slowest_before
qualify row_number() over (partition by what order by behind - before desc) = 1
