-- table: One row per communicator and rank of it that the logs show, with its GPU and how many of
-- its inits started and completed. NCCL's lines carry no rank: those of init tie (host, pid,
-- address) to a communicator and a rank in it, and everything else is joined over these three.
-- comm_key is the same on all ranks of a communicator: the commId; for a split the parent's key
-- with number and color of the split; before 2.16 only the size tells them apart. nccl_global_rank
-- has the rank in the job.
with recursive
    lines as (
        select
            coalesce(host, '') as host,
            coalesce(pid, 0) as pid,
            comm,
            file_id,
            line_no,
            time,
            rank,
            comm_rank,
            nranks,
            cuda_device,
            gpu_index,
            bus_id,
            comm_id,
            nullif(parent_comm, '(nil)') as parent_comm,
            split_count,
            split_color,
            event
        from nccl_comm
        union all
        select
            coalesce(host, ''),
            coalesce(pid, 0),
            comm,
            file_id,
            line_no,
            time,
            rank,
            comm_rank,
            nranks,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            'topology'
        from nccl_topology
    ),
    one as (
        select
            host,
            pid,
            comm,
            comm_rank,
            max(nranks) as nranks,
            max(comm_id) as comm_id,
            max(parent_comm) as parent_comm,
            max(split_count) as split_count,
            max(split_color) as split_color,
            max(cuda_device) as cuda_device,
            max(gpu_index) as gpu_index,
            max(bus_id) as bus_id,
            max(rank) as wrapper_rank,
            count(*) filter (event = 'Init START') as starts,
            -- A broken record may be the longer of the two.
            count(*) filter (event in ('Init COMPLETE', 'cut')) as completes,
            count(*) filter (regexp_matches(event, '^(Destroy|Abort|Revoke|Finalize) ')) as ends,
            bool_or(event like 'Abort %') as aborted,
            min(time) filter (event = 'Init START') as started_at,
            min(time) filter (event = 'Init COMPLETE') as completed_at,
            arg_min(file_id, line_no) as file_id,
            min(line_no) as line_no,
            arg_min(line_at(file_id, line_no), line_no) filter (event = 'Init START') as start_line
        from lines
        group by host, pid, comm, comm_rank
    ),
    keyed(host, pid, comm, comm_key, depth) as (
        select host, pid, comm, coalesce(comm_id, 'size ' || nranks), 0
        from one
        where comm_id is not null or parent_comm is null
        union all
        select
            o.host,
            o.pid,
            o.comm,
            k.comm_key || '/' || coalesce(o.split_count, 0) || ':' || o.split_color,
            k.depth + 1
        from one o
        join keyed k on k.host = o.host and k.pid = o.pid and k.comm = o.parent_comm
        where o.comm_id is null and k.depth < 4
    ),
    key as (select host, pid, comm, min(comm_key) as comm_key from keyed group by all)
select
    o.host,
    o.pid,
    o.comm,
    coalesce(k.comm_key, 'split ' || o.nranks) as comm_key,
    o.comm_rank,
    o.nranks,
    o.cuda_device,
    coalesce(o.gpu_index, o.cuda_device) as gpu_index,
    o.bus_id,
    o.wrapper_rank,
    o.starts,
    o.completes,
    o.ends,
    o.aborted,
    o.started_at,
    o.completed_at,
    o.start_line,
    o.file_id,
    o.line_no,
    -- two processes with one rank: the key does not tell communicators apart (old versions,
    -- several jobs in one log)
    count(distinct(o.host, o.pid)) over (partition by k.comm_key, o.comm_rank) > 1 as ambiguous
from one o
left join key k on k.host = o.host and k.pid = o.pid and k.comm = o.comm
