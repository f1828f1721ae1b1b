-- table: One row per source whose policy learns from how the rewards of a group of answers differ
-- (GRPO and its kin), and in which they never do: all advantages are zero. points: how often it
-- was looked at; reward: what the answers get at the end.
with
    spread as (
        select
            source,
            name,
            file_id,
            count(*) as points,
            min(line_no) as first_line,
            max(line_no) as last_line,
            min(time) as time,
            any_value(rank) as rank
        from metric
        where
            name in (
                select name
                from metric_name
                where
                    regexp_matches(
                        name,
                        '^(?:train/)?(?:reward_std|frac_reward_zero_std)$'
                        || '|^critic/advantages/(?:max|min)$'
                    )
            )
            and isfinite(value)
        group by source, name, file_id
        having
            count(*) >= 20 and bool_and(value = case when contains(name, 'frac_') then 1 else 0 end)
    ),
    idle as (
        select *
        from spread
        where
            name not like 'critic/%'
            or source in (
                select source
                from spread
                where name like 'critic/%'
                group by source
                having count(distinct name) = 2
            )
        qualify row_number() over (partition by source order by points desc, name) = 1
    ),
    last_reward as (
        select
            source,
            row_number() over (partition by source order by count(*) desc, name) as nth,
            arg_max(value, ordinal) as reward
        from metric
        where canonical = 'reward' and isfinite(value) and source in (select source from idle)
        group by source, name
    )
select i.*, r.reward
from idle i
join last_reward r on r.source = i.source and r.nth = 1
