-- table: One row per line of a training with values (bars: line_id below 0), with its step in the
-- run, its phase and its writer (stream): steps counted within an epoch become steps of the run, a
-- rank the line names tells its writer apart. layout: how its values are printed; fields: where,
-- NULL for those of the line itself.
with
    first_epoch as (
        -- 0 or 1; a log of a resumed run begins later, what its neighbours began with counts for it
        select
            file_id,
            stream,
            min(least(min(epoch_no), 1)) over (
                partition by regexp_replace(path, '[0-9]+', '#', 'g')
            ) as epoch
        from training_line
        join (select file_id, path from file) using (file_id)
        where trainer = 'epochs'
        group by file_id, stream, path
    ),
    heads as (
        select l.rowid as line_id, h.lead
        from
            (
                select rowid, file_id, stream, line_no
                from training_line
                where layout = 'columns' and lead is null
            ) l
        asof join
            (
                select file_id, stream, line_no, lead
                from training_line
                where trainer = 'head' and lead is not null
            ) h
            on h.file_id = l.file_id
            and h.stream = l.stream
            and h.line_no <= l.line_no
    ),
    rows_of_an_epoch as (  -- tables with several rows for each epoch: their order is the step
        select file_id, stream
        from
            (
                select
                    file_id,
                    stream,
                    epoch_no
                    = lag(epoch_no) over (partition by file_id, stream order by line_no) as is_again
                from training_line
                where trainer = 'columns' and epoch_no is not null
            )
        group by all
        having count_if(is_again) > 0.5 * count(*)
    ),
    -- how many steps each round has is the same on all its lines: what goes on before it counts
    rounds as (
        select rowid as line_id, lead_no as step
        from
            (
                select
                    rowid,
                    step,
                    lead_no,
                    min(step) over same as least,
                    max(step) over same as most,
                    count(*) over same as n,
                    count(distinct lead_no) over same as leads,
                    count(distinct regexp_replace(lead, '[0-9]+', '#', 'g')) over same as shapes
                from
                    (
                        select
                            rowid,
                            file_id,
                            stream,
                            step,
                            lead,
                            try_cast(
                                regexp_extract(
                                    lead, '(?i)\b(?:round|epoch|stage|cycle)[ :=#]*([0-9]{1,9})', 1
                                ) as double
                            ) as lead_no
                        from training_line
                        where trainer = 'generic' and step is not null and lead <> ''
                    )
                where lead_no is not null
                window same as (partition by file_id, stream)
            )
        where n >= 5 and least = most and leads = n and shapes = 1
    ),
    lengths as (
        select file_id, stream, mode(planned) as planned
        from training_line
        where
            trainer in ('epochs', 'generic', 'mmengine')
            and planned > 0
            and (file_id, stream) in (select (file_id, stream) from validation_line)
            and rowid not in (select line_id from validation_line)
        group by all
    ),
    lines as (
        select
            l.rowid as line_id,
            l.* replace (coalesce(f.phase, l.phase) as phase, coalesce(l.rank, f.rank) as rank)
        from training_line l
        left join line_front f on f.line_id = l.rowid
    ),
    stepped as (
        select
            l.line_id,
            l.file_id,
            l.line_no,
            case
                when l.rank is not null and split_part(l.stream, '|', 2) = ''
                then l.stream || 'rank ' || l.rank
                else l.stream
            end as stream,
            l.trainer,
            l.layout,
            case
                when l.layout = 'columns' then coalesce(l.lead, h.lead) || chr(10) || l.fields
            end as fields,
            l.time,
            l.host,
            l.rank,
            case
                when
                    l.trainer = 'megatron' and l.lead not in ('validation', 'valid', 'eval', 'test')
                then ' (' || l.lead || ')'
            end as of_set,
            case
                when o.file_id is not null and l.trainer = 'epochs'
                then l.step
                when l.trainer = 'epochs' and l.planned > 0
                then (l.epoch_no - e.epoch) * l.planned + l.step
                when l.trainer = 'columns' and r.file_id is not null
                then null
                when l.trainer in ('epoch_line', 'columns')
                then coalesce(l.epoch_no, l.step)
                when l.trainer = 'levanter'
                then counted(regexp_extract(l.fields, '^([0-9.]+[kM]?)it', 1))
                when l.trainer = 'keras'
                then k.epoch
                when l.trainer = 'hf'
                then
                    coalesce(
                        try_cast(
                            nullif(
                                regexp_extract(
                                    l.fields,
                                    '[''"](?:train/)?(?:global_)?step[''"]: ([0-9]{1,12})[,} ]',
                                    1
                                ),
                                ''
                            ) as double
                        ),
                        l.step,
                        b.done
                    )
                else coalesce(d.step, w.step, l.step, b.done, a.step)
            end as step,
            case
                when l.trainer = 'levanter'
                then counted(regexp_extract(l.fields, '/([0-9.]+[kM]?)it', 1))
                when
                    (l.trainer not in ('epochs', 'nemo', 'keras') or o.file_id is not null)
                    and w.step is null
                then coalesce(l.planned, b.total)
            end as steps_planned,
            lower(coalesce(l.phase, '')) as phase,
            l.phase ~* '^(val|eval|test)'
            and (
                l.trainer in ('epochs', 'generic', 'mmengine')
                and l.planned <> t.planned
                or l.trainer = 'epoch_line'
                and t.planned is not null
            ) as of_validation
        from lines l
        left join bar_step b on b.line_id = l.line_id
        left join within_epoch w on w.line_id = l.line_id
        left join rounds d on d.line_id = l.line_id
        left join head_step a on a.line_id = l.line_id
        left join first_epoch e on e.file_id = l.file_id and e.stream = l.stream
        left join keras_epoch k on k.line_id = l.line_id
        left join heads h on h.line_id = l.line_id
        left join counted_over_epochs o on o.file_id = l.file_id and o.stream = l.stream
        left join rows_of_an_epoch r on r.file_id = l.file_id and r.stream = l.stream
        left join lengths t on t.file_id = l.file_id and t.stream = l.stream
        -- A bar of Keras that is not full is drawn again; a line of an epoch that also counts
        -- batches is none.
        where
            (l.trainer <> 'keras' or k.epoch is not null)
            and (
                l.trainer <> 'epoch_line'
                or not regexp_matches(
                    l.fields,
                    '(?i)(?:^|[^a-z]|mini|micro)(?:batch|iter|step|idx)'
                    || '(?:e?s|ations?|_?(?:idx|id|index|no|num|number))?'
                    || '[ :=#\[]*[0-9]+(?:[^0-9.]|\.?$)'
                )
            )
    )
select * exclude (of_validation)
from stepped
where of_validation is not true
union all by name
-- Batches of a validation are counted anew each time; they and its epochs belong to the step that
-- training had reached.
select v.* exclude (of_validation) replace (t.step as step, null::double as steps_planned)
from (from stepped where of_validation) v
asof left join
    (select file_id, stream, line_no, step from stepped where of_validation is not true) t
    on t.file_id = v.file_id
    and t.stream = v.stream
    and t.line_no <= v.line_no
where
    exists (from training_line where phase is not null)
    or exists (from line_front where phase is not null)
union all by name
select
    -1 - k as line_id,
    file_id,
    line_no,
    stream,
    'bar' as trainer,
    'pairs' as layout,
    fields,
    time,
    host,
    rank,
    step,
    total as steps_planned,
    '' as phase,
    place
from bar_line
