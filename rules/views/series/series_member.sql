-- table: One row per curve and file that it has points in. turn: the order of the files, in each
-- of which a curve may have parts, one for each phase of training; points, stepped: how many
-- values, and with a step; planned: the length of the training; curve: that of a store, else NULL.
with
    metric_of_file as (
        select
            file_id,
            null::bigint as curve,
            source,
            name,
            canonical,
            rank,
            count(*) as points,
            count(step) as stepped,
            max(steps_planned) as planned,
            min(time) as began,
            bool_or(is_average) as averaged
        from line_metric
        where value is not null
        group by all
        union all
        select
            file_id,
            curve,
            source,
            name,
            canonical,
            rank,
            points,
            points,
            steps_planned,
            time,
            is_average
        from curve_metric
    ),
    rotated as (
        select source, name_before_rotation(source) as plain
        from metric_of_file
        group by source
        having plain in (select source from metric_of_file) and plain <> source
    ),
    of_log as (
        select
            m.*,
            source_family(coalesce(r.plain, m.source)) as family,
            r.source is null as is_current,
            -- the higher a number, the longer ago; dates go up
            - try_cast(regexp_extract(r.source, '[.]([0-9]{1,3})([.][a-z]+)?$', 1) as bigint) as age
        from metric_of_file m
        left join rotated r using (source)
    ),
    ranked as (
        -- Of many ranks that print the same two are enough; what only one of them sees is
        -- compared rank by rank elsewhere.
        select
            *,
            min(rank) over (partition by family, name) as low,
            max(rank) over (partition by family, name) as high
        from of_log
        where
            canonical in (
                'loss',
                'component_loss',
                'validation_loss',
                'epoch_loss',
                'policy_loss',
                'value_loss',
                'adversarial_loss',
                'grad_norm',
                'learning_rate',
                'step_seconds'
            )
    ),
    turned as (
        select
            *,
            dense_rank() over (
                partition by family, name, canonical, rank
                order by
                    case when timed then file_began end, is_current, age, numbers, source, file_id
            ) as turn
        from
            (
                select
                    *,
                    bool_and(began is not null) over (
                        partition by family, name, canonical, rank
                    ) as timed,
                    min(began) over (
                        partition by family, name, canonical, rank, source, file_id
                    ) as file_began,
                    list_transform(
                        regexp_extract_all(source, '[0-9]{1,18}'), lambda n:n::bigint
                    ) as numbers
                from ranked
                where rank is null or rank in (low, high)
            )
    )
select dense_rank() over (order by family, canonical, name, rank) as series_id, *
from turned
