-- table: One row per rank that alone takes long for its data since all ranks became slower together
-- (pace_slowdown): what it prints of that went up, and is far above what the others print. before
-- and behind are as printed, in whatever unit.
with
    waited as (
        select
            s.writer,
            s.run,
            s.k,
            s.nranks,
            m.rank,
            m.name,
            median(m.value) filter (m.step < s.step) as before,
            median(m.value) filter (m.step >= s.step) as behind,
            count_if(m.step >= s.step) as times
        from pace_slowdown s
        join
            metric m
            on m.rank is not null
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
        where len(s.slow_ranks) = s.nranks and s.nranks > 1 and not s.is_restarted
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
        where times >= 5
        window same as (partition by writer, run, k, name)
    )
select writer, run, k, rank, name, before, behind
from compared
where tellers = nranks and behind > 5 * coalesce(before, 0) and behind > 5 * behind_elsewhere
qualify row_number() over (partition by writer, run, k order by behind desc, name) = 1
