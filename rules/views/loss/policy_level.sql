-- table: One row per stretch (part, of parts) of what a policy is judged by, in a source that is
-- rewarded: the level of its reward, of its distance to the policy it began as (kl), or of its
-- entropy. error: how far chance moves the level; first_*, ordinal: where the stretch begins.
with
    -- A bar that is drawn anew for every round bears its length as step: where other lines count
    -- the rounds, it says the same again.
    told as (
        select * exclude (of_step, of_name)
        from
            (
                select
                    *,
                    count(*) over (partition by source, name, rank, step) as of_step,
                    count(*) over (partition by source, name, rank) as of_name
                from metric
                where canonical in ('reward', 'kl', 'entropy') and isfinite(value)
            )
        where not (of_step > 0.3 * of_name and of_step between 8 and 0.7 * of_name)
    ),
    judged as (
        select
            source,
            name,
            canonical,
            rank,
            count(*) as points,
            count(step) = 0 as stepless,
            -- Several rewards may be printed: their sum or mean is THE reward.
            row_number() over (
                partition by source, canonical
                order by
                    regexp_matches(
                        lower(name),
                        '(^|/)(mean_)?(reward|rewards?/mean|reward_mean|score/mean|ep_rew_mean)$'
                    ) desc,
                    -- a mean that moves hides how far chance goes
                    regexp_matches(
                        lower(name),
                        '(avg|average|mean|running|moving|smooth)|(^|_)ma(_|$)|_[0-9]+$'
                    ),
                    count(*) desc,
                    rank nulls first,
                    name
            ) as nth
        from told
        where
            -- preferences are learned without a policy that acts
            not regexp_matches(
                lower(name), 'margin|chosen|rejected|accurac|(^|[^a-z])(val|eval|test)'
            )
        group by source, name, canonical, rank
    ),
    point as (
        select
            m.*,
            j.points,
            j.stepless,
            abs(m.value) as size,
            row_number() over w as nth,
            m.step < lag(m.step) over w as went_back,
            ntile(least(12, divide(j.points, 2))) over w as part,
            least(12, divide(j.points, 2)) as parts
        from told m
        join
            judged j
            on j.source = m.source
            and j.name = m.name
            and j.canonical = m.canonical
            and j.rank is not distinct from m.rank
            and j.nth = 1
        where j.points >= 8
        window w as (partition by m.source, m.canonical order by m.file_id, m.ordinal)
    )
select
    source,
    canonical,
    part,
    any_value(parts) as parts,
    any_value(name) as name,
    any_value(rank) as rank,
    any_value(points) as points,
    any_value(stepless) as stepless,
    case
        canonical when 'reward' then avg(value) when 'kl' then median(value) else median(size)
    end as level,
    coalesce(stddev_samp(value), 0) / sqrt(count(*)) as error,
    arg_min(coalesce(step, nth), nth) as first_step,
    arg_max(coalesce(step, nth), nth) as last_step,
    min(time) as first_time,
    arg_min(file_id, nth) as file_id,
    arg_min(line_no, nth) as first_line,
    arg_max(line_no, nth) as last_line,
    arg_min(ordinal, nth) as ordinal,
    arg_max(ordinal, nth) as last_ordinal
from point
where source not in (select source from point where went_back)
group by source, canonical, part
