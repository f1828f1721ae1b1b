-- view: One row per value of a line, still under its printed name only.
with
    table_line as (
        select
            file_id,
            line_no,
            stream,
            trainer,
            time,
            host,
            rank,
            name,
            '' as unit,
            '' as phase,
            null::double as steps_planned,
            metric_value as value,
            coalesce(table_line, line_no) as first_line,
            -- the heads of sections are between rows, two rules between tables
            line_no
            - lag(line_no, 1, -9) over (partition by file_id, stream, trainer order by line_no)
            > 2 as is_apart
        from training_value
        where trainer in ('table', 'policy', 'tabular', 'result')
    ),
    table_part as (
        select
            * exclude (is_apart, first_line),
            case
                when trainer = 'policy'
                then count_if(is_apart) over (partition by file_id, stream order by line_no)
                -- not every row is read; a row of no value is the head
                when trainer = 'result'
                then
                    count_if(value is null) over (
                        partition by file_id, stream, trainer order by line_no
                    )
                -- of these not every row is read; the step is near the head
                when trainer = 'tabular'
                then
                    count_if(is_step_name(name)) over (
                        partition by file_id, stream order by line_no
                    )
                else first_line
            end as of_table
        from table_line
    ),
    stepped_part as (
        select
            *,
            max(value) filter (is_step_name(name)) over (
                partition by file_id, stream, of_table
            ) as named_step
        from table_part
    ),
    -- tables that have the step among their values, or are counted
    table_value as (
        select
            * exclude (of_table, named_step),
            coalesce(
                named_step,
                case
                    when count(named_step) over (partition by file_id, stream) = 0
                    then dense_rank() over (partition by file_id, stream order by of_table)
                end
            ) as step
        from stepped_part
    )
select
    l.file_id,
    l.line_no,
    l.stream,
    l.trainer,
    l.time,
    l.host,
    l.rank,
    v.name || coalesce(l.of_set, '') as name,
    v.unit,
    l.phase,
    l.step,
    l.steps_planned,
    l.place,
    case
        when
            v.number = 0
            and l.trainer = 'hf'
            and v.name = 'loss'
            and v.line_id in (select line_id from hidden_nan)
        then 'nan'::double
        else v.number
    end as value
from line_value v
join line_step l using (line_id)
union all by name
select * exclude (line_id), 'nan'::double as value
from missing_loss
union all by name
select
    file_id,
    line_no,
    stream,
    trainer,
    time,
    host,
    rank,
    name,
    '' as unit,
    lower(coalesce(phase, '')) as phase,
    case
        when epoch_no is not null and planned > 0 then epoch_no * planned + step else step
    end as step,  -- epochs of composer_line, from 0
    case when epoch_no is null then planned end as steps_planned,
    metric_value as value
from training_value
where
    metric_value is not null and trainer not in ('composer', 'table', 'policy', 'tabular', 'result')
union all by name
select
    v.file_id,
    v.line_no,
    v.stream,
    v.trainer,
    v.time,
    v.host,
    v.rank,
    v.name,
    '' as unit,
    lower(coalesce(v.phase, '')) as phase,
    h.step,
    h.steps_planned,
    v.metric_value as value
from (select * from training_value where metric_value is not null and trainer = 'composer') v
asof join
    composer_step h on h.file_id = v.file_id and h.stream = v.stream and h.line_no <= v.line_no
union all by name
from table_value
where step is not null and not is_step_name(name) and value is not null
union all by name
from shaped_value
