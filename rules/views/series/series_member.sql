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
    ),
    -- Values that are only counted tell by their height whether a file goes on in the one before.
    opening as (
        select
            t.family,
            t.file_id,
            t.source,
            t.name,
            t.turn,
            median(v.value) filter (v.place <= 5) as first_values,
            median(v.value) filter (v.places - v.place < 5) as last_values
        from turned t
        join
            (
                select
                    file_id,
                    source,
                    name,
                    rank,
                    value,
                    row_number() over (in_file order by ordinal) as place,
                    count(*) over (in_file) as places
                from line_metric
                where canonical = 'loss' and value > 0
                window in_file as (partition by file_id, source, name, rank)
            ) v
            on v.file_id = t.file_id
            and v.source = t.source
            and v.name = t.name
            and v.rank is not distinct from t.rank
        where
            t.canonical = 'loss'
            and t.stepped = 0
            and t.points >= 10
            and (v.place <= 5 or v.places - v.place < 5)
        group by all
    ),
    -- It begins as high as the first of them did, which had learned since, and says of no
    -- checkpoint that it goes on from: a run of its own (a fold, a seed, the next of a sweep).
    unlearned as (
        select distinct o.family, o.file_id, o.source
        from opening o
        join opening f on f.family = o.family and f.name = o.name and f.turn = 1
        where
            o.turn > 1
            and o.first_values > 0.6 * f.first_values
            and f.last_values < 0.5 * f.first_values
            and o.file_id not in (
                select file_id
                from training_event
                where kind in ('resume', 'load', 'midepoch_resume')
            )
    ),
    numbered as (
        select
            t.* exclude (family),
            t.family || coalesce(
                ' ' || nullif(
                    count(distinct u.file_id) over (
                        partition by t.family, t.name, t.canonical, t.rank
                        order by t.turn
                        range between unbounded preceding and current row
                    ),
                    0
                ),
                ''
            ) as family
        from turned t
        left join unlearned u using (family, file_id, source)
    )
select dense_rank() over (order by family, canonical, name, rank) as series_id, *
from numbered
