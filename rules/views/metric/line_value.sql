-- table: One row per name and number of a line (line_step), as printed; number: NULL where it is
-- none.
with
    -- Megatron's: nearly all are `name: 1`. Blanks are trimmed only where there are any: that takes
    -- as long as all else.
    fields as (
        select line_id, unnest(string_split(replace(l.fields, ' | ', '|'), '|')) as printed
        from line_step
        join training_line l on l.rowid = line_id
        where line_step.layout = 'pipes'
    ),
    between_bars as materialized(
        select
            line_id,
            field,
            split_part(field, ': ', 1) as name,
            coalesce(
                try_cast(split_part(field, ': ', 2) as double),
                try_cast(replace(split_part(field, ': ', 2), ',', '') as double)
            ) as number
        from
            (
                select
                    line_id,
                    case
                        when starts_with(printed, ' ') or ends_with(printed, ' ')
                        then trim(printed)
                        else printed
                    end as field
                from fields
            )
    ),
    line as (
        select
            s.line_id,
            s.layout,
            s.trainer,
            coalesce(s.fields, case when s.layout <> 'columns' then l.fields end) as fields
        from line_step s
        left join training_line l on l.rowid = s.line_id
        where s.layout <> 'pipes'
    ),
    quoted as (
        select line_id, without_unmeasured(fields) as fields
        from line
        where layout = 'quoted' and not (trainer = 'hf' and contains(fields, 'train_runtime'))
    ),
    pairs as (
        select
            line_id,
            case
                -- icefall repeats its names in tot_loss[…], a running mean
                when contains(fields, 'tot_loss[')
                then regexp_replace(fields, 'tot_loss\[[^\]]*\]', '')
                -- a tab that was copied out of a terminal
                when contains(fields, ' samples/sec ')
                then replace(fields, ' samples/sec ', ' samples/sec' || chr(9))
                -- a running mean
                when contains(fields, 'oss so far')
                then replace(fields, 'oss so far', 'oss')
                else fields
            end as fields
        from line
        where layout = 'pairs'
    ),
    table_line as (
        select
            line_id,
            split_part(fields, chr(10), 1) as names,
            split_part(fields, chr(10), 2) as numbers
        from line
        where layout = 'columns'
    ),
    cut as (
        select line_id, unnest(fields_in_quotes(fields)) as f
        from quoted
        union all
        select line_id, unnest(fields_as_pairs(fields)) as f
        from pairs
        union all  -- llm.c and MXNet print some numbers before what they are
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
                || list_transform(
                    regexp_extract_all(fields, '(?:^|Speed: )([0-9.]+) samples/sec', 1),
                    lambda n: {'name':'samples/sec', 'number':n, 'unit':''}
                )
            ) as f
        from line
        where
            layout = 'pairs'
            and (
                contains(fields, ' ms |')
                or contains(fields, ' ms, ')
                or contains(fields, ' samples/sec')
            )
        union all
        select line_id, unnest(fields_below_names(names, numbers)) as f
        from table_line
    )
select
    line_id,
    case when f.name like '% is' then f.name[:-4] else f.name end as name,
    coalesce(f.unit, '') as unit,
    metric_number(f.number) as number
from cut
where
    f.name not in (select name from no_metric)
    -- when a loss was measured, not what it was
    and not regexp_matches(f.name, '(?i) at (?:epoch|iteration|step)$')
union all
select
    line_id,
    coalesce(f.name, case when ends_with(name, ' ') then trim(name) else name end),
    '',
    coalesce(number, try_cast(replace(f.number, ',', '') as double))
from
    (
        select
            line_id,
            name,
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
