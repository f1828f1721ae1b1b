-- view: One row per rank that NCCL cannot serve because of how the job was set up, and report of
-- it: event = duplicate_gpu (two ranks on one GPU, gpu_ranks) | shared_gpu (the same, ranks not
-- told) | invalid_rank (no such rank in a communicator of nranks) | no_interface (no network
-- interface to use, error; program: of which library, where it is another one).
select
    event,
    case
        event
        when 'shared_gpu'
        then rank
        else unnest(list_distinct([rank_a, coalesce(rank_b, rank_a)]))
    end as rank,
    case
        when event = 'duplicate_gpu' then [least(rank_a, rank_b), greatest(rank_a, rank_b)]
    end as gpu_ranks,
    bus_id,
    case when event = 'invalid_rank' then rank_a end as invalid_rank,
    nranks,
    host,
    pid,
    time,
    file_id,
    line_no
from nccl_usage
where event in ('duplicate_gpu', 'shared_gpu', 'invalid_rank')
union all by name
select event, rank, error, host, pid, time, file_id, line_no
from nccl_socket
where event = 'no_interface'
union all by name
select
    'no_interface' as event,
    rank,
    message as error,
    'oneCCL' as program,
    host,
    pid,
    time,
    file_id,
    line_no
from library_message
where
    library = 'oneccl'
    and regexp_matches(
        message, '(?i)\b(?:find|no)\b[ -~]{0,30}\binterface|failed to get local host ip'
    )
