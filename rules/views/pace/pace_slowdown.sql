-- table: One row per time at which steps began to take longer for good (pace_change); writers that
-- became slower together are one, the one that lost most speaks. before and behind: seconds of a
-- step, for a throughput seconds per unit; slow_ranks, slow_hosts: who became slower; nranks: how
-- many ranks tell their pace; is_of_few: few of many became slow, so they are to blame;
-- is_restarted: a restart is just before it (another allocation, other settings).
with
    change as (
        select
            c.*,
            coalesce(c.host, r.host) as on_host,
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
            ) as is_restarted
        from pace_change c
        left join rank r on r.rank = c.rank
        -- steps that do more work take longer
        where (c.writer, c.run) not in (select (p.writer, p.run) from pace_planned p)
    ),
    marked as (
        select *, coalesce(step > lag(step) over w * 1.02 + 5, true) as is_apart
        from change
        window w as (order by step, source, rank)
    ),
    numbered as (
        select *, count_if(is_apart) over (order by step, source, rank) as incident_no from marked
    ),
    slowdown as (
        select
            *,
            list(rank) filter (rank is not null) over same as slow_ranks,
            list(distinct on_host) filter (on_host is not null) over same as slow_hosts,
            list(line_at(file_id, line_no)) over same as places
        from numbered
        window same as (partition by incident_no)
        qualify row_number() over (partition by incident_no order by ratio desc, n desc, source) = 1
    ),
    everybody as (select count(distinct rank) as nranks from pace_writer)
select
    s.*,
    e.nranks,
    e.nranks >= 3
    and len(s.slow_ranks) > 0
    and len(s.slow_ranks) <= greatest(1, 0.3 * e.nranks) as is_of_few
from slowdown s
cross join everybody e
