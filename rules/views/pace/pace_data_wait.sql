-- table: One row per rank that alone takes long for its data since all ranks became slower together
-- (pace_slowdown): what it prints of that went up, and is far above what the others print. before
-- and behind are as printed, in whatever unit. Or, of a log without ranks, that its steps take long
-- by it: rank is NULL.
with
    waited as (
        select
            s.writer,
            s.run,
            s.k,
            s.nranks,
            any_value(s.behind) as step_seconds,
            m.rank,
            m.name,
            median(m.value) filter (m.step < s.step) as before,
            median(m.value) filter (m.step >= s.step) as behind,
            count_if(m.step >= s.step) as times
        from pace_slowdown s
        join
            metric m
            on (m.rank is not null or s.nranks <= 1 and m.file_id = s.file_id)
            and m.canonical is null
            and m.value >= 0
            and isfinite(m.value)
            and regexp_matches(
                m.name,
                '(?i)^(?:time[_/ -])?(?:data(?:[_ -]?load(?:ing|er)?)?|dataloader'
                || '|batch[_ -]?gen(?:erator)?|(?:data|batch|input)[_ -]?(?:fetch|wait|get)'
                || '|(?:wait|load)(?:ing)?[_ -]?data)'
                || '(?:[_ -]?(?:time|wait|ms|s|sec|seconds))?(?: ?\((?:ms|s)\))?$'
            )
        where
            (len(s.slow_ranks) = s.nranks and s.nranks > 1 or s.nranks <= 1) and not s.is_restarted
        group by all
    ),
    compared as (
        select
            *,
            count(*) over same as tellers,
            max(behind) over (
                same rows between unbounded preceding and unbounded following exclude current row
            ) as behind_elsewhere
        from waited
        where times >= if(nranks > 1, 5, 3)
        window same as (partition by writer, run, k, name)
    )
select writer, run, k, rank, name, before, behind
from compared
where
    behind > 5 * coalesce(before, 0)
    and (
        nranks > 1
        and tellers = nranks
        and behind > 5 * behind_elsewhere
        or nranks <= 1
        and behind between 0.5 * step_seconds and 1.1 * step_seconds
    )
qualify row_number() over (partition by writer, run, k order by behind desc, name) = 1
