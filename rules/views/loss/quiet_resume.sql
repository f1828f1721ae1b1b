-- table: One row per restart after which the loss simply went on: from resume_step, its last step
-- before, to start_step, its first one after. continued_in: the folder or file it goes on in.
with
    next_file as (  -- a curve that goes on in another file
        select
            g.file_id,
            g.line_no,
            g.first_step as start_step,
            lag(g.last_step) over w as resume_step,
            case
                when contains(f.path, '/') then parse_path(f.path)[-2] else f.path
            end as continued_in
        from segment g
        join series s using (series_id)
        join series_member k on k.series_id = g.series_id and k.file_id = g.file_id
        join file f on f.file_id = g.file_id
        where s.canonical = 'loss' and g.state = 'live' and s.files > 1
        window w as (partition by g.series_id, g.run order by k.turn, g.line_no)
        qualify lag(g.file_id) over w <> g.file_id and not g.rotated
    ),
    loss_point as (
        select p.file_id, p.line_no, p.step
        from series_point p
        join series s using (series_id)
        where s.canonical = 'loss'
    ),
    announced as (  -- a line that says that a checkpoint was loaded
        select e.file_id, e.line_no, p.step as start_step, coalesce(e.step, p.step) as resume_step
        from
            training_event e,
            lateral(
                select
                    min(p.step) filter (p.line_no > e.line_no) as step,
                    bool_or(p.line_no < e.line_no) as has_trained
                from loss_point p
                where p.file_id = e.file_id
            ) p
        where
            e.kind in ('resume', 'load')
            and p.step is not null
            -- Weights that are loaded before anything was trained are no resume.
            and coalesce(e.step, case when p.has_trained then p.step end, 0) > 0
            -- Nor are those of another run, whose steps are not counted on.
            and (p.has_trained or e.step is null or p.step > 1 or e.step <= 1)
    ),
    restart as (
        from next_file
        union all by name
        from announced
    )
select distinct on (round(start_step)) *
from restart
order by round(start_step), continued_in is null, line_no
