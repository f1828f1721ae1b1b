/*
title = "Training became slower"
severity = "warning"
confidence = "probable"
status = "stable"
about = "The time of a step went up for good, or the pauses at regular steps grow longer and longer. Told from medians of blocks of steps: evaluations, checkpoints and first steps do not count, nor does a change of batch size or sequence length."
remedy = "Look at that time for a GPU that lowers its clocks (heat, power), a link that went down to fewer lanes, a busy file system or data loader, another job on the host. Where one rank or host is named, compare its clocks and links with a healthy one."
false_positives = "The work of a step grew by plan and the log does not say so (longer sequences, more experts, an evaluation in every step)."
references = ["https://arxiv.org/abs/2402.15627", "https://arxiv.org/abs/2407.21783"]
*/
with
    planned as (
        -- Steps that do more work take longer.
        select c.writer, c.run
        from pace_change c, planned_change g
        where
            g.file_id = c.file_id
            and (
                g.what is null
                or g.line_no
                between (
                    select p.line_no
                    from pace p
                    where
                        p.writer = c.writer
                        and p.run = c.run
                        and p.k = greatest(c.k - c.block_points, 1)
                ) and coalesce(
                    (
                        select p.line_no
                        from pace p
                        where p.writer = c.writer and p.run = c.run and p.k = c.k + c.block_points
                    ),
                    c.line_no
                )
            )
    ),
    change as (
        select
            c.*,
            coalesce(c.host, r.host) as on_host,
            -- A restart just before: another allocation, other settings.
            exists (
                from training_event e
                where
                    e.file_id = c.file_id
                    and e.kind in ('resume', 'load', 'start', 'fresh_start')
                    and e.line_no between (
                        select p.line_no
                        from pace p
                        where p.writer = c.writer and p.run = c.run and p.k = greatest(c.k - 3, 1)
                    ) and c.line_no
            ) as restarted
        from pace_change c
        left join rank r on r.rank = c.rank
        where not exists (from planned p where p.writer = c.writer and p.run = c.run)
    ),
    islands as (
        select *, count_if(apart) over (order by step, source, rank) as incident_no
        from
            (
                select *, coalesce(step > lag(step) over w * 1.02 + 5, true) as apart
                from change
                window w as (order by step, source, rank)
            )
    ),
    incident as (
        select
            *,
            list(rank) filter (rank is not null) over same as slow_ranks,
            list(distinct on_host) filter (on_host is not null) over same as slow_hosts,
            list(line_at(file_id, line_no)) over same as places
        from islands
        window same as (partition by incident_no)
        qualify row_number() over (partition by incident_no order by ratio desc, n desc, source) = 1
    ),
    writers as (select count(distinct rank) as ranks from pace_writer),
    told as (
        select
            i.*,
            w.ranks as of_ranks,
            -- Blame where few of many became slow.
            w.ranks >= 3
            and len(slow_ranks) > 0
            and len(slow_ranks) <= greatest(1, 0.3 * w.ranks) as few
        from incident i, writers w
    ),
    rates as (
        select
            *,
            case
                canonical
                when 'throughput'
                then name || ' fell from ' || plain(1 / before) || ' to ' || plain(1 / behind)
                else 'a step takes ' || plain(behind) || ' s instead of ' || plain(before) || ' s'
            end as says
        from told
    )
select
    case
        when few
        then
            'Rank '
            || ranges(slow_ranks)
            || coalesce(case when len(slow_hosts) = 1 then ' on ' || slow_hosts[1] end, '')
            || ' became slower'
        else 'Training became slower'
    end
    || ' from step '
    || plain(step)
    || ' on: '
    || says
    || ' ('
    || printf('%.1f', ratio)
    || ' times)'
    || case when grows then ', and it goes on growing' else '' end
    || case
        when few
        then '; the other ' || of_ranks - len(slow_ranks) || ' ranks did not'
        when of_ranks > 1 and len(slow_ranks) = of_ranks
        then '; all ' || of_ranks || ' ranks alike'
        else ''
    end
    || case when restarted then '; a restart stands just before it' else '' end as summary,
    [line_at(p.file_id, p.line_no)] || places as evidence,
    case when restarted then 'info' end as severity,
    r.time as at,
    case when few then slow_ranks end as ranks,
    case when few and len(slow_hosts) = 1 then slow_hosts end as hosts,
    r.step,
    round(ratio, 3) as ratio,
    case when grows then 'growing' else 'shift' end as class,
    case when canonical = 'step_seconds' then before end as step_seconds_before,
    case when canonical = 'step_seconds' then behind end as step_seconds_after,
    case when few then 'rank' when of_ranks > 1 then 'all' end as extent,
    r.name as metric,
    null::double as period
from rates r
left join
    lateral(
        select file_id, line_no
        from pace p
        where p.writer = r.writer and p.run = r.run and p.k = r.k - 1
    ) p
    on true
union all by name
select
    'Every '
    || plain(period)
    || ' points a step takes longer, and more each time: '
    || case
        canonical
        when 'throughput'
        then printf('%.1f', extra_last / extra_first) || ' times the loss of the first ones'
        else plain(extra_last) || ' s on top at the end, ' || plain(extra_first) || ' s at first'
    end as summary,
    [
        line_at(first_place.file_id, first_place.line_no),
        line_at(last_place.file_id, last_place.line_no)
    ] as evidence,
    first_place.time as at,
    first_place.step as step,
    round(extra_last / extra_first, 3) as ratio,
    'periodic' as class,
    name as metric,
    period,
    case when rank is not null then [rank] end as ranks
from pace_pulse
where not exists (from change)
qualify row_number() over (partition by period order by extra_last / extra_first desc, writer) = 1
