-- table: One row per rewarded source whose policy broke down to the end of its log. metric: what
-- shows it (reward | kl | entropy); lost: of what the reward had gained a fifth is left, or less;
-- is_stillborn: the entropy was gone as good as at once, and the reward never rose.
with
    rewarded as (
        select
            source,
            max(level) as best,
            arg_max(part, level) as best_part,
            arg_min(level, part) as began,
            arg_max(level, part) as ended,
            -- of all stretches together: two points of one tell little of chance
            sqrt(avg(pow(error, 2))) as error
        from policy_level
        where canonical = 'reward'
        group by source
    ),
    -- the first stretch from which on the reward stays in the lower half of what it lost
    fallen as (
        select
            r.*,
            (
                select min(p.part)
                from policy_level p
                where
                    p.source = r.source
                    and p.canonical = 'reward'
                    and p.part > r.best_part
                    and not exists (
                        from policy_level q
                        where
                            q.source = p.source
                            and q.canonical = 'reward'
                            and q.part >= p.part
                            and q.level > (r.best + r.ended) / 2
                    )
            ) as fall_part,
            (r.best - r.ended) / greatest(abs(r.best), abs(r.ended), 1e-9) as share
        from rewarded r
    ),
    -- What is set and makes the task another, by its name: a lesson, how much is left to chance.
    setting as (
        select
            m.source,
            avg(m.value) filter (m.ordinal between b.ordinal and b.last_ordinal) as at_best,
            avg(m.value) filter (m.ordinal >= l.ordinal) as at_end
        from metric m
        join rewarded r using (source)
        join
            policy_level b
            on b.source = r.source
            and b.canonical = 'reward'
            and b.part = r.best_part
            and b.file_id = m.file_id
        join
            policy_level l
            on l.source = r.source
            and l.canonical = 'reward'
            and l.part = l.parts
            and l.file_id = m.file_id
        where
            plain_name(m.name)
            ~ '(^|[/_])(level|lesson|stage|difficulty|curriculum|epsilon|eps|exploration)([/_]|$)'
            and isfinite(m.value)
        group by m.source, m.name
    ),
    judged_reward as (
        select
            f.*,
            -- by far more than chance moves it, and for more than a moment
            share >= 0.25 and best - ended > 4 * error and parts > fall_part as has_fallen,
            share >= 0.5
            and best - ended > 6 * error
            and parts > fall_part
            and ended <= began + 0.2 * (best - began) as is_lost
        from fallen f
        join
            (
                select source, any_value(parts) as parts
                from policy_level
                where canonical = 'reward'
                group by source
            ) using (source)
        where source not in (select source from setting where at_end > at_best + 0.1)
    ),
    -- the very first values, which a stretch of a long log hides
    first_value as (
        select source, canonical, median(value) as typical, stddev_samp(value) / sqrt(5) as error
        from
            (
                select p.source, p.canonical, m.value
                from (select distinct source, canonical, name, rank from policy_level) p
                join
                    metric m
                    on m.source = p.source
                    and m.name = p.name
                    and m.rank is not distinct from p.rank
                where isfinite(m.value)
                qualify
                    row_number() over (
                        partition by p.source, p.canonical order by m.file_id, m.ordinal
                    )
                    <= 5
            )
        group by source, canonical
    ),
    -- The entropy is gone before the first stretch ends, and the reward was never as high again as
    -- it was by chance: it learned to do one thing.
    stillborn as (
        select r.source, r.typical as first_reward, e.typical as first_entropy
        from first_value r
        join first_value e on e.source = r.source and e.canonical = 'entropy'
        where
            r.canonical = 'reward'
            and e.typical > 0.1
            and not exists (
                from policy_level p
                where
                    p.source = r.source
                    and (
                        p.parts < 12
                        or p.canonical = 'entropy'
                        and p.level > 0.02 * e.typical
                        or p.canonical = 'reward'
                        and p.level + 3 * p.error > r.typical - r.error
                    )
            )
    ),
    other as (
        select
            source,
            canonical,
            arg_max(level, part) as ended,
            arg_min(level, part) as began,
            max(level) filter (2 * part <= parts) as highest_before
        from policy_level
        where canonical <> 'reward'
        group by source, canonical
    ),
    sign as (
        select
            *,
            canonical = 'kl' and ended > 0.5 and ended >= 10 * highest_before as ran_away,
            canonical = 'kl'
            and (
                ended >= 100
                and ended >= 20 * highest_before
                or ended >= 5
                and ended >= 200 * highest_before
            ) as is_absurd,
            canonical = 'entropy' and ended <= 0.02 * began as has_died,
            canonical = 'entropy' and ended >= 4 * highest_before as has_risen,
            -- a model of language that chooses among its words as if by chance
            canonical = 'entropy' and ended >= 6 and ended >= 5 * began as is_random
        from other
    ),
    verdict as (
        select
            r.source,
            r.is_lost,
            coalesce(b.first_reward, r.best) as best,
            case when b.source is not null then 1 else r.best_part end as best_part,
            r.ended as last_reward,
            r.fall_part,
            b.source is not null as is_stillborn,
            k.ended as last_kl,
            k.highest_before as kl_before,
            e.ended as last_entropy,
            coalesce(b.first_entropy, e.began) as first_entropy,
            coalesce(k.ran_away, false) as kl_ran_away,
            coalesce(e.has_died, false) or b.source is not null as entropy_died,
            coalesce(e.has_risen or e.is_random, false) and b.source is null as entropy_rose,
            case
                when b.source is not null
                then 'entropy'
                when r.is_lost
                then 'reward'
                when k.is_absurd or r.has_fallen and k.ran_away
                then 'kl'
                when
                    r.has_fallen
                    and (e.has_died or e.has_risen)
                    or e.is_random
                    and r.ended <= r.began
                then 'entropy'
            end as shown_by
        from judged_reward r
        left join sign k on k.source = r.source and k.canonical = 'kl'
        left join sign e on e.source = r.source and e.canonical = 'entropy'
        left join stillborn b on b.source = r.source
    ),
    -- the stretch in which what shows it begins to go
    onset as (
        select v.source, min(p.part) as part
        from verdict v
        join policy_level p on p.source = v.source and p.canonical = v.shown_by
        where
            v.is_stillborn
            or case
                v.shown_by
                when 'reward'
                then p.part = v.fall_part
                when 'kl'
                then p.level > 5 * v.kl_before
                else
                    p.part > 1
                    and (
                        v.entropy_died
                        and p.level <= 0.1 * v.first_entropy
                        or v.entropy_rose
                        and p.level >= 2 * v.first_entropy
                    )
            end
        group by v.source
    )
select
    v.*,
    p.file_id,
    p.first_line,
    p.first_step,
    p.first_time,
    p.rank,
    p.name,
    p.points,
    p.stepless,
    b.file_id as best_file,
    b.last_line as best_line,
    case when not v.is_stillborn then b.last_step end as best_step,
    l.file_id as last_file,
    l.last_line,
    l.last_step
from verdict v
join onset o using (source)
join policy_level p on p.source = v.source and p.canonical = v.shown_by and p.part = o.part
join policy_level b on b.source = v.source and b.canonical = 'reward' and b.part = v.best_part
join policy_level l on l.source = v.source and l.canonical = v.shown_by and l.part = l.parts
where v.shown_by is not null
