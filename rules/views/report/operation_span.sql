-- view: one row per operation of a rank in a group of ranks and the stretch of time it took: time =
-- when the rank entered it, until = when it had ended, NULL where no log tells that; state =
-- completed | pending | timed_out.
select
    rank,
    host,
    coalesce(nullif(grp_desc, ''), grp) as grp,
    kind as op,
    coalesce(collective_seq, p2p_seq) as seq,
    case when pending then 'pending' else 'completed' end as state,
    time,
    case
        when not pending
        then
            time + coalesce(
                to_microseconds(cast(duration_ms * 1000 as bigint)), completed_at - started_at
            )
    end as until,
    file_id,
    line_no
from flight_operation
where time is not null
union all by name
select
    rank,
    host,
    grp,
    lower(op) as op,
    seq,
    'timed_out' as state,
    started as time,
    time as until,
    file_id,
    line_no
from timed_out_wait w
where
    started is not null
    and not exists (
        from flight_operation o where o.rank = w.rank and o.collective_seq = w.seq and o.pending
    )
