-- table: One row per loss of a policy or a critic of few values that jumped by orders of magnitude
-- and stays there, together with other values of its lines (rose), while no reward is far better
-- than before: the estimates of values run away. high: the highest value before the jump.
with
    point as (
        select
            s.series_id,
            s.name,
            s.rank as series_rank,
            s.stepless,
            s.points as series_points,
            p.file_id,
            p.line_no,
            p.time,
            p.step,
            p.value,
            row_number() over w as place,
            max(abs(p.value)) over (w rows between unbounded preceding and 1 preceding) as high,
            min(abs(p.value)) over (w rows between current row and unbounded following) as low_after
        from series s
        join series_point p using (series_id)
        where
            s.canonical in ('policy_loss', 'value_loss')
            and s.points between 6 and 25
            and s.files = 1
            and p.value is not null
        window w as (partition by s.series_id order by p.ordinal)
    ),
    jump as (
        select *
        from point
        where
            place >= 5
            -- from next to nothing up is the way to learn
            and high >= 0.01
            and value > 300 * high
            and low_after > 30 * high
        qualify row_number() over (partition by series_id order by place) = 1
    ),
    beside as (
        select
            j.series_id,
            m.name,
            m.canonical,
            max(abs(m.value)) filter (m.line_no < j.line_no) as high,
            max(abs(m.value)) filter (m.line_no = j.line_no) as here,
            max(m.value) filter (m.line_no < j.line_no) as best,
            max(m.value) filter (m.line_no >= j.line_no) as best_since
        from jump j
        join metric m on m.file_id = j.file_id and m.name <> j.name and isfinite(m.value)
        where m.line_no in (select p.line_no from point p where p.series_id = j.series_id)
        group by all
    ),
    judged as (
        select
            series_id,
            list(name order by name) filter (
                here > 3 * high
                and high > 0
                and (
                    canonical is null
                    or canonical in ('policy_loss', 'value_loss', 'component_loss', 'grad_norm')
                )
            ) as rose,
            coalesce(
                bool_or(canonical = 'reward' and best_since > best + abs(best)), false
            ) as is_better
        from beside
        group by series_id
    ),
    last_point as (
        select
            series_id,
            max_by(value, place) as value,
            max_by(line_at(file_id, line_no), place) as evidence,
            max(value) as peak
        from point
        group by series_id
    )
select
    j.* exclude (low_after, place, value),
    r.rose,
    l.peak,
    l.value as after,
    l.evidence as last_evidence
from jump j
join judged r using (series_id)
join last_point l using (series_id)
where len(r.rose) > 0 and not r.is_better
