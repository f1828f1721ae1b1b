-- view: Ranks on one GPU, ranks that do not exist, interfaces that do not exist. What NCCL cannot
-- serve because the job was set up that way: one row per rank named, in the shape of crash.config's
-- sources.
select
    'arguments' as what,
    case
        event
        when 'duplicate_gpu'
        then
            format(
                'Ranks {} and {} run on one GPU (bus id {}): each rank needs its own, set the device from LOCAL_RANK',
                least(rank_a, rank_b),
                greatest(rank_a, rank_b),
                bus_id
            )
        when 'shared_gpu'
        then 'Several ranks run on one GPU: each rank needs its own, set the device from LOCAL_RANK'
        else format('Rank {} does not exist in a communicator of {}', rank_a, nranks)
    end as message,
    case
        event
        when 'shared_gpu'
        then rank
        else unnest(list_distinct([rank_a, coalesce(rank_b, rank_a)]))
    end as rank,
    host,
    pid,
    time,
    file_id,
    line_no,
    'definite' as grade
from nccl_usage
where event in ('duplicate_gpu', 'shared_gpu', 'invalid_rank')
union all by name
select
    'arguments' as what,
    'NCCL found no network interface to use: ' || error || ' (NCCL_SOCKET_IFNAME)' as message,
    rank,
    host,
    pid,
    time,
    file_id,
    line_no,
    'definite' as grade
from nccl_socket
where event = 'no_interface'
