-- table: one row per dump of a process: its main thread, its rank, and which process it is.
-- process: `rank 3`, or host and pid, or the file where neither is known (of faulthandler: with
-- the address of its main thread).
-- snapshot: which dump of the process this is; snapshots: how many there are.
-- waits_for_peers: class is a wait for other ranks.
-- place, own_key, full_key: the path of calls as one text, to compare.
with
    other_threads as (
        select d.dump, list_sort(list(p.tid)) as tids
        from stack_dump as d
        join
            stack_position as p
            on p.file_id = d.file_id
            and p.stream = d.stream
            and p.unit_head is not distinct from d.unit_head
            and p.nth = d.nth
            and p.line_no <> d.thread_line
            and p.tid is not null
        group by d.dump
    ),
    -- Containers all have a process 1: threads of one process keep their ids, so two
    -- that share none are two processes.
    dump as (
        select
            k.*,
            pid is not null
            and coalesce(
                len(list_intersect(o.tids, first_value(o.tids) over same)) = 0
                and len(first_value(o.tids) over same) > 0,
                false
            ) as is_namesake
        from stack_dump_rank as k
        left join other_threads as o using (dump)
        window same as (partition by at_host, pid order by file_order, line_no)
    ),
    identified as (
        select
            *,
            case
                when may_be_rank and rank is not null
                then 'rank ' || rank
                when pid is not null
                then
                    coalesce(at_host, '')
                    || ' pid '
                    || pid
                    || case when is_namesake then ' in ' || file || ':' || line_no else '' end
                -- threads of different processes have different addresses
                when source_kind = 'faulthandler' and tid is not null
                then file || ' thread ' || tid
                else file || ':' || line_no
            end as process
        from dump
    )
select
    dump,
    file_id,
    line_no,
    thread_line,
    file,
    source_kind,
    is_json,
    watched,
    process,
    rank,
    rank_guessed,
    surely,
    at_host as host,
    pid,
    role,
    cmdline,
    occasion,
    failure,
    failure_line,
    time,
    -- file names keep the order of snapshots, unless times are known
    row_number() over (
        partition by process order by time nulls first, file_order, line_no
    ) as snapshot,
    count(*) over (partition by process) as snapshots,
    status,
    class,
    awaits,
    decided,
    top,
    own,
    path,
    own_path,
    array_to_string(path, ' > ') as signature,
    innermost,
    in_queue_get,
    holds_out_for_lock,
    worker_wants_lock,
    step,
    local_world_size as world_size,
    class in (
        'collective-wait', 'collective-launch', 'p2p-wait', 'gpu-sync', 'store-wait', 'init'
    ) as waits_for_peers,
    coalesce(
        array_to_string(coalesce(nullif(own_path, []), path), ' > '), decided.f, innermost, ''
    ) as place,
    -- The same without paths, which tools shorten differently: to compare two dumps of one process.
    array_to_string(
        list_transform(
            coalesce(nullif(own_path, []), path),
            lambda x:regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')
        ),
        ' > '
    ) as own_key,
    array_to_string(
        list_transform(path, lambda x:regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')),
        ' > '
    ) as full_key
from identified
