-- table: One row per line whose step is counted within its epoch, with the step in the run: lines
-- that name both, where the step falls back whenever the epoch goes up.
with
    epoch_begun as (select * from training_mark where kind = 'epoch'),
    -- lines that name no epoch, below one that names nothing else; not of ranks, of which often one
    -- alone prints it
    line_below_epoch as (
        select
            l.line_id,
            l.file_id,
            l.stream,
            l.line_no,
            l.step,
            l.planned,
            coalesce(e.step, 1) as epoch
        from
            (
                select rowid as line_id, file_id, stream, line_no, step, planned
                from training_line
                where
                    trainer = 'generic'
                    and step is not null
                    and rank is null
                    and lead not ilike '%epoch%'
                    and short_epoch(lead) is null
                    and fields not ilike '%epoch%'
                    and (file_id, stream) in (
                        select (file_id, stream)
                        from epoch_begun
                        group by file_id, stream
                        having count(*) >= 2
                    )
                    and rowid not in (select line_id from validation_line)
            ) l
        asof left join
            epoch_begun e
            on e.file_id = l.file_id
            and e.stream = l.stream
            and e.line_no <= l.line_no
    ),
    line_with_epoch as (
        select
            rowid as line_id,
            file_id,
            stream,
            line_no,
            step,
            planned,
            coalesce(
                epoch_no,
                short_epoch(lead),
                try_cast(
                    coalesce(
                        nullif(regexp_extract(lead, '(?i)epoch[ :=\[#]*([0-9]{1,6})', 1), ''),
                        regexp_extract(
                            fields, '(?i)(?:^|[^a-z_])epoch[ :=\[#]*([0-9]{1,6})(?:[^.0-9]|$)', 1
                        )
                    ) as double
                )
            ) as epoch
        from training_line
        where
            (
                trainer = 'generic'
                and (
                    lead ilike '%epoch%' or fields ilike '%epoch%' or short_epoch(lead) is not null
                )
                or trainer = 'epochs'
                and planned is null
            )
            and rowid not in (select line_id from validation_line)
        union all by name
        select *
        from line_below_epoch
    ),
    moved as (
        select *, step < lag(step) over w as back, epoch > lag(epoch) over w as next_epoch
        from line_with_epoch
        where epoch is not null
        window w as (partition by file_id, stream order by line_no)
    ),
    counted as (
        select
            file_id,
            stream,
            min(epoch) as first_epoch,
            min(step) as shortest,
            max(step) as longest,
            max(planned) as planned,
            -- Further runs in the same file begin at an earlier epoch, or at the same one.
            count(*) filter (back and next_epoch) as with_epoch,
            count(*) filter (back and not next_epoch) as without,
            count(*) filter (not back and next_epoch) as going_on
        from moved
        group by all
    )
select
    m.line_id,
    case
        when c.shortest = c.longest
        then m.epoch
        else (m.epoch - c.first_epoch) * greatest(c.longest + 1, coalesce(c.planned, 0)) + m.step
    end as step
from moved m
join counted c using (file_id, stream)
where
    c.with_epoch >= 1
    and c.without <= c.with_epoch
    -- it goes on where lines are fewer than epochs: then some have a higher number by chance
    and (c.going_on = 0 or c.with_epoch >= 5 and c.with_epoch > 2 * c.without)
    or c.shortest = c.longest
    and c.going_on >= 3
