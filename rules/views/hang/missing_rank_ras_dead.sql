-- table: One row of the processes for which nothing answers NCCL RAS, and one per communicator with
-- the ranks that its JSON report calls dead. Of communicators the largest ones count: their ranks
-- are those of the job.
with dead_rank as (select * from (from ras_rank where dead qualify nranks = max(nranks) over ()))
select
    'ras dead' as source,
    'dead' as finding,
    null::bigint[] as ranks,
    list(distinct address order by address) as hosts,
    list(distinct pid order by pid) as pids,
    null::varchar as grp,
    'probable' as grade,
    min(time) as "at",
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence
from nccl_ras_process
where event in ('dead', 'PEER_DEAD')
having count(*) > 0
union all by name
select
    'ras dead' as source,
    'dead' as finding,
    list(distinct comm_rank order by comm_rank)::bigint[] as ranks,
    list(distinct address order by address) as hosts,
    list(distinct pid order by pid) as pids,
    comm_hash as grp,
    'probable' as grade,
    null::timestamp as "at",
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence
from dead_rank
group by comm_hash
