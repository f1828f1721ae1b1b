-- table: One row per rank and group: how far it has come, by its status lines. A count that torch
-- left uninitialised (2.3) is none. After an error of NCCL alone, ranks are behind each other
-- because each was stopped where it was. What a send or receive counts is no collective.
select
    'watchdog' as source,
    coalesce(rank, group_rank) as rank,
    any_value(host) as host,
    case
        when coalesce(grp_desc, '') = 'default_pg' or (grp_desc is null and grp = '0')
        then 'default_pg'
        else concat_ws(' ', grp, nullif(grp_desc, ''))
    end as grp_key,
    any_value(grp) as grp,
    any_value(grp_desc) as grp_desc,
    max(last_enqueued) filter (last_enqueued < 1000000000000) as enqueued,
    max(last_completed) filter (
        last_completed < coalesce(failed_seq, last_enqueued + 1)
    ) as completed,
    coalesce(
        min(failed_seq), max(last_completed + 1) filter (last_completed < last_enqueued)
    ) as waits_for,
    min(time) as time,
    arg_min(file_id, line_no) as file_id,
    min(line_no) as line_no
from c10d_status_line s
where
    coalesce(rank, group_rank) is not null
    and (exists (from c10d_timeout_line) or not exists (from c10d_nccl_error))
    and not exists (
        from c10d_timeout_line t
        where
            coalesce(t.rank, t.group_rank) = coalesce(s.rank, s.group_rank)
            and t.collective_seq in (s.failed_seq, s.last_enqueued)
            and t.op in ('SEND', 'RECV', 'RECVANY')
    )
group by all
