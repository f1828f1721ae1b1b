-- table: One row per name and number of a line (line_step), as printed; number: NULL where it is
-- none.
with
    fields as (
        select line_id, trim(unnest(string_split(fields, '|'))) as field
        from line_step
        where layout = 'pipes'
    ),
    between_bars as materialized(  -- Megatron's: nearly all are `name: 1`
        select
            line_id,
            field,
            try_cast(replace(trim(split_part(field, ': ', 2)), ',', '') as double) as number
        from fields
    ),
    cut as (
        select line_id, unnest(fields_in_quotes(fields)) as f
        from line_step
        where layout = 'quoted' and not (trainer = 'hf' and contains(fields, 'train_runtime'))
        union all
        select
            line_id,
            unnest(
                fields_as_pairs(
                    case
                        when contains(fields, 'tot_loss[')
                        then regexp_replace(fields, 'tot_loss\[[^\]]*\]', '')
                        else fields
                    end
                )
            ) as f
        from line_step
        where layout = 'pairs'  -- icefall repeats its names in tot_loss[…], a running mean
        union all  -- llm.c prints some numbers before what they are
        select
            line_id,
            unnest(
                list_transform(
                    regexp_extract_all(fields, '[|(]\s*([0-9.]+) ms(?: \||,)', 1),
                    lambda n: {'name':'ms', 'number':n, 'unit':''}
                ) || list_transform(
                    regexp_extract_all(fields, '[|,] ([0-9.]+) tok/s', 1),
                    lambda n: {'name':'tok/s', 'number':n, 'unit':''}
                )
            ) as f
        from line_step
        where layout = 'pairs' and (contains(fields, ' ms |') or contains(fields, ' ms, '))
        union all
        select
            line_id,
            unnest(
                fields_below_names(split_part(fields, chr(10), 1), split_part(fields, chr(10), 2))
            ) as f
        from line_step
        where layout = 'columns'
    )
select
    line_id,
    case when f.name like '% is' then f.name[:-4] else f.name end as name,
    coalesce(f.unit, '') as unit,
    metric_number(f.number) as number
from cut
where f.name not in (select name from no_metric)
union all
select
    line_id,
    coalesce(f.name, trim(split_part(field, ': ', 1))),
    '',
    coalesce(number, try_cast(replace(f.number, ',', '') as double))
from
    (
        select
            line_id,
            field,
            number,
            case
                when number is null
                then
                    regexp_extract(
                        field,
                        '^([A-Za-z].*?)\s*[: ]\s*'
                        || '([-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf))$',
                        ['name', 'number']
                    )
            end as f
        from between_bars
    )
where f is null or f.name <> ''
