-- table: One row per status line of a watchdog that had been broken, in the columns of c10d_status.
-- The last number may lack digits: one that lost some is smaller than the number before it by nine
-- at least.
select
    * exclude (text, said),
    nullif(said.pg_id, '') as pg_id,
    said.grp as grp,
    nullif(said.grp_desc, '') as grp_desc,
    said.group_rank::bigint as group_rank,
    said.seq::bigint as failed_seq,
    try_cast(said.last_enqueued as bigint) as last_enqueued,
    case
        when said.seq::bigint - try_cast(said.last_completed as bigint) between 1 and 9
        then said.last_completed::bigint
    end as last_completed,
    said.reason as reason,
    'watchdog' as source
from
    (
        select
            *,
            regexp_extract(
                text,
                '^\[(?:PGID([0-9]+))?PG(?:GUID)?([0-9A-Za-z_:./-]+?)(?:\(([^)]*)\))?Rank([0-9]+)\]'
                || '(failure|Exception\(eitheranerrorortimeout\)|Timeout)(?:detectedbywatchdog)?'
                || 'at(?:NCCL)?work(?:sequenceid)?:([0-9]+)(?:PGstatus:|,)'
                || '(?:lastenqueued(?:NCCL)?work:(-?[0-9]+),'
                || '(?:lastcompleted(?:NCCL)?work:(-?[0-9]+))?)?',
                [
                    'pg_id',
                    'grp',
                    'grp_desc',
                    'group_rank',
                    'reason',
                    'seq',
                    'last_enqueued',
                    'last_completed'
                ]
            ) as said
        from c10d_joined
    )
where said.seq <> ''
