-- table: One row per line of a watchdog's timeout that had been broken, in the columns of
-- c10d_timeout. A number is read where a character follows it: at the end of a piece its last
-- digits may be missing.
select
    * exclude (text, said),
    try_cast(said.group_rank as bigint) as group_rank,
    said.seq::bigint as collective_seq,
    said.op as op,
    try_cast(said.numel_in as bigint) as numel_in,
    try_cast(said.numel_out as bigint) as numel_out,
    try_cast(said.timeout_ms as bigint) as timeout_ms,
    try_cast(said.ran_ms as bigint) as ran_ms,
    'watchdog' as source
from
    (
        select
            *,
            regexp_extract(
                text,
                '^(?:\[PG[^\]]*\]Processgroupwatchdogthreadterminatedwithexception:)?'
                || '(?:\[Rank([0-9]+)\])?'
                || '(?:NCCLwatchdogthreadterminatedwithexception:\[Rank[0-9]+\])?'
                || 'Watchdogcaughtcollectiveoperationtimeout:WorkNCCL\('
                || 'SeqNum=([0-9]+),OpType=([A-Za-z_0-9]+),'
                || '(?:NumelIn=([0-9]+),NumelOut=([0-9]+),)?'
                || '(?:Timeout\(ms\)=([0-9]+)\)(?:ranfor([0-9]+)m)?)?',
                ['group_rank', 'seq', 'op', 'numel_in', 'numel_out', 'timeout_ms', 'ran_ms']
            ) as said
        from c10d_joined
    )
where said.seq <> ''
