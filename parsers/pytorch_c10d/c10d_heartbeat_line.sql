-- table: One row per line of the heartbeat monitor. Where a terminal broke it, who it is is in the
-- line before.
select
    h.* replace (
        coalesce(h.rank, p.rank) as rank,
        coalesce(
            h.group_rank, try_cast(regexp_extract(p.text, 'Rank ([0-9]+)\]', 1) as bigint)
        ) as group_rank,
        coalesce(h.grp_desc, nullif(regexp_extract(p.text, '\(([^()]*)\)', 1), '')) as grp_desc
    )
from c10d_heartbeat h
left join
    c10d_piece p
    on h.group_rank is null
    and p.head
    and p.file_id = h.file_id
    and p.line_no = h.line_no - 1
